"""Measures, significance, experiments and reports."""

from babelspace.evaluation.comparison.experiment import compare
from babelspace.evaluation.comparison.table import Comparison, Row
from babelspace.evaluation.mates import Evaluation, evaluate
from babelspace.evaluation.pseudo_queries import evaluate_queries

__all__ = ["Comparison", "Evaluation", "Row", "compare", "evaluate", "evaluate_queries"]
