"""The best of many scores."""
