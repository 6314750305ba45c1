"""Terms, look-up and projection with planted answers."""

from __future__ import annotations

import json
import random
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError, ParameterError
from babelspace.terms.linked_bitext import LinkedBitext, LinkedSide
from babelspace.terms.lookup import look_up
from babelspace.terms.projection import LabelledSpan, project, spans_of_tags, tags_of_spans
from babelspace.terms.terms import _parts_of_expressions, _residual_idf, _stop_words, extract_terms, term_candidates
from babelspace.workflows import estimate
from babelspace.workflows.terminology import link_bitext, project_file

pytestmark = pytest.mark.family("alignment")

TERMS = {"text box": "cuadro de texto", "Print Server": "servidor de impresión", "cell": "celda", "style": "estilo"}
FRAMES = [
    ("open the {} and the {} now", "abra el {} y el {} ahora"),
    ("the {} is in the {}", "el {} está en el {}"),
    ("delete the {} or the {}", "borre el {} o el {}"),
    ("with the {} you see the {}", "con el {} usted ve el {}"),
]


def planted_rows():
    """Sentence pairs about a few terms."""
    rng, rows = random.Random(0), []
    for _ in range(120):
        frame = rng.choice(FRAMES)
        one, other = rng.sample(sorted(TERMS), 2)
        rows.append((frame[0].format(one, other), frame[1].format(TERMS[one], TERMS[other])))
    return rows


@pytest.fixture(scope="module")
def bitext():
    rows = planted_rows()
    texts = {"en": [left for left, _ in rows], "es": [right for _, right in rows]}
    return LinkedBitext.of(AlignedCorpus([f"s{n}" for n in range(120)], texts), aligner="hmm")


@pytest.fixture(scope="module")
def terms(bitext):
    return extract_terms(bitext)


def test_planted_terms_are_found(terms):
    found = dict(zip(terms.source, terms.target, strict=True))
    assert found["text box"] == "cuadro de texto"
    assert found["cell"] == "celda"
    assert not {"the", "box", "and", "text"} & set(found)
    assert all(0 < p <= 1 for p in terms.probability)


def test_what_stands_with_function_words_of_its_own_is_part_of_an_expression():
    pairs = {
        ("through", "través"): 10,
        ("through", "a través"): 9,
        ("through", "a través de"): 8,
        ("clipboard", "portapapeles"): 10,
        ("clipboard", "el portapapeles"): 3,
        ("order", "orden"): 10,
        ("in order", "orden"): 7,
        ("the", "a"): 90,
        ("cell", "celda activa"): 10,
        ("cell", "celda"): 10,
    }
    table = SimpleNamespace(
        source=[tuple(one.split()) for one, _ in pairs],
        target=[tuple(other.split()) for _, other in pairs],
        count=np.array([*pairs.values()], float),
    )
    parts = _parts_of_expressions(table, ({"the", "in"}, {"a", "de", "el"}))
    found = [pair for pair, part in zip(pairs, parts, strict=True) if part]
    assert found == [("through", "través"), ("order", "orden")]


def test_c_value_by_hand():
    side = LinkedSide.of("en", ["soft contact lens", "hard contact lens", "contact lens", "contact lens"])
    values = term_candidates(side)
    # `contact lens` four times, never inside a longer run that was seen twice.
    assert values[("contact", "lens")] == pytest.approx(4 * 1.5849625)
    # `lens` only stands inside it.
    assert ("lens",) not in values


@pytest.mark.parametrize("name", ["terms.tsv", "terms.jsonl", "terms.tbx", "terms.xlsx"])
def test_files(tmp_path, terms, name):
    [path] = terms.write(tmp_path / name)
    [again] = terms.write(tmp_path / f"again-{name}")
    assert path.read_bytes() == again.read_bytes()
    if name.endswith("xlsx"):
        with zipfile.ZipFile(path) as book:
            sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))
            assert len(sheet[0]) == len(terms) + 1
    elif name.endswith("tbx"):
        found = [node.text for node in ET.parse(path).getroot().iter("term")]
        assert found[:2] == [terms.source[0], terms.target[0]]
    else:
        assert terms.target[0] in path.read_text(encoding="utf-8")


def test_unknown_suffix_is_told(tmp_path, terms):
    with pytest.raises(ParameterError, match="tbx"):
        terms.write(tmp_path / "terms.doc")


def test_look_up_both_ways_with_marks(bitext):
    found = look_up(bitext, "Text Box", "en")
    assert "cuadro" in found.translation[0] and found.probability[0] > 0.6
    left, right = found.examples[0][0].marked("<", ">")
    assert "<text> <box>" in left and "<cuadro>" in right
    back = look_up(bitext, "celda", "es")
    assert back.translation[0] == "cell" and back.languages == ("es", "en")
    assert sum(found.count) + found.unlinked <= found.occurrences
    with pytest.raises(ParameterError, match="not fr"):
        look_up(bitext, "x", "fr")
    with pytest.raises(ParameterError, match="no word"):
        look_up(bitext, "  ...", "en")
    assert look_up(bitext, "zebra", "en").translation == []


