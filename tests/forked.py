"""Processes forked from one that has imported the product: its imports take seconds."""

import multiprocessing
import sys
from multiprocessing.process import BaseProcess
from types import ModuleType

import pytest

import labelcore.log.kinds
import labelcore.population.read
import labelcore.store.sqlite  # noqa: F401

FORKED = multiprocessing.get_context("forkserver")
FORKED.set_forkserver_preload([__name__])


def launch(process: BaseProcess) -> None:
    """Without what stands for the program here, such as a page under test: it would be run again
    there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "__main__", ModuleType("__main__"))
        process.start()
