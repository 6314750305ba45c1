from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from babelspace.corpus import planted, write_folder
from tests.cards import rewrite
from tests.cli.conftest import ROWS, read_jsonl, run, write_jsonl

RANKED = ["source", "target", "score", "rank", "mutual"]
MINED = ["source", "target", "probability", "score", "similarity", "overlap", "reason"]


@pytest.fixture(scope="module")
def piles(planted_corpus, tmp_path_factory):
    """Fifty documents a side, the same rows, and one blank and one unknown source."""
    folder = tmp_path_factory.mktemp("piles")
    for language in ("en", "es"):
        rows = [{"id": f"{language}-{d.id}", "text": d.text} for d in planted_corpus.documents(language)[:50]]
        write_jsonl(folder / f"{language}.jsonl", rows)
    with (folder / "en.jsonl").open("a") as stream:
        stream.write('{"id": "blank", "text": ""}\n{"id": "unknown", "text": "xyzzy"}\n')
    return folder


@pytest.fixture(scope="module")
def both(piles):
    return piles / "en.jsonl", piles / "es.jsonl"


def table(text, header=RANKED):
    rows = [line.split("\t") for line in text.splitlines()]
    assert rows[0] == header
    return [dict(zip(header, row, strict=True)) for row in rows[1:]]


def test_pairs_with_probabilities(model, both, tmp_path):
    result = run("match", model, *both, "--precision", 0.9, "-o", tmp_path / "pairs.tsv")
    rows = table((tmp_path / "pairs.tsv").read_text(), MINED)
    assert 20 < len(rows) <= 50
    assert len({row["target"] for row in rows}) == len(rows)
    right = [row["source"].removeprefix("en-") == row["target"].removeprefix("es-") for row in rows]
    assert sum(right) > 0.8 * len(rows)
    chances = [float(row["probability"]) for row in rows]
    assert chances == sorted(chances, reverse=True)
    assert rows[0]["reason"].startswith("best of ")
    assert result.stdout == ""
    assert f"{len(rows)} pairs written to" in result.stderr and "expected precision 0.9" in result.stderr
    assert f"left out: {52 - len(rows)} sources" in result.stderr


def test_explained(model, both, tmp_path):
    run("match", model, *both, "--precision", 0, "--explain", 2, "--json", "-o", tmp_path / "pairs.jsonl.gz")
    rows = read_jsonl(tmp_path / "pairs.jsonl.gz")
    assert list(rows[0]) == [*MINED, "explanation"]
    for row in rows[:5]:
        told = row["explanation"]
        assert len(told["parts"]) == 2
        total = sum(part["value"] for part in told["parts"]) + told["rest"]
        assert total == pytest.approx(row["similarity"], abs=1e-4) == pytest.approx(told["score"], abs=1e-4)
    shown = run("match", model, *both, "--precision", 0, "--explain", 1).stdout
    assert " × " in table(shown, [*MINED, "explanation"])[0]["explanation"]


def test_work_is_kept_and_removed(model, both, tmp_path):
    plain = run("match", model, *both, "--precision", 0).stdout
    assert run("match", model, *both, "--precision", 0, "--work", tmp_path / "work").stdout == plain
    assert not (tmp_path / "work").exists()
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "settings.json").write_text("{}")
    shown = run("match", model, *both, "--work", tmp_path / "work", code=1).stderr
    assert "holds unfinished work on other documents" in shown


def test_calibrated_on_a_corpus(model, both, tmp_path):
    bare = tmp_path / "bare"
    bare.mkdir()
    for file in model.iterdir():
        (bare / file.name).write_bytes(file.read_bytes())
    rewrite(bare / "card.json", lambda card: card.pop("calibration"))
    shown = run("match", bare, *both, code=1).stderr
    assert "no probabilities for en and es" in shown and "--calibrate CORPUS" in shown
    held_out = write_folder(planted(rows=80, languages=("en", "es"), vocabulary=300, seed=5), tmp_path / "held-out")
    assert table(run("match", bare, *both, "--calibrate", held_out, "--precision", 0).stdout, MINED)


