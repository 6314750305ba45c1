"""How good and how fast are cepts beside the usual ways to join two directions?

One aligner is trained on each bitext of `alignment/`; every method then joins the same posteriors or Viterbi links.
Scores are on the bitext's gold sentences, with and without NULL; speeds are over the whole bitext, by the wall and by
the CPU.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from babelspace import ALIGNERS, Aligner, Associations, Bitext, CeptAligner, Links, make_aligner, symmetrize
from babelspace.alignment.association_matrices import from_n_best, from_posteriors
from babelspace.alignment.formats import read_links
from babelspace.alignment.scores import score
from babelspace.alignment.symmetrize import SYMMETRIZERS, posterior, with_null_of_directions
from babelspace.corpus.readers.opening import numbered_lines
from babelspace.runtime.threads import limit
from benchmarks.common import OUT, THREADS, write

FOLDERS = ("hansard-en-fr-50k", "en-ro")  # the paper's
Method = Callable[[], Links]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--aligner", default="fertility", help=f"of {', '.join(ALIGNERS)}")
    parser.add_argument("--folders", default=",".join(FOLDERS))
    options = parser.parse_args()
    # What earlier runs measured stays, so that a long benchmark can be run in pieces.
    path = OUT / "cepts.json"
    known = json.loads(path.read_text(encoding="utf-8"))["bitexts"] if path.exists() else {}
    with limit(THREADS):
        CeptAligner().align(Associations.of([[[1.0]]]))  # compile
        for folder in options.folders.split(","):
            found = one_bitext(options.data / "alignment" / folder, options.aligner)
            known.setdefault(folder, {})[options.aligner] = found
    write("cepts", {"bitexts": known})


def one_bitext(folder: Path, name: str) -> dict[str, Any]:
    """Scores on every gold set and speeds on the whole bitext."""
    sides = [[line.split() for _, line in numbered_lines(folder / f"{side}.txt.xz")] for side in ("source", "target")]
    bitext = Bitext.of(*sides)
    # As in the paper, words learn from their own links alone.
    aligner, train = timed(lambda: make_aligner(name, backoff=0.0).fit(bitext))
    scores = {}
    for gold, where in json.loads((folder / "gold.json").read_text()).items():
        part = slice(where["first_line"], where["end_line"])
        scores[gold] = quality(aligner, Bitext.of(sides[0][part], sides[1][part]), folder / where["gold"])
    return {"pairs": len(bitext), "train": train, "scores": scores, "speed": speed(aligner, bitext)}


def quality(aligner: Aligner, bitext: Bitext, gold: Path, null: bool | str = True) -> dict[str, Any]:
    """Every method against one gold set; `null` as in :func:`~babelspace.alignment.scores.score`."""
    known = read_links(gold, base=0).links
    lengths = {"sources": bitext.source.lengths, "targets": bitext.target.lengths}
    table = {}
    for method, run in methods(aligner, bitext).items():
        links = run()
        plain, with_null = score(links, known), score(links, known, null=null, **lengths)
        table[method] = {
            **{key: round(value, 4) for key, value in plain.as_dict().items()},
            **{f"{key}_with_null": round(value, 4) for key, value in with_null.as_dict().items()},
            "words_with_link_or_null": links.coverage(*lengths.values()),
        }
        print(f"  {method:32} {plain.proposed:6} links, AER {100 * plain.aer:.2f}, with NULL {100 * with_null.aer:.2f}")
    return table


def methods(aligner: Aligner, bitext: Bitext) -> Mapping[str, Method]:
    """The paper's methods and ours, by name."""
    forward, reverse = aligner.viterbi(bitext)
    found, best = aligner.posteriors(bitext), aligner.n_best(bitext)
    matrices = {
        "agreement": from_posteriors(found.forward, found.reverse, "agreement"),
        "posteriors": from_posteriors(found.forward, found.reverse),
        "100-best": from_n_best(best.forward, best.reverse),
    }
    lengths = bitext.source.lengths, bitext.target.lengths
    ways: dict[str, Method] = {name: partial(symmetrize, forward, reverse, name) for name in SYMMETRIZERS}
    ways["posterior 0.5"] = lambda: posterior(matrices["posteriors"])
    # A word that one direction links is not one that it takes for untranslated.
    table: dict[str, Method] = {
        name: lambda way=way: with_null_of_directions(way(), forward, reverse, *lengths)  # type: ignore[misc]
        for name, way in ways.items()
    }
    for name, matrix in matrices.items():
        for label, cepts in (
            ("ONMF+AIC", CeptAligner()),
            ("ONMF+BIC", CeptAligner(criterion="bic")),
            ("ONMF+AIC annealed", CeptAligner(search="anneal")),
            ("ONMF+AIC of present words", CeptAligner(parameters="present")),
        ):
            table[f"{label}, {name}"] = partial(cept_links, cepts, matrix)
    return table


def cept_links(aligner: CeptAligner, matrix: Any) -> Links:
    """Cepts written as links, those to NULL as well."""
    return aligner.align(matrix).links(null=True)


def speed(aligner: Aligner, bitext: Bitext) -> dict[str, Any]:
    """Sentence pairs a second of each step."""
    found = aligner.posteriors(bitext)
    forward, reverse = aligner.viterbi(bitext)
    agreement, seconds = timed(lambda: from_posteriors(found.forward, found.reverse, "agreement"))
    steps = {"agreement matrices": seconds}
    for name, matrices in (("agreement", agreement), ("posteriors", found.associations())):
        for search in ("restarts", "anneal"):
            aligned = CeptAligner(search=search)
            cepts, steps[f"cepts, {name}, {search}"] = timed(partial(aligned.align, matrices))
    _, steps["links of cepts"] = timed(lambda: cepts.links(null=True))
    _, steps["grow-diag-final-and"] = timed(lambda: symmetrize(forward, reverse))
    return {
        name: {"per_second": round(len(bitext) / times["wall"]), "per_cpu_second": round(len(bitext) / times["cpu"])}
        for name, times in steps.items()
    }


def timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What a piece of work gives, and its seconds by the wall and of all cores."""
    wall, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    main()
