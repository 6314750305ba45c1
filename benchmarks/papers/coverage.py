"""Where each part of the five papers is measured and tested: a table at the end of docs/results/papers.md.

Parts have the letters of the papers: P is Platt et al. 2010, G Goutte et al. 2004, M the thesis on approximate training
of multilingual LDA, E McCrae et al. 2013, K Vinokourov et al. 2003, X what goes beyond the five.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.papers.commands import COMMANDS

MDN, EUROPARL = "MDN Web Docs (en–es)", "Europarl, whole speeches (en–es)"
EXPLICIT = "Explicit topics beside latent ones: the rows of McCrae et al., Table 2, on MDN (en–es)"
CEPTS = "Cepts beside other ways to join two directions: the methods of Goutte et al. 2004"
TRAINING, SPEED = "Approximate training of multilingual LDA", "Topic models: speed and memory"
HANSARD = "Kernel CCA and CL-LSI on the Hansard, the paper's setting"
ALIGNERS = "Word alignment beside eflomal and fast_align"


@dataclass(frozen=True)
class Part:
    """One part of a paper: exhibits of this folder, sections of the page and test files that show it."""

    what: str
    exhibits: Sequence[str] = ()
    sections: Sequence[str] = ()
    tests: Sequence[str] = ()
    remark: str = ""


COVERAGE = {
    "P1": Part("log(tf)-idf", ["platt_table_1"], [EUROPARL], ["features/test_weighting", "features/test_vocabulary"]),
    "P2": Part("CL-LSI", ["platt_table_1", "platt_table_2"], [EUROPARL, MDN], ["spaces/test_lsi"]),
    "P3": Part("OPCA", ["platt_table_1", "platt_table_2"], [EUROPARL, MDN], ["spaces/test_opca"]),
    "P4": Part(
        "CCA, two and more languages",
        ["platt_table_1", "platt_table_2"],
        [EUROPARL, "The embedded sample: six languages in one space, first 25 words"],
        ["spaces/test_cca"],
    ),
    "P5": Part(
        "JPLSA",
        ["platt_table_1", "platt_table_2"],
        ["Topic models: the first 25 words of Europarl speeches (en–es)"],
        ["spaces/test_plsa"],
    ),
    "P6": Part(
        "CPLSA",
        ["platt_table_1", "platt_table_2"],
        ["Topic models: the first 25 words of Europarl speeches (en–es)"],
        ["spaces/test_coupled_plsa"],
    ),
    "P7": Part(
        "word-by-word translation, plain and with LSA",
        ["platt_table_2", "platt_table_3"],
        ["Word-by-word translation beside the others on MDN (en–es)"],
        ["spaces/test_translation", "kernels/test_bag_translation"],
    ),
    "P8": Part(
        "full translation, plain and with LSA",
        ["platt_table_3", "platt_speed"],
        ["Classification across languages"],
        ["spaces/test_translated", "text/test_translator"],
        "The program is Apertium, by rules; a statistical one as the paper's was not at hand.",
    ),
    "P9": Part("untranslated", ["platt_table_1", "platt_table_2"], [EUROPARL, MDN], ["spaces/test_contract"]),
    "P10": Part(
        "mate retrieval, ties, tuning on dev, best set",
        ["platt_table_1", "platt_table_2"],
        [EUROPARL],
        ["vectors/test_mates", "evaluation/test_significance", "evaluation/test_comparison"],
    ),
    "P11": Part(
        "classification across languages",
        ["platt_table_3"],
        ["Classification across languages"],
        ["classification/test_transfer"],
        "Multilingual Reuters was not at hand.",
    ),
    "P12": Part("figures 3 and 4", ["platt_table_1", "platt_table_2"], [EUROPARL, MDN], ["charts/test_plots"]),
    "P13": Part("speed", ["platt_speed"], [SPEED], ["test_papers"]),
    "P14": Part(
        "many languages; OPCA in two stages",
        ["claims"],
        ["The embedded sample: six languages in one space, first 25 words", "What the tables say"],
        ["spaces/test_opca"],
        remark="The paper has no figures for it.",
    ),
    "P15": Part("a weighted (spherical) coupled topic model", ["claims"], [], ["spaces/test_spherical"]),
    "P16": Part(
        "a dictionary instead of pairs",
        ["claims"],
        [],
        ["workflows/test_fit_from_dictionary", "cli/test_fit_unpaired"],
    ),
    "P17": Part(
        "options named in passing: other distances, a random start, more fold-in steps, plain tf",
        ["platt_text"],
        tests=["spaces/test_plsa", "features/test_weighting"],
    ),
    "P18": Part("claims in the text", ["claims", "platt_text", "platt_speed"], [], ["test_papers"]),
    "G1": Part("association matrices", ["goutte_figure_5"], [CEPTS], ["alignment/test_association"]),
    "G2": Part(
        "aligners behind them, N-best lists, posteriors",
        [],
        [ALIGNERS, "Word alignment: time and memory to all Hansard pairs"],
        ["alignment/test_ibm", "alignment/test_hmm", "alignment/test_fertility", "kernels/test_alignment_ibm"],
    ),
    "G3": Part("PLSA of a sentence", ["goutte_table_1"], [CEPTS], ["kernels/test_cepts"]),
    "G4": Part("proper alignments by MAP", ["goutte_table_1"], [CEPTS], ["alignment/test_cepts"]),
    "G5": Part(
        "number of cepts by AIC or BIC",
        ["goutte_table_1", "goutte_table_4"],
        [CEPTS],
        ["kernels/test_cepts", "alignment/test_cepts"],
    ),
    "G6": Part("NULL words and cepts", ["goutte_table_3"], [CEPTS], ["kernels/test_cepts"]),
    "G7": Part("noise", ["goutte_figure_5"], [], ["kernels/test_cepts"]),
    "G8": Part("orphan cepts", [], [CEPTS], ["alignment/test_cepts"], "The paper has no figures for it."),
    "G9": Part("restarts and annealing", [], [CEPTS], ["kernels/test_cepts"]),
    "G10": Part(
        "scores with and without NULL, symmetrisation",
        ["goutte_table_1", "goutte_table_2", "goutte_table_3", "goutte_table_4"],
        [CEPTS, ALIGNERS],
        ["alignment/test_scores", "alignment/test_symmetrize"],
        "Gold links of the 447 test sentences were not at hand: the 37 trial sentences stand for them.",
    ),
    "G11": Part(
        "sure and probable output",
        ["goutte_section_6"],
        tests=["alignment/test_cepts", "cli/test_align"],
        remark="Only proposed in the paper.",
    ),
    "G12": Part("pictures", ["goutte_figure_5"], [], ["reports/test_alignment_pictures", "cli/test_show_alignment"]),
    "G13": Part(
        "N-best by rank; co-occurrence and mutual information",
        ["goutte_section_7"],
        tests=["alignment/test_association"],
    ),
    "G14": Part("phrases from cepts and links", ["goutte_section_1"], [], ["terms/test_phrases"]),
    "G15": Part("labels carried over the links", ["goutte_section_1"], [], ["terms/test_terms"]),
    "M1": Part(
        "LDA by Gibbs sampling and variational inference",
        ["mlda_table_1", "mlda_table_3"],
        [SPEED],
        ["kernels/test_gibbs", "kernels/test_variational", "spaces/test_lda"],
    ),
    "M2": Part(
        "multilingual LDA, languages may be missing",
        ["mlda_figure_12", "mlda_figure_15"],
        [TRAINING, "Topic models: MDN Web Docs (en–fr)"],
        ["spaces/test_lda", "spaces/test_lda_variational"],
    ),
    "M3": Part(
        "approximate training, Greedy Initialisation",
        ["mlda_figure_12", "mlda_figure_14", "mlda_figure_15", "mlda_figure_16", "mlda_figure_17", "mlda_figure_18"],
        [TRAINING],
        ["spaces/test_lda", "spaces/test_lda_variational"],
    ),
    "M4": Part("inference in any language", ["mlda_figure_12"], [TRAINING], ["kernels/test_gibbs"]),
    "M5": Part(
        "average neighbour gap",
        ["mlda_figure_12", "mlda_figure_14"],
        [TRAINING],
        ["evaluation/test_measures"],
        "The gap counts the documents before the mate, so 0 is perfect.",
    ),
    "M6": Part(
        "stop and rare words, Chinese words, simplified characters",
        ["mlda_figure_16"],
        ["UNESCO World Heritage (en–zh)"],
        ["text/test_segment", "text/test_normalize", "text/test_stop_words", "features/test_vocabulary"],
    ),
    "M7": Part("document length; tripled documents", ["mlda_figure_13", "mlda_figure_14"], [TRAINING], ["test_papers"]),
    "M8": Part(
        "CVB0, stochastic variational inference, hyper-parameters",
        ["mlda_section_5"],
        tests=["spaces/test_lda", "spaces/test_lda_variational", "kernels/test_gibbs_priors"],
        remark="The thesis has no figures for it.",
    ),
    "M9": Part(
        "CVB0 with approximate training, hyper-parameters optimised there; information or length",
        ["mlda_section_5", "claims"],
        tests=["spaces/test_lda_collapsed"],
        remark="Natural gradients are built, conjugate ones not.",
    ),
    "M10": Part(
        "figures 1 and 3 to 10",
        ["mlda_figure_1", "mlda_figure_3", "mlda_table_1", "mlda_table_3"],
        tests=["test_papers"],
    ),
    "E1": Part("CL-ESA", ["mccrae_table_2"], [EXPLICIT], ["spaces/test_esa"]),
    "E2": Part("ONETA", ["mccrae_table_2"], [EXPLICIT, "ONETA at the paper's size"], ["spaces/test_oneta"]),
    "E3": Part(
        "ON-Eigen, Explicit LSI, L-Solve",
        ["mccrae_figure_1", "mccrae_table_2", "mccrae_table_2_size"],
        [EXPLICIT],
        ["spaces/test_oneta_approximations"],
    ),
    "E4": Part(
        "normalisations",
        ["mccrae_table_1"],
        ["Weighting and document normalisation: the eight cells of McCrae et al., Table 1"],
        ["features/test_weighting"],
    ),
    "E5": Part("LSI and LDA", ["mccrae_table_2"], ["Topic models: MDN Web Docs (en–fr)"], ["spaces/test_lsi"]),
    "E6": Part(
        "ONETA with word translation, any two spaces",
        ["mccrae_table_2"],
        ["Word-by-word translation beside the others on MDN (en–es)"],
        ["spaces/test_combine"],
    ),
    "E7": Part(
        "Top-k, MRR, time, memory, bootstrap",
        ["mccrae_table_2", "mccrae_table_2_size"],
        ["ONETA at the paper's size"],
        ["evaluation/test_measures", "evaluation/test_significance"],
    ),
    "E8": Part(
        "LSI divided by its singular values, Explicit LSI from the joint decomposition",
        ["mccrae_figure_1"],
        [],
        ["spaces/test_lsi", "spaces/test_oneta_approximations"],
    ),
    "E9": Part(
        "overlap of background documents",
        ["mccrae_section_3", "mccrae_table_1", "mccrae_figure_1"],
        tests=["spaces/test_overlap"],
    ),
    "K1": Part(
        "kernel CCA, all documents at once",
        ["vinokourov_table_2"],
        [HANSARD, "Kernel CCA: time and memory"],
        ["spaces/test_kernel_cca", "kernels/test_nystrom"],
    ),
    "K2": Part("choosing κ", ["vinokourov_figure_1"], [HANSARD], ["spaces/test_kernel_cca_kappa"]),
    "K3": Part("kernels", [], ["Kernel CCA: time and memory"], ["spaces/test_kernel_cca"]),
    "K4": Part(
        "mate retrieval, average precision",
        ["vinokourov_table_2", "vinokourov_table_3"],
        [HANSARD],
        ["evaluation/test_measures"],
    ),
    "K5": Part(
        "queries of five words",
        ["vinokourov_table_4", "vinokourov_table_5", "vinokourov_queries"],
        [HANSARD],
        ["evaluation/test_queries"],
    ),
    "K6": Part("semantic kernel", ["vinokourov_table_6"], [], ["classification/test_semantic_kernel"]),
    "K7": Part(
        "clustering in the space; string and n-gram kernels",
        ["vinokourov_uses"],
        tests=["spaces/test_kernel_cca"],
    ),
    "X1": Part(
        "S2Net: projections trained on the cosine itself",
        [],
        ["Trained spaces at few dimensions"],
        ["spaces/test_s2net"],
    ),
    "X2": Part(
        "Cr5: reduced-rank ridge regression to concepts",
        [],
        ["Trained spaces at few dimensions", "A hundred languages in one space"],
        ["spaces/test_cr5"],
    ),
    "X3": Part(
        "sentences out of matched documents, the loop from documents to a space",
        [],
        ["Sentence alignment", "Parallel sentences out of comparable documents"],
        ["mining/sentences/test_alignment", "workflows/test_grow"],
    ),
    "X4": Part("bilingual terms and look-up", [], ["Terms"], ["terms/test_terms", "terms/test_lexicon"]),
    "X5": Part("the space chosen by its use", [], ["What `fit` chooses by itself"], ["workflows/test_choose_space"]),
    "X6": Part(
        "a hundred languages in one space, one more added later",
        [],
        ["A hundred languages in one space"],
        ["spaces/test_extend", "workflows/test_extend"],
    ),
    "X7": Part(
        "verdicts of a person that sharpen a stated precision",
        [],
        ["The first verdicts of a review"],
        ["mining/review/test_estimates"],
    ),
    "X8": Part("the same bytes from a laptop and a cluster", [], ["Engines"], ["workflows/test_engines"]),
}


# Where each part lives under src/babelspace/; those without a line are measured, not built.
CODE = {
    "P1": "features/weighting",
    "P2": "spaces/linear/cl_lsi",
    "P3": "spaces/linear/opca",
    "P4": "spaces/linear/cca",
    "P5": "spaces/topics/plsa/joint",
    "P6": "spaces/topics/plsa/coupled",
    "P7": "spaces/lexical/translation",
    "P8": "spaces/lexical/machine_translation",
    "P9": "spaces/lexical/untranslated",
    "P10": "evaluation/significance",
    "P11": "classification/transfer",
    "P12": "charts/plots",
    "P14": "spaces/linear/word_clusters",
    "P17": "spaces/topics/plsa/joint",
    "P15": "spaces/topics/spherical",
    "P16": "workflows/fit_from_dictionary",
    "G1": "alignment/association_matrices",
    "G2": "alignment/fertility",
    "G3": "kernels/alignment/cept_em",
    "G4": "kernels/alignment/cepts",
    "G5": "kernels/alignment/cepts",
    "G6": "kernels/alignment/cept_em",
    "G7": "kernels/alignment/cept_em",
    "G8": "alignment/cepts",
    "G9": "kernels/alignment/cept_annealing",
    "G10": "alignment/scores",
    "G11": "alignment/cepts",
    "G12": "reports/alignment_pictures",
    "G13": "alignment/association_matrices",
    "G14": "terms/phrases",
    "G15": "terms/projection",
    "M1": "spaces/topics/lda/gibbs",
    "M2": "spaces/topics/lda/base",
    "M3": "spaces/topics/lda/pivot_training",
    "M4": "kernels/topics/gibbs_inference",
    "M5": "evaluation/measures",
    "M6": "text/segment",
    "M7": "spaces/topics/lda/pivot_training",
    "M8": "spaces/topics/lda/collapsed_variational",
    "M9": "spaces/topics/lda/collapsed_variational",
    "M10": "evaluation/topics/report",
    "E1": "spaces/explicit/esa",
    "E2": "spaces/explicit/oneta",
    "E3": "spaces/explicit/low_rank_oneta",
    "E4": "features/weighting",
    "E5": "spaces/linear/cl_lsi",
    "E6": "spaces/combine",
    "E7": "evaluation/measures",
    "E8": "spaces/linear/cl_lsi",
    "E9": "spaces/explicit/background_overlap",
    "K1": "spaces/kernel/kernel_cca",
    "K2": "spaces/kernel/kappa",
    "K3": "spaces/kernel/functions",
    "K4": "evaluation/measures",
    "K5": "evaluation/pseudo_queries",
    "K6": "classification/semantic_kernel",
    "K7": "spaces/kernel/functions",
    "X1": "spaces/discriminative/s2net",
    "X2": "spaces/discriminative/cr5",
    "X3": "workflows/mine_sentences",
    "X4": "workflows/terminology",
    "X5": "workflows/choose_space",
    "X6": "workflows/extend",
    "X7": "mining/review/estimates",
    "X8": "runtime/engine",
}


def table() -> str:
    """Every part with its exhibits, sections and tests."""
    lines = ["| part | | code | command | figures | tests |", "|---|---|---|---|---|---|"]
    for name, part in COVERAGE.items():
        figures = [*(f"`{exhibit}`" for exhibit in part.exhibits), *(f"*{section}*" for section in part.sections)]
        what = f"{part.what}. {part.remark}" if part.remark else part.what
        tests = ", ".join(f"`{test}`" for test in part.tests)
        code = f"`{CODE[name]}`" if name in CODE else "–"
        lines.append(
            f"| {name} | {what} | {code} | `{COMMANDS[name]}` | {', '.join(figures) or '–'} | {tests or '–'} |"
        )
    return f"""## Part by part
Where each part of the papers is measured (files of `benchmarks/papers/`, by `python -m
benchmarks.papers.NAME --data DATA`; *sections* of these pages), built (files of `src/babelspace/`), reached (after
`babelspace`; what is only measured, by `python -m … --data DATA`) and tested (files of `tests/`). P: Platt et al.
2010, G: Goutte et al. 2004, M: the thesis on approximate training of multilingual LDA, E: McCrae et al. 2013, K:
Vinokourov et al. 2003, X: beyond the five.

{chr(10).join(lines)}
"""