def test_ranked_candidates_on_stdout(model, both):
    result = run("match", model, *both, "-k", 3)
    rows = table(result.stdout)
    assert len(rows) == 150
    assert [row["rank"] for row in rows[:3]] == ["1", "2", "3"]
    assert {row["mutual"] for row in rows} == {"0", "1"}
    assert not {"blank", "unknown"} & {row["source"] for row in rows}
    assert "source (en) not matched: 1 blank and 1 without a word that the model knows of 52 documents" in result.stderr
    assert "without a pair: 2 of 52 sources, 0 of 50 targets" in result.stderr


def test_corrections_differ(model, both):
    texts = [run("match", model, *both, "-k", 3, "--correction", name).stdout for name in ("none", "csls", "margin")]
    assert len(set(texts)) == 3
    assert texts[1] == run("match", model, *both, "-k", 3).stdout


def test_a_corpus_for_both_sides(model, corpus):
    arguments = ["--source-language", "es", "--target-language", "en", "-k", 1]
    rows = table(run("match", model, corpus, corpus, *arguments).stdout)
    assert len(rows) == ROWS
    assert sum(row["source"] == row["target"] for row in rows) > 0.7 * ROWS


def test_sparse(sparse_model, both):
    assert table(run("match", sparse_model, *both, "-k", 1).stdout)
    assert table(run("match", sparse_model, *both, "--precision", 0).stdout, MINED)


def test_standard_input(model, piles, planted_corpus):
    text = planted_corpus.texts("en")[3] + "\n"
    arguments = ["-", piles / "es.jsonl", "--source-language", "en"]
    rows = table(run("match", model, *arguments, "-k", 1, input=text).stdout)
    assert [(row["source"], row["rank"]) for row in rows] == [("1", "1")]
    shown = run("match", model, *arguments, "--explain", 1, input=text, code=1).stderr
    assert "standard input can be read once" in shown


def test_folders_of_text_files(model, planted_corpus, tmp_path):
    for language in ("en", "es"):
        for document in planted_corpus.documents(language)[:40]:
            path = tmp_path / language / f"{document.id}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(document.text)
    rows = table(run("match", model, tmp_path / "en", tmp_path / "es", "--precision", 0).stdout, MINED)
    assert sum(row["source"] == row["target"] for row in rows) > 25


def test_errors(model, both, tmp_path):
    (tmp_path / "texts.txt").write_text("something\n")
    shown = run("match", model, both[0], tmp_path / "texts.txt", code=1).stderr
    assert "Hint: write it before the path: en=" in shown
    shown = run("match", model, tmp_path / "texts.txt", both[0], code=1).stderr
    assert "Hint: write it before the path: en=" in shown
    shown = run("match", model, *both, "-k", 3, "--explain", 2, code=2).stderr
    assert "-k ranks candidates without probabilities and does not go with --explain" in shown
    shown = run("match", model, *both, "--correction", "none", code=2).stderr
    assert "--correction is for ranked candidates" in shown
    shown = run("match", model, *both, "--target-language", "fr", code=1).stderr
    assert "unknown language 'fr'; known: en, es" in shown


