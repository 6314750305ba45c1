"""Mined pairs before people: who judged what, which pair comes next, and what the verdicts say about all pairs."""

SUFFIX = ".review"
