"""Classification across languages, and kernels that carry what a space has learned."""

from babelspace.classification.classifiers import NearestNeighbour
from babelspace.classification.expected_accuracy import Expected
from babelspace.classification.labels import class_labels, without_rare
from babelspace.classification.scores import ClassScores, class_scores_of
from babelspace.classification.semantic_kernel import SemanticKernel
from babelspace.classification.transfer import CrossLanguageClassifier

__all__ = [
    "ClassScores",
    "CrossLanguageClassifier",
    "Expected",
    "NearestNeighbour",
    "SemanticKernel",
    "class_labels",
    "class_scores_of",
    "without_rare",
]
