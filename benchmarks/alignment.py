"""Do the aligners reach eflomal's and fast_align's error rates in no more CPU time?

Every contender is a program that reads two text files and writes links of both directions: ours starts Python, packs
the text, trains, and writes (kernels are compiled and cached before). CPU seconds are user + system of the process and
its children, memory is its peak. `eflomal-align` is found on the PATH (it is in the group "bench") or given with
--eflomal; fast_align takes part if --fast-align names it. Error rates are on the gold sentences, after intersection,
grow-diag-final-and, and for ours also the soft union (mean posterior of at least 0.5).
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from babelspace.alignment import ALIGNERS, Bitext, make_aligner
from babelspace.alignment.formats import read_links, write_links
from babelspace.alignment.links import Links
from babelspace.alignment.scores import score
from babelspace.alignment.symmetrize import symmetrize
from babelspace.cli.sentences import load_pairs
from common import OUT, THREADS, write

OURS = ("ibm2", "hmm", "fertility")
BITEXTS = ("hansard-en-fr-50k", "en-ro", "en-it", "en-nl", "en-cs", "hansard-en-fr-all")
TESTS = {"en-ro": "wpt03_roen_test248"}  # the others have one gold set
THRESHOLD = 0.5


def align(name: str, source: Path, target: Path, out: Path) -> None:
    """Our program: files in, `forward`, `reverse` and `soft` out."""
    bitext = Bitext.of(*load_pairs(str(source), str(target)))
    aligner = make_aligner(name).fit(bitext)
    for side, links in zip(("forward", "reverse"), aligner.viterbi(bitext), strict=True):
        write_links(links, out / side)
    write_links(aligner.posteriors(bitext).links(THRESHOLD), out / "soft")


def commands(name: str, source: Path, target: Path, out: Path, rivals: dict[str, str]) -> list[list[str]]:
    """What to run for one contender; all of it is timed."""
    if name == "eflomal":
        links = ["-f", str(out / "forward"), "-r", str(out / "reverse")]
        return [[rivals[name], "-s", str(source), "-t", str(target), *links, "--overwrite"]]
    if name == "fast_align":
        joined = out / "joined"
        pairs = zip(source.read_text("utf-8").splitlines(), target.read_text("utf-8").splitlines(), strict=True)
        joined.write_text("".join(f"{left} ||| {right}\n" for left, right in pairs), encoding="utf-8")
        both = ["-i", str(joined), "-d", "-o", "-v"]
        return [["sh", "-c", f'"$0" "$@" > {out / "forward"}', rivals[name], *both],
                ["sh", "-c", f'"$0" "$@" > {out / "reverse"}', rivals[name], *both, "-r"]]  # fmt: skip
    return [[sys.executable, __file__, "--align", name, str(source), str(target), str(out)]]


def timed(command: list[str]) -> dict[str, float]:
    """Wall and CPU seconds and peak megabytes of a program."""
    started = time.perf_counter()
    environment = os.environ | {"NUMBA_NUM_THREADS": str(THREADS), "OMP_NUM_THREADS": str(THREADS)}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"failed with status {status}: {' '.join(command)}")
    wall = time.perf_counter() - started
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "megabytes": usage.ru_maxrss / 1024}


def run(name: str, source: Path, target: Path, out: Path, rivals: dict[str, str]) -> dict[str, float]:
    """Seconds and peak megabytes of one contender."""
    out.mkdir(exist_ok=True)
    parts = [timed(command) for command in commands(name, source, target, out, rivals)]
    total = {key: round(sum(part[key] for part in parts), 2) for key in ("wall", "cpu")}
    return {**total, "megabytes": round(max(part["megabytes"] for part in parts))}


def compile_kernels(names: list[str]) -> None:
    """So that every run finds them in the cache."""
    tiny = Bitext.of([["a", "b"], ["b"]], [["x", "y"], ["y"]])
    for name in names:
        fitted = make_aligner(name).fit(tiny)
        fitted.viterbi(tiny), fitted.posteriors(tiny)


def error_rates(out: Path, lines: slice, gold: Links) -> dict[str, float]:
    """AER in percent, by symmetrization."""
    forward, reverse = (read_links(out / side, "pharaoh", 0).links for side in ("forward", "reverse"))
    found = {method: symmetrize(forward, reverse, method) for method in ("intersection", "grow-diag-final-and")}
    if (out / "soft").exists():
        found["soft union"] = read_links(out / "soft", "pharaoh", 0).links
    return {
        name: round(100 * score(part.sentences(lines.start, lines.stop), gold).aer, 2) for name, part in found.items()
    }


def measure(folder: Path, contenders: list[str], rivals: dict[str, str], turns: int) -> dict[str, Any]:
    """All contenders on one bitext, taking turns."""
    sets = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    about = sets[TESTS.get(folder.name, next(iter(sets)))]
    lines, gold = slice(about["first_line"], about["end_line"]), read_links(folder / about["gold"], "pharaoh", 0).links
    result: dict[str, Any] = {name: {"runs": [], "aer": []} for name in contenders}
    with tempfile.TemporaryDirectory() as scratch:
        files = [Path(scratch) / side for side in ("source", "target")]
        for path in files:
            path.write_bytes(lzma.decompress((folder / f"{path.name}.txt.xz").read_bytes()))
        for _ in range(turns):
            for name in contenders:
                out = Path(scratch) / name
                result[name]["runs"].append(run(name, *files, out, rivals))
                result[name]["aer"].append(error_rates(out, lines, gold))
                print(folder.name, name, *(rows[-1] for rows in result[name].values()), flush=True)
    return result


def main() -> None:
    if sys.argv[1:2] == ["--align"]:
        align(sys.argv[2], *map(Path, sys.argv[3:6]))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--bitexts", default=",".join(BITEXTS[:-1]), help="folders of DATA/alignment, with commas")
    parser.add_argument("--aligners", default=",".join(OURS), help=f"of {', '.join(ALIGNERS)}")
    parser.add_argument("--eflomal", default=shutil.which("eflomal-align"))
    parser.add_argument("--fast-align", default=shutil.which("fast_align"))
    options = parser.parse_args()
    rivals = {"eflomal": options.eflomal, "fast_align": options.fast_align}
    contenders = [*options.aligners.split(","), *(name for name, program in rivals.items() if program)]
    # Bitexts measured by earlier runs stay, so that a long benchmark can be run in pieces.
    path = OUT / "alignment.json"
    known = json.loads(path.read_text(encoding="utf-8"))["bitexts"] if path.exists() else {}
    compile_kernels([name for name in contenders if name in ALIGNERS])
    for name in options.bitexts.split(","):
        known[name] = measure(options.data / "alignment" / name, contenders, rivals, options.turns)
        write("alignment", {"bitexts": known})


if __name__ == "__main__":
    main()
