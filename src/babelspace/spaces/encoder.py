"""Encoder: what users hold, save and serve, a fitted vectorizer and a fitted space."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from babelspace.corpus import AlignedCorpus
from babelspace.corpus.document import several_texts
from babelspace.errors import ParameterError
from babelspace.features import Views, ViewsVectorizer
from babelspace.features.on_disk import LearnedRows
from babelspace.runtime import artifact
from babelspace.runtime.artifact import Artifact, plain_value
from babelspace.runtime.estimator import Estimator, Transformer, check_is_fitted
from babelspace.runtime.extras import need
from babelspace.runtime.parameters import check_parameters
from babelspace.runtime.storable import Storable
from babelspace.spaces import registry
from babelspace.spaces.base import Space
from babelspace.spaces.lexical.query_dictionary import QueryDictionary
from babelspace.text.language_codes import known_language
from babelspace.vectors.similarity import as_dense, prepare

if TYPE_CHECKING:
    # Stands above the spaces: for type checkers alone, who then know every setting of Encoder.match.
    from babelspace.mining.matching import match as _match


class Encoder(Storable, Estimator):
    """Texts of any of the learned languages to vectors of one space.

    Parameters
    ----------
    vectorizer : ViewsVectorizer or None
        None is the usual one, without weights and normalisation if the space needs counts, and with more terms if its
        vectors are sparse.
    space : Space

    Examples
    --------
    >>> from babelspace import Encoder, OPCA, ViewsVectorizer, planted
    >>> corpus = planted(rows=200)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(corpus)
    >>> encoder.encode([corpus.texts("es")[0]], "es").shape
    (1, 20)
    """

    kind, called, made_by = artifact.ENCODER, "model", artifact.MODEL_MADE_BY

    def __init__(self, vectorizer: ViewsVectorizer | None, space: Space) -> None:
        counts: dict[str, Any] = (
            {"weighting": "tf", "normalize": False} if getattr(space, "needs_counts", False) else {}
        )
        terms: dict[str, Any] = {} if space.most_terms is None else {"max_terms": space.most_terms}
        self.vectorizer = ViewsVectorizer(**counts, **terms) if vectorizer is None else vectorizer
        self.space = space

    def fit(self, X: AlignedCorpus, y: Any = None) -> Self:
        """Learn vectorizer and space from an aligned corpus."""
        self.space.fit(self.vectorizer.fit_transform(X))
        return self._learned(X)

    def _learned(self, corpus: AlignedCorpus | LearnedRows) -> Self:
        self.languages_ = self.space.languages_
        self.dictionary_: QueryDictionary | None = None
        # Arrays of held-out documents, by language: `mining.cohort` writes and reads them.
        self.held_out_: dict[str, Any] = {}
        self.card_: dict[str, Any] = {
            "corpus": {
                "name": corpus.name,
                "rows": len(corpus),
                "documents": corpus.counts(),
                "fingerprint": corpus.fingerprint(),
            },
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {name: version(name) for name in ("babelspace", "numpy", "scipy", "scikit-learn")}
            | {"python": platform.python_version()},
            "scores": {},
        }
        return self

    @classmethod
    def auto(cls, corpus: AlignedCorpus, use: str = "all", **settings: Any) -> Encoder:
        """The space that serves a use best: :func:`babelspace.fit_model` with ``space="auto"``."""
        # By name, because workflows stand above the spaces.
        learned: Encoder = import_module("babelspace.workflows.fit_model").fit_model(
            corpus, "auto", use=use, **settings
        )
        return learned

    @classmethod
    def of_fitted(cls, vectorizer: ViewsVectorizer, space: Space, corpus: AlignedCorpus | LearnedRows) -> Encoder:
        """An encoder of parts that were fitted on this corpus already."""
        return cls(vectorizer, space)._learned(corpus)

    def encode(self, texts: Iterable[str], language: str, *, normalize: bool = False) -> Any:
        """One vector (row) for each text, of length 1 if `normalize`; a text without a known word gives a zero row."""
        check_is_fitted(self, "languages_")
        language = known_language(language, self.languages_)
        vectors = self.space.transform(self.vectorizer.transform_texts(several_texts(texts), language), language)
        return prepare(vectors, "cosine").rows if normalize else vectors

    def transform(self, X: AlignedCorpus) -> dict[str, Any]:
        """Vectors of every language of a corpus; holes give zero rows."""
        return self.space.transform(self.views(X))

    def views(self, X: AlignedCorpus) -> Views:
        """Weighted Views of a corpus in the learned columns."""
        check_is_fitted(self, "languages_")
        return self.vectorizer.transform(X)

    def score(self, X: AlignedCorpus, y: Any = None) -> float:
        """Mean mate accuracy at 1 over all ordered pairs of languages; ties count as errors."""
        return self.space.score(self.views(X))

    def __getitem__(self, language: str) -> LanguageEncoder:
        """A plain scikit-learn transformer for one language."""
        return LanguageEncoder(self, known_language(language, self.languages_))

    if TYPE_CHECKING:
        match = _match
    else:

        def match(self, source: Iterable[Any], target: Iterable[Any], **settings: Any) -> Any:
            """Trusted pairs of documents of two languages: :func:`babelspace.match` with this encoder."""
            # By name, because mining stands above the spaces; this is only the way to it that users look for.
            return import_module("babelspace.mining.matching").match(self, source, target, **settings)

    def pack(self) -> Artifact:
        """The card, and the arrays and vocabularies of both parts."""
        check_is_fitted(self, "languages_")
        features = self.vectorizer.pack()
        card = {
            "kind": artifact.ENCODER,
            "space": registry.name_of(self.space),
            "parameters": _plain(self.space.get_params()),
            "languages": list(self.languages_),
            **self.card_,
            "vectorizer": features.card,
        }
        arrays = {f"features/{name}": array for name, array in features.arrays.items()}
        arrays |= {f"space/{name}": array for name, array in self.space.get_state().items()}
        arrays |= {f"held_out/{name}": array for name, array in self.held_out_.items()}
        lines = features.lines
        if self.dictionary_ is not None:
            words = self.dictionary_.pack()
            card["dictionary"] = words.card
            arrays |= {f"dictionary/{name}": array for name, array in words.arrays.items()}
            lines = {**lines, **words.lines}
        return Artifact(card, arrays, lines)

    @classmethod
    def unpack(cls, stored: Artifact) -> Self:
        """Spaces are found by registry name only."""
        card = stored.card
        vectorizer = ViewsVectorizer.unpack(
            Artifact(card["vectorizer"], _under("features/", stored.arrays), stored.lines)
        )
        if tuple(card["languages"]) != vectorizer.languages_:
            raise ValueError(f"languages {card['languages']!r} and {vectorizer.languages_!r}")
        history = {name: card[name] for name in ("corpus", "created", "versions", "scores")}
        history |= {name: card[name] for name in ("calibration", "profile", "search", "correction") if name in card}
        space = registry.make(card["space"], **card["parameters"])
        check_parameters(space)
        space.set_state(_under("space/", stored.arrays), tuple(card["languages"]), card["vectorizer"]["columns"])
        dictionary = _dictionary(stored)
        encoder = cls(vectorizer, space)
        encoder.languages_, encoder.card_, encoder.dictionary_ = space.languages_, history, dictionary
        encoder.held_out_ = _under("held_out/", stored.arrays)
        return encoder


@dataclass
class LanguageEncoder(Transformer):
    """Texts of one `language` to the vectors of a fitted `encoder`, for scikit-learn pipelines."""

    encoder: Encoder
    language: str

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """Nothing to learn: the encoder is fitted."""
        return self

    def transform(self, X: Iterable[str]) -> Any:
        """One vector for each text: an array, or the frame that `set_output` asked for."""
        vectors = self.encoder.encode(X, self.language)
        output = getattr(self, "_output", "default")
        if output == "default":
            return vectors
        names, dense = list(self.get_feature_names_out()), as_dense(vectors)
        return need("pandas", extra="pandas").DataFrame(dense, columns=names, index=getattr(X, "index", None))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The name of each dimension, as scikit-learn names components: opca0, opca1, …"""
        width = int(self.encoder.encode([""], self.language).shape[1])
        name = type(self.encoder.space).__name__.lower()
        return np.array([f"{name}{number}" for number in range(width)], dtype=object)

    def set_output(self, *, transform: str | None = None) -> Self:
        """What `transform` gives: "default" (an array) or "pandas", as scikit-learn's transformers do."""
        if transform not in (None, "default", "pandas"):
            raise ParameterError(f"unknown output {transform!r}; allowed: default, pandas")
        if transform is not None:
            self._output = transform
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_clone__(self) -> LanguageEncoder:
        # Searches and cross validations clone what they fit; the encoder inside has nothing to learn again.
        copied = LanguageEncoder(self.encoder, self.language)
        return copied.set_output(transform=getattr(self, "_output", None))


def _dictionary(stored: Artifact) -> QueryDictionary | None:
    if "dictionary" not in stored.card:
        return None
    return QueryDictionary.unpack(
        Artifact(stored.card["dictionary"], _under("dictionary/", stored.arrays), stored.lines)
    )


def _under(prefix: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that JSON can hold; a generator as random_state is not kept."""
    plain = {name: plain_value(value) for name, value in parameters.items()}
    # The parameters of the parts of a combination are a dict themselves.
    inner = {name: _plain(value) if isinstance(value, dict) else value for name, value in plain.items()}
    return {name: value for name, value in inner.items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, dict)):
        return all(map(_is_plain, value.values() if isinstance(value, dict) else value))
    return isinstance(value, (str, int, float, bool, type(None)))
