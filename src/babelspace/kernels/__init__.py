"""Loops and linear algebra: arrays in, arrays out; know no classes."""
