"""Spaces that are one matrix a language: CL-LSI, OPCA, CCA."""
