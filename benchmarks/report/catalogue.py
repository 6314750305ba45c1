"""Every comparison on the results page: what it shows and how it is run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """One comparison; DATA stands for the folder of corpora. Those of the headline stand in README, too."""

    title: str
    text: str
    arguments: str
    headline: bool = True


EIGHTH = "--split .75,.125,.125"
MDN_EN_ES = f"DATA/mdn --languages en,es {EIGHTH} --max-terms 8000"
# One ridge for each space, as the tables of the same corpora chose it or near it.
RIDGES = "--grid opca.gamma=1 --grid s2net.gamma=1 --grid cca.gamma=3 --grid cr5.gamma=3"
TRAINED_ON = (
    (
        "sample",
        "the embedded sample (six languages, first 25 words)",
        "sample:help --head 25 --drop-top 20 --max-terms 4000",
    ),
    (
        "unesco-en-zh",
        "UNESCO World Heritage (en–zh)",
        f"DATA/unesco-whc --languages en,zh {EIGHTH} --max-terms 8000 --segmenter zh=bigrams",
    ),
    ("mdn-en-fr", "MDN Web Docs (en–fr)", f"DATA/mdn --languages en,fr {EIGHTH} --max-terms 8000"),
    ("mdn-en-ja", "MDN Web Docs (en–ja)", f"DATA/mdn --languages en,ja {EIGHTH} --max-terms 8000"),
    ("hansard36", "the Canadian Hansard (en–fr)", f"DATA/hansard36 {EIGHTH}"),
)
TABLES = {
    "europarl": Table(
        "Europarl, whole speeches (en–es)",
        "Parallel and long: nearly solved by every learned space, as in the paper's Table 1. Trained on the speeches "
        "of 2002 and 2004–2006, tuned on 2001, tested on 2000.",
        "DATA/europarl-en-es --dims 100,300,1000 --grid opca.gamma=.3,1 --grid cca.gamma=10",
    ),
    "europarl-dims": Table(
        "The same at each number of dimensions",
        "As in the paper, nothing is learned from the tuning part.",
        "DATA/europarl-en-es --no-refit --by dim --dims 100,300,1000 --grid opca.gamma=.3 --grid cca.gamma=10 "
        "--queries 0",
        headline=False,
    ),
    "europarl-25": Table(
        "Europarl, the first 25 words of each speech (en–es)",
        "The same with little text in each document, which tells the methods apart.",
        "DATA/europarl-en-es --head 25 --dims 100,300,1000 --grid opca.gamma=.03,.1 --grid cca.gamma=10",
    ),
    "hansard36": Table(
        "Canadian Hansard, the paper's documents (en–fr)",
        "The corpus of Vinokourov et al. 2003.",
        "DATA/hansard36 --split .75,.125,.125 --dims 100,300 --grid opca.gamma=.1 --grid cca.gamma=3",
    ),
    "mdn-en-es": Table(
        "MDN Web Docs (en–es)",
        "Comparable pages: volunteer translations of different dates. Words, cosine, no correction, as in the paper.",
        f"{MDN_EN_ES} --dims 100,300,600,1000",
    ),
    "mdn-en-fr": Table(
        "MDN Web Docs (en–fr)",
        "As above with three times as many pages.",
        f"DATA/mdn --languages en,fr {EIGHTH} --max-terms 8000 --dims 100,300,600 "
        "--grid opca.gamma=.1,.3 --grid cca.gamma=3,10",
    ),
    "mdn-en-ja": Table(
        "MDN Web Docs (en–ja)",
        "Two scripts; Japanese words by ICU.",
        f"DATA/mdn --languages en,ja {EIGHTH} --max-terms 8000 --dims 100,300,600 "
        "--grid opca.gamma=.3,1 --grid cca.gamma=3,10",
    ),
    "unesco-en-zh": Table(
        "UNESCO World Heritage (en–zh)",
        "Few documents, two scripts; Chinese as pairs of characters.",
        f"DATA/unesco-whc --languages en,zh {EIGHTH} --max-terms 8000 --segmenter zh=bigrams --dims 100,300,600",
    ),
    "mdn-en-es-best": Table(
        "MDN Web Docs (en–es), features and score correction tuned too",
        "What tuning on dev can reach: words alone or fused with character n-grams, cosine or CSLS.",
        f"DATA/mdn --languages en,es {EIGHTH} --dims 100,300,600,1000 --features words,both --corrections none,csls "
        "--grid opca.gamma=.03,.1 --grid cca.gamma=1,3 --grid cca.power=0,1",
    ),
    "comparable-best": Table(
        "Europarl comparable (en–es)",
        "Debates of which each language has the other half of the speakers: no sentence is a translation of another. "
        "Dimension, γ, features and score correction tuned on dev.",
        f"DATA/europarl-comparable --languages en,es {EIGHTH} --max-terms 20000 --dims 100,300,600 "
        "--features words,both --corrections none,csls --grid opca.gamma=.3,1 --grid cca.gamma=10,30 "
        "--grid cca.power=0,1",
    ),
    "sample": Table(
        "The embedded sample: six languages in one space, first 25 words",
        "951 help pages in en, es, de, fr, it and zh; means over all 30 directions.",
        "sample:help --head 25 --drop-top 20 --max-terms 4000 --dims 50,100,200",
    ),
    **{
        f"trained-{name}": Table(
            f"Trained spaces on {title}",
            "S2Net and Cr5 beside OPCA, CCA and their combination at 100 dimensions; nothing is learned from dev.",
            f"{corpus} --no-refit --dims 100 --spaces cl-lsi,cca,opca,cr5,s2net,cca+opca {RIDGES} --queries 0",
            headline=False,
        )
        for name, title, corpus in TRAINED_ON
    },
    "trained-europarl": Table(
        "Trained spaces on whole speeches of Europarl (en–es)",
        "The same at 100 dimensions with 40,537 rows, of a third of which S2Net learns.",
        "DATA/europarl-en-es --no-refit --dims 100 --spaces cl-lsi,cca,opca,cr5,s2net --grid opca.gamma=.3 "
        "--grid s2net.gamma=.3 --grid cca.gamma=10 --grid cr5.gamma=.3 --queries 0",
        headline=False,
    ),
    "normalisation": Table(
        "Weighting and document normalisation: the eight cells of McCrae et al., Table 1",
        "ONETA without a ridge, as in the paper, on few documents, so that its Gram matrix is regular. The paper has "
        ".31 (tf, off) and .78 (tf, on).",
        f"{MDN_EN_ES} --max-train 500 --spaces oneta --grid oneta.ridge=0 --weighting tf,relative,tf-idf,sqrt "
        "--normalize off,on --by weighting,normalize --dims 100",
        headline=False,
    ),
    "explicit": Table(
        "Explicit topics beside latent ones: the rows of McCrae et al., Table 2, on MDN (en–es)",
        "Every ridge chosen on dev; N₁ of L-Solve grows to nearly all documents.",
        f"{MDN_EN_ES} --dims 300,1000 --spaces esa,cl-lsi,on-eigen,explicit-lsi,l-solve,oneta,oneta+untranslated,"
        "oneta+opca --grid esa.prune=none,300 --grid opca.gamma=1 --grid l-solve.n_first=200,400,800,1600 "
        "--grid l-solve.ridge=1,3 --by n_first",
        headline=False,
    ),
    "translation": Table(
        "Word-by-word translation beside the others on MDN (en–es)",
        "The rows of Platt et al., Table 2, and the combination of McCrae et al., Table 2. Translations are learned "
        "from the same documents as the spaces, as bags of words; pages are not sentence-aligned.",
        f"{MDN_EN_ES} --dims 300,1000 --spaces cl-lsi,cca,opca,oneta,translation,translation-lsa,oneta+translation "
        "--grid opca.gamma=1 --grid cca.gamma=3 --grid oneta.ridge=1,3 --grid translation-lsa.null=.8 "
        "--grid translation-lsa.copy=2",
        headline=False,
    ),
    "translation-comparable": Table(
        "The same on Europarl comparable (en–es)",
        "Words alone, cosine, no correction. No sentence is a translation of another, so words are paired by debates.",
        f"DATA/europarl-comparable --languages en,es {EIGHTH} --dims 300 --spaces cl-lsi,cca,opca,oneta,translation,"
        "translation-lsa,oneta+translation --grid opca.gamma=1 --grid cca.gamma=30 --grid oneta.ridge=3 "
        "--grid translation.null=.3,.6,.8,.9 --grid translation.copy=10 --grid translation-lsa.null=.8 "
        "--grid translation-lsa.copy=10",
        headline=False,
    ),
    "translation-25": Table(
        "The same on the first 25 words of Europarl speeches (en–es)",
        "Beginnings of speeches are nearly sentence pairs. CL-LSI, CCA and OPCA stand in the table of the same corpus "
        "above.",
        "DATA/europarl-en-es --head 25 --dims 1000 --spaces translation --grid translation.null=.1,.3 "
        "--grid translation.copy=5",
        headline=False,
    ),
    "translated": Table(
        "Full translation on the first 100 words of Europarl comparable (en–es)",
        "Apertium (Debian's apertium-eng-spa 0.8.1) translates Spanish into English by rules. Only the first 100 words "
        "of each debate, because it takes its time.",
        f"DATA/europarl-comparable --languages en,es {EIGHTH} --head 100 --dims 300 --spaces cl-lsi,cca,opca,"
        "translation,translated,translated-lsa,cl-lsi+translated --grid opca.gamma=1 --grid cca.gamma=30 "
        "--grid translation.null=.3,.6,.8 --grid translation.copy=10 "
        "--translator 'es=apertium -u spa-eng' --translations translations.db",
        headline=False,
    ),
    "explicit-fr": Table(
        "Explicit topics beside latent ones on MDN (en–fr)",
        "With three times as many background documents.",
        f"DATA/mdn --languages en,fr {EIGHTH} --max-terms 8000 --dims 300 --spaces esa,cl-lsi,l-solve,oneta "
        "--grid l-solve.n_first=1000,2000,4000 --grid l-solve.ridge=3 --grid oneta.ridge=1,3 "
        "--grid esa.prune=none,300 --by n_first",
        headline=False,
    ),
    "topics-mdn": Table(
        "Topic models: MDN Web Docs (en–fr)",
        "Joint and coupled PLSA and multilingual LDA on plain counts, beside CL-LSI with its usual weights.",
        f"DATA/mdn --languages en,fr {EIGHTH} --max-terms 8000 --dims 100,300 --spaces cl-lsi,jplsa,cplsa,mlda "
        "--grid mlda.alpha=.2,1",
        headline=False,
    ),
    "topics-europarl-7": Table(
        "Topic models: Europarl speeches (en–de)",
        "Joint and coupled PLSA by number of topics.",
        f"DATA/europarl-7 --languages en,de {EIGHTH} --dims 200,500 --by dim --no-refit --spaces jplsa,cplsa "
        "--queries 0",
        headline=False,
    ),
    "topics-mdn-es": Table(
        "Topic models: MDN Web Docs (en–es)",
        "The same on comparable pages.",
        f"{MDN_EN_ES} --dims 200,500 --by dim --no-refit --spaces jplsa,cplsa --queries 0",
        headline=False,
    ),
    "topics-europarl": Table(
        "Topic models: the first 25 words of Europarl speeches (en–es)",
        "Little text in each document, 3,000 pairs to learn from.",
        "DATA/europarl-en-es --head 25 --max-train 3000 --no-refit --dims 200 --spaces jplsa,cplsa --queries 0",
        headline=False,
    ),
}
