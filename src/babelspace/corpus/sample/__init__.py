"""The embedded corpora; their origin and licences stand in README.md beside them."""

from __future__ import annotations

from importlib.resources import as_file, files

from babelspace.corpus.aligned import AlignedCorpus
from babelspace.errors import ParameterError

SAMPLES = ("help", "gospels")


def sample(name: str = "help") -> AlignedCorpus:
    """`help`: 951 help pages in six languages, labelled; `gospels`: 3,778 verses in English and Spanish."""
    if name not in SAMPLES:
        raise ParameterError(f"unknown sample {name!r}; known: {', '.join(SAMPLES)}\nHint: try sample:help")
    from babelspace.corpus.readers import jsonl_folder as folder
    from babelspace.corpus.readers.options import Selection

    with as_file(files(__name__) / name) as path:
        return AlignedCorpus.from_documents(folder.documents(path, Selection()), source=name)
