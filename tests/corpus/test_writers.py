from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import normalize

import pytest
from hypothesis import assume, given, strategies as st

from babelspace.corpus import AlignedCorpus, planted, read_corpus, write_folder
from babelspace.errors import CorpusError

letters = st.characters(codec="utf-8", exclude_characters="\0")
cell = st.none() | st.text(letters, max_size=20)
value = st.text(letters, min_size=1, max_size=5) | st.integers(-9, 9) | st.booleans()
name = st.text("abcdé. ", min_size=1, max_size=3)
labels = st.dictionaries(name, value | st.lists(value, min_size=1, max_size=3), max_size=3)
# One id in two spellings is refused.
ids = st.text(letters, min_size=1, max_size=8).map(lambda id: normalize("NFC", id))
rows = st.dictionaries(ids, st.tuples(cell, cell, cell, labels), max_size=8)


@given(rows, st.booleans())
def test_round_trip(table: dict[str, tuple], compress: bool):
    texts = {code: [row[column] for row in table.values()] for column, code in enumerate(("de", "en", "zh"))}
    written = AlignedCorpus(list(table), texts, {id: row[3] for id, row in table.items()})
    assume(any(written.counts().values()))
    with TemporaryDirectory() as folder:
        read = read_corpus(write_folder(written, folder, compress=compress))
    # A row or a language without any text leaves no trace in files.
    kept = [language for language, count in written.counts().items() if count]
    assert read.languages == tuple(kept)
    for language in kept:
        assert read.documents(language) == sorted(written.documents(language), key=lambda d: read.ids.index(d.id))
    assert set(read.ids) == {document.id for language in kept for document in written.documents(language)}


def test_files_and_their_form(tmp_path: Path):
    corpus = AlignedCorpus(
        ["a", "b"], {"en": ["é", None], "es": ["x", "y"]}, {"b": {"label": ["p", "q"], "year": 1999}}
    )
    folder = write_folder(corpus, tmp_path / "new" / "corpus")
    assert sorted(file.name for file in folder.iterdir()) == ["en.jsonl", "es.jsonl", "labels.jsonl"]
    assert (folder / "en.jsonl").read_text("utf-8") == '{"id": "a", "text": "é"}\n'
    assert json.loads((folder / "labels.jsonl").read_text()) == {"id": "b", "label": ["p", "q"], "year": 1999}
    assert (folder / "en.jsonl").stat().st_mode & 0o400
    assert read_corpus(folder).fingerprint() == corpus.fingerprint()


def test_the_same_corpus_gives_the_same_bytes(tmp_path: Path):
    first, second = (write_folder(planted(rows=5), tmp_path / name, compress=True) for name in "ab")
    for file in first.iterdir():
        assert file.read_bytes() == (second / file.name).read_bytes()


def test_writing_again_replaces_but_never_mixes(tmp_path: Path):
    corpus = planted(rows=5)
    write_folder(corpus, tmp_path)
    write_folder(corpus.select([0]), tmp_path)
    assert len(read_corpus(tmp_path)) == 1
    for other in (corpus.select(languages="en"), planted(rows=5, languages=("en", "fr"))):
        with pytest.raises(
            CorpusError, match=r"the folder already holds es.jsonl, which would .*\nHint: write to another"
        ):
            write_folder(other, tmp_path)


def test_a_failure_leaves_no_half_written_file(tmp_path: Path):
    corpus = planted(rows=3)
    write_folder(corpus, tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    broken = AlignedCorpus(["a"], {"en": ["half \ud800"], "es": ["x"]}, {"a": {"label": "x"}})
    with pytest.raises(UnicodeEncodeError):
        write_folder(broken, tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_what_cannot_be_written(tmp_path: Path):
    with pytest.raises(CorpusError, match="a field of the metadata is called 'text', which is what files call"):
        write_folder(AlignedCorpus(["a"], {"en": ["x"]}, {"a": {"text": "y"}}), tmp_path)
    with pytest.raises(CorpusError, match="empty corpus: there is nothing to write"):
        write_folder(AlignedCorpus(["a"], {"en": [None]}), tmp_path)
    with pytest.raises(CorpusError, match=r"'\.\./x' is no language code\nHint: use codes such as en"):
        write_folder(AlignedCorpus(["a"], {"../x": ["x"]}), tmp_path)
