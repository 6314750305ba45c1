"""Linear algebra: eigenvectors, whitening, inverses, sparse products.

`import scipy`, not `import scipy.linalg`: SciPy then loads that part when it is first used, which a query never does.
"""
