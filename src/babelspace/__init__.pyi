"""What `babelspace` offers, each name where it lives: read by type checkers, and when a name is first asked for."""

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
    class_labels as class_labels,
    class_scores_of as class_scores_of,
    without_rare as without_rare,
)
from babelspace.corpus import (
    AlignedCorpus as AlignedCorpus,
    Document as Document,
    Split as Split,
    planted as planted,
    read_corpus as read_corpus,
    read_documents as read_documents,
    sample as sample,
    stream_documents as stream_documents,
    write_folder as write_folder,
)
from babelspace.corpus.readers.limits import reading_limits as reading_limits
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
from babelspace.mining.diagnosis import Diagnosis as Diagnosis, diagnose as diagnose
from babelspace.mining.matching import Pairs as Pairs, match as match
from babelspace.mining.ranking import Candidates as Candidates, rank as rank
from babelspace.mining.review.review import Review as Review
from babelspace.runtime.notebook_progress import show_progress as show_progress
from babelspace.runtime.results import Result as Result
from babelspace.search.filters import Range as Range
from babelspace.search.hits import Hit as Hit, Hits as Hits
from babelspace.search.index import Index as Index
from babelspace.search.query_language import query_language as query_language
from babelspace.search.searcher import search_documents as search_documents
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
    Encoder as Encoder,
    ExplicitLSI as ExplicitLSI,
    KernelCCA as KernelCCA,
    LanguageEncoder as LanguageEncoder,
    LinearSpace as LinearSpace,
    LSolve as LSolve,
    ONEigen as ONEigen,
    S2Net as S2Net,
    Space as Space,
    Translated as Translated,
    TranslatedLSA as TranslatedLSA,
    Translation as Translation,
    TranslationLSA as TranslationLSA,
    Untranslated as Untranslated,
    VariationalMLDA as VariationalMLDA,
)
from babelspace.spaces.explain import Explanation as Explanation, explain as explain
from babelspace.spaces.mteb_encoder import SentenceEncoder as SentenceEncoder
from babelspace.terms.lexicon import Lexicon as Lexicon
from babelspace.terms.lexicon_formats import read_lexicon as read_lexicon
from babelspace.text import Analyzer as Analyzer
from babelspace.text.sentences import SentenceSplitter as SentenceSplitter
from babelspace.text.stop_words import stop_words as stop_words
from babelspace.text.translator import Translator as Translator
from babelspace.vectors.compressed import CompressedVectors as CompressedVectors
from babelspace.vectors.shards import VectorShards as VectorShards
from babelspace.workflows.align import (
    align as align,
    score_alignment as score_alignment,
    train_aligner as train_aligner,
)
from babelspace.workflows.build_index import build_index as build_index
from babelspace.workflows.check_integrity import check as check
from babelspace.workflows.classify import (
    evaluate_classifier as evaluate_classifier,
    train_classifier as train_classifier,
)
from babelspace.workflows.doctor import doctor as doctor
from babelspace.workflows.embed import embed as embed
from babelspace.workflows.embed_on_disk import compress_shards as compress_shards, embed_on_disk as embed_on_disk
from babelspace.workflows.estimate import (
    Estimate as Estimate,
    estimate_fit as estimate_fit,
    estimate_index as estimate_index,
    estimate_match as estimate_match,
    estimate_space as estimate_space,
)
from babelspace.workflows.evaluate import evaluate as evaluate
from babelspace.workflows.extend import extend_model as extend_model
from babelspace.workflows.fit_from_dictionary import fit_from_dictionary as fit_from_dictionary
from babelspace.workflows.fit_model import fit_model as fit_model
from babelspace.workflows.fit_on_disk import fit_on_disk as fit_on_disk
from babelspace.workflows.grow import Growth as Growth, grow as grow
from babelspace.workflows.info import model_info as model_info
from babelspace.workflows.lexicon import lexicon as lexicon
from babelspace.workflows.list_spaces import list_spaces as list_spaces
from babelspace.workflows.map_documents import (
    DocumentMap as DocumentMap,
    map_data as map_data,
    map_documents as map_documents,
    map_page as map_page,
)
from babelspace.workflows.match import (
    DocumentFile as DocumentFile,
    RankedDocuments as RankedDocuments,
    match_files as match_files,
    rank_documents as rank_documents,
)
from babelspace.workflows.mine_sentences import SentencePairs as SentencePairs, mine_sentences as mine_sentences
from babelspace.workflows.rank_on_disk import rank_on_disk as rank_on_disk
from babelspace.workflows.review import make_review as make_review
from babelspace.workflows.sample_documents import look_at as look_at
from babelspace.workflows.search import search_paths as search_paths
from babelspace.workflows.stages import Stage as Stage
from babelspace.workflows.terminology import (
    LinkedBitext as LinkedBitext,
    extract_terms as extract_terms,
    link_bitext as link_bitext,
    look_up as look_up,
    project_file as project_file,
)
from babelspace.workflows.topics import topics as topics
from babelspace.workflows.warm_up import warm_up as warm_up

__version__: str
__all__: list[str]
