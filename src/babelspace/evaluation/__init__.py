"""Measures, significance, experiments and reports."""

from babelspace.evaluation.comparison import Comparison, Row
from babelspace.evaluation.evaluate import Evaluation, evaluate
from babelspace.evaluation.experiment import compare

__all__ = ["Comparison", "Evaluation", "Row", "compare", "evaluate"]
