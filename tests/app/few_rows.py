"""Imported by the process that reads files: 200 rows are more than may be held in memory there."""

from labelcore.population import apart, limits
from labelcore.population.engines import sources

sources.LARGE, limits.MOST_ROWS = 100, 150
assert apart
