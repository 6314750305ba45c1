from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact

from babelspace.alignment.links import Links
from babelspace.cli import lexicon as command
from babelspace.errors import CorpusError, ParameterError
from babelspace.terms.lexicon import NULL_WORD, Lexicon, count_links
from babelspace.terms.lexicon_formats import COLUMNS, FORMATS, read_lexicon, write_lexicon

pytestmark = pytest.mark.family("alignment")


def random_bitext(sentences=80, seed=0):
    """Word n goes with word n upper-cased, and now and then with another one."""
    rng = np.random.default_rng(seed)
    sources = [[f"w{n}" for n in rng.integers(0, 8, rng.integers(1, 6))] for _ in range(sentences)]
    targets = [[word.upper() if rng.random() < 0.8 else "W0" for word in words] for words in sources]
    links = [[(i, i) for i in range(len(words)) if rng.random() < 0.9] for words in sources]
    return Links.of(links), sources, targets


@pytest.fixture(scope="module")
def bitext():
    return random_bitext()


@pytest.fixture(scope="module")
def lexicon(bitext):
    return count_links(*bitext)


def table(lexicon):
    columns = (lexicon.source, lexicon.target, lexicon.count, lexicon.forward, lexicon.reverse)
    return {(s, t): (c, f, r) for s, t, c, f, r in zip(*columns, strict=True)}


def test_counts_and_probabilities_are_the_literal_ones(bitext, lexicon):
    links, sources, targets = bitext
    counts = Counter()
    for n, pairs in enumerate(links):
        for i, j in pairs:
            counts[sources[n][i], targets[n][j]] += 1
        counts.update((word, NULL_WORD) for i, word in enumerate(sources[n]) if i not in {i for i, _ in pairs})
        counts.update((NULL_WORD, word) for j, word in enumerate(targets[n]) if j not in {j for _, j in pairs})
    left, right = Counter(), Counter()
    for (source, target), count in counts.items():
        left[source] += count
        right[target] += count
    expected = {(s, t): (c, c / left[s], c / right[t]) for (s, t), c in counts.items()}
    found = table(lexicon)
    assert found.keys() == expected.keys()
    assert all(found[pair] == pytest.approx(expected[pair]) for pair in expected)


def test_pairs_stand_by_word_and_probability(lexicon):
    keys = list(zip(lexicon.source, -lexicon.forward, lexicon.target, strict=True))
    assert keys == sorted(keys)


def test_significance_is_that_of_scipy(bitext):
    lexicon = count_links(*bitext, null=False)
    total = lexicon.count.sum()
    for row in range(len(lexicon)):
        count = lexicon.count[row]
        left, right = count / lexicon.forward[row], count / lexicon.reverse[row]
        cells = np.round([[count, left - count], [right - count, total - left - right + count]])
        expected = -math.log10(fisher_exact(cells, alternative="greater")[1])
        assert lexicon.significance[row] == pytest.approx(expected, abs=1e-6)
        if count * total > left * right:
            likelihood = chi2_contingency(cells, correction=False, lambda_="log-likelihood").statistic
            assert lexicon.log_likelihood[row] == pytest.approx(likelihood)
        else:
            assert lexicon.log_likelihood[row] == 0


def test_significance_below_the_range_of_a_double():
    many = 2_000
    words = [["a", "b"]] * many
    found = count_links(Links.of([[(0, 0), (1, 1)]] * many), words, [["x", "y"]] * many)
    # One over the number of ways to choose which half goes with a.
    expected = (math.lgamma(2 * many + 1) - 2 * math.lgamma(many + 1)) / math.log(10)
    assert found.significance == pytest.approx([expected, expected], rel=1e-9)


def test_filters(lexicon):
    kept = lexicon.filtered(min_count=3, min_probability=0.2, min_significance=2)
    assert 0 < len(kept) < len(lexicon)
    assert (kept.count >= 3).all()
    assert (kept.forward >= 0.2).all()
    assert (kept.reverse >= 0.2).all()
    assert (kept.significance >= 2).all()
    best = lexicon.filtered(best=1)
    assert sorted(best.source) == sorted(set(lexicon.source))
    top = dict(zip(best.source, best.forward, strict=True))
    assert all(value <= top[word] for word, value in zip(lexicon.source, lexicon.forward, strict=True))
    pruned = lexicon.filtered(prune=10)
    assert 0 < len(pruned) < len(lexicon)
    assert all(10 * value >= top[word] for word, value in zip(pruned.source, pruned.forward, strict=True))
    assert NULL_WORD not in lexicon.without_null().source + lexicon.without_null().target
    assert table(lexicon.filtered()) == table(lexicon)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("ending", ["", ".gz", ".xz"])
