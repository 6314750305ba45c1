"""Sentence alignment beside Gale & Church (1993) and vecalign: gold beads, and texts whose sentences are known.

Sentences of translated texts are taken out of either side, merged with the next one, or moved some places (`TEXTS`,
`CHANGES`); what belongs together is then known. Half of a corpus teaches a space (OPCA with 300 dimensions), from whose
vectors vecalign aligns the other half; ours is given the same space, or nothing at all. Pairs a second are of processor
time, on speeches, from text to beads.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from babelspace import fit_model
from babelspace.classification.expected_accuracy import wilson
from babelspace.mining.precision import cut
from babelspace.mining.sentences.alignment import AlignedSentences, align_beads
from babelspace.mining.sentences.document_pairs import TextPairs, table_of
from babelspace.mining.sentences.word_table import WordTable
from babelspace.runtime.threads import limit
from benchmarks.common import OUT, write
from benchmarks.measure.known_sentences import (
    Bead,
    KnownDocument,
    Lines,
    gold_document,
    known_document,
    line_pairs,
    sentence_pairs,
    two_languages,
)
from benchmarks.measure.sentence_rivals import f_scores, gale_church, nltk_gale_church, vecalign

# Corpus, languages, and whether sentences are lines or stand inside paragraphs.
TEXTS: dict[str, tuple[str, tuple[str, str], Callable[..., Any]]] = {
    "europarl-7 en-de": ("europarl-7", ("en", "de"), sentence_pairs),
    "europarl-7 es-pt": ("europarl-7", ("es", "pt"), sentence_pairs),
    "hansard36 en-fr": ("hansard36", ("en", "fr"), line_pairs),
    "bible-chapters en-he": ("bible-chapters", ("en", "he"), line_pairs),
    "bible-chapters es-zh": ("bible-chapters", ("es", "zh"), line_pairs),
}
CHANGES = {
    "merged .1": {"merged": 0.1},
    "merged .1, dropped .1": {"merged": 0.1, "dropped": 0.1},
    "merged .1, dropped .3": {"merged": 0.1, "dropped": 0.3},
    "merged .1, moved .05": {"merged": 0.1, "moved": 0.05},
    "merged .1, dropped .1, clauses .05": {"merged": 0.1, "dropped": 0.1, "shifted": 0.05},
}
DOCUMENTS, SIZE, TRAINED, SPEECHES = 40, 60, 1_200, 800
PROMISES = (0.9, 0.95, 0.99)
# Its weights of words were chosen on these yearbooks.
TUNED_ON = "textberg-de-fr"


def aligned(documents: Sequence[KnownDocument], languages: Sequence[str], table: WordTable) -> AlignedSentences:
    """All documents in one call."""
    sides = [
        [known.document(side, code, str(n)) for n, known in enumerate(documents)] for side, code in enumerate(languages)
    ]
    return align_beads(TextPairs.of(sides[0], sides[1], (Lines(languages[0]), Lines(languages[1]))), table)


def beads_of(found: AlignedSentences) -> list[list[Bead]]:
    """The beads of each document, its sentences counted from 0."""
    source, target = found.pairs.source, found.pairs.target
    beads: list[list[Bead]] = [[] for _ in source.documents]
    owners = source.owner, target.owner
    for i, a, j, b in found.beads.tolist():
        owner = int(owners[0][i] if a else owners[1][j])
        i, j = i - int(source.starts[owner]), j - int(target.starts[owner])
        beads[owner].append((tuple(range(i, i + a)), tuple(range(j, j + b))))
    return beads


def ours(documents: Sequence[KnownDocument], languages: Sequence[str], table: WordTable) -> list[list[Bead]]:
    """Our beads, all documents in one call."""
    return beads_of(aligned(documents, languages, table))


def promises(documents: Sequence[KnownDocument], languages: Sequence[str], table: WordTable) -> dict[str, Any]:
    """Expected and observed precision of the pairs that a promise keeps; right is a pair with the borders of gold."""
    found = aligned(documents, languages, table)
    truth = [set(known.gold) for known in documents]
    right = np.array([bead in own for beads, own in zip(beads_of(found), truth, strict=True) for bead in beads])
    both = found.beads[:, [1, 3]].min(axis=1) > 0
    probability = found.probabilities()[both]
    result = {}
    for promise in PROMISES:
        chosen = cut(probability, promise)
        kept = right[both][chosen]
        expected, share = (float(part.mean()) if len(kept) else None for part in (probability[chosen], kept))
        interval = None if share is None else wilson(share, len(kept))
        result[str(promise)] = {
            "pairs": len(kept),
            "of": int(both.sum()),
            "expected": expected,
            "precision": share,
            "interval": interval,
        }
    return result


def one_by_one(align: Callable[..., list[Bead]], documents: Sequence[KnownDocument]) -> list[list[Bead]]:
    """The beads of an aligner of single documents."""
    return [align(*known.lines) for known in documents]


def scored(documents: Sequence[KnownDocument], languages: Sequence[str], encoder: Any) -> dict[str, Any]:
    """Every contender on the same documents; processor seconds are with one thread."""
    apart: dict[str, Callable[..., list[Bead]]] = {
        "Gale & Church": gale_church,
        "Gale & Church (NLTK)": nltk_gale_church,
        "vecalign": vecalign(encoder, languages),
    }
    gold = [known.gold for known in documents]
    found: dict[str, Any] = {}
    table = table_of(encoder, *languages)
    contenders: dict[str, Callable[[], list[list[Bead]]]] = {
        **{name: partial(one_by_one, align, documents) for name, align in apart.items()},
        "ours, no dictionary": partial(ours, documents, languages, WordTable.empty()),
        "ours": partial(ours, documents, languages, table),
    }
    for name, work in contenders.items():
        begun = time.process_time()
        beads = work()
        found[name] = {**f_scores(beads, gold), "seconds": time.process_time() - begun}
        print(f"  {name}: {found[name]}", flush=True)
    found["ours"]["promises"] = promises(documents, languages, table)
    print(f"  promises: {found['ours']['promises']}", flush=True)
    return found


def changed_texts(data: Path, name: str) -> dict[str, Any]:
    """One corpus under all changes; half of its documents teach the space."""
    folder, languages, pairs_of = TEXTS[name]
    corpus = two_languages(data, folder, languages)
    half = len(corpus) // 2
    encoder = fit_model(corpus.select(range(half, half + min(half, TRAINED))), n_components=300, holdout=0)
    pairs = pairs_of(corpus.select(range(half)), languages)
    found = {}
    for change, settings in CHANGES.items():
        rng = random.Random(0)
        cut = [pairs[n * SIZE : (n + 1) * SIZE] for n in range(DOCUMENTS)]
        documents = [known_document(part, rng, **settings) for part in cut if part]
        print(name, change, len(documents), flush=True)
        found[change] = scored(documents, languages, encoder)
    return found


def gold(data: Path) -> dict[str, Any]:
    """The yearbooks, with the words of speeches."""
    languages = "de", "fr"
    speeches = two_languages(data, "europarl-7", languages).select(range(TRAINED))
    encoder = fit_model(speeches, n_components=300, holdout=0)
    return scored([gold_document(data / "sentences" / TUNED_ON, languages)], languages, encoder)


def speed(data: Path) -> dict[str, Any]:
    """Pairs a second of processor time: cut into sentences and words, one pass with known words, two rounds."""
    languages = "de", "fr"
    speeches = two_languages(data, "europarl-7", languages).select(range(SPEECHES))
    sides = speeches.documents("de"), speeches.documents("fr")
    found: dict[str, list[float]] = {"cut": [], "pass": [], "learned": []}
    with limit(1):
        table = align_beads(TextPairs.of(*sides), WordTable.empty()).table
        for _ in range(3):
            times = [time.process_time()]
            pairs = TextPairs.of(*sides)
            times.append(time.process_time())
            align_beads(pairs, table, 0)
            times.append(time.process_time())
            align_beads(pairs, WordTable.empty(), 2)
            times.append(time.process_time())
            for number, part in enumerate(found.values()):
                part.append(times[number + 1] - times[number])
    return {"pairs": len(pairs.source), "seconds": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--texts", nargs="*", default=list(TEXTS), choices=list(TEXTS))
    parser.add_argument("--parts", nargs="*", default=["texts", "gold", "speed"], choices=["texts", "gold", "speed"])
    asked = parser.parse_args()
    kept = OUT / "sentence_alignment.json"
    result = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    result = {"texts": {}, **result, "tuned_on": TUNED_ON}
    result.pop("about", None)
    with limit(1):
        if "gold" in asked.parts:
            result["gold"] = gold(asked.data)
            write("sentence_alignment", result)
        for name in asked.texts if "texts" in asked.parts else []:
            result["texts"][name] = changed_texts(asked.data, name)
            write("sentence_alignment", result)
        if "speed" in asked.parts:
            result["speed"] = speed(asked.data)
            write("sentence_alignment", result)


if __name__ == "__main__":
    main()
