"""Terms beside dictionaries that were not used: how many of the first 500 are right?

Help pages of the sample beside the strings of the program's windows (`libreoffice-l10n-es` of Debian: its .mo files,
with English texts of at most four words as headwords; the same people have translated both), pages of MDN beside
the bilingual dictionary of `apertium-eng-spa`, which has base forms (`lt-print eng-spa.autobil.bin > FILE`). A term is
judged if its source is a headword, and right if its target is one of the translations, both as words of the analyzer; a
dictionary does not have every right translation, so that the share is a lower bound. `by form` also takes targets whose
words begin as those of a translation do (plurals, genders).
"""

from __future__ import annotations

import argparse
import gettext
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from babelspace import AlignedCorpus, sample
from babelspace.classification.expected_accuracy import wilson
from babelspace.runtime.threads import limit
from babelspace.terms.lookup import forms_of
from babelspace.text import Analyzer
from babelspace.workflows.mine_sentences import mine_sentences
from babelspace.workflows.terminology import Terms, extract_terms, link_bitext
from benchmarks.common import OUT, write
from benchmarks.measure.known_sentences import two_languages

Phrase = tuple[str, ...]
Gold = dict[Phrase, set[Phrase]]
LANGUAGES = ("en", "es")
FIRST, LONGEST_HEADWORD, PAGES = 500, 4, 800
# What was looked at while the extraction was mended.
TUNED_ON = "help"


def interface(folder: Path) -> Iterator[tuple[str, str]]:
    """Texts of windows and menus with their translations, without marks of keys."""
    for path in sorted(folder.rglob("*.mo")):
        with path.open("rb") as stream:
            found = gettext.GNUTranslations(stream)._catalog  # type: ignore[attr-defined]
        for key, text in found.items():
            if isinstance(key, str) and not set("%<>$") & set(key):
                yield (
                    key.rpartition("\x04")[2].replace("_", "").replace("~", ""),
                    text.replace("_", "").replace("~", ""),
                )


def apertium(printed: Path) -> Iterator[tuple[str, str]]:
    """Words and translations of a bilingual transducer as `lt-print` writes it: all paths of its first part."""
    arcs: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    ends: set[str] = set()
    for line in printed.read_text(encoding="utf-8").split("--\n", 1)[0].splitlines():
        cells = line.split("\t")
        if len(cells) < 4:
            ends.add(cells[0])
        else:
            arcs[cells[0]].append((cells[1], _letters(cells[2]), _letters(cells[3])))
    waiting, seen = [("0", "", "")], {("0", "", "")}
    while waiting:
        state, left, right = waiting.pop()
        if state in ends:
            yield left, right
        for after, one, other in arcs[state]:
            path = after, left + one, right + other
            # Numbers go round in circles.
            if path not in seen and not (one + other).isdigit():
                seen.add(path)
                waiting.append(path)


def _letters(symbol: str) -> str:
    """A symbol of a transducer, without grammar: tags are not letters."""
    return "" if symbol == "ε" or symbol.startswith("<") else symbol


def gold_of(pairs: Iterable[tuple[str, str]]) -> Gold:
    """Headwords of a few words with all their translations, as words of the analyzers."""
    analyzers = [Analyzer(code) for code in LANGUAGES]
    gold: Gold = defaultdict(set)
    for pair in pairs:
        left, right = (tuple(analyze(text)) for analyze, text in zip(analyzers, pair, strict=True))
        if 0 < len(left) <= LONGEST_HEADWORD and right:
            gold[left].add(right)
    return gold


def judged(terms: Terms, gold: Gold) -> list[dict[str, Any]]:
    """The terms whose source is a headword, and whether they are right."""
    analyzers = [Analyzer(code) for code in LANGUAGES]
    found = []
    for source, target in zip(terms.source, terms.target, strict=True):
        left, right = (tuple(analyze(text)) for analyze, text in zip(analyzers, (source, target), strict=True))
        if left in gold:
            near = any(_forms(right, other) for other in gold[left])
            found.append({"source": source, "target": target, "right": right in gold[left], "form": near})
    return found


def _forms(one: Phrase, other: Phrase) -> bool:
    return len(one) == len(other) and all(forms_of(left, [right]) for left, right in zip(one, other, strict=True))


def measured(corpus: AlignedCorpus, gold: Gold, shown: bool) -> dict[str, Any]:
    """From documents to terms, and the share of right ones."""
    source, target = (corpus.documents(code) for code in LANGUAGES)
    found = mine_sentences(source, target)
    terms = extract_terms(link_bitext(found.corpus(), LANGUAGES), most=FIRST)
    rows = judged(terms, gold)
    for row in rows if shown else ():
        if not row["right"]:
            print(row["source"], "|", row["target"], "| form" if row["form"] else "|", flush=True)
    result: dict[str, Any] = {"sentences": len(found), "terms": len(terms), "headwords": len(gold), "judged": len(rows)}
    for name in ("right", "form"):
        count = sum(row[name] for row in rows)
        result[name] = {"count": count, "interval": wilson(count / len(rows), len(rows)) if rows else None}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="Folder of corpora, for MDN.")
    parser.add_argument("--interface", type=Path, help="Folder with the .mo files of LibreOffice in Spanish.")
    parser.add_argument("--dictionary", type=Path, help="What lt-print makes of eng-spa.autobil.bin.")
    parser.add_argument("--show", action="store_true", help="Print the terms that the dictionary does not have.")
    asked = parser.parse_args()
    kept = OUT / "terms.json"
    texts = json.loads(kept.read_text(encoding="utf-8"))["texts"] if kept.is_file() else {}
    with limit(1):
        if asked.interface is not None:
            pages = sample("help").select(languages=list(LANGUAGES))
            texts["help"] = measured(pages, gold_of(interface(asked.interface)), asked.show)
        if asked.data is not None and asked.dictionary is not None:
            pages = two_languages(asked.data, "mdn", LANGUAGES).select(range(PAGES))
            texts["mdn"] = measured(pages, gold_of(set(apertium(asked.dictionary))), asked.show)
    write("terms", {"first": FIRST, "languages": LANGUAGES, "tuned_on": TUNED_ON, "texts": texts})


if __name__ == "__main__":
    main()
