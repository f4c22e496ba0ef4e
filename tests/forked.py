"""Processes forked from one that has imported the product: its imports take seconds."""

from __future__ import annotations

import multiprocessing

import labelcore.log.kinds
import labelcore.population.read
import labelcore.store.sqlite  # noqa: F401

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload([__name__])
