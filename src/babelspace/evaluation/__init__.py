"""Measures, significance, experiments and reports."""
