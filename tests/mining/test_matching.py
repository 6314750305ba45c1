from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import babelspace.mining.checkpoint as workplace
from babelspace.corpus import Document, planted
from babelspace.errors import ArtifactError, CorpusError, ParameterError, UnknownLanguage
from babelspace.features import ViewsVectorizer
from babelspace.kernels.topk import rough_products
from babelspace.mining.checkpoint import Checkpoint
from babelspace.mining.matching import calibrate, calibration_of, learn_matching, match
from babelspace.runtime.block_files import JOURNAL, BlockFiles
from babelspace.spaces import OPCA, Encoder, Untranslated

CORPUS = planted(rows=420, words=80, vocabulary=200)
TRAIN, HELD_OUT, TEST = (CORPUS.select(range(*edges)) for edges in ((0, 200), (200, 300), (300, 420)))


@pytest.fixture(scope="module")
def encoder():
    found = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(TRAIN)
    learn_matching(found, HELD_OUT)
    return found


def sides(lost=40):
    """The first have mates; as many of each side as are lost have none."""
    both = 120 - 2 * lost
    english, spanish = TEST.documents("en"), TEST.documents("es")
    return english[: both + lost], spanish[:both] + spanish[both + lost :]


def right(found):
    return np.mean([one == other for one, other in zip(found.source, found.target, strict=True)])


def test_documents_without_a_mate_are_left_out(encoder):
    english, spanish = sides()
    every, trusted = encoder.match(english, spanish, precision=0), encoder.match(english, spanish, precision=0.9)
    assert 70 < len(every) <= 80 and 10 < len(trusted) < 60
    assert right(trusted) > max(0.75, right(every))
    assert trusted.expected_precision >= 0.9 > every.expected_precision
    assert every.expected_recall == pytest.approx(1)
    assert trusted.unmatched_source == 80 - len(trusted)
    assert len(set(trusted.source)) == len(trusted) == len(set(trusted.target))
    assert (np.diff(trusted.probability) <= 0).all()


def test_columns_for_tables(encoder):
    found = encoder.match(*sides(), precision=0)
    columns = found.columns()
    assert {len(column) for column in columns.values()} == {len(found)}
    assert columns["reason"][0].startswith("best of both, next ")


def test_order_of_the_languages_does_not_matter(encoder):
    english, spanish = sides()
    one, other = encoder.match(english, spanish), encoder.match(spanish, english)
    assert set(zip(one.source, one.target, strict=True)) == set(zip(other.target, other.source, strict=True))


def test_ways(encoder):
    english, spanish = sides()
    many = match(encoder, english, spanish, precision=0, one_to_one=False)
    assert len(many) == len(set(many.source)) == 80 > len(set(many.target))
    plain = match(encoder, english, spanish, precision=0, overlap=False)
    assert not np.array_equal(plain.probability, match(encoder, english, spanish, precision=0).probability)


@pytest.mark.parametrize("space", [OPCA(n_components=20), Untranslated()], ids=["dense", "sparse"])
def test_work_on_disk_gives_the_same(tmp_path, monkeypatch, space):
    monkeypatch.setattr(workplace, "BLOCK_DOCUMENTS", 32)
    encoder = Encoder(ViewsVectorizer(drop_top=0), space).fit(TRAIN)
    learned = calibrate(encoder, HELD_OUT, "en", "es")
    expected = match(encoder, *sides(), precision=0, calibration=learned)
    place = Checkpoint(tmp_path / "work", {"of": "tests"})
    found = match(encoder, *sides(), precision=0, calibration=learned, checkpoint=place)
    assert found.source == expected.source and found.target == expected.target
    np.testing.assert_array_equal(found.probability, expected.probability)
    place.close()
    assert not (tmp_path / "work").exists()


def test_names_of_any_characters_come_back_from_disk(encoder, tmp_path):
    english, spanish = sides()
    # All of these end a line for `str.splitlines`, which JSON leaves as they are.
    ends = ("\x85", "\u2028", "\u2029", "\n", "\x0b", "\x1c")
    odd = [replace(one, id=f"{one.id}{ends[row % len(ends)]}x") for row, one in enumerate(english)]
    expected = match(encoder, odd, spanish, precision=0)
    found = match(encoder, odd, spanish, precision=0, checkpoint=Checkpoint(tmp_path / "work", {}))
    assert found.source == expected.source and {name[-2] for name in found.source} == set(ends)


class Killed(BaseException):
    pass


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_killed_run_goes_on(encoder, tmp_path, monkeypatch, after):
    """Killed in the middle of writing a block; the blocks before are not encoded again."""
    monkeypatch.setattr(workplace, "BLOCK_DOCUMENTS", 20)
    expected = match(encoder, *sides(), precision=0)
    append, encode = BlockFiles.append, Encoder.encode
    done = []

    def dying(self, rows, arrays):
        if len(done) == after:
            self._add("vectors", self._state["sizes"].get("vectors", 0), np.ones((3, 20), np.float32).tobytes())
            raise Killed
        append(self, rows, arrays)
        done.append(rows)

    monkeypatch.setattr(BlockFiles, "append", dying)
    with pytest.raises(Killed):
        match(encoder, *sides(), precision=0, checkpoint=Checkpoint(tmp_path / "work", {}))
    monkeypatch.setattr(BlockFiles, "append", append)
    encoded = []
    monkeypatch.setattr(
        Encoder, "encode", lambda self, texts, language: encoded.append(1) or encode(self, texts, language)
    )
    found = match(encoder, *sides(), precision=0, checkpoint=Checkpoint(tmp_path / "work", {}))
    assert len(encoded) == 8 - after
    assert found.source == expected.source
    np.testing.assert_array_equal(found.probability, expected.probability)


