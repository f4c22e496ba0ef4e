"""The published numbers of the five papers, computed again: ``python -m benchmarks.papers``."""
