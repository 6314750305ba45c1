"""Drawings of numbers: matplotlib for papers, inline SVG for pages; know no models."""
