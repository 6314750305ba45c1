from __future__ import annotations

import gzip

import numpy as np
import pytest

from babelspace import sample
from babelspace.alignment import ALIGNERS
from babelspace.alignment.formats import read_links
from babelspace.alignment.symmetrize import SYMMETRIZERS
from babelspace.cli import align
from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")

PAIRS = 60


@pytest.fixture(scope="module")
def bitext(tmp_path_factory):
    """Word n translates as its capital, in order; line 3 has an empty side."""
    folder, rng = tmp_path_factory.mktemp("bitext"), np.random.default_rng(0)
    sources = [rng.choice(list("abcdefghij"), rng.integers(1, 7), replace=False).tolist() for _ in range(PAIRS)]
    targets = [[word.upper() for word in words] for words in sources]
    targets[2] = []
    for name, sentences in (("source", sources), ("target", targets)):
        (folder / f"{name}.txt").write_text("".join(" ".join(words) + "\n" for words in sentences))
    diagonal = [[(i, i) for i in range(len(words))] for words in sources]
    diagonal[2] = []
    return folder / "source.txt", folder / "target.txt", diagonal


@pytest.fixture(scope="module")
def aligner(bitext, tmp_path_factory):
    folder = tmp_path_factory.mktemp("aligners") / "hmm"
    run("align", "--tokenised", *bitext[:2], "--save", folder)
    return folder


@pytest.mark.parametrize("method", align.METHODS)
def test_every_way_to_join(bitext, aligner, tmp_path, method):
    result = run(
        "align", "--tokenised", *bitext[:2], "--load", aligner, "--symmetrize", method, "-o", tmp_path / "links.txt"
    )
    found = list(read_links(tmp_path / "links.txt", base=0).links)
    right = sum(len(set(pairs) & set(gold)) for pairs, gold in zip(found, bitext[2], strict=True))
    assert right > 0.9 * sum(map(len, bitext[2]))
    assert f"links of {PAIRS} sentence pairs written to" in result.stderr
    assert "1 pairs with an empty side have none" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("association", align.ASSOCIATIONS)
def test_every_association(bitext, aligner, association):
    arguments = ["--load", aligner, "--symmetrize", "cepts", "--association", association, "--criterion", "bic"]
    lines = run("align", "--tokenised", *bitext[:2], *arguments).stdout.splitlines()
    assert len(lines) == PAIRS
    assert lines[2] == ""
    assert "0-0" in lines[0]


@pytest.mark.parametrize("name", align.ALIGNERS)
def test_every_aligner(bitext, name):
    assert len(run("align", "--tokenised", *bitext[:2], "--aligner", name).stdout.splitlines()) == PAIRS


def test_a_saved_model_gives_the_same_links(bitext, aligner):
    trained = run("align", "--tokenised", *bitext[:2]).stdout
    assert run("align", "--tokenised", *bitext[:2], "--load", aligner).stdout == trained


def test_blocks_and_threads_do_not_matter(bitext, aligner, monkeypatch):
    arguments = [*bitext[:2], "--load", aligner, "--symmetrize", "cepts", "--format", "naacl"]
    whole = run("align", "--tokenised", *arguments).stdout
    monkeypatch.setattr("babelspace.workflows.align.BLOCK", 7)
    assert run("align", "--tokenised", *arguments, "--threads", 1).stdout == whole


def test_new_words_and_long_sentences(aligner, tmp_path):
    (tmp_path / "new.x").write_text("a zebra b\n" + "a b c d e f g h i j " * 20 + "\n")
    (tmp_path / "new.y").write_text("A ZEBRA B\n" + "A B C D E F G H I J " * 20 + "\n")
    for method in ("grow-diag-final-and", "cepts"):
        lines = run(
            "align", "--tokenised", tmp_path / "new.x", tmp_path / "new.y", "--load", aligner, "--symmetrize", method
        )
        first, second = lines.stdout.splitlines()
        assert {"0-0", "2-2"} <= set(first.split())
        assert len(second.split()) > 100


