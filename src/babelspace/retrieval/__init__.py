"""Use of vectors: matching."""
