"""Spaces that are trained to tell mates from all other documents: Cr5, S2Net."""