def test_empty_and_single_words(aligner, tmp_path):
    (tmp_path / "e").write_text("a\n\nb\n\n")
    (tmp_path / "f").write_text("A\nB\n\n\n")
    for method in align.METHODS:
        arguments = [tmp_path / "e", tmp_path / "f", "--load", aligner, "--symmetrize", method]
        result = run("align", "--tokenised", *arguments)
        assert result.stdout == "0-0\n\n\n\n", method
        assert "1 links of 4 sentence pairs; 3 pairs with an empty side have none" in result.stderr
    # Training on them works too, as long as one pair has words on both sides.
    assert run("align", "--tokenised", *arguments[:2]).stdout == "0-0\n\n\n\n"
    (tmp_path / "none").write_text("")
    assert run("align", "--tokenised", tmp_path / "none", tmp_path / "none", "--load", aligner).stdout == ""
    shown = run("align", "--tokenised", tmp_path / "none", tmp_path / "none", code=1).stderr
    assert "nothing to learn from: 0 sentence pairs" in shown


@pytest.mark.parametrize("name", align.ALIGNERS)
def test_training_on_200_words(tmp_path, name):
    words = [f"w{n}" for n in range(200)]
    (tmp_path / "e").write_text(" ".join(words) + "\n" + "\n".join(words) + "\n")
    (tmp_path / "f").write_text(" ".join(words).upper() + "\n" + "\n".join(words).upper() + "\n")
    lines = run("align", "--tokenised", tmp_path / "e", tmp_path / "f", "--aligner", name).stdout.splitlines()
    right = set(lines[0].split()) & {f"{n}-{n}" for n in range(200)}
    assert len(right) > 180
    assert lines[1:] == ["0-0"] * 200


def test_standard_input(bitext, aligner):
    whole = run("align", "--tokenised", *bitext[:2], "--load", aligner).stdout
    assert run("align", "--tokenised", "-", bitext[1], "--load", aligner, input=bitext[0].read_text()).stdout == whole
    assert (
        run("align", "--tokenised", bitext[0], "-", "--load", aligner, "-o", "-", input=bitext[1].read_text()).stdout
        == whole
    )


