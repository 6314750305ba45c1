"""Races with what one would use instead."""
