"""Coroutines and threads that a test waits for."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Given, Result = TypeVar("Given"), TypeVar("Result")


def awaited(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What it returns; in a thread, because Playwright leaves its loop running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def at_once(work: Callable[[Given], Result], each: Iterable[Given]) -> list[Result]:
    """What the work returns for each, in threads that begin together."""
    each = [*each]
    start = threading.Barrier(len(each))

    def begin(one: Given) -> Result:
        start.wait(30)
        return work(one)

    with ThreadPoolExecutor(len(each)) as pool:
        return [*pool.map(begin, each, timeout=60)]
