"""Labelcore: how good is a classifier, from the fewest human labels, with a number to defend.

Every public name is here. Each is loaded when it is first asked for, so that ``import labelcore``
costs next to nothing.

>>> import labelcore as lc
>>> lc.Plan("simple_random", ["accuracy"], budget=200).confidence
0.95
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from labelcore.version import __version__ as __version__

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
    "Monitor",
    "Plan",
    "Population",
    "Preview",
    "Result",
    "Session",
    "Simulation",
    "Table",
    "Wave",
    "errors",
    "label",
    "monitor",
    "open_store",
    "preview",
    "read_population",
    "replay_bundle",
    "simulate",
    "snapshot",
    "write_report",
]

if TYPE_CHECKING:
    from labelcore import errors
    from labelcore.designs import DESIGNS
    from labelcore.estimands import ESTIMANDS
    from labelcore.log.events import Draw, Event
    from labelcore.papers.oversampling.monitoring import Wave, monitor
    from labelcore.plan.plan import Plan
    from labelcore.planning.forecast import Preview, preview
    from labelcore.planning.simulation import Simulation, simulate
    from labelcore.population import Population, read_population, snapshot
    from labelcore.replay import replay_bundle
    from labelcore.report import write_report
    from labelcore.results.base import Result
    from labelcore.results.cells import Table
    from labelcore.results.curves import Band
    from labelcore.results.interval import Interval
    from labelcore.results.types import Choice, Claim, Estimate
    from labelcore.session.session import Session
    from labelcore.store import open_store
    from labelcore.ui.notebook import label
    from labelcore.waves.monitor import Monitor
else:
    # Module -> the public names it has; the imports above say the same to a type checker.
    _HOMES = {
        "designs": ("DESIGNS",),
        "estimands": ("ESTIMANDS",),
        "planning.forecast": ("Preview", "preview"),
        "log.events": ("Draw", "Event"),
        "papers.oversampling.monitoring": ("Wave", "monitor"),
        "plan.plan": ("Plan",),
        "population": ("Population", "read_population", "snapshot"),
        "replay": ("replay_bundle",),
        "report": ("write_report",),
        "results.base": ("Result",),
        "results.cells": ("Table",),
        "results.curves": ("Band",),
        "results.interval": ("Interval",),
        "results.types": ("Choice", "Claim", "Estimate"),
        "session.session": ("Session",),
        "planning.simulation": ("Simulation", "simulate"),
        "store": ("open_store",),
        "ui.notebook": ("label",),
        "waves.monitor": ("Monitor",),
    }
    _HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

    def __getattr__(name):
        if name == "errors":
            return import_module("labelcore.errors")
        if name not in _HOME_OF:
            raise AttributeError(f"module 'labelcore' has no attribute {name!r}")
        try:
            home = import_module(f"labelcore.{_HOME_OF[name]}")
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith("labelcore."):
                raise
            raise AttributeError(f"{name!r} comes with {error.name}, which is away") from error
        globals()[name] = getattr(home, name)
        return globals()[name]

    def __dir__():
        return sorted([*__all__, "__version__"])
