"""Labelcore: how good is a classifier, from the fewest human labels, with a number to defend."""

from labelcore.designs import DESIGNS
from labelcore.estimands import ESTIMANDS
from labelcore.log import Draw, Event
from labelcore.plan import Plan
from labelcore.population import Population, read_population
from labelcore.preview import Preview, preview
from labelcore.results import Band, Choice, Claim, Estimate, Interval
from labelcore.session import Session
from labelcore.simulate import Simulation, simulate

__version__ = "0.1.0"

__all__ = [
    "DESIGNS",
    "ESTIMANDS",
    "Band",
    "Choice",
    "Claim",
    "Draw",
    "Estimate",
    "Event",
    "Interval",
    "Plan",
    "Population",
    "Preview",
    "Session",
    "Simulation",
    "preview",
    "read_population",
    "simulate",
]
