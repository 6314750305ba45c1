"""Vocabularies, counts, weights and Views."""

from babelspace.features.vectorizer import ViewsVectorizer
from babelspace.features.views import Views
from babelspace.features.weighting import WEIGHTINGS, Weighting

__all__ = ["WEIGHTINGS", "Views", "ViewsVectorizer", "Weighting"]
