"""One file a question: figures into benchmarks/results/."""