def test_interrupted_training_leaves_nothing(bitext, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    (tmp_path / "links").write_text("old")
    monkeypatch.setattr("babelspace.workflows.align.train_aligner", interrupted)
    run("align", "--tokenised", *bitext[:2], "-o", tmp_path / "links.txt", "--save", tmp_path / "model", code=130)
    assert (tmp_path / "links").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["links"]


def test_what_cannot_be_written_is_told_before_training(bitext, tmp_path, monkeypatch):
    monkeypatch.setattr("babelspace.workflows.align.train_aligner", lambda *_: pytest.fail("trained"))
    (tmp_path / "file").write_text("mine")
    shown = run("align", "--tokenised", *bitext[:2], "--save", tmp_path / "file", code=1).stderr
    assert "exists and is not a babelspace model; it is left alone" in shown
    assert "file" in run("align", "--tokenised", *bitext[:2], "-o", tmp_path / "file" / "links.txt", code=1).stderr


def test_output_formats(bitext, aligner, tmp_path):
    arguments = [*bitext[:2], "--load", aligner, "--symmetrize", "cepts"]
    run("align", "--tokenised", *arguments, "--format", "naacl", "-o", tmp_path / "links.wa.gz")
    text = gzip.decompress((tmp_path / "links.wa.gz").read_bytes()).decode()
    assert text.startswith("0001 1 1 S\n")
    # The words of the pair with an empty side go with NULL.
    assert "\n0003 1 0 S\n" in text
    assert run("align", "--tokenised", *arguments, "--base", 1).stdout.startswith("1-1")
    vague = [*bitext[:2], "--aligner", "ibm1", "--set", "iterations=1", "--symmetrize", "posterior"]
    sure = run("align", "--tokenised", *vague, "--threshold", 0.1, "--sure", 0.6).stdout
    assert "?" in sure
    assert "0-0" in sure


def test_settings_and_case(bitext):
    plain = run("align", "--tokenised", *bitext[:2], "--aligner", "ibm1").stdout
    assert run("align", "--tokenised", *bitext[:2], "--aligner", "ibm1", "--set", "null=0.9").stdout != plain
    assert run("align", "--tokenised", *bitext[:2], "--aligner", "ibm1", "--lowercase").stdout == plain


def test_errors(bitext, aligner, tmp_path):
    (tmp_path / "short.txt").write_text("a\n")
    shown = run("align", "--tokenised", bitext[0], tmp_path / "short.txt", code=1).stderr
    assert "short.txt, line 2: unequal line counts" in shown
    shown = run("align", "--tokenised", *bitext[:2], "--load", aligner, "--aligner", "hmm", code=2).stderr
    assert "leave out --aligner, --set and --save" in shown
    shown = run("align", "--tokenised", *bitext[:2], "--set", "nul=1", code=2).stderr
    assert "hmm has no parameter 'nul'; it has: iterations=" in shown
    shown = run("align", "--tokenised", *bitext[:2], "--set", "null=much", code=2).stderr
    assert "null takes a number above 0 and below 1, got 'much'" in shown
    shown = run("align", "--tokenised", *bitext[:2], "--symmetrize", "union", "--sure", 0.5, code=2).stderr
    assert "--sure needs link probabilities" in shown
    arguments = ["--load", aligner, "--symmetrize", "posterior", "--sure", 0.2]
    shown = run("align", "--tokenised", *bitext[:2], *arguments, code=1).stderr
    assert "below 0.5 there are none\nHint: lower the threshold (--threshold 0.2), or raise --sure" in shown
    assert "only one of SOURCE and TARGET" in run("align", "--tokenised", "-", "-", code=2).stderr
    shown = run("align", "--tokenised", *bitext[:2], "--load", tmp_path / "none", code=1).stderr
    assert "none: no model there" in shown and "Hint: make one: babelspace align SOURCE TARGET --save" in shown


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("iterations=2.5", "iterations takes a whole number, 0 or more, got '2.5'"),
        ("iterations=true", "iterations takes a whole number, 0 or more, got 'true'"),
        ("sparse=0", "sparse takes true or false, got '0'"),
        ("null=true", "null takes a number above 0 and below 1, got 'true'"),
        ("null", "'null' is not NAME=VALUE"),
    ],
)
def test_settings_of_the_wrong_kind(bitext, setting, message):
    assert message in " ".join(run("align", "--tokenised", *bitext[:2], "--set", setting, code=2).stderr.split())


@pytest.mark.parametrize(
    ("option", "value", "method"),
    [("association", "sum", "cepts"), ("criterion", "bic", "cepts"), ("threshold", 0.4, "posterior")],
)
def test_options_of_another_method_are_refused(bitext, option, value, method):
    shown = run("align", "--tokenised", *bitext[:2], "--symmetrize", "union", f"--{option}", value, code=2).stderr
    assert f"--{option} belongs to --symmetrize {method}, not to union" in shown


def test_the_lists_are_those_of_the_package():
    assert tuple(ALIGNERS) == align.ALIGNERS
    assert tuple(SYMMETRIZERS) == align.HEURISTICS


def test_show_alignment_of_a_model(bitext, aligner, tmp_path):
    shown = run("show-alignment", *bitext[:2], "--model", aligner, "--sentence", 1).stdout
    for title in ("association", "source to cept", "cept to target", "alignment"):
        assert f"{title}\n" in shown
    run("show-alignment", *bitext[:2], "--model", aligner, "--association", "agreement", "-o", tmp_path / "figure.svg")
    assert "NULL" in (tmp_path / "figure.svg").read_text()


