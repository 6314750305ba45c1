"""From an aligned corpus to weighted Views."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError, ParameterError
from babelspace.features.counting import count_and_collect_texts, count_vocabulary_terms, count_vocabulary_texts
from babelspace.features.views import Views
from babelspace.features.vocabulary import TermRules, TermTotals, Vocabulary
from babelspace.features.weighting import Weighting
from babelspace.runtime import progress
from babelspace.runtime.artifact import Artifact, plain_value
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray
from babelspace.runtime.estimator import Transformer, check_is_fitted
from babelspace.text import Analyzer
from babelspace.text.ngrams import MARKER
from babelspace.text.translator import Translator

# Language, counts of all rows (rows x terms) and the terms.
OnCounts = Callable[[str, Any, list[str]], None]
# By language: counts of the present documents (documents x terms) and the terms.
CountedTerms = Mapping[str, tuple[Any, list[str]]]
OnWords = Callable[[Iterable[list[str]], str], Iterable[list[str]]]


@dataclass(eq=False, repr=False)
class ViewsVectorizer(Transformer):
    """Analyse, count and weigh the texts of every language; all that is learned comes from the training texts.

    Parameters
    ----------
    features : "words", "characters" or "both"
        In "both", words and n-grams have slots of their own, each kind is chosen by the rules below, and the two are
        scaled to carry the same total weight.
    ngrams : (int, int)
        Shortest and longest character n-gram.
    analyzer : dict or None
        Further settings of :class:`~babelspace.text.Analyzer`, e.g. ``{"strip_marks": True}``. A dict under the name
        of a language holds settings for that language alone, which override the others:
        ``{"strip_marks": True, "zh": {"segmenter": "rjieba"}}``.
    vocabulary : "shared" or "separate"
        One slot for a spelling in all languages, or slots of its own for each language.
    drop_top, max_terms, min_count, max_df
        The most frequent terms to drop, how many of the next to keep, the rarest total count, the largest share of
        documents a term may occur in.
    per_language : bool
        Apply these rules to each language on its own (default), or to the pooled counts of all languages.
    weighting : str
        A name of :data:`~babelspace.features.weighting.WEIGHTINGS`.
    normalize : bool
        Bring every document to the same length.
    translator : Translator, mapping of its settings, or None
        Texts of the languages that it knows are translated first, and read as texts of the language it translates
        into; see :class:`~babelspace.text.translator.Translator`. Needs the shared vocabulary.

    Examples
    --------
    >>> from babelspace.corpus import AlignedCorpus
    >>> corpus = AlignedCorpus(["1", "2"], {"en": ["red wine", "white wine"], "fr": ["vin rouge", "vin blanc"]})
    >>> ViewsVectorizer(drop_top=0, min_count=1).fit_transform(corpus)
    Views(2 rows x 6 columns, en, fr)
    """

    features: str = "words"
    ngrams: tuple[int, int] = (3, 5)
    analyzer: Mapping[str, Any] | None = None
    vocabulary: str = "shared"
    drop_top: int = 50
    max_terms: int | None = 10_000
    min_count: int = 2
    max_df: float = 1.0
    per_language: bool = True
    weighting: str = "log-tf-idf"
    normalize: bool = True
    translator: Translator | Mapping[str, Any] | None = None

    def fit(self, X: AlignedCorpus, y: Any = None) -> Self:
        """Learn vocabulary and weights."""
        self._learn(X)
        return self

    def fit_transform(
        self,
        X: AlignedCorpus,
        y: Any = None,
        on_counts: OnCounts | None = None,
        counted: CountedTerms | None = None,
        **_: Any,
    ) -> Views:
        """Learn, and give the training Views without analysing the texts twice.

        `on_counts(language, rows, terms)` is given the counts of all terms, also of those that are not kept; `counted`
        are the counts of the same corpus by a vectorizer that reads alike (:meth:`count_corpus`).
        """
        counts = self._learn(X, on_counts, counted)
        present = {language: X.present(language) for language in X.languages}
        weighted = {language: self.weights_.transform(matrix) for language, matrix in counts.items()}
        return Views({name: spread(matrix, present[name]) for name, matrix in weighted.items()}, present, self)

    def transform(self, X: AlignedCorpus, on_words: OnWords | None = None) -> Views:
        """Weighted Views of a corpus whose languages were all seen in training.

        `on_words(documents, language)` is given the words of each text as they are read, and passes them on: who needs
        the words, too, need not analyse the texts again.
        """
        check_is_fitted(self, "vocabulary_")
        present = {language: X.present(language) for language in X.languages}
        matrices = {}
        for language, mask in present.items():
            texts = _kept(X.texts(language), mask)
            counts = (
                self.count_tokens(on_words(self.read(texts, language), language), language)
                if on_words
                else self.count_texts(texts, language)
            )
            matrices[language] = spread(self.weights_.transform(counts), mask)
        return Views(matrices, present, self)

    def transform_texts(self, texts: Iterable[str], language: str) -> Any:
        """Weighted rows of texts in one language."""
        counts = self.count_texts(texts, language)
        return self.weights_.transform(counts)

    def count_texts(self, texts: Iterable[str], language: str) -> Any:
        """Raw counts of texts in one language, in the learned columns."""
        check_is_fitted(self, "vocabulary_")
        table, columns = self.vocabulary_.table(language), self.vocabulary_.size
        return count_vocabulary_texts(*self._reading(texts, language), table, columns)

    def count_tokens(self, documents: Iterable[list[str]], language: str) -> Any:
        """Raw counts of texts that were read already."""
        check_is_fitted(self, "vocabulary_")
        return count_vocabulary_terms(documents, self.vocabulary_.table(language), self.vocabulary_.size)

    def count_all_terms(self, texts: Iterable[str], language: str) -> tuple[Any, list[str]]:
        """Raw counts of every term of texts in one language, learned or not, and the terms in column order."""
        return count_and_collect_texts(*self._reading(texts, language))

    def tokens(self, text: str, language: str) -> list[str]:
        """Features of one text, known or not, in order."""
        return self._analyzer(self.speaks(language))(*self._translated([text], language))

    def table(self, language: str) -> Mapping[str, int]:
        """Term → column of one language."""
        return self.vocabulary_.table(language)

    def speaks(self, language: str) -> str:
        """The language in which the texts of a language are read: another one where they are translated first."""
        translator = Translator.of(self.translator)
        return translator.into if translator and translator.knows(language) else language

    def untranslated(self) -> Self:
        """The same vocabulary and weights for texts as they are."""
        plain = copy(self)
        plain.translator = None
        return plain

    def read(self, texts: Iterable[str], language: str) -> Iterator[list[str]]:
        """Features of each text, known or not, in order."""
        analyzer, tracked = self._reading(texts, language)
        return analyzer.many(tracked)

    def _reading(self, texts: Iterable[str], language: str) -> tuple[Analyzer, Iterator[str]]:
        """What reads texts, and the texts as it reads them, with progress told."""
        tracked = progress.track(self._translated(texts, language), f"reading {language}")
        return self._analyzer(self.speaks(language)), tracked

    def _translated(self, texts: Iterable[str], language: str) -> Iterable[str]:
        translator = Translator.of(self.translator)
        if translator is None or not translator.knows(language):
            return texts
        return translator.translate(list(texts), language)

    def extended(self, corpus: AlignedCorpus, language: str) -> Self:
        """The same with one more language, whose terms get columns of their own after those that there are.

        Its terms are chosen by the same rules and weighted by this corpus alone; what was learned before stays.
        """
        check_is_fitted(self, "vocabulary_")
        matrix, terms = self._count(corpus, language)
        chosen, _ = self._choose({language: TermTotals.of(matrix, terms)})
        own = Vocabulary.build(chosen, "separate")
        groups = _ngram_columns(own) if self.features == "both" else None
        counts = relabel(matrix, terms, own.table(language), own.size)
        weights = Weighting(self.weighting, self.normalize).fit({language: counts}, groups)
        other = copy(self)
        other.weights_ = copy(self.weights_)
        other.weights_.scale_ = np.concatenate([self.weights_.scale_, weights.scale_])
        known = self.vocabulary_
        table = {term: known.size + column for term, column in own.table(language).items()}
        other.vocabulary_ = Vocabulary({**known.tables, language: table}, known.size + own.size, known.sharing)
        other.languages_ = (*self.languages_, language)
        return other

    def count_corpus(self, corpus: AlignedCorpus) -> CountedTerms:
        """All terms of the present documents of each language, which vocabularies of any size are learned from."""
        return {language: self._count(corpus, language) for language in corpus.languages}

    def _learn(
        self, corpus: AlignedCorpus, on_counts: OnCounts | None = None, counted: CountedTerms | None = None
    ) -> dict[str, Any]:
        """Fit vocabulary and weights; gives the training counts of the present rows."""
        counted = self.count_corpus(corpus) if counted is None else counted
        if on_counts is not None:
            for language, (matrix, terms) in counted.items():
                on_counts(language, spread(matrix, corpus.present(language)), terms)
        self.learn_vocabulary({language: TermTotals.of(*part) for language, part in counted.items()})
        counts = {
            language: relabel(matrix, terms, self.vocabulary_.table(language), self.vocabulary_.size)
            for language, (matrix, terms) in counted.items()
        }
        apart = self.vocabulary == "separate"
        self.weights_ = Weighting(self.weighting, self.normalize).fit(counts, self.ngram_columns(), apart=apart)
        return counts

    def learn_vocabulary(self, counts: Mapping[str, TermTotals]) -> None:
        """Choose the terms of each language by how often they occur."""
        if self.translator is not None and self.vocabulary != "shared":
            raise ParameterError('translated texts share their words: a translator needs vocabulary="shared".')
        chosen, stopped = self._choose(counts)
        self.vocabulary_ = Vocabulary.build(chosen, self.vocabulary, stopped)
        self.languages_ = tuple(counts)

    def ngram_columns(self) -> NDArray[np.bool_] | None:
        """Which columns are character n-grams, where both kinds are counted."""
        return _ngram_columns(self.vocabulary_) if self.features == "both" else None

    def _count(self, corpus: AlignedCorpus, language: str) -> tuple[Any, list[str]]:
        texts = _kept(corpus.texts(language), corpus.present(language))
        if not texts:
            raise CorpusError(
                f"no training text in language {language!r}", hint="leave the language out, or give it documents"
            )
        return self.count_all_terms(texts, language)

    def _choose(self, counts: Mapping[str, TermTotals]) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
        """The kept terms of each language, and those too frequent in it."""
        rules = TermRules(self.drop_top, self.max_terms, self.min_count, self.max_df)
        if not self.per_language:
            kept = set(rules.choose_by_kind(reduce(add, counts.values()))[0])
            anything = TermRules(0, None, 1)
            ordered = {name: anything.choose(part)[0] for name, part in counts.items()}
            return {name: [term for term in terms if term in kept] for name, terms in ordered.items()}, {}
        both = {language: rules.choose_by_kind(part) for language, part in counts.items()}
        return {name: kept for name, (kept, _) in both.items()}, {name: stopped for name, (_, stopped) in both.items()}

    def _analyzer(self, language: str) -> Analyzer:
        given = self.analyzer or {}
        common = {name: value for name, value in given.items() if not isinstance(value, Mapping)}
        fixed = {"language": language, "features": self.features, "ngrams": tuple(self.ngrams)}
        return Analyzer.from_settings({**common, **given.get(language, {}), **fixed})

    def settings(self) -> dict[str, Any]:
        """The parameters as plain values; a function as translator is not among them."""
        translator = Translator.of(self.translator)
        return self.get_params(deep=False) | {"translator": translator.settings() if translator else None}

    def pack(self) -> Artifact:
        """Everything learned, ready to be saved."""
        tables = self.vocabulary_.tables
        lines = {f"terms.{name}": list(table) for name, table in tables.items()}
        arrays: dict[str, NDArray[Any]] = {
            f"columns.{name}": np.fromiter(table.values(), np.int64, len(table)) for name, table in tables.items()
        }
        weights = self.weights_
        arrays["weights.scale"] = weights.scale_
        card = {
            "parameters": {name: plain_value(value) for name, value in self.settings().items()},
            "languages": list(self.languages_),
            "columns": self.vocabulary_.size,
            "norm": weights.norm_,
            "mean_length": weights.mean_length_,
        }
        return Artifact(card, arrays, lines)

    @classmethod
    def unpack(cls, artifact: Artifact) -> ViewsVectorizer:
        """The vectorizer that was packed."""
        card = artifact.card
        parameters = {**card["parameters"], "ngrams": tuple(card["parameters"]["ngrams"])}
        # A model of somebody else may name any program: it runs only where the user says so.
        parameters["translator"] = Translator.stored(parameters.get("translator"))
        vectorizer = cls(**parameters)
        if not isinstance(vectorizer.analyzer, Mapping | None):
            raise DamagedArray(f"{vectorizer.analyzer!r} are no settings of an analyzer")
        vectorizer.languages_ = tuple(card["languages"])
        if not all(isinstance(name, str) for name in vectorizer.languages_):
            raise DamagedArray(f"{vectorizer.languages_!r} are no languages")
        arrays = CheckedArrays(artifact.arrays, columns=int(card["columns"]))
        tables = {}
        for name in vectorizer.languages_:
            terms = artifact.lines[f"terms.{name}"]
            columns = arrays.whole(f"columns.{name}", len(terms), below="columns", distinct=True)
            tables[name] = dict(zip(terms, columns.tolist(), strict=True))
        vectorizer.vocabulary_ = Vocabulary(tables, arrays.size("columns"), vectorizer.vocabulary)
        weights = Weighting(vectorizer.weighting, vectorizer.normalize)
        weights.scale_ = arrays.floats("weights.scale", "columns")
        weights.norm_, weights.mean_length_ = _finite(card["norm"]), _finite(card["mean_length"])
        arrays.finish()
        vectorizer.weights_ = weights
        return vectorizer


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
        raise DamagedArray(f"{value!r} is no finite number")
    return float(value)


def _ngram_columns(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """Which columns are character n-grams."""
    groups = np.zeros(vocabulary.size, bool)
    for table in vocabulary.tables.values():
        groups[[column for term, column in table.items() if term.startswith(MARKER)]] = True
    return groups


def _kept(texts: Sequence[str | None], mask: NDArray[np.bool_]) -> list[str]:
    return [text for text, keep in zip(texts, mask, strict=True) if keep and text is not None]


def relabel(counts: Any, terms: list[str], table: Mapping[str, int], columns: int) -> Any:
    """The same counts with the columns of a table; terms that it lacks are left out."""
    target = np.fromiter((table.get(term, -1) for term in terms), np.int64, len(terms))
    kept = np.flatnonzero(target >= 0)
    entries = counts[:, kept].tocoo()
    rows, old = entries.coords
    matrix = sp.coo_array((entries.data, (rows, target[kept][old])), shape=(counts.shape[0], columns))
    return matrix.tocsr()


def spread(rows: Any, mask: NDArray[np.bool_]) -> Any:
    """Rows of the present documents put back among empty rows for the holes."""
    indptr = np.zeros(len(mask) + 1, rows.indptr.dtype)
    indptr[1:][mask] = np.diff(rows.indptr)
    np.cumsum(indptr, out=indptr)
    return sp.csr_array((rows.data, rows.indices, indptr), shape=(len(mask), rows.shape[1]))
