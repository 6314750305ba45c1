"""Word links and dictionaries in Python are those of the commands."""

from __future__ import annotations

import numpy as np
import pytest

from babelspace import align, lexicon, train_aligner
from babelspace.alignment.formats import read_links
from babelspace.errors import CorpusError, ParameterError
from babelspace.workflows.align import align_blocks, score_alignment
from babelspace.workflows.bitext_files import load_pairs
from tests.cli.conftest import run

pytestmark = pytest.mark.family("alignment")


@pytest.fixture(scope="module")
def bitext(tmp_path_factory):
    """Sentences of a language and its words with a letter before each, in the same order."""
    folder = tmp_path_factory.mktemp("bitext")
    rng = np.random.default_rng(0)
    words = [f"w{number}" for number in range(12)]
    lines = [[words[place] for place in rng.permutation(12)[:5]] for _ in range(60)]
    (folder / "source").write_text("".join(" ".join(line) + "\n" for line in lines))
    (folder / "target").write_text("".join(" ".join(f"x{word}" for word in line) + "\n" for line in lines))
    return folder / "source", folder / "target"


@pytest.mark.parametrize("method", ["grow-diag-final-and", "posterior", "cepts", "forward"])
def test_the_command_links_as_python_does(bitext, tmp_path, method):
    source, target = load_pairs(*bitext)
    expected = align(source, target, "ibm1", method=method)
    run("align", "--tokenised", *bitext, "--aligner", "ibm1", "--symmetrize", method, "-o", tmp_path / "links.txt")
    written = read_links(tmp_path / "links.txt", "pharaoh", 0).links
    assert [written[row] for row in range(len(source))] == [expected.without_null()[row] for row in range(len(source))]


def test_the_planted_links_are_found_and_make_the_dictionary(bitext):
    source, target = load_pairs(*bitext)
    links = align(source, target, "ibm1")
    assert links[0] == [(place, place) for place in range(5)]
    kept, counted = lexicon(source, target, links, min_count=2, best=1)
    assert {(a, b) for a, b in zip(kept.source, kept.target, strict=True)} == {(f"w{n}", f"xw{n}") for n in range(12)}
    assert counted >= len(kept)


def test_a_trained_aligner_and_blocks_give_the_same(bitext, monkeypatch):
    source, target = load_pairs(*bitext)
    model, whole = train_aligner(source, target, "ibm1")
    expected = align(source, target, model)
    monkeypatch.setattr("babelspace.workflows.align.BLOCK", 7)
    parts = list(align_blocks(model, source, target, whole))
    assert [start for start, _ in parts] == list(range(0, 60, 7))
    found = [links[row] for _, links in parts for row in range(len(links))]
    assert found == [expected[row] for row in range(60)]
    with pytest.raises(ParameterError, match=r"below 0.5 there are none\nHint: lower the threshold \(threshold=0.2\)"):
        align(source, target, model, method="posterior", sure=0.2)


def test_scores_and_whose_base_is_in_doubt(bitext, tmp_path):
    gold = tmp_path / "gold"
    gold.write_text("0-0 1-1 2-2 3-3 4-4\n" * 60)
    links = tmp_path / "links"
    links.write_text("0-0 1-1 2-2 3-3 4-4\n" * 59 + "0-0\n")
    scored = score_alignment(str(links), str(gold), text=tuple(map(str, bitext)))
    assert scored.scores["without NULL"].recall_sure == pytest.approx(296 / 300)
    assert (scored.not_in_gold, scored.without_gold_links) == (0, [])
    with pytest.raises(CorpusError, match=r"Hint: say gold_base=0"):
        score_alignment(str(links), str(gold), gold_base=1)
