"""One vector space for documents in any languages, learned from paired documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# What type checkers and editors see; `import … as …` makes each name public for them.
# isort: off
if TYPE_CHECKING:
    from babelspace.alignment import (
        ALIGNERS as ALIGNERS,
        HMM as HMM,
        IBM1 as IBM1,
        IBM2 as IBM2,
        Aligner as Aligner,
        Bitext as Bitext,
        Fertility as Fertility,
        LinkPosteriors as LinkPosteriors,
        NBest as NBest,
        load_aligner as load_aligner,
        make_aligner as make_aligner,
    )
    from babelspace.alignment.association_matrices import Associations as Associations
    from babelspace.alignment.cepts import CeptAligner as CeptAligner, Cepts as Cepts
    from babelspace.alignment.links import Links as Links
    from babelspace.alignment.symmetrize import symmetrize as symmetrize
    from babelspace.classification import (
        CrossLanguageClassifier as CrossLanguageClassifier,
        SemanticKernel as SemanticKernel,
    )
    from babelspace.corpus import (
        AlignedCorpus as AlignedCorpus,
        Document as Document,
        Split as Split,
        planted as planted,
        read_corpus as read_corpus,
        read_documents as read_documents,
        sample as sample,
    )
    from babelspace.errors import (
        ArtifactError as ArtifactError,
        BabelspaceError as BabelspaceError,
        CorpusError as CorpusError,
        EngineError as EngineError,
        HolesError as HolesError,
        MissingExtra as MissingExtra,
        ParameterError as ParameterError,
        StoreError as StoreError,
        TranslatorError as TranslatorError,
        UnknownLanguage as UnknownLanguage,
    )
    from babelspace.evaluation import (
        Comparison as Comparison,
        Evaluation as Evaluation,
        compare as compare,
        evaluate_queries as evaluate_queries,
    )
    from babelspace.evaluation.measures import RetrievalScore as RetrievalScore
    from babelspace.features import Views as Views, ViewsVectorizer as ViewsVectorizer
    from babelspace.mining.doctor import Diagnosis as Diagnosis, diagnose as diagnose
    from babelspace.mining.matching import Pairs as Pairs, match as match
    from babelspace.mining.ranking import Candidates as Candidates, rank as rank
    from babelspace.mining.review.review_list import Review as Review
    from babelspace.runtime.notebook_progress import show_progress as show_progress
    from babelspace.runtime.results import Result as Result
    from babelspace.search.filters import Range as Range
    from babelspace.search.index import Index as Index
    from babelspace.spaces import (
        CCA as CCA,
        CLESA as CLESA,
        CLLSI as CLLSI,
        CPLSA as CPLSA,
        CSAM as CSAM,
        JPLSA as JPLSA,
        MLDA as MLDA,
        ONETA as ONETA,
        OPCA as OPCA,
        SPACES as SPACES,
        CollapsedMLDA as CollapsedMLDA,
        Combine as Combine,
        Cr5 as Cr5,
        S2Net as S2Net,
        Encoder as Encoder,
        ExplicitLSI as ExplicitLSI,
        KernelCCA as KernelCCA,
        LanguageEncoder as LanguageEncoder,
        LinearSpace as LinearSpace,
        LSolve as LSolve,
        ONEigen as ONEigen,
        Space as Space,
        Translated as Translated,
        TranslatedLSA as TranslatedLSA,
        Translation as Translation,
        TranslationLSA as TranslationLSA,
        Untranslated as Untranslated,
        VariationalMLDA as VariationalMLDA,
    )
    from babelspace.spaces.explain import Explanation as Explanation, explain as explain
    from babelspace.spaces.sentence_encoder_adapter import SentenceEncoder as SentenceEncoder
    from babelspace.terms.lexicon import Lexicon as Lexicon
    from babelspace.terms.lexicon_formats import read_lexicon as read_lexicon
    from babelspace.text import Analyzer as Analyzer
    from babelspace.text.stop_words import stop_words as stop_words
    from babelspace.workflows.align import (
        align as align,
        score_alignment as score_alignment,
        train_aligner as train_aligner,
    )
    from babelspace.workflows.build_index import build_index as build_index
    from babelspace.workflows.check import check as check
    from babelspace.workflows.classify import train_classifier as train_classifier
    from babelspace.workflows.doctor import doctor as doctor
    from babelspace.workflows.embed import embed as embed
    from babelspace.workflows.evaluate import evaluate as evaluate
    from babelspace.workflows.extend import extend_model as extend_model
    from babelspace.workflows.fit_from_dictionary import fit_from_dictionary as fit_from_dictionary
    from babelspace.workflows.fit_model import fit_model as fit_model
    from babelspace.workflows.fit_on_disk import fit_on_disk as fit_on_disk
    from babelspace.workflows.grow import Growth as Growth, grow as grow
    from babelspace.workflows.lexicon import lexicon as lexicon
    from babelspace.workflows.list_spaces import list_spaces as list_spaces
    from babelspace.workflows.map_documents import (
        DocumentMap as DocumentMap,
        map_documents as map_documents,
        map_page as map_page,
    )
    from babelspace.workflows.mine_sentences import SentencePairs as SentencePairs, mine_sentences as mine_sentences
    from babelspace.workflows.review import make_review as make_review
    from babelspace.workflows.stages import Stage as Stage
    from babelspace.workflows.terminology import (
        extract_terms as extract_terms,
        link_bitext as link_bitext,
        look_up as look_up,
    )
    from babelspace.workflows.topics import topics as topics
    from babelspace.workflows.warm_up import warm_up as warm_up
# isort: on

__version__ = "0.1.0"

# Where each name lives; it is imported on first use, so that `import babelspace` costs nothing.
_MODULES = {
    "babelspace.alignment": (
        "ALIGNERS Aligner Bitext Fertility HMM IBM1 IBM2 LinkPosteriors NBest load_aligner make_aligner"
    ),
    "babelspace.alignment.association_matrices": "Associations",
    "babelspace.alignment.cepts": "CeptAligner Cepts",
    "babelspace.alignment.links": "Links",
    "babelspace.alignment.symmetrize": "symmetrize",
    "babelspace.classification": "CrossLanguageClassifier SemanticKernel",
    "babelspace.corpus": "AlignedCorpus Document Split planted read_corpus read_documents sample",
    "babelspace.errors": (
        "ArtifactError BabelspaceError CorpusError EngineError HolesError MissingExtra ParameterError "
        "StoreError TranslatorError UnknownLanguage"
    ),
    "babelspace.evaluation": "Comparison Evaluation compare evaluate_queries",
    "babelspace.evaluation.measures": "RetrievalScore",
    "babelspace.features": "Views ViewsVectorizer",
    "babelspace.mining.doctor": "Diagnosis diagnose",
    "babelspace.mining.matching": "Pairs match",
    "babelspace.mining.ranking": "Candidates rank",
    "babelspace.mining.review.review_list": "Review",
    "babelspace.runtime.notebook_progress": "show_progress",
    "babelspace.runtime.results": "Result",
    "babelspace.search.filters": "Range",
    "babelspace.search.index": "Index",
    "babelspace.spaces": (
        "CCA CLESA CLLSI CPLSA CSAM CollapsedMLDA Combine Cr5 Encoder ExplicitLSI JPLSA KernelCCA LSolve "
        "LanguageEncoder LinearSpace MLDA ONETA ONEigen OPCA S2Net SPACES Space Translated TranslatedLSA "
        "Translation TranslationLSA Untranslated VariationalMLDA"
    ),
    "babelspace.spaces.explain": "Explanation explain",
    "babelspace.spaces.sentence_encoder_adapter": "SentenceEncoder",
    "babelspace.terms.lexicon": "Lexicon",
    "babelspace.terms.lexicon_formats": "read_lexicon",
    "babelspace.text": "Analyzer",
    "babelspace.text.stop_words": "stop_words",
    "babelspace.workflows.align": "align score_alignment train_aligner",
    "babelspace.workflows.build_index": "build_index",
    "babelspace.workflows.check": "check",
    "babelspace.workflows.classify": "train_classifier",
    "babelspace.workflows.doctor": "doctor",
    "babelspace.workflows.embed": "embed",
    "babelspace.workflows.evaluate": "evaluate",
    "babelspace.workflows.extend": "extend_model",
    "babelspace.workflows.fit_from_dictionary": "fit_from_dictionary",
    "babelspace.workflows.fit_model": "fit_model",
    "babelspace.workflows.fit_on_disk": "fit_on_disk",
    "babelspace.workflows.grow": "Growth grow",
    "babelspace.workflows.lexicon": "lexicon",
    "babelspace.workflows.list_spaces": "list_spaces",
    "babelspace.workflows.map_documents": "DocumentMap map_documents map_page",
    "babelspace.workflows.mine_sentences": "SentencePairs mine_sentences",
    "babelspace.workflows.review": "make_review",
    "babelspace.workflows.stages": "Stage",
    "babelspace.workflows.terminology": "extract_terms link_bitext look_up",
    "babelspace.workflows.topics": "topics",
    "babelspace.workflows.warm_up": "warm_up",
}
__all__ = sorted(name for names in _MODULES.values() for name in names.split())


def __getattr__(name: str) -> Any:
    for module, names in _MODULES.items():
        if name in names.split():
            from importlib import import_module

            value = globals()[name] = getattr(import_module(module), name)
            return value
    raise AttributeError(f"module 'babelspace' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
