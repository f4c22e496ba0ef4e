"""Packages that only some users need."""

from __future__ import annotations

import importlib
from types import ModuleType

EXTRAS = {"psycopg": "postgresql", "pyspark": "spark"}
"""Package -> the extra of labelcore that brings it."""


def imported(package: str, source: str) -> ModuleType:
    """A package of an extra. ValueError that names the extra if it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        extra = EXTRAS[package]
        raise ValueError(
            f'{source}: reading it takes the package {package}: pip install "labelcore[{extra}]"'
        ) from error
