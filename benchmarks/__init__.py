"""What is measured (`measure`), beside whom (`peers`), against which papers (`papers`), and pages of it (`report`).

Every script runs from the root of the project: `python -m benchmarks.measure.matching --data DATA`.
"""