def test_cepts_take_their_parameters(bitext):
    cepts = [*bitext[:2], "--aligner", "ibm1", "--symmetrize", "cepts"]
    plain = run("align", "--tokenised", *cepts).stdout
    assert run("align", "--tokenised", *cepts, "--set-cepts", "n_cepts=1").stdout != plain
    assert (
        run("align", "--tokenised", *cepts, "--set-cepts", "search=anneal", "--set-cepts", "null=false").exit_code == 0
    )
    told = " ".join(run("align", "--tokenised", *cepts, "--set-cepts", "orphans=keep", code=2).stderr.split())
    assert "orphans takes 'direct' or 'refit', got 'keep'" in told
    assert (
        "--set-cepts belongs to --symmetrize cepts"
        in run("align", "--tokenised", *bitext[:2], "--set-cepts", "restarts=2", code=2).stderr
    )


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    """Verses as a translation memory, and as two files of lines."""
    folder = tmp_path_factory.mktemp("memory")
    verses = sample("gospels").select(range(150), "en,es")
    verses.write(folder / "memory.tmx")
    verses.write(folder / "verses.moses")
    return folder


def test_a_memory_is_cut_into_its_words(memory, tmp_path):
    arguments = ["--aligner", "ibm1", "--languages", "en,es"]
    shown = run("align", memory / "memory.tmx", *arguments, "-o", tmp_path / "links.tsv", "--words", tmp_path / "w")
    rows = [line.split("\t") for line in (tmp_path / "links.tsv").read_text().splitlines()]
    words = set((tmp_path / "w.en").read_text().split())
    assert {row[3] for row in rows[1:]} <= words and "Jesus" in words and not any("<" in word for word in words)
    assert "150 sentence pairs" in shown.stderr and "words written to" in shown.stderr
    plain = run("align", memory / "verses.en", memory / "verses.es", "--aligner", "ibm1")
    twice = run("align", memory / "memory.tmx", memory / "memory.tmx", *arguments)
    assert plain.stdout == twice.stdout == run("align", memory / "memory.tmx", *arguments[:2]).stdout
    assert "words were cut by the rules of en and es" in plain.stderr
    tokens = run("align", "--tokenised", tmp_path / "w.en", tmp_path / "w.es", "--aligner", "ibm1", "--lowercase")
    assert len(tokens.stdout.splitlines()) == 150


def test_nothing_is_taken_for_tokens_without_a_word(memory, bitext, tmp_path):
    shown = run("align", *bitext[:2], code=1).stderr
    assert "language of these documents is not known" in shown and "--tokenised" in shown
    shown = run("align", "--tokenised", memory / "memory.tmx", memory / "memory.tmx", code=1).stderr
    assert "memory.tmx: no text with a sentence a line" in shown
    assert "both sides are en" in run("align", memory / "verses.en", memory / "verses.en", code=1).stderr
    (tmp_path / "short.es").write_text("uno\n")
    assert "unequal line counts" in run("align", memory / "verses.en", tmp_path / "short.es", code=1).stderr
    assert "3 paths, and there are 2 at most" in run("align", "a", "b", "c", code=2).stderr
    spaced = "".join("a word , and more .\n" for _ in range(30))
    for code in ("en", "es"):
        (tmp_path / f"t.{code}").write_text(spaced)
    shown = run("align", tmp_path / "t.en", tmp_path / "t.es", "--aligner", "ibm1").stderr
    assert "spaces before its punctuation" in shown and "unless you say --tokenised" in shown


def test_the_suffix_decides(memory, aligner, bitext, tmp_path):
    arguments = ["align", "--tokenised", *bitext[:2], "--load", aligner, "-o"]
    run(*arguments, tmp_path / "l.naacl")
    assert (tmp_path / "l.naacl").read_text().startswith("0001 1 1 S")
    shown = run(*arguments, tmp_path / "l.doc", code=1).stderr
    assert "l.doc: .doc is no format to write this in; allowed: .txt, .pharaoh, .links, .naacl" in shown
    assert "--base is for pharaoh" in run(*arguments, tmp_path / "l.csv", "--base", 1, code=2).stderr
