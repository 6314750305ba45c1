"""From result files to tables, charts and pages: `python -m benchmarks.report write`."""
