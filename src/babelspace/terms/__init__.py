"""Dictionaries from word links."""
