"""Sentences out of comparable documents of every odd kind, with planted answers."""

from __future__ import annotations

import random

import numpy as np
import pytest

from babelspace import Document
from babelspace.kernels.alignment.anchors import COMMON, candidates
from babelspace.mining.sentences.document_pairs import TextPairs
from babelspace.mining.sentences.extraction import extract_sentences
from babelspace.mining.sentences.word_table import WordTable

pytestmark = pytest.mark.family("alignment")

LETTERS = {"en": "abcdefghij", "es": "klmnopqrst", "he": "אבגדהוזחטי"}


def word(number, language):
    return "".join(LETTERS[language][int(digit)] for digit in f"{number:04}")


def table(words=2_000, languages=("en", "es")):
    sides = [[[word(n, language)] for n in range(words)] for language in languages]
    return WordTable.of_bitext(*sides)


def documents(sentences, shared, seed=0, languages=("en", "es"), end=".", words=2_000):
    """One document a side, shuffled; the first `shared` sentences of each say the same."""
    rng = random.Random(seed)
    said = [rng.sample(range(words), 8) for _ in range(2 * sentences - shared)]
    sides, gold = [], set()
    for language, own in zip(languages, (said[:sentences], said[:shared] + said[sentences:]), strict=True):
        lines = [" ".join(word(n, language) for n in one).capitalize() + end for one in own]
        gold |= {(language, line) for line in lines[:shared]}
        rng.shuffle(lines)
        sides.append([Document("1", language, "\n".join(lines))])
    return sides, gold


def both(sides, **settings):
    languages = sides[0][0].language, sides[1][0].language
    return extract_sentences(sides[0], sides[1], table(languages=languages), precision=0, **settings)


@pytest.mark.parametrize(("left", "right"), [("", ""), ("", "Klmn opqr."), ("Abcd efgh.", ""), (" \n ", "...")])
def test_empty_documents(left, right):
    assert len(extract_sentences([Document("1", "en", left)], [Document("1", "es", right)], table(), precision=0)) == 0


def test_empty_documents_among_others():
    sides, _ = documents(40, 10)
    lonely = [[Document("0", side[0].language, ""), *side, Document("2", side[0].language, "")] for side in sides]
    found, alone = both(lonely), both(sides)
    assert found.source_text == alone.source_text and set(found.source) == {"1"}
    np.testing.assert_array_equal(found.probability, alone.probability)


def test_one_sentence_each():
    sides, _ = documents(1, 1)
    found = both(sides)
    assert (len(found), found.unpaired) == (1, (0, 0))
    assert len(both(documents(1, 0)[0])) == 0


def test_identical_texts():
    rng = random.Random(0)
    text = "\n".join(" ".join(word(rng.randrange(900), "en") for _ in range(8)) for _ in range(60))
    found = extract_sentences([Document("1", "en", text)], [Document("1", "es", text)], WordTable.empty(), precision=0)
    assert len(found) == 60 and found.source_text == found.target_text


def test_swapped_languages_give_the_same_pairs():
    sides, gold = documents(80, 20)
    there, back = both(sides), both(sides[::-1])
    assert set(zip(there.source_text, there.target_text, strict=True)) == set(
        zip(back.target_text, back.source_text, strict=True)
    )
    best = np.argsort(-there.probability)[:20]
    assert {("en", there.source_text[n]) for n in best} <= gold


@pytest.mark.parametrize(("languages", "end"), [(("en", "es"), ""), (("en", "he"), "."), (("he", "es"), "׃")])
def test_without_punctuation_and_right_to_left(languages, end):
    sides, gold = documents(60, 15, languages=languages, end=end)
    found = both(sides)
    best = np.argsort(-found.probability, kind="stable")[:15]
    assert {(languages[0], found.source_text[n]) for n in best} <= gold
    for n in best.tolist():
        text = sides[1][0].text[found.target_start[n] : found.target_end[n]]
        assert text == found.target_text[n] and (languages[1], text) in gold


def test_a_text_without_any_break_is_one_sentence():
    sides = [[Document("1", code, " ".join(word(n, code) for n in range(300)))] for code in ("en", "es")]
    found = both(sides)
    assert len(found) == 1 and found.source_end[0] == len(sides[0][0].text)


def test_ten_thousand_sentences():
    sides, gold = documents(10_000, 1_000, words=9_999)
    known = table(9_999)
    found = extract_sentences(*sides, known, precision=0.95)
    right = [("en", text) in gold for text in found.source_text]
    assert len(right) > 900 and np.mean(right) > 0.9


@pytest.mark.parametrize(("often", "found"), [(COMMON, True), (COMMON + 1, False)])
def test_words_in_too_many_sentences_of_a_large_document_are_not_followed(often, found):
    lines = [f"{word(n, 'en')}." for n in range(1, 1_000)]
    others = [f"{word(n, 'es')} {word(0, 'es') if n <= often else ''}." for n in range(1, 1_000)]
    sides = [
        [Document("1", "en", "\n".join([f"{word(0, 'en')}.", *lines]))],
        [Document("1", "es", "\n".join(others))],
    ]
    source, target, tables = TextPairs.of(*sides).tables(table(1_000))
    rows, _, _ = candidates(source, target, tables, 6)
    assert (0 in rows.tolist()) == found
