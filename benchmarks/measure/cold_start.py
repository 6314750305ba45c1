"""How long does the first run of each command take, on a machine where nothing is compiled?

Each command runs three times (`--no-warm-up`: twice), in seconds of the processor: with an empty cache of compiled
functions, again with what that run has compiled, and with a cache that `babelspace warm-up` has filled. Data are the
embedded sample and sentences made from it, so that compiling is most of the first run; with more data it is less.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import OUT, write

NAME = "cold_start"
TOOL = str(Path(sys.executable).with_name("babelspace"))
SAMPLE = ["sample:help", "--languages", "en,es"]
# What must be there first, and the command; they run in a folder of their own.
PREPARED = {
    "model": ["fit", *SAMPLE, "--space", "opca", "--dim", "50", "-o", "model"],
    "topics": ["fit", *SAMPLE, "--space", "jplsa", "--dim", "10", "-o", "topics"],
    "links": ["align", "en.txt", "es.txt", "-o", "known-links.txt"],
    "documents": ["index", "model", "sample:help", "--languages", "es", "-o", "index"],
}
COMMANDS: dict[str, list[str]] = {
    **{
        f"fit {space}": ["fit", *SAMPLE, "--space", space, "-o", "fitted", *more]
        for space, more in {
            "opca": ["--dim", "50"],
            "cca": ["--dim", "50"],
            "cl-lsi": ["--dim", "50"],
            "translation": [],
            "mlda": ["--dim", "20", "--set", "sweeps=20"],
            "jplsa": ["--dim", "20", "--set", "max_iter=20"],
        }.items()
    },
    "compare": ["compare", *SAMPLE, "--spaces", "opca,cl-lsi", "--dims", "20"],
    "evaluate": ["evaluate", "model", *SAMPLE],
    "match": ["match", "model", "en.txt", "es.txt", "-o", "pairs.tsv"],
    "doctor": ["doctor", "model", "en.txt", "es.txt"],
    "index": ["index", "model", "es.txt", "-o", "made"],
    "search": ["search", "index", "change the password", "--language", "en"],
    "embed": ["embed", "model", "es.txt", "-o", "vectors.npy"],
    "extend": ["extend", "model", "sample:help", "--languages", "es,de", "-o", "fitted"],
    "classify": ["classify", "train", "model", "sample:help", "--language", "en", "--min-documents", "5", "-o", "made"],
    "map": ["map", "model", *SAMPLE, "-o", "map.html"],
    "estimate": ["estimate", "fit", "sample:help", "--space", "cca", "--dim", "50"],
    "align": ["align", "en.txt", "es.txt", "-o", "links.txt"],
    "sentences": ["sentences", "en.txt", "es.txt", "-o", "sentences.tsv"],
    "lexicon": ["lexicon", "en.txt", "es.txt", "known-links.txt", "--tokenised", "-o", "lexicon.tsv"],
    "score-alignment": ["score-alignment", "known-links.txt", "known-links.txt"],
    "show-alignment": ["show-alignment", "en.txt", "es.txt", "--links", "known-links.txt", "--sentence", "3"],
    "terms": ["terms", "bitext.tsv", "-o", "terms.tsv"],
    "lookup": ["lookup", "bitext.tsv", "password"],
    "topics": ["topics", "topics"],
    "spaces": ["spaces"],
    "info": ["info", "model"],
    "check": ["check", "model"],
}


def run(arguments: Sequence[str], folder: Path, cache: Path) -> dict[str, float]:
    """Seconds of the processor and of the clock of one command."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache), "OMP_WAIT_POLICY": "PASSIVE"}
    # An installed package has its bytecode; a checkout writes it in the runs that prepare.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    started = time.perf_counter()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([TOOL, *arguments], cwd=folder, env=environment, stdout=log, stderr=log)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"babelspace {' '.join(arguments)} failed:\n{(folder / 'log').read_text(errors='replace')[-2000:]}")
    return {"cpu": usage.ru_utime + usage.ru_stime, "clock": time.perf_counter() - started}


def compiled(cache: Path) -> int:
    """Functions in a cache."""
    return len(list(cache.rglob("*.nbc")))


def measure(name: str, folder: Path, warmed: Path | None) -> dict[str, Any]:
    """One command: with nothing compiled, with all that it needs, and after a warm-up, if there was one."""
    with tempfile.TemporaryDirectory() as place:
        empty, filled = Path(place, "empty"), Path(place, "filled")
        ways = {"cold": empty, "warm": empty}
        if warmed is not None:
            shutil.copytree(warmed, filled)
            ways["warmed_up"] = filled
        before = compiled(filled)
        row: dict[str, Any] = {}
        for way, cache in ways.items():
            for made in ("fitted", "made"):
                shutil.rmtree(folder / made, ignore_errors=True)
            row[way] = run(COMMANDS[name], folder, cache)
            print(f"  {name}, {way}: {row[way]['cpu']:.2f} s", flush=True)
        missed = {} if warmed is None else {"missed": compiled(filled) - before}
        return {**row, "compiled": compiled(empty), **missed}


def prepared(folder: Path, cache: Path) -> None:
    """Models, an index and texts that the commands need."""
    folder.mkdir(parents=True, exist_ok=True)
    from babelspace import read_corpus

    corpus = read_corpus("sample:help", languages=["en", "es"]).aligned()
    lines = {
        language: [" ".join((text or "").split()[:40]) for text in corpus.texts(language)] for language in ("en", "es")
    }
    for language, texts in lines.items():
        (folder / f"{language}.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    rows = [lines.keys(), *zip(*lines.values(), strict=True)]
    (folder / "bitext.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    for name, arguments in PREPARED.items():
        if not (folder / arguments[-1]).exists():
            print(f"preparing {name}", flush=True)
            run(arguments, folder, cache)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="not used; every benchmark takes it")
    parser.add_argument("--commands", nargs="*", metavar="NAME", help=f"all by default: {', '.join(COMMANDS)}")
    parser.add_argument("--warm-up", action=argparse.BooleanOptionalAction, default=True, help="also after a warm-up")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "babelspace-cold-start")
    options = parser.parse_args()
    folder, cache, warmed = (options.work / name for name in ("files", "cache", "warmed"))
    prepared(folder, cache)
    path = OUT / f"{NAME}.json"
    result = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"commands": {}}
    if options.warm_up and not warmed.exists():
        result["warm_up"] = run(["warm-up"], folder, warmed) | {"compiled": compiled(warmed)}
    for name in options.commands or COMMANDS:
        result["commands"][name] = measure(name, folder, warmed if options.warm_up else None)
        write(NAME, {key: value for key, value in result.items() if key != "about"})


if __name__ == "__main__":
    main()
