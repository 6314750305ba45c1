"""Thesis on approximate training of multilingual LDA, Figure 1: five topics, each by its five most probable words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.common import PLOTS
from benchmarks.papers.approximate_training import PAPER
from benchmarks.papers.exhibit import Exhibit, Rows, run

LANGUAGES = ("en", "de")
SHOWN, WORDS = 5, 5
PICTURE = "mlda-figure-1.svg"


def work(data: Path, reduced: bool) -> Rows:
    """The five topics whose words go together best across the two languages, on speeches not learned from."""
    from babelspace import MLDA, Encoder, ViewsVectorizer, read_corpus
    from babelspace.evaluation.topics.report import describe_topics

    corpus = read_corpus(data / "europarl-7", languages=list(LANGUAGES)).aligned().head(150)
    split = corpus.split(train=0.875, dev=0, test=0.125)
    vectorizer = ViewsVectorizer(
        vocabulary="separate", drop_top=100, max_terms=None, min_count=5, weighting="tf", normalize=False
    )
    encoder = Encoder(vectorizer, MLDA(50, sweeps=100)).fit(split.train)
    topics = describe_topics(encoder, split.test, words=WORDS, examples=0).topics
    best = sorted(topics, key=lambda topic: -(topic.cnpmi or 0))[:SHOWN]
    draw(best, PLOTS / PICTURE)
    return {
        name: [mean([topic.npmi[language] for topic in chosen]) for language in LANGUAGES]
        + [mean([topic.cnpmi or 0 for topic in chosen])]
        for name, chosen in {f"the {SHOWN} drawn": best, "all 50": topics}.items()
    }


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def draw(topics: list[Any], path: Path) -> None:
    """One column a topic: words of both languages in bars as long as they are probable."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(len(LANGUAGES), SHOWN, figsize=(11, 4.2), layout="constrained", sharex=True)
    for column, topic in enumerate(topics):
        for row, language in enumerate(LANGUAGES):
            words, chances = zip(*topic.words[language], strict=True)
            axis = axes[row, column]
            axis.barh(words, chances, color=f"C{column}")
            axis.invert_yaxis()
            axis.spines[["top", "right"]].set_visible(False)
        axes[0, column].set_title(f"topic {topic.number}", fontsize=10)
    figure.supxlabel("probability of the word in the topic", fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)


EXHIBIT = Exhibit(
    paper=PAPER,
    name="Figure 1",
    shows="five topics, each by its five most probable words; how well these go together (NPMI)",
    corpus="europarl-7: the first 150 words of speeches in English and German, 50 topics, 100 sweeps",
    differs="The thesis draws five topics of its choice from an LDA of English De-News and prints no figure. Ours are "
    "topics of a multilingual LDA, the five whose words occur together best across languages in speeches that it has "
    "not learned from.",
    measures=("English", "German", "across"),
    published={},
    orders=[],
    work=work,
    one_size=True,
    plot=PICTURE,
)

if __name__ == "__main__":
    run(EXHIBIT, __file__)
