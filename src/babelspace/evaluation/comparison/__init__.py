"""Many spaces on one corpus: plan, tuning, measuring, table."""
