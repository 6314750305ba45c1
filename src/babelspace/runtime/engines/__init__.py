"""Engines: where blocks of rows are worked on."""