def test_a_torn_journal_line_is_skipped(tmp_path):
    files = BlockFiles(tmp_path)
    files.append(2, {"a": np.arange(2.0)})
    with (tmp_path / JOURNAL).open("a") as stream:
        stream.write('{"rows": 5, "si')
    again = BlockFiles(tmp_path)
    assert again.rows == 2
    again.append(1, {"a": np.array([7.0])})
    assert BlockFiles(tmp_path).read("a", float).tolist() == [0, 1, 7]


def test_what_was_safe_and_has_changed_is_told(tmp_path):
    files = BlockFiles(tmp_path)
    for number in range(3):
        files.append(1, {"a": np.array([float(number)])})
    whole = (tmp_path / "a.bin").read_bytes()
    (tmp_path / "a.bin").write_bytes(whole[:9] + b"\1" + whole[10:])
    with pytest.raises(ArtifactError, match=r"a\.bin is not as it was written\)\nHint: delete this folder"):
        BlockFiles(tmp_path)
    (tmp_path / "a.bin").write_bytes(whole)
    lines = (tmp_path / JOURNAL).read_bytes().split(b"\n")
    (tmp_path / JOURNAL).write_bytes(b"\n".join(line.replace(b'"rows": 2', b'"rows": 7') for line in lines))
    with pytest.raises(ArtifactError, match=r"journal\.jsonl lacks a line"):
        BlockFiles(tmp_path)


@pytest.mark.parametrize("rough", [False, True])
def test_comparing_goes_on_too(encoder, tmp_path, monkeypatch, rough):
    import babelspace.mining.candidates as candidates
    import babelspace.mining.rough_candidates as rough_candidates

    if rough and not rough_products.available():
        pytest.skip("this processor does not multiply bfloat16")
    monkeypatch.setattr(workplace, "SAVE_SECONDS", 0.0)
    monkeypatch.setattr(candidates, "BLOCK_ROWS", 16)
    monkeypatch.setattr(rough_candidates, "ROWS", 16)
    monkeypatch.setattr(rough_candidates, "PAIRS", 1 if rough else np.inf)
    place = Checkpoint(tmp_path / "work", {})
    expected = match(encoder, *sides(), precision=0, checkpoint=place)
    assert (tmp_path / "work" / workplace.COMPARED).exists()
    compared = []
    module, name = (rough_candidates, "compare") if rough else (candidates, "_compare_all")
    compare = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given: compared.append(1) or compare(*given))
    found = match(encoder, *sides(), precision=0, checkpoint=Checkpoint(tmp_path / "work", {}))
    assert not compared
    np.testing.assert_array_equal(found.probability, expected.probability)
    (tmp_path / "work" / workplace.COMPARED).write_bytes(b"torn")
    match(encoder, *sides(), precision=0, checkpoint=Checkpoint(tmp_path / "work", {}))
    assert compared


def test_the_work_of_others_is_left_alone(tmp_path):
    Checkpoint(tmp_path / "work", {"model": 1})
    with pytest.raises(ParameterError, match="unfinished work on other documents"):
        Checkpoint(tmp_path / "work", {"model": 2})
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ParameterError, match="holds something else"):
        Checkpoint(tmp_path / "mine", {})
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear"


def test_a_full_disk_is_told_and_loses_nothing(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(workplace, "BLOCK_DOCUMENTS", 20)
    append, done = BlockFiles.append, []

    def full(self, rows, arrays):
        if len(done) == 2:
            raise OSError(28, "No space left on device")
        append(self, rows, arrays)
        done.append(rows)

    monkeypatch.setattr(BlockFiles, "append", full)
    with pytest.raises(ParameterError, match=r"No space left on device.*What is done so far is kept"):
        match(encoder, *sides(), checkpoint=Checkpoint(tmp_path / "work", {}))
    assert BlockFiles(tmp_path / "work" / "source").rows == 40


def test_errors(encoder):
    english, spanish = sides()
    with pytest.raises(ParameterError, match="precision is a share"):
        match(encoder, english, spanish, precision=1.5)
    with pytest.raises(CorpusError, match="no documents on the target side"):
        match(encoder, english, [])
    with pytest.raises(UnknownLanguage, match="unknown language 'fr'; known: en, es"):
        match(encoder, english, [Document("1", "fr", "bonjour")])
    with pytest.raises(CorpusError, match="give each side documents of one language"):
        match(encoder, english + spanish, spanish)
    bare = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(TRAIN)
    with pytest.raises(ParameterError, match=r"no probabilities for en and es(.|\n)*calibrate="):
        match(bare, english, spanish)


def test_empty_documents_are_never_matched(encoder):
    english, spanish = sides()
    odd = [Document("blank", "en", ""), Document("unknown", "en", "xyzzy")]
    found = match(encoder, [*odd, *english], spanish, precision=0)
    assert not {"blank", "unknown"} & set(found.source)
    assert len(match(encoder, odd, spanish, precision=0)) == 0


def test_the_calibration_is_kept_in_the_model(encoder, tmp_path):
    encoder.save(tmp_path / "model")
    loaded = Encoder.load(tmp_path / "model")
    assert calibration_of(loaded, "es", "en") == calibration_of(encoder, "en", "es")
    assert json.loads((tmp_path / "model" / "card.json").read_text())["calibration"]["en|es"]["pairs"] == 100
