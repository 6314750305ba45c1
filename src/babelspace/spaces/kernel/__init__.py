"""Kernel canonical correlation analysis and its kernels."""
