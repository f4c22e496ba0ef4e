"""Coroutines of code that is not in a browser test, in a process that may have run one."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def awaited(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What it returns; in a thread, because Playwright leaves its loop running in the main one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
