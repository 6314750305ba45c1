"""Phrase pairs a second of processor time: the help pages of the sample and speeches, one thread, from links to scores.

The words are linked beforehand by the HMM. A place is a pair of phrases in a sentence pair; a pair may stand in many.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from babelspace import AlignedCorpus, sample
from babelspace.runtime.threads import limit
from babelspace.terms.linked_bitext import LinkedBitext
from babelspace.terms.phrases import phrase_table
from babelspace.workflows.mine_sentences import mine_sentences
from benchmarks.common import write
from benchmarks.measure.known_sentences import two_languages

SPEECHES, TURNS, LONGEST = 400, 5, 5


def measured(corpus: AlignedCorpus) -> dict[str, Any]:
    """Sentence pairs, places, distinct pairs, and seconds of each turn."""
    source, target = (corpus.documents(language) for language in corpus.languages)
    found = mine_sentences(source, target)
    bitext = LinkedBitext.of(found.corpus(), aligner="hmm")
    seconds = []
    for _ in range(TURNS):
        begun = time.process_time()
        table = phrase_table(bitext, LONGEST)
        seconds.append(time.process_time() - begun)
    return {"sentences": len(bitext), "places": int(table.count.sum()), "pairs": len(table), "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    texts = {
        "help en-es": sample("help").select(languages=["en", "es"]),
        "europarl-7 en-fr": two_languages(data, "europarl-7", ("en", "fr")).select(range(SPEECHES)),
    }
    with limit(1):
        write("phrases", {"longest": LONGEST, "texts": {name: measured(corpus) for name, corpus in texts.items()}})


if __name__ == "__main__":
    main()
