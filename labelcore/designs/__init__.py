"""The sampling methods, one file each; ``DESIGNS`` is the table of all that are registered."""

from labelcore.designs.base import Design
from labelcore.designs.registry import DESIGNS, METHODS, Method, Page, Planner, register

__all__ = ["DESIGNS", "METHODS", "Design", "Method", "Page", "Planner", "register"]
