"""Run every benchmark, one after the other; each also runs alone."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.programs import module

BENCHMARKS = (
    "tokenise",
    "peers",
    "scaling",
    "opca_full",
    "wide_vocabulary",
    "scale",
    "engines",
    "oneta",
    "kernel_cca_large",
    "hansard_kcca",
    "matching",
    "larger_pools",
    "matching_speed",
    "doctor",
    "domains",
    "learning_curve",
    "discriminative",
    "trained_full",
    "hashed_ngrams",
    "monolingual",
    "rerank",
    "sentence_alignment",
    "extraction",
    "many_languages",
    "hundred_languages",
    "low_resource",
    "classification",
    "promised_accuracy",
    "alignment_scaling",
    "cepts",
    "plsa",
    "topic_training",
    "topic_memory",
    "speed",
    "floors",
    "cold_start",
    "search",
    "search_quality",
    "index_kill",
    "damage",
    "kills",
    "together",
    "auto",
    "grow",
    "phrases",
    "terms",
    "translation",
    "verdicts",
    "estimates",
    "streaming",
    "fuzz_readers",
    "bombs",
    "faults",
    "interrupts",
    "service",
    "service_kill",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of corpora (docs/results/index.md)")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones; all by default: {', '.join(BENCHMARKS)}")
    options = parser.parse_intermixed_args()
    for name in options.names or BENCHMARKS:
        if name not in BENCHMARKS:
            sys.exit(f"unknown benchmark {name!r}; known: {', '.join(BENCHMARKS)}")
        print(f"== {name}", flush=True)
        # tokenise measures the embedded sample; the others read the corpora.
        data = [] if name == "tokenise" else ["--data", str(options.data)]
        subprocess.run(module(name if name == "peers" else f"measure.{name}", *data), check=True)


if __name__ == "__main__":
    main()
