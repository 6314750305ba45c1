"""Is Ctrl-C heard within two seconds, whatever a command is doing? Each is interrupted at moments by chance.

Moments and answers are told in seconds of the processor, so that a busy machine changes neither: a command that has
used so much is sent SIGINT, and what it uses until it has ended is what the user waits for. It must end with code 130
and one word, no traceback, and leave nothing half made behind. Imports are interrupted, too: half of the moments lie in
the first second. Runs on the embedded sample.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import psutil

from babelspace import AlignedCorpus, Index, fit_model, sample
from babelspace.corpus import write_folder
from babelspace.runtime.files import MARK
from benchmarks.common import write

# Names in braces stand for paths; {out} for what a command makes.
COMMANDS = {
    "demo": "demo --output {out}",
    "fit opca": "fit {corpus} --space opca --dim 300 --max-terms 10000 -o {out}",
    "fit cca": "fit {corpus} --space cca -o {out}",
    "fit cl-lsi": "fit {corpus} --space cl-lsi -o {out}",
    "fit kernel-cca": "fit {corpus} --space kernel-cca -o {out}",
    "fit oneta": "fit {corpus} --space oneta -o {out}",
    "fit jplsa": "fit {corpus} --space jplsa --dim 100 -o {out}",
    "fit mlda": "fit {corpus} --space mlda --dim 100 -o {out}",
    "fit translation": "fit {corpus} --space translation -o {out}",
    "fit s2net": "fit {corpus} --space s2net -o {out}",
    "fit on disk": "fit {corpus} --space opca --work {out}/work -o {out}/model",
    "compare": "compare {corpus} --spaces opca,cca,jplsa",
    "evaluate": "evaluate {model} {corpus}",
    "match": "match {model} {en} {es} -o {out}/pairs.tsv",
    "doctor": "doctor {model} {en} {es}",
    "index": "index {model} {corpus} -o {out}",
    "search": 'search {model} {corpus} "change the password" --language en',
    "embed": "embed {model} {en} --language en -o {out}/vectors.npy",
    "classify": "classify train {model} {corpus} --language en -o {out}",
    "topics": "topics {topics} {corpus}",
    "align": "align {corpus} --languages en,es -o {out}/links.txt",
    "lexicon": "lexicon {corpus} --languages en,es -o {out}/lexicon.tsv",
    "map": "map {model} {corpus} -o {out}/map.html",
    "check": "check {model}",
    "fit-unpaired": "fit-unpaired {corpus} --lexicon en-es={lexicon} -o {out}",
    "extend": "extend {model} {spanish_german} -o {out}",
    "grow": "grow {corpus} {en} {es} --work {out}/work -o {out}/pairs.tsv",
    "sentences": "sentences {en} {es} -o {out}/bitext.tmx",
    "terms": "terms {corpus} --languages en,es -o {out}/terms.tsv",
    "lookup": 'lookup {corpus} "the password" --languages en,es --language en',
    "project": "project {corpus} {labels} --languages en,es -o {out}/labels.conll",
    "search an index": 'search {index} "change the password" --language en',
}


def interrupted(arguments: list[str], seconds: float) -> dict[str, Any]:
    """Run a command until it has used so many seconds, interrupt it, and tell what it used until it ended."""
    started = [sys.executable, "-m", "babelspace", *arguments]
    # Whoever runs this in the background ignores SIGINT, and so would the command.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(started, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    watched, used = psutil.Process(process.pid), 0.0
    with contextlib.suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
        while watched.status() != psutil.STATUS_ZOMBIE:
            used = sum(watched.cpu_times()[:2])
            if used >= seconds:
                break
            time.sleep(0.005)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process.pid, signal.SIGINT)
    began = time.perf_counter()
    told = process.stderr.read() if process.stderr else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    answer = usage.ru_utime + usage.ru_stime - used
    return {
        "at": used,
        "code": process.returncode,
        "processor": answer,
        "seconds": time.perf_counter() - began,
        "told": told,
    }


def fault_of(found: dict[str, Any], out: Path) -> str:
    """What is wrong with an end, if anything is."""
    if found["code"] == 0:
        return ""
    if found["code"] not in (130, -signal.SIGINT):
        return f"ended with {found['code']}: {found['told'][-300:]}"
    # Before the first line of ours has run there is nobody but Python to tell it.
    if "Traceback" in found["told"] and found["at"] > 0.3:
        return f"a traceback: {found['told'][-300:]}"
    left = [str(path) for path in out.parent.rglob("*") if MARK in path.name]
    return f"left over: {left}" if left else "" if found["processor"] < 2 else f"{found['processor']:.1f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="not needed")
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", choices=list(COMMANDS), default=list(COMMANDS))
    options = parser.parse_args()
    rng = random.Random(options.seed)
    result: dict[str, Any] = {}
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        corpus = sample("help").select(languages=["en", "es"])
        paths = {"corpus": write_folder(corpus, top / "corpus"), "model": top / "model", "topics": top / "topics"}
        paths |= {code: next(paths["corpus"].glob(f"{code}.*")) for code in ("en", "es")}
        fit_model(corpus, "opca", n_components=100).save(paths["model"])
        if "topics" in options.only:
            fit_model(corpus, "jplsa", n_components=20, max_iter=5).save(paths["topics"])
        paths |= made_ready(top, corpus, paths["model"], options.only)
        for title in options.only:
            found = []
            for turn in range(options.times):
                out = top / f"out {len(result)} {turn}" / "made"
                out.parent.mkdir()
                filled = [word.strip('"').format(out=out, **paths) for word in split(COMMANDS[title])]
                found.append(interrupted(filled, rng.uniform(0, 1) if turn % 2 else rng.uniform(1, 8)))
                fault = fault_of(found[-1], out)
                faults += [f"{title} at {found[-1]['at']:.2f} s: {fault}"] if fault else []
            kept = [{name: value for name, value in one.items() if name != "told"} for one in found]
            heard = [one["processor"] for one in found if one["code"] != 0]
            result[title] = {"longest": max(heard, default=0.0), "times": kept}
            print(title, f"{result[title]['longest']:.2f}", faults[-1:], flush=True)
    heard_in = max(one["longest"] for one in result.values())
    write("interrupts", {"seed": options.seed, "longest": heard_in, "commands": result, "faults": faults})


def made_ready(top: Path, corpus: AlignedCorpus, model: Path, only: list[str]) -> dict[str, Path]:
    """What some commands read: a lexicon, labelled tokens, a third language, an index."""
    paths = {"lexicon": top / "lexicon.tsv", "labels": top / "labels.conll", "index": top / "index"}
    words = sorted({word for text in corpus.texts("en")[:100] for word in (text or "").lower().split()})
    paths["lexicon"].write_text("".join(f"{word}\t{word}\n" for word in words if word.isalpha()), encoding="utf-8")
    sentences = ["".join(f"{word}\tO\n" for word in (text or "x").split()) for text in corpus.texts("en")]
    paths["labels"].write_text("\n".join(sentences), encoding="utf-8")
    paths["spanish_german"] = write_folder(sample("help").select(languages=["es", "de"]), top / "es de")
    if "search an index" in only:
        with Index.create(paths["index"], model) as index:
            index.add(corpus.documents("es"))
            index.finish()
    return paths


def split(command: str) -> list[str]:
    """Words, of which one may be in quotes."""
    import shlex

    return shlex.split(command)


if __name__ == "__main__":
    main()
