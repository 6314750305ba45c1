"""Measures, significance, experiments and reports."""

from babelspace.evaluation.comparison import Comparison, Row
from babelspace.evaluation.evaluate import Evaluation, evaluate
from babelspace.evaluation.experiment import compare
from babelspace.evaluation.queries import evaluate_queries

__all__ = ["Comparison", "Evaluation", "Row", "compare", "evaluate", "evaluate_queries"]
