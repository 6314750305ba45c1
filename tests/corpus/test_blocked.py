"""Rows dealt to blocks on disk: the same blocks whatever the files, their number and their order."""

from __future__ import annotations

import json

import pytest

from babelspace.corpus import AlignedCorpus, blocked as module, position, sample, write_folder
from babelspace.corpus.blocked import deal, sources_of
from babelspace.errors import CorpusError, UnknownLanguage
from babelspace.runtime.engine import open_engine

BLOCKS = 8


@pytest.fixture(scope="module")
def corpus():
    whole = sample("help").select(range(120), ["en", "es", "de"])
    texts = {name: whole.texts(name) for name in whole.languages}
    texts["es"][3] = texts["de"][3] = texts["en"][7] = None
    texts["de"][9] = "   "
    return AlignedCorpus(whole.ids, texts)


def write_shards(corpus, folder, shards, order=1):
    folder.mkdir()
    for shard in range(shards):
        with (folder / f"part-{shard}.jsonl").open("w", encoding="utf-8") as stream:
            for row in range(len(corpus))[::order][shard::shards]:
                texts = {name: corpus.texts(name)[row] for name in corpus.languages}
                if row == 9:
                    texts["de"] = "   "
                stream.write(json.dumps({"id": corpus.ids[row], **texts}) + "\n")
    return folder


def dealt(path, folder, **settings):
    with open_engine() as engine:
        return deal(sources_of(path), folder, engine, blocks=BLOCKS, **settings)


def test_every_row_is_in_the_block_of_its_position(corpus, tmp_path):
    found = dealt(write_shards(corpus, tmp_path / "in", 3), tmp_path / "texts")
    rows = {id: row for row, id in enumerate(corpus.ids)}
    seen = []
    for number in range(BLOCKS):
        block = found.block(number)
        assert list(block.ids) == sorted(block.ids)
        assert all(int(position(id) * BLOCKS) == number for id in block.ids)
        for id in block.ids:
            for name in found.languages:
                assert block.texts(name)[block.ids.index(id)] == corpus.texts(name)[rows[id]]
        seen += block.ids
    assert sorted(seen) == sorted(corpus.ids)
    # One is blank, one null.
    assert sum(found.block(number).empty["de"] for number in range(BLOCKS)) == 2


def test_files_and_their_order_change_nothing(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "CHUNK_CHARACTERS", 50_000)
    first = dealt(write_shards(corpus, tmp_path / "a", 1), tmp_path / "a-texts")
    second = dealt(write_shards(corpus, tmp_path / "b", 5, order=-1), tmp_path / "b-texts")
    write_folder(corpus, tmp_path / "c")
    third = dealt(tmp_path / "c", tmp_path / "c-texts")
    assert len(first.chunks) > 3
    assert len(sources_of(tmp_path / "b")) == 5
    assert len(sources_of(tmp_path / "c")) == 3
    for number in range(BLOCKS):
        expected = first.block(number).fingerprint()
        assert second.block(number).fingerprint() == third.block(number).fingerprint() == expected


def test_a_file_that_is_dealt_is_not_read_again(corpus, tmp_path):
    shards = write_shards(corpus, tmp_path / "in", 2)
    before = dealt(shards, tmp_path / "texts")
    (shards / "part-0.jsonl").write_text("no longer JSON")
    assert dealt(shards, tmp_path / "texts") == before


def test_the_first_rows_are_those_that_a_split_holds_out(corpus, tmp_path):
    found = dealt(write_shards(corpus, tmp_path / "in", 1), tmp_path / "texts")
    expected = corpus.split(train=0.8, dev=0, test=0.2).test
    assert set(found.first_rows(0.2, 1000).ids) == set(expected.ids)
    few = found.first_rows(0.2, 5)
    assert set(few.ids) == set(sorted(expected.ids, key=position)[:5])
    assert found.first_rows(0.0, 5) is None


def test_patterns_and_languages(corpus, tmp_path):
    shards = write_shards(corpus, tmp_path / "in", 4)
    assert len(sources_of(shards / "part-[12].jsonl")) == 2
    assert dealt(shards, tmp_path / "a", languages=["es", "en"]).languages == ("es", "en")
    with pytest.raises(UnknownLanguage, match="known: de, en, es"):
        dealt(shards, tmp_path / "b", languages=["es", "fr"])
    with pytest.raises(CorpusError, match="no file fits this pattern"):
        sources_of(tmp_path / "none-*.jsonl")
    with pytest.raises(CorpusError, match="nothing of this name exists"):
        dealt(tmp_path / "nowhere", tmp_path / "c")


def test_a_second_text_of_one_id_is_told(tmp_path):
    for number in range(2):
        (tmp_path / f"part-{number}.jsonl").write_text('{"id": "a", "en": "one", "es": "uno"}\n')
    found = dealt(tmp_path, tmp_path / "texts")
    with pytest.raises(CorpusError, match="duplicate id 'a'"):
        list(map(found.block, range(BLOCKS)))
