"""Is what a job is said to take what it takes? Estimates beside peaks of memory, and of disk, of jobs of every kind.

Each job runs in a process of its own, which tells its peak (`VmHWM`); the estimate is made before, from the same
documents. Fits are of pages in English and Spanish, aligners learn from sentences of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from babelspace import AlignedCorpus, Encoder, ViewsVectorizer, build_index, fit_model
from babelspace.corpus.writers.folder import write_folder
from babelspace.spaces.registry import make, needs_counts
from babelspace.workflows import estimate
from babelspace.workflows.align import train_aligner
from babelspace.workflows.build_index import DocumentPaths
from babelspace.workflows.match import DocumentFile, match_files
from babelspace.workflows.reading import load_corpus
from babelspace.workflows.sample_documents import look_at_files
from babelspace.workflows.topics import topics
from benchmarks.common import write

SPACES: dict[str, dict[str, Any]] = {
    "opca": {"n_components": 200},
    "cca": {"n_components": 200},
    "cl-lsi": {"n_components": 200},
    "kernel-cca": {"n_components": 200},
    "cr5": {"n_components": 100},
    "s2net": {"n_components": 50},
    "oneta": {},
    "esa": {},
    "l-solve": {},
    "explicit-lsi": {"n_components": 200},
    "on-eigen": {"n_components": 200},
    "translation": {},
    "translation-lsa": {"n_components": 200},
    "untranslated": {},
    "jplsa": {"n_components": 200, "max_iter": 3},
    "cplsa": {"n_components": 200, "max_iter": 3},
    "mlda": {"n_components": 200, "sweeps": 5},
    "mlda-vi": {"n_components": 100, "max_iter": 3},
    "mlda-cvb0": {"n_components": 50, "max_iter": 3},
}
JOBS = ("index", "match", "topics", "align")
LANGUAGES = ("en", "es")


def documents(path: Path, rows: int, times: int, place: Path) -> None:
    """So many rows, several times over with other ids, in a folder of their own."""
    corpus = load_corpus(str(path), languages=list(LANGUAGES)).aligned().select(rows=slice(0, rows))
    ids = [f"{id}-{turn}" for turn in range(times) for id in corpus.ids]
    write_folder(AlignedCorpus(ids, {code: list(corpus.texts(code)) * times for code in corpus.languages}), place)


def vectorizer_of(space: str, terms: int) -> ViewsVectorizer:
    """The usual features of a space, with so many terms."""
    counts: dict[str, Any] = {"weighting": "tf", "normalize": False} if needs_counts(space) else {}
    return ViewsVectorizer(max_terms=terms, **counts)


def sentences(corpus: AlignedCorpus) -> list[list[list[str]]]:
    """Both sides as short sentences."""
    pairs = zip(*(corpus.texts(code) for code in LANGUAGES), strict=True)
    cut = [(a.split()[at : at + 25], b.split()[at : at + 27]) for a, b in pairs for at in range(0, 400, 25)]
    kept = [(a, b) for a, b in cut if a and b]
    return [[a for a, _ in kept], [b for _, b in kept]]


def side(corpus: Path, language: str) -> str:
    """The file of a language."""
    return str(next(path for path in corpus.iterdir() if path.name.startswith(f"{language}.")))


def estimated(case: str, options: argparse.Namespace) -> estimate.Estimate:
    """What the job is said to take; documents that a job streams are only looked at."""
    if case == "align":
        source, target = sentences(load_corpus(str(options.corpus)))
        return estimate.estimate_align(source, target)
    if case in JOBS:
        encoder = Encoder.load(options.model)
        if case == "match":
            sides = [look_at_files(side(options.corpus, code)) for code in LANGUAGES]
            return estimate.estimate_match(encoder, *sides)
        looked = look_at_files(options.corpus)
        return {"index": estimate.estimate_index, "topics": estimate.estimate_topics}[case](encoder, looked)
    looked = look_at_files(options.corpus)
    return estimate.estimate_fit(looked, make(case, **SPACES[case]), vectorizer_of(case, options.terms))


def work(case: str, options: argparse.Namespace, place: Path) -> None:
    """The job itself, as the command does it."""
    path = str(options.corpus)
    if case == "align":
        source, target = sentences(load_corpus(path))
        train_aligner(source, target)
    elif case == "index":
        build_index(place / "made", options.model, DocumentPaths([path])).close()
    elif case == "match":
        files = [DocumentFile(side(options.corpus, code), code) for code in LANGUAGES]
        with match_files(options.model, *files):
            pass
    elif case == "topics":
        topics(Encoder.load(options.model), load_corpus(path))
    else:
        settings = {"vectorizer": vectorizer_of(case, options.terms), **SPACES[case]}
        fit_model(load_corpus(path), case, **settings).save(place / "made")


def peak() -> int:
    """The most memory that this process has had."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def one(case: str, options: argparse.Namespace) -> None:
    """Estimate and peak of one job, as JSON."""
    with tempfile.TemporaryDirectory() as name:
        told = estimated(case, options)
        work(case, options, Path(name))
        files = sum(path.stat().st_size for path in Path(name).rglob("*") if path.is_file())
    most = peak()
    found = {"memory": told.memory, "peak": most, "disk": told.disk, "files": files, "parts": dict(told.parts)}
    print(json.dumps({"ratio": told.memory / most, **found}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cases", nargs="+", default=[*SPACES, *JOBS])
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--times", type=int, default=5, help="so many copies of the rows for jobs other than fits")
    parser.add_argument("--terms", type=int, default=6_000)
    parser.add_argument("--corpus", type=Path, help="run the cases here, on this")
    parser.add_argument("--model", type=Path, help="of the jobs that need one; learned if none is given")
    options = parser.parse_args()
    if options.corpus is not None:
        for case in options.cases:
            one(case, options)
        return
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        once, often = place / "once", place / "often"
        documents(options.data / "mdn", options.rows, 1, once)
        documents(options.data / "mdn", options.rows, options.times, often)
        if options.model is None:
            options.model = place / "model"
            fit_model(load_corpus(str(once)), "opca", n_components=200).save(options.model)
        if "topics" in options.cases:
            counts = vectorizer_of("jplsa", options.terms)
            small = load_corpus(str(once)).select(rows=slice(0, 300))
            fit_model(small, "jplsa", vectorizer=counts, n_components=50, max_iter=3, holdout=0).save(place / "topics")
        found = {case: measured(case, often if case in JOBS else once, options) for case in options.cases}
    write("estimates", {"rows": options.rows, "terms": options.terms, "times": options.times, "cases": found})


def measured(case: str, corpus: Path, options: argparse.Namespace) -> dict[str, Any]:
    """One case in a process of its own."""
    model = corpus.parent / "topics" if case == "topics" else options.model
    command = [sys.executable, "-m", "benchmarks.measure.estimates", "--data", str(options.data), "--cases", case]
    settings = ["--corpus", str(corpus), "--model", str(model), "--terms", str(options.terms)]
    done = subprocess.run([*command, *settings], stdout=subprocess.PIPE, text=True, check=False)
    found: dict[str, Any] = (
        json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {"failed": done.returncode}
    )
    print(case, json.dumps(found), flush=True)
    return found


if __name__ == "__main__":
    main()