BROKEN = {
    "empty": (b"", "no documents"),
    "binary": (b"\x00\xff\xfe\x01" * 20, "not UTF-8"),
    "latin-1": ('{"id": "1", "text": "caf\xe9"}\n'.encode("latin-1"), "iconv"),
    "torn": (b'{"id": "1", "text": "a', "line 1"),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("command", ["match", "doctor"])
def test_broken_files_are_told(model, both, tmp_path, command, kind):
    content, told = BROKEN[kind]
    (tmp_path / "es.jsonl").write_bytes(content)
    result = run(command, model, both[0], tmp_path / "es.jsonl", code=1)
    assert told in result.stderr and "Traceback" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("command", ["match", "doctor"])
def test_a_model_of_another_version_is_told(model, both, tmp_path, command):
    other = tmp_path / "model"
    other.mkdir()
    (other / "card.json").write_text(json.dumps({"format": 99}))
    assert "format 99, this version reads format" in run(command, other, *both, code=1).stderr
    assert "no model there" in run(command, tmp_path / "none", *both, code=1).stderr


def test_a_huge_document_is_matched(model, both, planted_corpus, tmp_path):
    huge = " ".join([planted_corpus.texts("es")[0]] * 2_000)
    write_jsonl(tmp_path / "es.jsonl", [{"id": "huge", "text": huge}, {"id": "small", "text": "pequeño"}])
    rows = table(run("match", model, both[0], tmp_path / "es.jsonl", "--precision", 0).stdout, MINED)
    assert [row["target"] for row in rows] == ["huge"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_told(model, both):
    command = [sys.executable, "-m", "babelspace.cli.main", "match", *map(str, (model, *both)), "-k", "1"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


def test_an_unwritable_place_loses_nothing(model, both, tmp_path):
    (tmp_path / "file").write_text("old")
    shown = run("match", model, *both, "-o", tmp_path / "file" / "pairs.tsv", code=1).stderr
    assert "Traceback" not in shown and "file" in shown
    shown = run("match", model, *both, "--work", tmp_path / "file" / "work", code=1).stderr
    assert "cannot be written" in shown
    assert (tmp_path / "file").read_text() == "old"


@pytest.mark.parametrize("command", ["match", "doctor"])
def test_standard_input_is_one_side_only(command):
    shown = run(command, "nothing", "-", "-", code=2).stderr
    assert "only one of SOURCE and TARGET can be standard input." in shown


def test_nobody_is_told_to_go_below_a_precision_of_nothing(model, both, tmp_path):
    unknown = write_jsonl(tmp_path / "en.jsonl", [{"id": "a", "text": "xyzzy"}])
    for precision, told in ((0.9, True), (0, False)):
        shown = run("match", model, unknown, both[1], "--precision", precision).stderr
        assert "0 pairs" in shown and ("lower --precision" in shown) == told


def test_an_audit_is_judged_and_given_back(model, both, tmp_path):
    pairs, audit = tmp_path / "pairs.tsv", tmp_path / "pairs.audit.tsv"
    shown = run("match", model, *both, "--precision", 0.5, "-o", pairs, "--audit", 20).stderr
    assert f"20 pairs to judge in {audit}" in shown
    header, *lines = [line.split("\t") for line in audit.read_text().splitlines()]
    assert header == ["source", "target", "probability", "kept", "verdict", "source_text", "target_text"]
    judged = [[*row[:4], str(int(row[0][3:] == row[1][3:])), *row[5:]] for row in lines]
    audit.write_text("".join("\t".join(row) + "\n" for row in [header, *judged]))
    shown = run("match", model, *both, "--precision", 0.5, "-o", pairs, "--verdicts", audit).stderr
    assert "expected precision 0." in shown or "expected precision 1.000 (" in shown
    kept = {(row["source"], row["target"]): float(row["probability"]) for row in table(pairs.read_text(), MINED)}
    for row in judged:
        assert kept.get((row[0], row[1]), 0.0) == (1.0 if row[4] == "1" else 0.0)
    assert "name one for them with -o" in run("match", model, *both, "--audit", 5, code=2).stderr


def test_verdicts_on_other_documents(model, both, tmp_path):
    (tmp_path / "other.tsv").write_text("source\ttarget\tverdict\nx\ty\t1\n")
    shown = run("match", model, *both, "--verdicts", tmp_path / "other.tsv", code=1).stderr
    assert "none of the 1 judged pairs is among" in shown


def test_nothing_found_promises_nothing(model, both):
    shown = run("match", model, *both, "--precision", 0.999999).stderr
    assert "0 pairs\n" in shown and "expected precision" not in shown
