"""Spaces whose dimensions are words: untranslated, word by word, translated."""
