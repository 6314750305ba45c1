"""Probabilistic latent semantic analysis, joint and coupled."""
