"""A model from a corpus that does not fit into memory, on this machine or on many."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from babelspace.corpus.blocked import Source, deal, sources_of
from babelspace.errors import ParameterError
from babelspace.features import ViewsVectorizer
from babelspace.features.on_disk import count_blocks, learn_views
from babelspace.runtime.artifact import plain_value
from babelspace.runtime.engine import open_engine
from babelspace.runtime.work_folder import claim
from babelspace.spaces import Encoder
from babelspace.spaces.base import Space
from babelspace.workflows.fit_model import measure, name_of, space_of, telling_of_space
from babelspace.workflows.held_out_rows import USUAL_HOLDOUT
from babelspace.workflows.plan_on_disk import plan_fit
from babelspace.workflows.stages import OnStage, tell

# Held-out rows that score and calibrate the model: enough for both, and few enough to hold.
SCORED = 5_000


def fit_on_disk(
    path: str | Path,
    work: str | Path,
    space: str | Space = "opca",
    *,
    vectorizer: ViewsVectorizer | None = None,
    holdout: float = USUAL_HOLDOUT,
    seed: int = 0,
    engine: Any = None,
    max_memory: int | None = None,
    languages: Sequence[str] | None = None,
    corpus_format: str | None = None,
    on_stage: OnStage | None = None,
    **parameters: Any,
) -> Encoder:
    """:func:`fit_model` on files that are read block by block: neither all texts nor all vectors are ever held.

    What is between the passes (texts by block, counts, weighted rows, products) lies in files of the folder `work`; the
    same call after a kill, or with other parameters of the space, takes what is there. The folder is the caller's to
    delete. OPCA and CL-LSI are solved from sums over blocks; other spaces hold the weighted rows, 8 bytes a non-zero.
    The result does not depend on the engine, nor on the order of files and lines.

    Parameters
    ----------
    path : a folder of shards, a pattern, or whatever `read_corpus` reads
    work : a folder that all workers can read and write
    engine : "processes://4", "dask://scheduler:8786", "dask://local?workers=4", a Client of Dask; None is this process
    max_memory : bytes that this process may take; a fit that would take more is refused before it begins
    on_stage : as in `fit_model`, and "plan" before all others

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from babelspace import ViewsVectorizer, fit_on_disk, planted
    >>> from babelspace.corpus import write_folder
    >>> folder = Path(mkdtemp())
    >>> corpus = write_folder(planted(rows=400, words=100), folder / "corpus")
    >>> features = ViewsVectorizer(drop_top=0)
    >>> encoder = fit_on_disk(corpus, folder / "work", vectorizer=features, n_components=20)
    >>> encoder.card_["scores"]["held_out"]["mean"]["top1"] > 0.8
    True
    """
    if not 0 <= holdout < 1:
        raise ParameterError(f"holdout is a share from 0 up to but not 1, got {holdout}", hint="use {holdout=0.1}")
    encoder = Encoder(vectorizer, space_of(space, seed, parameters))
    sources, work = sources_of(path, corpus_format), Path(work)
    name = Path(path).name.encode("utf-8", "replace").decode()
    with open_engine(engine) as opened:
        dimensions = int(getattr(encoder.space, "n_components", 0))
        plan = plan_fit(
            sources, encoder.vectorizer, languages, dimensions, workers=opened.workers, max_memory=max_memory
        )
        tell(
            on_stage,
            "plan",
            passes=plan.records(),
            blocks=plan.blocks,
            documents_expected=plan.documents,
            memory=plan.memory,
            disk=plan.disk,
            engine=opened.name,
        )
        claim(work, _settings(sources, encoder.vectorizer, holdout, plan.blocks, languages))
        corpus = deal(sources, work / "texts", opened, blocks=plan.blocks, languages=languages, name=name)
        counts, rows = count_blocks(corpus, encoder.vectorizer, holdout, work / "counts", opened)
        tell(
            on_stage,
            "corpus",
            corpus=rows.name,
            rows=rows.rows,
            held_out_rows=rows.held_out,
            unpaired_rows=rows.unpaired,
            documents=rows.documents,
            blank_documents=rows.blank,
        )
        views = learn_views(counts, rows, encoder.vectorizer, work / "rows", opened)
        with telling_of_space(encoder, name_of(space), views.shape[1], {}, on_stage):
            encoder.space.fit(views)
        learned = Encoder.of_fitted(encoder.vectorizer, encoder.space, rows)
    learned.card_["corpus"] |= {"holdout": holdout, "languages": {}}
    held_out = corpus.first_rows(holdout, SCORED) if holdout else None
    if held_out is not None:
        measure(learned, held_out, holdout, on_stage)
    return learned


def _settings(
    sources: Sequence[Source], vectorizer: ViewsVectorizer, holdout: float, blocks: int, languages: Sequence[str] | None
) -> dict[str, Any]:
    """What the files of a work folder depend on."""
    read = [[source.path, source.format, dict(source.settings), source.changed()] for source in sources]
    settings = {name: plain_value(value) for name, value in vectorizer.settings().items()}
    chosen = None if languages is None else list(languages)
    return {"sources": read, "vectorizer": settings, "holdout": holdout, "blocks": blocks, "languages": chosen}
