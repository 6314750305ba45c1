"""Every table and figure of the five papers, one after the other, at a reduced size or with `--full` as they are."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from page import HERE, RESULTS, names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of corpora")
    parser.add_argument("--full", action="store_true", help="not at a reduced size; some take an hour")
    parser.add_argument("--missing", action="store_true", help="only what has no result yet")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which ones: {', '.join(names())}")
    options = parser.parse_intermixed_args()
    unknown = set(options.names) - set(names())
    if unknown:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(names())}")
    failed = []
    for name in options.names or names():
        if options.missing and (RESULTS / f"{name}.json").is_file():
            print(f"== {name}: done before", flush=True)
            continue
        print(f"== {name}", flush=True)
        size = [] if options.full else ["--reduced"]
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, str(HERE / f"{name}.py"), "--data", str(options.data), *size], check=False
        )
        failed += [name] if done.returncode else []
        print(f"   {time.perf_counter() - started:.0f} s", flush=True)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
