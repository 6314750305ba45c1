"""Aligners as programs, ours and others: two text files in, links of both directions out.

Run as a program, `python -m benchmarks.measure.aligners ALIGNER SOURCE TARGET OUT` is ours, or the library
systran-align, which is fast_align without its program and gives links of both directions already joined: it starts
Python, packs the text, trains and writes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from babelspace import Bitext, Links, make_aligner, symmetrize
from babelspace.alignment.formats import read_links, write_links
from babelspace.alignment.scores import score
from babelspace.workflows.bitext_files import load_pairs
from benchmarks.programs import THREADS, module, timed

OURS = ("ibm2", "hmm", "fertility")
# `babelspace align` as it comes, with its links of both directions joined.
DEFAULT = "babelspace align"
THRESHOLD = 0.5
LIBRARY, JOINED = "systran-align", "grow-diag-final-and"
Counts = NDArray[np.float64]


def align(name: str, source: Path, target: Path, out: Path) -> None:
    """Our program: files in, `forward`, `reverse` and `soft` out."""
    bitext = Bitext.of(*load_pairs(str(source), str(target)))
    aligner = make_aligner(name).fit(bitext)
    for side, links in zip(("forward", "reverse"), aligner.viterbi(bitext), strict=True):
        write_links(links, out / side)
    write_links(aligner.posteriors(bitext).links(THRESHOLD), out / "soft")


def align_with_library(source: Path, target: Path, out: Path) -> None:
    """fast_align with its recommended options; `JOINED` out."""
    import systran_align

    pairs, probabilities = _joined(source, target, out), [str(out / side) for side in ("forward.p", "reverse.p")]
    options = {"favor_diagonal": True, "optimize_tension": True, "variational_bayes": True}
    systran_align.generate_alignment_probabilities(str(pairs), *probabilities, **options)
    aligner = systran_align.Aligner(*probabilities)
    sides = [[line.split() for line in path.read_text("utf-8").splitlines()] for path in (source, target)]
    rows = (found["alignments"] for found in aligner.align_batch(*sides))
    lines = (" ".join(f"{left}-{right}" for left, right in row) for row in rows)
    (out / JOINED).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _joined(source: Path, target: Path, out: Path) -> Path:
    """Both sides in one file, as fast_align wants them."""
    pairs = zip(source.read_text("utf-8").splitlines(), target.read_text("utf-8").splitlines(), strict=True)
    path = out / "joined"
    path.write_text("".join(f"{left} ||| {right}\n" for left, right in pairs), encoding="utf-8")
    return path


def commands(name: str, source: Path, target: Path, out: Path, rivals: dict[str, str]) -> list[list[str]]:
    """What to run for one contender; all of it is timed."""
    if name == "eflomal":
        links = ["-f", str(out / "forward"), "-r", str(out / "reverse")]
        return [[rivals[name], "-s", str(source), "-t", str(target), *links, "--overwrite"]]
    if name == "fast_align":
        both = ["-i", str(_joined(source, target, out)), "-d", "-o", "-v"]
        return [["sh", "-c", f'"$0" "$@" > {out / "forward"}', rivals[name], *both],
                ["sh", "-c", f'"$0" "$@" > {out / "reverse"}', rivals[name], *both, "-r"]]  # fmt: skip
    if name == DEFAULT:
        program = [sys.executable, "-m", "babelspace", "align", str(source), str(target), "--tokenised"]
        return [[*program, "-o", str(out / "default.txt")]]
    return [module("measure.aligners", name, str(source), str(target), str(out))]


def run(
    name: str, source: Path, target: Path, out: Path, rivals: dict[str, str], threads: int = THREADS
) -> dict[str, float]:
    """Seconds and peak megabytes of one contender."""
    out.mkdir(exist_ok=True)
    parts = [timed(command, threads) for command in commands(name, source, target, out, rivals)]
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
    return {
        name: round(100 * score(part.sentences(lines.start, lines.stop), gold).aer, 2)
        for name, part in joined_links(out).items()
    }


def joined_links(out: Path) -> dict[str, Links]:
    """What a contender wrote, by symmetrization."""
    joined = {"as it comes": "default.txt", JOINED: JOINED}
    found = {name: read_links(out / file, "pharaoh", 0).links for name, file in joined.items() if (out / file).exists()}
    if not found:
        forward, reverse = (read_links(out / side, "pharaoh", 0).links for side in ("forward", "reverse"))
        found = {method: symmetrize(forward, reverse, method) for method in ("intersection", JOINED)}
    if (out / "soft").exists():
        found["soft union"] = read_links(out / "soft", "pharaoh", 0).links
    return found


def right_and_all(links: Links, gold: Links) -> Counts:
    """A row a sentence: |A ∩ S| + |A ∩ P| and |A| + |S|, whose sums give the AER."""
    rows = []
    for found, known, sure in zip(links, gold, gold.only_sure(), strict=True):
        proposed = set(found)
        right = len(proposed & set(sure)) + len(proposed & set(known))
        rows.append((right, len(proposed) + len(sure)) if known else (0, 0))
    return np.array(rows, float)


def aer_intervals(ours: Counts, theirs: Counts, times: int = 10_000, seed: int = 0) -> dict[str, list[float]]:
    """AER in percent of ours and theirs, and of their difference, each with the ends of its 95 % interval.

    By bootstrap over sentences, the same ones for both.
    """
    drawn = np.random.default_rng(seed).multinomial(len(ours), np.full(len(ours), 1 / len(ours)), times)
    rates = []
    for counts in (ours, theirs):
        sums = np.vstack([counts.sum(axis=0), drawn @ counts])
        rates.append(100 * (1 - sums[:, 0] / sums[:, 1]))
    values = {"ours": rates[0], "theirs": rates[1], "difference": rates[0] - rates[1]}
    return {
        name: [round(float(value), 2) for value in (found[0], *np.quantile(found[1:], [0.025, 0.975]))]
        for name, found in values.items()
    }


if __name__ == "__main__":
    asked, files = sys.argv[1], map(Path, sys.argv[2:5])
    if asked == LIBRARY:
        align_with_library(*files)
    else:
        align(asked, *files)
