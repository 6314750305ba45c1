"""The JSON API under /api/v1: one router a file."""
