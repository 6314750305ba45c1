"""Sentence alignment with planted answers, and every odd kind of document."""

from __future__ import annotations

import json
import random

import numpy as np
import pytest

from babelspace import Document, read_corpus, sample
from babelspace.errors import ParameterError
from babelspace.mining.sentences.alignment import align_beads, align_sentences
from babelspace.mining.sentences.bead_probabilities import bead_probabilities
from babelspace.mining.sentences.document_pairs import TextPairs, table_of
from babelspace.mining.sentences.extraction import extract_sentences
from babelspace.mining.sentences.word_table import WordTable
from babelspace.text.sentences import SentenceSplitter


class Lines(SentenceSplitter):
    """Every line is a sentence."""

    def spans(self, text):
        place, found = 0, []
        for line in text.split("\n"):
            found.append((place, place + len(line)))
            place += len(line) + 1
        return [(start, end) for start, end in found if start < end]


def verses(seed=0, dropped=0.1, merged=0.1, count=1200, size=60):
    """Chapters of verses, some taken out and some joined, and the beads with both sides that are right."""
    rng, corpus = random.Random(seed), sample("gospels")
    sides, gold = ([], []), set()
    rows = list(zip(corpus.texts("en"), corpus.texts("es"), strict=True))[:count]
    for chapter in range(0, count, size):
        lines = [
            [({n}, pair[side]) for n, pair in enumerate(rows[chapter : chapter + size]) if rng.random() > dropped]
            for side in (0, 1)
        ]
        for side in (0, 1):
            kept, joined = lines[side], []
            while kept:
                take = 2 if len(kept) > 1 and rng.random() < merged else 1
                joined.append(
                    (set().union(*(ids for ids, _ in kept[:take])), " ".join(text for _, text in kept[:take]))
                )
                kept = kept[take:]
            lines[side] = joined
            sides[side].append(Document(str(chapter), ("en", "es")[side], "\n".join(text for _, text in joined)))
        gold |= {(str(chapter), one[1], other[1]) for one in lines[0] for other in lines[1] if one[0] == other[0]}
    return *sides, gold


def strict(found, gold):
    pairs = set(zip(found.source, found.source_text, found.target_text, strict=True))
    return len(pairs & gold) / len(pairs), len(pairs & gold) / len(gold)


@pytest.fixture(scope="module")
def chapters():
    return verses()


@pytest.fixture(scope="module")
def aligned(chapters):
    return align_sentences(*chapters[:2], splitters=(Lines("en"), Lines("es")))


def test_sentences_are_found_without_any_dictionary(chapters, aligned):
    single = [n for n in range(len(aligned)) if aligned.source_sentences[n] == aligned.target_sentences[n] == 1]
    precision, recall = strict(aligned.where(np.array(single)), chapters[2])
    assert precision > 0.85 and recall > 0.85


def test_probabilities_mean_what_they_say(chapters, aligned):
    trusted = aligned.trusted(0.95)
    single = np.flatnonzero((trusted.source_sentences == 1) & (trusted.target_sentences == 1))
    assert strict(trusted.where(single), chapters[2])[0] > 0.92
    assert len(trusted) < len(aligned) and trusted.expected_precision >= 0.95
    assert trusted.unpaired[0] == aligned.unpaired[0] + aligned.source_sentences.sum() - trusted.source_sentences.sum()


def test_lengths_are_apart_by_standard_deviations(chapters):
    found = align_beads(TextPairs.of(*chapters[:2], (Lines("en"), Lines("es"))), WordTable.empty(), 0)
    letters = [side.letters for side in found.pairs.packed]
    ratio = (letters[1].sum() + 1) / (letters[0].sum() + 1)
    for (i, a, j, b), apart in zip(found.beads.tolist(), found.apart(), strict=True):
        left, right = letters[0][i : i + a].sum(), letters[1][j : j + b].sum()
        # Gale & Church (1993): the variance is 6.8 for each character.
        assert apart == pytest.approx(abs(right - ratio * left) / (6.8 * left) ** 0.5 if a and b else 0)


def test_beads_whose_lengths_differ_are_less_probable(chapters):
    found = align_beads(TextPairs.of(*chapters[:2], (Lines("en"), Lines("es"))), WordTable.empty(), 0)
    near, far = (bead_probabilities(found.paths, found.kinds, np.full(len(found.beads), z)) for z in (0.5, 3.0))
    assert (near > far).all() and (found.probabilities() > 0).all() and (found.probabilities() < 1).all()


def test_texts_stand_where_offsets_say(chapters, aligned):
    texts = {document.id: document.text for document in chapters[0]}
    for id, text, start, end in zip(
        aligned.source, aligned.source_text, aligned.source_start, aligned.source_end, strict=True
    ):
        assert texts[id][start:end] == text


def test_swapped_languages_give_the_same_beads(chapters, aligned):
    turned = align_sentences(chapters[1][:4], chapters[0][:4], splitters=(Lines("es"), Lines("en")))
    there = align_sentences(chapters[0][:4], chapters[1][:4], splitters=(Lines("en"), Lines("es")))
    pairs = set(zip(there.source_text, there.target_text, strict=True))
    back = set(zip(turned.target_text, turned.source_text, strict=True))
    assert len(pairs & back) > 0.97 * len(pairs)


def test_identical_texts_are_aligned_one_to_one():
    text = " ".join(f"Sentence number {n} says word{n} and word{n * 7}." for n in range(80))
    found = align_sentences([Document("1", "en", text)], [Document("1", "fr", text)])
    assert found.source_text == found.target_text and len(found) == 80


@pytest.mark.parametrize(
    ("left", "right", "count"),
    [("", "Une phrase.", 0), ("", "", 0), ("One sentence.", "Une phrase.", 1), ("no dots here", "sans points ici", 1)],
)
def test_small_documents(left, right, count):
    assert len(align_sentences([Document("1", "en", left)], [Document("1", "fr", right)])) == count