def test_round_trip(tmp_path, lexicon, format, ending):
    kept = lexicon.without_null()
    write_lexicon(kept, tmp_path / f"lex{ending}", format)
    found = read_lexicon(tmp_path / f"lex{ending}", format)
    assert found.source == kept.source
    assert found.target == kept.target
    known = {"tsv": COLUMNS[2:], "moses": ("forward", "reverse"), "bicleaner": ("forward",)}.get(format, ())
    for name in COLUMNS[2:]:
        if name in known:
            assert getattr(found, name) == pytest.approx(getattr(kept, name), abs=1e-6, rel=1e-7)
        else:
            assert np.isnan(getattr(found, name)).all()


def test_the_order_of_columns(tmp_path):
    lexicon = Lexicon.of([("maison", "house")], forward=np.array([0.5]), reverse=np.array([0.25]))
    lines = {}
    for format in FORMATS:
        for path in write_lexicon(lexicon, tmp_path / format, format):
            lines[path.name] = path.read_text().splitlines()
    assert lines == {
        "tsv": [
            "source\ttarget\tcount\tforward\treverse\tlog_likelihood\tsignificance",
            "maison\thouse\t\t0.5\t0.25\t\t",
        ],
        "moses.f2e": ["house maison 0.5000000"],
        "moses.e2f": ["maison house 0.2500000"],
        "muse": ["maison house"],
        "hunalign": ["house @ maison"],
        "bicleaner": ["house maison 0.5000000"],
    }


def test_a_table_with_other_columns(tmp_path):
    (tmp_path / "d.tsv").write_text("note\ttarget\tsource\treverse\nx\thouse\tmaison\t0.5\n")
    found = read_lexicon(tmp_path / "d.tsv")
    assert (found.source, found.target, found.reverse.tolist()) == (["maison"], ["house"], [0.5])
    assert np.isnan(found.forward).all()


def test_phrases_in_hunalign(tmp_path):
    (tmp_path / "d.dic").write_text("apple tree @ pommier\n\n")
    assert read_lexicon(tmp_path / "d.dic", "hunalign").target == ["apple tree"]


@pytest.mark.parametrize(
    ("format", "text", "message"),
    [
        ("tsv", "maison\thouse\n", r"d, line 1: .*\nHint: expected column names with source and target"),
        ("tsv", "source\ttarget\na\n", r"line 2: .*\nHint: expected 2 columns as in the first line, got 1"),
        (
            "tsv",
            "source\ttarget\tcount\na\tb\tmany\n",
            r"line 2: not a dictionary entry: 'many'\nHint: expected a number",
        ),
        ("tsv", "source\ttarget\tcount\na\tb\tnan\n", r"line 2: not a dictionary entry: 'nan'"),
        ("tsv", "", r"line 1: .*\nHint: expected a first line with column names"),
        ("muse", "a b\na b c\n", r"line 2: not a dictionary entry: 'a b c'\nHint: expected source target"),
        ("hunalign", "a b\n", r"expected target @ source"),
        ("bicleaner", "a b\n", r"expected two words and a probability"),
    ],
    ids=["header", "short", "number", "infinite", "empty", "muse", "hunalign", "bicleaner"],
)
def test_broken_files(tmp_path, format, text, message):
    (tmp_path / "d").write_text(text)
    with pytest.raises(CorpusError, match=message):
        read_lexicon(tmp_path / "d", format)


def test_errors(tmp_path, lexicon):
    with pytest.raises(ParameterError, match=r"unknown format 'xml' of dictionaries. Use one of tsv, moses"):
        read_lexicon(tmp_path, "xml")
    with pytest.raises(ParameterError, match=r"does not tell 'count'. Make it from links"):
        Lexicon.of([("a", "b")]).filtered(min_count=1)
    with pytest.raises(CorpusError, match=r"1 lines of links, 2 source and 2 target sentences"):
        count_links(Links.of([[]]), [["a"], []], [["b"], []])
    write_lexicon(lexicon, tmp_path / "lex", "moses")
    (tmp_path / "lex.e2f").write_text("a b 1\n")
    with pytest.raises(CorpusError, match=r"is missing: not the other half of lex.f2e"):
        read_lexicon(tmp_path / "lex", "moses")


def test_nothing():
    empty = count_links(Links.of([[]]), [[]], [[]])
    assert len(empty) == 0
    assert len(empty.filtered(best=2, prune=10)) == 0


def test_the_command_line_knows_the_formats():
    assert command.FORMATS == FORMATS
