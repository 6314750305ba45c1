"""Loops of topic models: PLSA, Gibbs sampling, variational inference."""
