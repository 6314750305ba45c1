"""Bytes of texts to numbers."""
