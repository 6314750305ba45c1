"""Classifiers on disk: a model folder, with what was learned from labels in a folder inside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.linear_model._base import LinearClassifierMixin

from babelspace.classification.classifiers import BASES, LinearScores, NearestNeighbour
from babelspace.classification.expected_accuracy import Expected
from babelspace.errors import ArtifactError, ParameterError
from babelspace.runtime import artifact
from babelspace.runtime.artifact import Artifact, pack_sparse
from babelspace.runtime.checked_arrays import CheckedArrays, DamagedArray
from babelspace.runtime.files import atomic_folder
from babelspace.runtime.storable import damage_told
from babelspace.spaces import Encoder

if TYPE_CHECKING:
    from babelspace.classification.transfer import CrossLanguageClassifier

INSIDE = artifact.CLASSIFIER
MADE_BY = "{train_classifier()}"


def save(classifier: CrossLanguageClassifier, folder: str | Path) -> None:
    """The encoder as any model is saved, so that all commands read it, and the classifier in a folder inside."""
    folder = Path(folder)
    artifact.refuse_foreign(folder)
    kind, arrays = _pack(classifier.model_)
    card = {
        "kind": "classifier",
        "base": classifier.base if kind in BASES else repr(classifier.base),
        "model": kind,
        "language": classifier.language,
        "field": classifier.field,
        "classes": classifier.classes_.tolist(),
        "similarity": classifier.encoder.space.similarity,
        "expected": [found.as_dict() for found in classifier.expected_.values()],
    }
    with atomic_folder(folder) as fresh:
        classifier.encoder.save(fresh)
        lines = {"judged": list(classifier.judged_)}
        artifact.save(Artifact(card, {**arrays, "priors": classifier.priors_}, lines), fresh / INSIDE)


def load(folder: str | Path) -> CrossLanguageClassifier:
    """What `save` wrote."""
    from babelspace.classification.transfer import CrossLanguageClassifier

    folder = Path(folder)
    artifact.read_card(folder)
    artifact.refuse_link(folder / INSIDE, ArtifactError)
    if not (folder / INSIDE).is_dir():
        raise ArtifactError(f"{folder}: a model without a classifier", hint=f"make one: {MADE_BY}")
    stored = artifact.load(folder / INSIDE)
    card = stored.card
    with damage_told(folder, "classifier", MADE_BY):
        classifier = CrossLanguageClassifier(Encoder.load(folder), card["base"], card["language"], card["field"])
        classifier.classes_ = np.array(card["classes"])
        classifier.judged_ = tuple(stored.lines["judged"])
        arrays = CheckedArrays(stored.arrays, classes=len(classifier.classes_))
        classifier.priors_ = arrays.floats("priors", "classes", low=0)
        classifier.model_ = _unpack(card["model"], arrays, card["similarity"])
        arrays.finish()
        classifier.expected_ = {row["language"]: Expected.from_dict(row) for row in card["expected"]}
        if classifier.language not in classifier.expected_:
            raise DamagedArray(f"nothing is expected in {classifier.language!r}")
    return classifier


def _pack(model: Any) -> tuple[str, dict[str, NDArray[Any]]]:
    """How the model is stored, and its arrays."""
    if isinstance(model, NearestNeighbour):
        rows = model.rows_
        return "nearest", {"codes": model.codes_} | (pack_sparse("rows", rows) if issparse(rows) else {"rows": rows})
    if isinstance(model, LinearClassifierMixin):
        kind = "logistic" if type(model).__name__ == "LogisticRegression" else "linear"
        return kind, {"weights": model.coef_, "intercepts": np.atleast_1d(model.intercept_)}
    if isinstance(model, LinearScores):
        return "linear", {"weights": model.weights, "intercepts": model.intercepts}
    raise ParameterError(
        f"{type(model).__name__} cannot be saved: nearest neighbours and linear classifiers are arrays, others would "
        "have to be pickled. Use base='logistic', base='nearest' or a linear classifier; or keep it in memory."
    )


def _unpack(kind: str, arrays: CheckedArrays, similarity: str) -> Any:
    if kind != "nearest":
        return LinearScores(arrays.floats("weights", None, "dimensions"), arrays.floats("intercepts", None))
    rows = arrays.floats("rows", "rows", None) if "rows" in arrays else arrays.sparse("rows", "rows", None)
    codes = arrays.whole("codes", "rows", below="classes")
    return NearestNeighbour(similarity).keep(rows, codes)
