"""Reading and checking files: ids, scores and predictions in memory, everything else looked up."""

from labelcore.population.dialect import Dialect, Form
from labelcore.population.duplicates import Duplicates
from labelcore.population.engines.sources import is_address
from labelcore.population.formats import FORMATS
from labelcore.population.ids import id_parts
from labelcore.population.population import Population
from labelcore.population.read import read_as_it_is, read_population, snapshot

__all__ = [
    "FORMATS",
    "Dialect",
    "Duplicates",
    "Form",
    "Population",
    "id_parts",
    "is_address",
    "read_as_it_is",
    "read_population",
    "snapshot",
]
