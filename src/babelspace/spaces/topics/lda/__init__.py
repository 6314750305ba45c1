"""Multilingual latent Dirichlet allocation: Gibbs sampling and variational inference."""
