"""Every table and figure of the five papers, one after the other, at a reduced size or with `--full` as they are."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.papers.exhibit import SHARED, processor_seconds
from benchmarks.programs import module
from benchmarks.report.papers import names, result_of


def done_before(name: str, full: bool) -> bool:
    """Whether there is a result of that size, or a better one."""
    found = result_of(name)
    return found is not None and not (full and found.reduced)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("--full", action="store_true", help="not at a reduced size; some take hours")
    parser.add_argument("--missing", action="store_true", help="only what has no result yet")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(names())}")
    options = parser.parse_intermixed_args()
    unknown = set(options.names) - set(names())
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(names())}")
    failed = []
    with tempfile.TemporaryDirectory() as shared:
        for name in options.names or names():
            if options.missing and done_before(name, options.full):
                print(f"== {name}: done before", flush=True)
                continue
            print(f"== {name}", flush=True)
            before = processor_seconds()
            command = module(f"papers.{name}", "--data", str(options.data))
            size = [] if options.full else ["--reduced"]
            done = subprocess.run([*command, *size], check=False, env={**os.environ, SHARED: shared})
            failed += [name] if done.returncode else []
            print(f"   {processor_seconds() - before:.0f} s of the processor", flush=True)
    print(f"{processor_seconds():.0f} s of the processor in all")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
