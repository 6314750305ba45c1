"""Goutte, Yamada & Gaussier 2004, section 6: sure and probable links by their probability."""

from __future__ import annotations

from pathlib import Path

from benchmarks.papers.exhibit import Exhibit, Rows, run
from benchmarks.papers.shared_task import HANSARD, PAPER, described, trained

GOLD = "wpt03_enfr_trial37"
SURE, PROBABLE = 0.7, 0.3


def work(data: Path, reduced: bool) -> Rows:
    """Links by mean posterior of both directions, those called sure and those called probable only."""
    from babelspace.alignment.association_matrices import from_posteriors
    from babelspace.alignment.formats import read_links
    from babelspace.alignment.scores import score
    from babelspace.alignment.symmetrize import sure_and_probable

    folder = data / "alignment" / HANSARD
    aligner, bitext = trained(folder, GOLD)
    known = read_links(folder / described(folder, GOLD)["gold"], base=0).links
    posteriors = aligner.posteriors(bitext)
    links = sure_and_probable(from_posteriors(posteriors.forward, posteriors.reverse), SURE, PROBABLE)
    rows = {}
    for name, part in {
        f"sure, {SURE} and more": links.only_sure(),
        f"probable only, {PROBABLE} to {SURE}": links.where(~links.sure),
        "both": links,
    }.items():
        found = score(part, known)
        rows[name] = [found.precision_sure, found.precision_probable, found.recall_sure, float(found.proposed)]
    return rows


EXHIBIT = Exhibit(
    paper=PAPER,
    name="section 6",
    shows="sure and probable links by their probability (proposed there without figures)",
    corpus=f"{HANSARD} and the trial sentences of the shared task of 2003, the fertility model",
    differs="The paper proposes to call links sure or probable by the weight of their words in a cept; ours are by the "
    f"mean posterior of both directions, with the default thresholds {SURE} and {PROBABLE}.",
    measures=("in sure gold links", "in probable ones", "recall of sure ones", "links"),
    published={},
    orders=[[f"sure, {SURE} and more", f"probable only, {PROBABLE} to {SURE}"]],
    work=work,
    one_size=True,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
