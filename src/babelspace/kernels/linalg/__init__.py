"""Linear algebra: eigenvectors, whitening, inverses, sparse products."""