def test_wildcards_and_forms(bitext):
    assert look_up(bitext, "cel*", "en").occurrences == look_up(bitext, "cell", "en").occurrences > 0
    assert look_up(bitext, "text *", "en").occurrences == look_up(bitext, "text box", "en").occurrences
    assert look_up(bitext, "styles", "en").occurrences == 0
    assert look_up(bitext, "styles", "en", inflected=True).occurrences == look_up(bitext, "style", "en").occurrences


def test_swapping_twice_changes_nothing(bitext):
    again = bitext.swapped().swapped()
    assert again.links == bitext.links and (again.posteriors == bitext.posteriors).all()


def test_labels_go_where_their_words_go(bitext):
    spans = [
        LabelledSpan(n, words.index("cell"), words.index("cell") + 1, "THING")
        for n, words in enumerate(bitext.source.words)
        if "cell" in words
    ]
    found = project(bitext, spans)
    right = [bitext.target.words[s.sentence][s.start : s.end] == ["celda"] for s in found]
    assert sum(right) / len(right) > 0.9 and all(0 < s.probability <= 1 for s in found)
    with pytest.raises(CorpusError, match="which has"):
        project(bitext, [LabelledSpan(0, 0, 99, "X")])


def test_tags_and_spans_are_the_same():
    tags = [["B-A", "I-A", "O", "B-A", "B-B"], ["O"], ["I-C", "I-C"]]
    spans = spans_of_tags(tags)
    assert [(s.sentence, s.start, s.end, s.label) for s in spans] == [
        (0, 0, 2, "A"),
        (0, 3, 4, "A"),
        (0, 4, 5, "B"),
        (2, 0, 2, "C"),
    ]
    assert tags_of_spans(spans, [5, 1, 2]) == [*tags[:2], ["B-C", "I-C"]]


def test_projection_of_files(tmp_path, bitext):
    lines = [
        "\n".join(f"{word}\t{'B-THING' if word == 'cell' else 'O'}" for word in words) + "\n\n"
        for words in bitext.source.words
    ]
    (tmp_path / "en.conll").write_text("".join(lines))
    assert project_file(bitext, tmp_path / "en.conll", tmp_path / "es.conll") > 20
    tagged = [line.split("\t") for line in (tmp_path / "es.conll").read_text().splitlines() if "B-THING" in line]
    assert sum(word == "celda" for word, *_ in tagged) > 0.9 * len(tagged)
    place = bitext.source.words[0].index("the")
    (tmp_path / "en.jsonl").write_text(json.dumps({"sentence": 0, "start": place, "end": place + 1, "label": "DET"}))
    project_file(bitext, tmp_path / "en.jsonl", tmp_path / "es.jsonl")
    (tmp_path / "bad.jsonl").write_text("{}")
    with pytest.raises(CorpusError, match=r"bad\.jsonl, line 1"):
        project_file(bitext, tmp_path / "bad.jsonl", tmp_path / "x.jsonl")
    (tmp_path / "short.conll").write_text("the\tO\n")
    with pytest.raises(CorpusError, match="sentences with tags"):
        project_file(bitext, tmp_path / "short.conll", tmp_path / "x.conll")


def test_linking_words_without_memory_is_told_before_it_begins(monkeypatch):
    """Every word of a sentence meets every one of the other: 3,000 a side are 9 million pairs of words."""
    long = AlignedCorpus(["1"], {"en": ["cat " * 3_000], "es": ["gato " * 3_000]})
    monkeypatch.setattr(estimate, "room", lambda: estimate.BASE + estimate.CELL * 3_000 * 3_000)
    monkeypatch.setattr(LinkedBitext, "linked", lambda *_: pytest.fail("it began"))
    with pytest.raises(ParameterError, match=r"this alignment takes about .* of memory \(.*\), and .* are free"):
        link_bitext(long)


def in_bursts(shuffled=False):
    """Sentences about one of forty subjects after another, `data` as frequent as `the` among them."""
    rng = random.Random(0)
    rows = [["the", "of", *(["data", "data"] if n % 400 < 200 else []), f"s{n // 20}x", f"w{n}x"] for n in range(800)]
    return rng.sample(rows, len(rows)) if shuffled else rows


def test_words_of_a_subject_come_in_bursts_and_may_be_terms():
    assert _stop_words(in_bursts()) == {"the", "of"}
    # Where sentences stand in no order the most frequent words are all that can be told.
    assert _stop_words(in_bursts(shuffled=True)) == {"data", "of"}


def test_residual_idf_by_hand():
    sentences = [["even", "burst"]] * 10 + [["even"]] * 30
    counts = Counter(word for words in sentences for word in words)
    found = _residual_idf(sentences, counts)
    # Two blocks of twenty sentences: `even` in both with 20 each, `burst` in one of them with 10.
    np.testing.assert_allclose(found["even"], -np.log2(2 / 2) + np.log2(1 - np.exp(-20)))
    np.testing.assert_allclose(found["burst"], -np.log2(1 / 2) + np.log2(1 - np.exp(-5)))


def test_no_term_reaches_across_punctuation():
    side = LinkedSide.of("en", ["big cats, small dogs", "drag-and-drop (“big cats”) small dogs"] * 2)
    found = term_candidates(side)
    assert {("big", "cats"), ("small", "dogs"), ("drag", "and", "drop")} <= set(found)
    assert not any({"cats", "small"} <= set(phrase) or {"drop", "big"} <= set(phrase) for phrase in found)
