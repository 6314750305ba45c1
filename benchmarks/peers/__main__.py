"""Every race of this folder, one after the other; each also runs alone.

gensim, scikit-learn, cca_zoo, tomotopy, eflomal and fast_align's library systran-align (Python 3.11 only) come with the
group "bench"; MALLET and fast_align as a program take part where they are installed and named.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from benchmarks.programs import module

RACES = ("lsi", "opca", "cca", "kernel_cca", "lda", "mallet", "alignment")
# Programs that only some races ask for.
PROGRAMS = {"mallet": ("mallet",), "alignment": ("eflomal", "fast-align")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("--turns", type=int, help="of each contender")
    for program, what in {
        "mallet": "bin/mallet of an installed MALLET",
        "eflomal": "the program eflomal-align, where it is not on the PATH",
        "fast-align": "the program fast_align, where it is not on the PATH",
    }.items():
        parser.add_argument(f"--{program}", metavar="PATH", help=what)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones; all by default: {', '.join(RACES)}")
    asked = parser.parse_intermixed_args()
    unknown = set(asked.names) - set(RACES)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(RACES)}")
    for name in asked.names or RACES:
        print(f"== {name}", flush=True)
        given = {key: getattr(asked, key.replace("-", "_")) for key in ("turns", *PROGRAMS.get(name, ()))}
        arguments = [word for key, value in given.items() if value for word in (f"--{key}", str(value))]
        subprocess.run(module(f"peers.{name}", "--data", str(asked.data), *arguments), check=True)


if __name__ == "__main__":
    main()
