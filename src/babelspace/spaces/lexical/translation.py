"""Word-by-word translation into one language of the corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from babelspace.alignment.registry import ALIGNERS
from babelspace.corpus import read_corpus
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.features import Views
from babelspace.features.views import Words
from babelspace.kernels.linalg.sparse import compact, multiply
from babelspace.runtime import progress
from babelspace.runtime.artifact import pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays
from babelspace.runtime.parameters import SEED, Choice, Instance, Integer, Real, Structure, Text, estimator, parameter
from babelspace.runtime.seeds import Seed
from babelspace.spaces.base import SPARSE_TERMS, LinearSpace, Space, State
from babelspace.spaces.common_parameters import PIVOT, TOLERANCE
from babelspace.spaces.lexical.dictionaries import PairDictionary, dictionaries
from babelspace.spaces.lexical.spelled_ngrams import ngram_columns, only_columns, scale_columns, with_spellings
from babelspace.spaces.lexical.translation_tables import (
    BagSettings,
    learn_from_bags,
    learn_from_bitext,
    spelled_alike,
    table_of_lexicon,
    with_copies,
)
from babelspace.spaces.linear.cl_lsi import truncated_svd
from babelspace.terms.lexicon import Lexicon


@estimator
class TranslationSettings:
    """The parameters that both spaces share."""

    pivot: str | None = parameter(None, PIVOT)
    lexicon: str | Path | Lexicon | Mapping[str, Any] | None = parameter(
        None,
        "A dictionary of the other language and the pivot, or one for each pair of languages. A file is tsv, moses, "
        'muse, hunalign or bicleaner; "en-es=FILE" says that the words of en come first, and for several languages '
        'there is ``{"es-en": FILE, "fr-en": FILE}``. Words are read as the vectorizer reads text. Without '
        "probabilities all translations of a word are equally likely.",
        Structure("an object as JSON", dict),
        Text("a file"),
        Instance("a path", ("__fspath__",)),
        Instance("a Lexicon", ("without_null",)),
    )
    bitext: str | None = parameter(
        None, "A corpus of sentence pairs to learn translations from, in any format.", Text("a path")
    )
    aligner: str = parameter("hmm", "What is trained on the bitext.", Choice(*ALIGNERS))
    candidates: int = parameter(
        50, "How many words are tried as translations of each, from either side, on the paired documents.", Integer(1)
    )
    iterations: int = parameter(5, "EM steps on the paired documents.", Integer(1))
    null: float = parameter(
        0.3,
        "Share p₀ of words that translate none of the other document; the less parallel documents are, the more.",
        Real(above=0, below=1),
    )
    copy: float = parameter(
        5.0,
        "How often (κ, in mean weights of a word) a word counts as seen translated by its own spelling. With a lexicon "
        "or bitext any value above 0 copies the words that these do not know.",
        Real(low=0),
    )


@estimator
class Translation(TranslationSettings, Space):
    """Weighted words of every language replaced by their translations into one, the pivot.

    .. math::
        \\phi_m(x) = x \\, T_m, \\qquad T_m[e, f] = p(f \\mid e), \\qquad \\phi_{pivot}(x) = x

    The table comes from a lexicon, from an aligner trained on a bitext, or, by default, from the paired documents
    themselves, however long: a row is one bag of words in each language, and IBM model 1 is trained on their weights,

    .. math::
        z_{nf} = p_0 \\, q(f) + (1 - p_0) \\sum_e s_{ne} \\, p(f \\mid e), \\qquad
        p(f \\mid e) \\propto p(f \\mid e) \\sum_n s_{ne} \\frac{x_{nf}}{z_{nf}} + \\kappa \\, [e = f]

    where s are the weights of a source document as shares, q the frequencies of target words (the NULL word) and κ
    keeps words that both languages spell alike. Only pairs of words that are often found in the same rows are tried, so
    the table takes memory in proportion to the vocabulary. Probabilities under .01 are dropped.

    References
    ----------
    Platt, Toutanova & Yih (2010), Translingual Document Representations from Discriminative Projections, section 3.2
    (word-by-word); Brown et al. (1993), The Mathematics of Statistical Machine Translation (model 1).

    Examples
    --------
    >>> from babelspace import Translation, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> space = Translation().fit(views[:150])
    >>> space.pivot_, space.score(views[150:]) > 0.5
    ('en', True)
    """

    most_terms: ClassVar[int | None] = SPARSE_TERMS
    ngrams: float | None = parameter(
        None,
        "Weight of character n-grams, compared as they are spelled; none translates them as words. Where both are "
        'counted (``features="both"``), names and rare words then meet without a translation, and no table of '
        "n-grams has to be learned.",
        Real(above=0),
    )

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        self.pivot_ = chosen_pivot(views, self.pivot)
        self.spelled_ = np.zeros(views.shape[1], bool) if self.ngrams is None else ngram_columns(views)
        if not self.spelled_.any():
            self.tables_ = translation_tables(self, views, self.pivot_)
            return
        tables = translation_tables(self, only_columns(views, ~self.spelled_), self.pivot_)
        self.tables_ = {
            name: with_spellings(table, self.spelled_, spelled_alike(views, name, self.pivot_))
            for name, table in tables.items()
        }

    def _project(self, X: Any, language: str) -> Any:
        if self.spelled_.any():
            X = scale_columns(X, np.where(self.spelled_, np.float32(self.ngrams or 0), np.float32(1)))
        return X if language == self.pivot_ else compact(X @ self.tables_[language])

    def get_state(self) -> State:
        state: State = {
            "pivot": np.array(self.languages_.index(self.pivot_)),
            "spelled": np.flatnonzero(self.spelled_),
        }
        for name, table in self.tables_.items():
            state |= pack_sparse(f"table.{name}", table)
        return state

    def _restore(self, state: CheckedArrays) -> None:
        self.pivot_ = self.languages_[state.count("pivot", below=len(self.languages_))]
        self.spelled_ = np.zeros(self.n_features_in_, bool)
        self.spelled_[state.whole("spelled", None, below="columns", distinct=True)] = True
        others = [name for name in self.languages_ if name != self.pivot_]
        self.tables_ = {name: state.sparse(f"table.{name}", "columns", "columns") for name in others}


@estimator
class TranslationLSA(TranslationSettings, LinearSpace):
    """Word-by-word translation followed by latent semantic analysis of the pivot's training documents.

    .. math:: D_{pivot} \\approx U_d \\Sigma_d V_d^\\top, \\qquad \\phi_m(x) = x \\, T_m V_d

    References
    ----------
    Platt, Toutanova & Yih (2010), Translingual Document Representations from Discriminative Projections, section 3.2.

    Examples
    --------
    >>> from babelspace import TranslationLSA, ViewsVectorizer, planted
    >>> views = ViewsVectorizer(drop_top=0).fit_transform(planted(rows=200))
    >>> TranslationLSA(n_components=30).fit(views[:150]).score(views[150:]) > 0.5
    True
    """

    tol: float = parameter(0.2, TOLERANCE)
    random_state: Seed = parameter(0, SEED)

    def _fit(self, views: Views, rng: np.random.Generator) -> None:
        pivot = chosen_pivot(views, self.pivot)
        tables = translation_tables(self, views, pivot)
        documents = views[pivot]
        values, vectors = truncated_svd(documents, self._rank(min(documents.shape)), rng, self.tol)
        weights = {name: vectors if name == pivot else multiply(tables[name], vectors) for name in views.languages}
        self._set(weights, values)


def chosen_pivot(views: Views, asked: str | None) -> str:
    """The language to translate into: the one asked for, or the one with the most documents."""
    if asked is not None and asked not in views.languages:
        raise UnknownLanguage(asked, views.languages)
    return asked or min(views.languages, key=lambda name: (-int(views.present[name].sum()), name))


def translation_tables(settings: TranslationSettings, views: Views, pivot: str) -> dict[str, Any]:
    """The table of every language but the pivot."""
    bags = BagSettings(settings.candidates, settings.iterations, settings.null, settings.copy)
    if settings.lexicon is not None and settings.bitext is not None:
        raise ParameterError("a lexicon and a bitext are given. Give one of the two.")
    others = [name for name in views.languages if name != pivot]
    if settings.lexicon is not None:
        entries = dictionaries(settings.lexicon, views.languages, pivot)
        tables = {name: table_of_dictionary(entries[name], views, name, pivot) for name in others}
    elif settings.bitext is not None:
        tables = _from_bitext(settings, views, others, pivot)
    else:
        return {name: _from_rows(views, name, pivot, bags) for name in progress.track(others, "translating words")}
    if not settings.copy:
        return tables
    return {name: with_copies(table, spelled_alike(views, name, pivot)) for name, table in tables.items()}


def _from_rows(views: Views, language: str, pivot: str, settings: BagSettings) -> Any:
    """A table from the rows that have both languages."""
    both = views.present[language] & views.present[pivot]
    if not both.any():
        raise ParameterError(
            f"no row has both {language} and {pivot}, so no translations can be learned. Choose another pivot, or "
            "give a lexicon."
        )
    rows = views[both]
    return learn_from_bags(rows[language], rows[pivot], spelled_alike(views, language, pivot), settings)


def table_of_dictionary(entry: PairDictionary, views: Views, language: str, pivot: str) -> Any:
    """The table of a dictionary, which must be the right way round and know some words of both vocabularies."""
    parts = (entry.lexicon, _words(views), language, pivot, views.shape[1])
    table = table_of_lexicon(*parts, entry.flipped)
    met = _pairs_in_corpus(table, views, language, pivot)
    # Who has said which way round it is must be clearly wrong.
    if _pairs_in_corpus(table_of_lexicon(*parts, not entry.flipped), views, language, pivot) > met * (
        2 if entry.named else 1
    ):
        first, second = (language, pivot) if entry.flipped else (pivot, language)
        raise ParameterError(
            f"the first words of each line of the lexicon look like {first}, not like {second}",
            hint=f'if they are, say so: {{lexicon={{"{first}-{second}": "FILE"}}}}',
        )
    if not met:
        raise ParameterError(
            f"the lexicon of {language} and {pivot} has {len(entry.lexicon):,} pairs, of which the documents have "
            "none. Check its languages."
        )
    return table


def _pairs_in_corpus(table: Any, views: Views, language: str, pivot: str) -> int:
    """How many pairs have words that occur in the documents; a shared vocabulary has the words of all languages."""
    source, target = (np.isin(np.arange(views.shape[1]), views[name].indices) for name in (language, pivot))
    return int(table[source][:, target].nnz)


def _from_bitext(settings: TranslationSettings, views: Views, others: list[str], pivot: str) -> dict[str, Any]:
    corpus = read_corpus(str(settings.bitext), languages=[pivot, *others])
    tables = {}
    for name in others:
        both = corpus.present(name) & corpus.present(pivot)
        if not both.any():
            raise CorpusError(
                f"no sentence in both {name} and {pivot}", path=settings.bitext, hint="give another bitext or pivot"
            )
        rows = corpus.select(both)
        texts = {code: [text or "" for text in rows.texts(code)] for code in (name, pivot)}
        tables[name] = learn_from_bitext(texts, _words(views), name, pivot, settings.aligner, views.shape[1])
    return tables


def _words(views: Views) -> Words:
    if views.words is None:
        raise ParameterError(
            "a lexicon or bitext has words, and these Views do not tell theirs. Fit on the Views of a ViewsVectorizer."
        )
    return views.words
