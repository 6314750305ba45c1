"""Labels in one language, predictions in all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from babelspace.classification.classifiers import Codes, class_scores, make_base, small_indices
from babelspace.classification.expected_accuracy import (
    FEWEST_PAIRS,
    FOREIGN,
    UNLABELLED,
    Expected,
    JudgedDocuments,
    class_chances,
    expected,
)
from babelspace.classification.labels import class_labels
from babelspace.classification.training_rows import TrainingRows, deal, learnable
from babelspace.corpus import AlignedCorpus
from babelspace.errors import CorpusError, ParameterError, UnknownLanguage
from babelspace.runtime import progress
from babelspace.runtime.parameters import (
    SEED,
    Choice,
    Instance,
    Integer,
    Text,
    check_parameters,
    estimator,
    parameter,
    required,
)
from babelspace.runtime.seeds import Seed, generator
from babelspace.spaces import Encoder
from babelspace.vectors.similarity import Prepared, prepare


@estimator
class CrossLanguageClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that learns from labelled documents in one language and classifies documents in all.

    .. math::
        \\hat y(x) = \\arg\\max_c s_c(\\phi_m(x)), \\qquad
        P(c \\mid x) = \\mathrm{softmax}_c\\,(s_c(\\phi_m(x)) / T_m)

    The space φ brings documents of every language m together; the scores s come from the labelled documents of one
    language alone. The temperature T of a language is found on documents that the classifier has not seen: those of
    the labelled language, and for each other language their mates, which count as having the label of their source
    document. So no label of another language is ever used. The same mates tell what accuracy to expect there
    (`expected_`; the ids of their rows are `judged_`).

    References
    ----------
    Platt, Toutanova & Yih (2010), section 3.3.

    Examples
    --------
    >>> from babelspace import OPCA, CrossLanguageClassifier, Encoder, ViewsVectorizer, planted
    >>> split = planted(rows=400, topics=4, shared=0).split(0.5, 0.25, 0.25)
    >>> encoder = Encoder(ViewsVectorizer(drop_top=0), OPCA(n_components=20)).fit(split.train)
    >>> classifier = CrossLanguageClassifier(encoder, "logistic").fit(split.train, held_out=split.dev)
    >>> spanish, labels = split.test.texts("es"), [values[0] for values in split.test.field("label")]
    >>> classifier.score(spanish, labels, "es") > 0.8, classifier.expected_["es"].accuracy > 0.8
    (True, True)
    """

    encoder: Encoder = required(
        "A fitted encoder. It stays as it is, also in clones.", Instance("a fitted Encoder", ("encode", "languages_"))
    )
    base: Any = parameter(
        "nearest",
        "The class of the nearest labelled document, logistic regression, or a classifier of scikit-learn. Nearest by "
        "the similarity of the space, as in the paper; the regression has C = 10 on vectors of unit length.",
        Choice("nearest", "logistic"),
        Instance("a scikit-learn classifier", ("fit", "predict")),
    )
    language: str = parameter("en", "The language of the labelled documents.", Text())
    field: str | None = parameter(None, "The metadata field that is the class; none is `label`.", Text())
    random_state: Seed = parameter(0, SEED)
    min_documents: int = parameter(
        2,
        "Classes with fewer documents to learn from (fewer than two in any case) are left out. Documents of such "
        "classes count as errors in what is expected.",
        Integer(1),
    )

    def __sklearn_clone__(self) -> CrossLanguageClassifier:
        # A clone of the encoder would have forgotten its space.
        return type(self)(self.encoder, self.base, self.language, self.field, self.random_state, self.min_documents)

    def fit(self, X: AlignedCorpus | Sequence[str], y: Any = None, held_out: AlignedCorpus | None = None) -> Self:
        """Learn from labelled documents.

        Parameters
        ----------
        X : texts in the labelled language, or a corpus, of which the rows with text in that language and a label count
        y : a label for each text or row, None where there is none; by default those of the corpus
        held_out : rows that neither the space nor X has seen, to calibrate on and to tell what to expect; labels may
            be missing. Without them X is cut into five parts, each judged by what the others teach, which tells too
            much of languages whose mates in X taught the space.
        """
        check_is_fitted(self.encoder, "languages_")
        check_parameters(self)
        if self.language not in self.encoder.languages_:
            raise UnknownLanguage(self.language, self.encoder.languages_)
        rng = generator(self.random_state)
        self.seed_ = int(rng.integers(2**31))
        training = self._training_rows(*self._labelled(X, y))
        self.priors_ = np.bincount(training.codes) / len(training.codes)
        with progress.task(f"learning {len(self.classes_)} classes from {len(training.codes):,} documents"):
            self.model_ = self._learn(training.vectors[self.language].rows, training.codes)
        self.expected_ = self._expect(training, held_out, rng)
        return self

    def predict(
        self, X: Iterable[str], language: str | None = None, least: float = 0.0, other: str = "other"
    ) -> NDArray[Any]:
        """The class of each text, or `other` where its probability is below `least`.

        `language` is the labelled one by default.
        """
        chances = self.predict_proba(X, language)
        classes = self.classes_[np.argmax(chances, axis=1)]
        return np.where(chances.max(axis=1) < least, other, classes) if least > 0 else classes

    def predict_proba(self, X: Iterable[str], language: str | None = None) -> NDArray[np.float64]:
        """Calibrated probabilities, one column for each of `classes_`.

        A text without a known word has the shares of the classes in training.
        """
        check_is_fitted(self, "model_")
        code = language or self.language
        vectors = self._vectors(X, code)
        known = self.expected_.get(code, self.expected_[self.language])
        scores = self._scores(self.model_, vectors.rows)
        return class_chances(scores, ~vectors.valid, known.temperature, self.priors_)

    def score(self, X: Iterable[str], y: Any, language: str | None = None) -> float:
        """The share of texts whose class is predicted."""
        return float(np.mean(self.predict(X, language) == np.asarray(y)))

    def save(self, folder: str | Path) -> None:
        """Write a model folder with the classifier inside; classifiers that are not arrays are refused."""
        from babelspace.classification.storage import save

        check_is_fitted(self, "model_")
        save(self, folder)

    @classmethod
    def load(cls, folder: str | Path) -> CrossLanguageClassifier:
        """Read what `save` wrote."""
        from babelspace.classification.storage import load

        return load(folder)

    def _labelled(self, X: AlignedCorpus | Sequence[str], y: Any) -> tuple[AlignedCorpus, list[Any]]:
        """The corpus and the label of each row."""
        if not isinstance(X, AlignedCorpus):
            if y is None or isinstance(X, str):
                raise ParameterError("texts need labels: fit(texts, labels), or give a corpus that has labels.")
            X = AlignedCorpus([str(row) for row in range(len(X))], {self.language: list(X)}, name="the texts")
        if self.language not in X.languages:
            raise UnknownLanguage(self.language, X.languages)
        labels = class_labels(X, self.field) if y is None else list(y)
        if len(labels) != len(X):
            raise ParameterError(f"{len(X):,} texts and {len(labels):,} labels. Give one label for each text.")
        return X, labels

    def _training_rows(self, corpus: AlignedCorpus, labels: list[Any]) -> TrainingRows:
        """The labelled documents in the labelled language; sets `classes_`."""
        present = corpus.present(self.language)
        mine = np.array([label is not None for label in labels]) & present
        if not mine.any():
            raise CorpusError(
                f"no document of {corpus.name} in {self.language} has a label ({int(present.sum()):,} documents)",
                hint="labels belong to ids; check that the ids of the labels are those of the documents",
            )
        chosen = corpus.select(mine)
        given = np.array([label for label, taken in zip(labels, mine, strict=True) if taken])
        vectors = self._all_vectors(chosen)
        # A document without a known word teaches nothing.
        usable = vectors[self.language].valid
        taught = np.flatnonzero(learnable(given, usable, self.language, self.min_documents))
        self.classes_, codes = np.unique(given[taught], return_inverse=True)
        self.left_out_ = 1 - len(taught) / int(usable.sum())
        return TrainingRows(chosen.select(taught), codes, {name: part.select(taught) for name, part in vectors.items()})

    def _expect(
        self, training: TrainingRows, held_out: AlignedCorpus | None, rng: np.random.Generator
    ) -> dict[str, Expected]:
        """What to expect in every language that was judged; the labelled one first."""
        judged = held = None if held_out is None else self._judge(held_out)
        self.judged_ = (training.corpus if held_out is None else held_out).ids
        if judged is None or judged[self.language].labelled().size < FEWEST_PAIRS:
            crossed = self._cross_judge(training, rng)
            judged = crossed if judged is None else judged
        else:
            crossed = judged
        own = crossed[self.language]
        # Training rows that judge each other lack those of classes that were left out; held-out rows without labels
        # are taken for documents of learned classes.
        left_out = {True: self.left_out_, False: 0.0}
        source = expected(
            self.language, own.select(own.labelled()), None, self.priors_, None, left_out[crossed is not held]
        )
        documents = judged[self.language]
        chances = class_chances(documents.scores, documents.empty, source.temperature, self.priors_)
        found = {self.language: source}
        for name in (name for name in judged if name != self.language):
            mates = judged[name]
            lost = left_out[judged is not held or not mates.labelled().size]
            found[name] = expected(name, mates, chances[mates.rows], self.priors_, source.temperature, lost)
        return found

    def _judge(self, corpus: AlignedCorpus) -> dict[str, JudgedDocuments]:
        """Scores of rows that the classifier has not learned from."""
        if self.language not in corpus.languages:
            raise UnknownLanguage(self.language, corpus.languages)
        paired = corpus.select(corpus.present(self.language))
        if not len(paired):
            raise CorpusError(f"no held-out row of {corpus.name} has text in {self.language}")
        labels = class_labels(paired, self.field) if (self.field or "label") in paired.fields else [None] * len(paired)
        rows = TrainingRows(paired, self._codes(labels), self._all_vectors(paired))
        return {name: rows.judged(name, self._scores(self.model_, part.rows)) for name, part in rows.vectors.items()}

    def _cross_judge(self, training: TrainingRows, rng: np.random.Generator) -> dict[str, JudgedDocuments]:
        """Scores of each fifth of the labelled rows by what the other fifths teach."""
        folds = deal(training.codes, rng)
        scores = {name: np.empty((len(folds), len(self.classes_))) for name in training.vectors}
        for fold in progress.track(np.unique(folds), "holding out parts"):
            inside = np.flatnonzero(folds == fold)
            rest = np.flatnonzero(folds != fold)
            model = self._learn(training.vectors[self.language].rows[rest], training.codes[rest])
            for name, part in training.vectors.items():
                scores[name][inside] = self._scores(model, part.rows[inside])
        return {name: training.judged(name, found) for name, found in scores.items()}

    def _learn(self, rows: Any, codes: Codes) -> Any:
        return make_base(self.base, self.encoder.space.similarity, self.seed_).fit(small_indices(rows), codes)

    def _scores(self, model: Any, rows: Any) -> NDArray[np.float64]:
        classes = len(self.classes_)
        return class_scores(model, small_indices(rows), classes) if rows.shape[0] else np.empty((0, classes))

    def _codes(self, labels: Sequence[str | None]) -> Codes:
        """Numbers of classes; of rows without a label, and of labels that were not learned, numbers of their own."""
        numbers = {str(label): code for code, label in enumerate(self.classes_)}
        return np.array([UNLABELLED if label is None else numbers.get(label, FOREIGN) for label in labels], np.int64)

    def _vectors(self, texts: Iterable[str], language: str) -> Prepared:
        return prepare(self.encoder.encode(texts, language), self.encoder.space.similarity)

    def _all_vectors(self, corpus: AlignedCorpus) -> dict[str, Prepared]:
        """Vectors of every language of the encoder, row by row; holes are zeros."""
        common = [name for name in corpus.languages if name in self.encoder.languages_]
        return {name: self._vectors([text or "" for text in corpus.texts(name)], name) for name in common}
