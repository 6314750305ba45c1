"""Every run behind the claims of the five papers, then every table and figure, one after the other.

Exhibits have a reduced size, or with `--full` that of the paper; figures at full size are never replaced by reduced
ones. One that fails is named at the end, and the others are run.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.papers.exhibit import SHARED, processor_seconds
from benchmarks.papers.experiments import EXPERIMENTS, stored
from benchmarks.programs import module
from benchmarks.report.papers import names, result_of


def done_before(name: str, full: bool) -> bool:
    """Whether there is a result of that size, or a better one."""
    if name in EXPERIMENTS:
        return stored(name) is not None
    found = result_of(name)
    return found is not None and not (full and found.reduced)


def command(name: str, data: Path, full: bool) -> list[str]:
    """What runs an experiment or an exhibit alone."""
    if name in EXPERIMENTS:
        return module("papers.experiments", "--data", str(data), name)
    return module(f"papers.{name}", "--data", str(data), *([] if full else ["--reduced"]))


def main() -> None:
    known = [*EXPERIMENTS, *names()]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("--full", action="store_true", help="not at a reduced size; some take hours")
    parser.add_argument("--missing", action="store_true", help="only what has no result yet")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(known)}")
    options = parser.parse_intermixed_args()
    unknown = set(options.names) - set(known)
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    failed = []
    with tempfile.TemporaryDirectory() as shared:
        for name in options.names or known:
            if options.missing and done_before(name, options.full):
                print(f"== {name}: done before", flush=True)
                continue
            print(f"== {name}", flush=True)
            before = processor_seconds()
            environment = {**os.environ, SHARED: shared}
            done = subprocess.run(command(name, options.data, options.full), check=False, env=environment)
            failed += [name] if done.returncode else []
            print(f"   {processor_seconds() - before:.0f} s of the processor", flush=True)
    print(f"{processor_seconds():.0f} s of the processor in all")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
