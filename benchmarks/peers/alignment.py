"""Do the aligners reach eflomal's and fast_align's error rates in no more CPU time?

Every contender is a program that reads two text files and writes links of both directions; our kernels are compiled and
cached before. `eflomal-align` is found on the PATH (it is in the group "bench") or given with --eflomal; fast_align
takes part as the library systran-align of the same group, and as itself if --fast-align names it. Error rates are on
the gold sentences, after intersection, grow-diag-final-and, and for ours also the soft union (mean posterior of at
least 0.5). `babelspace align` as it comes is compared with every variant of the others on all gold sets, with intervals
over sentences.
"""

from __future__ import annotations

import importlib.util
import json
import lzma
import shutil
import tempfile
from pathlib import Path
from typing import Any

from babelspace import ALIGNERS
from babelspace.alignment.formats import read_links
from benchmarks.common import OUT, write
from benchmarks.measure.aligners import (
    DEFAULT,
    LIBRARY,
    OURS,
    aer_intervals,
    compile_kernels,
    error_rates,
    joined_links,
    right_and_all,
    run,
)
from benchmarks.peers.race import command_line

BITEXTS = ("hansard-en-fr-50k", "en-ro", "en-it", "en-nl", "en-cs", "hansard-en-fr-all")
TESTS = {"en-ro": "wpt03_roen_test248"}  # the others have one gold set


def measure(folder: Path, contenders: list[str], rivals: dict[str, str], turns: int, threads: int) -> dict[str, Any]:
    """All contenders on one bitext, taking turns."""
    sets = json.loads((folder / "gold.json").read_text(encoding="utf-8"))
    about = sets[TESTS.get(folder.name, next(iter(sets)))]
    lines, gold = slice(about["first_line"], about["end_line"]), read_links(folder / about["gold"], "pharaoh", 0).links
    result: dict[str, Any] = {name: {"runs": [], "aer": []} for name in contenders}
    with tempfile.TemporaryDirectory() as scratch:
        files = Path(scratch) / "source", Path(scratch) / "target"
        for path in files:
            path.write_bytes(lzma.decompress((folder / f"{path.name}.txt.xz").read_bytes()))
        for _ in range(turns):
            for name in contenders:
                out = Path(scratch) / name
                result[name]["runs"].append(run(name, *files, out, rivals, threads))
                result[name]["aer"].append(error_rates(out, lines, gold))
                print(folder.name, name, *(rows[-1] for rows in result[name].values()), flush=True)
                if name not in (DEFAULT, *OURS):
                    against = compare(Path(scratch) / DEFAULT, out, folder)
                    result[DEFAULT].setdefault("against", {}).setdefault(name, []).append(against)
    return result


def compare(ours: Path, theirs: Path, folder: Path) -> dict[str, Any]:
    """`babelspace align` beside each variant of a rival, on every gold set of a bitext."""
    result: dict[str, Any] = {}
    for title, about in json.loads((folder / "gold.json").read_text(encoding="utf-8")).items():
        gold, lines = read_links(folder / about["gold"], "pharaoh", 0).links, (about["first_line"], about["end_line"])
        (own,) = joined_links(ours).values()
        counts = right_and_all(own.sentences(*lines), gold)
        result[title] = {
            variant: aer_intervals(counts, right_and_all(links.sentences(*lines), gold))
            for variant, links in joined_links(theirs).items()
        }
    return result


def main() -> None:
    parser = command_line(__doc__, turns=2)
    parser.add_argument("--bitexts", default=",".join(BITEXTS[:-1]), help="folders of DATA/alignment, with commas")
    parser.add_argument("--aligners", default=",".join(OURS), help=f"of {', '.join(ALIGNERS)}")
    parser.add_argument("--eflomal", default=shutil.which("eflomal-align"), help="the program eflomal-align")
    parser.add_argument("--fast-align", default=shutil.which("fast_align"), help="the program fast_align")
    asked = parser.parse_args()
    rivals = {"eflomal": asked.eflomal, "fast_align": asked.fast_align}
    for name, program in rivals.items():
        if not program:
            print(f"{name} is left out: there is none on the PATH. Point to one: --{name.replace('_', '-')} PROGRAM")
    contenders = [
        DEFAULT,
        *filter(None, asked.aligners.split(",")),
        *(name for name, program in rivals.items() if program),
    ]
    if importlib.util.find_spec("systran_align"):
        contenders.append(LIBRARY)
    # What earlier runs measured stays, so that a long benchmark can be run in pieces.
    path = OUT / "alignment.json"
    known = json.loads(path.read_text(encoding="utf-8"))["bitexts"] if path.exists() else {}
    compile_kernels([name for name in contenders if name in ALIGNERS])
    for name in asked.bitexts.split(","):
        folder = asked.data / "alignment" / name
        measured = measure(folder, contenders, rivals, asked.turns, asked.threads)
        known[name] = known.get(name, {}) | measured
        write("alignment", {"bitexts": known, "threads": asked.threads})


if __name__ == "__main__":
    main()
