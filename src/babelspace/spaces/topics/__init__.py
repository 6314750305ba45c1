"""Spaces whose dimensions are topics that people can read."""
