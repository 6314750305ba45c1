"""Spaces whose dimensions are background documents: ESA, ONETA and its approximations."""
