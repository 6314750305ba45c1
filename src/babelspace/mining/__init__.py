"""Documents in, pairs that can be trusted out."""
