"""Labelcore: how good is a classifier, from the fewest human labels, with a number to defend."""

from labelcore.population import Population, read_population

__version__ = "0.1.0"

__all__ = ["Population", "read_population"]
