"""Compiled functions made ahead: the first run of a command then takes as long as the next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from babelspace.alignment.registry import ALIGNERS
from babelspace.corpus import AlignedCorpus, Document, planted
from babelspace.errors import ParameterError
from babelspace.features.counting import FEW, count_and_collect_texts
from babelspace.kernels.topk import rough_products
from babelspace.runtime import progress
from babelspace.spaces import CLLSI, SPACES
from babelspace.text import Analyzer
from babelspace.workflows.align import align
from babelspace.workflows.fit_model import fit_model
from babelspace.workflows.mine_sentences import mine_sentences
from babelspace.workflows.stages import OnStage, tell
from babelspace.workflows.topics import topics

# More rows than terms, and fewer: spaces solve the smaller of the two problems. Enough rows to hold some out.
CORPORA: tuple[dict[str, Any], ...] = ({"rows": 400, "vocabulary": 120}, {"rows": 240, "vocabulary": 600})
WORDS = 30
SMALL: dict[str, Any] = {"n_components": 4, "max_iter": 2, "sweeps": 4, "epochs": 1}
# These need a translator, or are made of others.
WITH_MORE = ("translated", "translated-lsa", "combine")
Job = Callable[[], None]


@dataclass(frozen=True)
class WarmUp:
    """What was compiled: functions and seconds of each job, and the folder in which it is kept."""

    compiled: dict[str, int]
    seconds: dict[str, float]
    cache: Path

    def as_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        jobs = {name: {"compiled": self.compiled[name], "seconds": self.seconds[name]} for name in self.compiled}
        return {"jobs": jobs, "cache": str(self.cache)}


def warm_up(jobs: Sequence[str] | None = None, on_stage: OnStage | None = None) -> WarmUp:
    """Run small jobs once, so that what they compile lies in the cache of this machine.

    Compiled functions are kept beside the package, or in the folder of the environment variable NUMBA_CACHE_DIR; they
    are compiled again after an upgrade, or for another processor.

    Parameters
    ----------
    jobs : names of :func:`jobs_to_warm`, or their first words ("fit"); all by default
    on_stage : called with the stage "warm-up" after each job

    Examples
    --------
    >>> sorted(warm_up(["count"]).seconds)
    ['count']
    """
    from numba.core.event import install_recorder

    known = jobs_to_warm()
    asked = list(known) if jobs is None else [name for job in jobs for name in _named(job, known)]
    compiled, seconds = {}, {}
    with progress.task("warm-up", len(asked)) as advance:
        for name in dict.fromkeys(asked):
            started = perf_counter()
            # What lies in the cache is not compiled.
            with install_recorder("numba:compile") as recorder:
                known[name]()
            compiled[name] = sum(event.is_start for _, event in recorder.buffer)
            seconds[name] = perf_counter() - started
            advance(1)
            tell(on_stage, "warm-up", job=name, compiled=compiled[name], seconds=seconds[name])
    return WarmUp(compiled, seconds, kernel_cache())


def jobs_to_warm() -> dict[str, Job]:
    """What can be warmed up, by name: each space that is fitted, each aligner, and the rest of what is compiled."""
    fits = {f"fit {name}": _fitting(name) for name in SPACES if name not in WITH_MORE}
    # Documents with far fewer words than there are topics keep lists of theirs.
    fits["fit mlda of many topics"] = _fitting("mlda", n_components=16 * WORDS)
    aligns = {f"align {name}": _aligning(name, method="grow-diag-final-and") for name in ALIGNERS}
    methods = {f"align {name}": _aligning("ibm1", method=name) for name in ("posterior", "cepts")}
    rest: dict[str, Job] = {"match": _match, "sentences": _sentences, "topics": _topics, "count": _count}
    return {**fits, **aligns, **methods, **rest}


def kernel_cache() -> Path:
    """The folder of the compiled functions of linear algebra; those of others lie beside it."""
    from babelspace.kernels.linalg.sparse_loops import multiply

    return Path(multiply.threaded.stats.cache_path)


def _named(job: str, known: dict[str, Job]) -> list[str]:
    found = [name for name in known if job in (name, name.partition(" ")[0])]
    if not found:
        raise ParameterError(f"unknown job {job!r}; there are: {', '.join(known)}")
    return found


def _corpora() -> list[AlignedCorpus]:
    return [planted(words=WORDS, topics=6, **sizes) for sizes in CORPORA]


def _fitting(space: str, **others: Any) -> Job:
    def job() -> None:
        known = SPACES[space].load()().get_params(deep=False)
        parameters = {name: value for name, value in SMALL.items() if name in known} | others
        for corpus in _corpora():
            fit_model(corpus, space, holdout=0, **parameters).transform(corpus.select(range(9)))

    return job


def _match() -> None:
    """What comes after a fit: held-out rows are ranked and matched, by dense vectors and by sparse ones."""
    corpus = _corpora()[0]
    for space in (CLLSI(n_components=20), "untranslated"):
        encoder = fit_model(corpus, space, holdout=0.25)
        encoder.match(list(corpus.documents("en")), list(corpus.documents("es")))
    if rough_products.available():
        # What so few documents do not need.
        rows = np.eye(2, dtype=np.float32)
        asked, known = (rough_products.pack(rows, tall) for tall in (rough_products.ROWS, rough_products.COLUMNS))
        rough_products.multiply(asked, known, np.empty(rough_products.room(2, 2), np.float32))
        rough_products.rounding_errors(rows)


def _topics() -> None:
    corpus = _corpora()[1]
    topics(fit_model(corpus, "jplsa", holdout=0, n_components=4, max_iter=2), corpus)


def _sentences() -> None:
    corpus = _corpora()[0].select(range(8))
    documents = {
        language: [Document("1", language, "\n".join(f"{text}." for text in corpus.texts(language)))]
        for language in corpus.languages
    }
    mine_sentences(documents["en"], documents["es"])


def _aligning(aligner: str, **settings: Any) -> Job:
    def job() -> None:
        corpus = _corpora()[0]
        source, target = ([(text or "").split() for text in corpus.texts(language)] for language in ("en", "es"))
        align(source, target, aligner, **settings)

    return job


def _count() -> None:
    text = " ".join(text or "" for text in _corpora()[0].texts("en"))
    count_and_collect_texts(Analyzer("en"), [text] * (FEW // len(text) + 1))
