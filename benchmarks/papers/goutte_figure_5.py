"""Goutte, Yamada & Gaussier 2004, Figures 5 and 6: one sentence, its counts, its cepts and its links."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.common import PLOTS
from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.shared_task import HANSARD, PAPER, described, trained

GOLD, SENTENCE = "wpt03_enfr_trial37", 20
PICTURE = "goutte-figures-5-6.svg"


def words_of(side: Any, sentence: int) -> list[str]:
    return [side.words[number] for number in side.ids[side.starts[sentence] : side.starts[sentence + 1]]]


def work(data: Path, reduced: bool) -> Rows:
    """Counts of both 100-best lists, factored with AIC and with BIC; the former is drawn."""
    from babelspace import Bitext, CeptAligner
    from babelspace.alignment.association_matrices import from_n_best

    folder = data / "alignment" / HANSARD
    aligner, part = trained(folder, GOLD)
    source, target = (words_of(side, SENTENCE) for side in (part.source, part.target))
    best = aligner.n_best(Bitext.of([source], [target]))
    counts = from_n_best(best.forward, best.reverse)
    cepts = {name: CeptAligner(criterion=name).align(counts) for name in ("aic", "bic")}
    draw_both(folder / described(folder, GOLD)["gold"], counts[0], cepts["aic"], source, target)
    return {
        "cepts by AIC": [float(cepts["aic"].counts[0])],
        "cepts by BIC": [float(cepts["bic"].counts[0])],
        "largest count": [float(counts[0].max())],
        "noise P(c = 0), %": [100 * float(cepts["aic"].noise[0])],
    }


def draw_both(gold: Path, counts: Any, cepts: Any, source: list[str], target: list[str]) -> None:
    """French words down, English words across, as in the paper."""
    from babelspace.alignment.formats import read_links
    from babelspace.reports.alignment_pictures import association_grid, cept_grids, draw, links_grid

    links = read_links(gold, base=0).links
    pairs, sure = links[SENTENCE], links.only_sure()[SENTENCE]
    left, right = (side.tolist() for side in cepts.words(0))
    factors = [grid.swapped() for grid in cept_grids(left, right, source, target)]
    reference = links_grid(sure, source, target, "gold", [pair for pair in pairs if pair not in sure])
    given = [reference.swapped(), association_grid(counts, source, target, "counts").swapped()]
    draw([*given, factors[1], factors[0], factors[2]], PLOTS / PICTURE)


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Figures 5 and 6",
    shows="one trial sentence: gold links, counts of the 100-best lists, words to cepts, links",
    corpus=f"{HANSARD} and sentence 1023 of the trial sentences",
    differs="The aligner behind it is the fertility model, which learned from 50,000 pairs of sentences; the paper has "
    "IBM 4 and a million. Its best alignments differ less, so counts are higher. *ont*, between *they* and *need* in "
    "the counts of both, goes with *they* here and with *need* in the paper; *les* and *enfants* go with NULL here.",
    measures=("figure",),
    published={
        "cepts by AIC": (6,),
        "cepts by BIC": (6,),
        "largest count": (150,),
        "noise P(c = 0), %": (0.053,),
    },
    orders=[],
    work=work,
    one_size=True,
    plot=PICTURE,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