def test_empty_documents_among_others(chapters):
    blank = Document("blank", "en", "  \n "), Document("blank", "es", "")
    plain = align_sentences(chapters[0][:3], chapters[1][:3], splitters=(Lines("en"), Lines("es")))
    found = align_sentences(
        [blank[0], *chapters[0][:3]], [blank[1], *chapters[1][:3]], splitters=(Lines("en"), Lines("es"))
    )
    assert found.source_text == plain.source_text


def test_right_to_left():
    hebrew = "זה הבית הגדול. ראינו 12 כלבים. עכשיו מאוחר מאוד."
    english = "This is the big house. We saw 12 dogs. It is very late now."
    found = align_sentences([Document("1", "he", hebrew)], [Document("1", "en", english)])
    assert found.source_text[1] == "ראינו 12 כלבים." and found.target_text[1] == "We saw 12 dogs."


def test_ten_thousand_sentences_in_one_document():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 20_000, (10_000, 8))
    sides = [
        Document("1", language, "\n".join(" ".join(f"{letter}{word}q" for word in row) for row in rows))
        for language, letter, rows in (("en", "e", words), ("fr", "f", np.delete(words, slice(500, 600), axis=0)))
    ]
    table = WordTable.of_bitext([[f"e{n}q"] for n in range(20_000)], [[f"f{n}q"] for n in range(20_000)])
    found = align_sentences([sides[0]], [sides[1]], table, rounds=0, splitters=(Lines("en"), Lines("fr")))
    right = [one.replace("e", "f") == other for one, other in zip(found.source_text, found.target_text, strict=True)]
    assert sum(right) > 9_880


def test_models_of_every_kind_are_understood():
    english = [["red", "house"], ["house"], ["red"], ["dog"]] * 3
    french = [["maison", "rouge"], ["maison"], ["rouge"], ["chien"]] * 3
    table = WordTable.of_bitext(english, french)
    assert table_of(table, "en", "fr") is table and len(table_of(None, "en", "fr")) == 0
    part = table.among(["dog", "cat", "red"], ["rouge", "chien"])
    np.testing.assert_allclose(part.forward.toarray()[1], 0)
    assert part.forward.toarray()[2, 0] > 0.8
    mixed = table.mixed(WordTable.of_bitext([["cat"]] * 2, [["chat"]] * 2))
    place = mixed.forward.toarray()[mixed.source_words.index("cat"), mixed.target_words.index("chat")]
    assert place > 0.5


def test_rounds_learn_words(chapters):
    pairs = TextPairs.of(*chapters[:2], (Lines("en"), Lines("es")))
    table = align_beads(pairs, WordTable.empty(), 1).table
    row = table.forward[[table.source_words.index("house")]].toarray()[0]
    assert table.target_words[row.argmax()] == "casa"


def test_wrong_arguments_are_told(chapters):
    with pytest.raises(ParameterError, match="belong together one by one"):
        align_sentences(chapters[0], chapters[1][:2])
    with pytest.raises(ParameterError, match="documents of en, es"):
        align_sentences([chapters[0][0], chapters[1][0]], chapters[1][:2])
    with pytest.raises(ParameterError, match="precision"):
        align_sentences(chapters[0][:1], chapters[1][:1], precision=1)
    with pytest.raises(ParameterError, match="rounds"):
        align_sentences(chapters[0][:1], chapters[1][:1], rounds=-1)
    with pytest.raises(ParameterError, match="no documents"):
        align_sentences([], [])


def test_files_are_corpora(tmp_path, aligned):
    part = aligned.where(np.arange(30))
    for name in ("bitext.tmx", "bitext.tsv.gz"):
        corpus = read_corpus(part.write(tmp_path / name)[0])
        assert corpus.texts("es") == part.corpus().texts("es") and list(corpus.ids) == list(part.corpus().ids)
    rows = [json.loads(line) for line in part.write(tmp_path / "x.jsonl")[0].read_text().splitlines()]
    assert rows[3]["en"] == part.corpus().texts("en")[3] and rows[3]["source_start"] == part.source_start[3]
    with pytest.raises(ParameterError, match="tmx"):
        part.write(tmp_path / "x.doc")


def test_extraction_finds_shuffled_sentences_among_strangers():
    rng, corpus = random.Random(3), sample("gospels")
    rows = list(zip(corpus.texts("en"), corpus.texts("es"), strict=True))
    from babelspace.text import Analyzer

    lists = [list(Analyzer(code).many(row[side] for row in rows[:2500])) for side, code in ((0, "en"), (1, "es"))]
    sides, gold = ([], []), set()
    for start in range(2500, 3700, 80):
        block = rng.sample(rows[start : start + 80], 80)
        halves = block[:20] + block[20:50], block[:20] + block[50:]
        gold |= {pair for pair in block[:20]}
        for side in (0, 1):
            text = "\n".join(pair[side] for pair in rng.sample(halves[side], 50))
            sides[side].append(Document(str(start), ("en", "es")[side], text))
    model = WordTable.of_bitext(*lists)
    found = extract_sentences(*sides, model, precision=0.9, splitters=(Lines("en"), Lines("es")))
    right = [pair in gold for pair in zip(found.source_text, found.target_text, strict=True)]
    assert sum(right) > 0.4 * len(gold)
    assert 0.85 < np.mean(right) < 0.97
    assert len(set(zip(found.source, found.source_start, strict=True))) == len(found)
    everything = extract_sentences(*sides, model, precision=0, splitters=(Lines("en"), Lines("es")))
    assert len(everything) > len(found)
    assert ((everything.probability >= 0) & (everything.probability <= 1)).all()
