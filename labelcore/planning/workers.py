"""Work shared out over processes that know nothing of the file that called them.

Those of ``concurrent.futures`` run that file once more: it would start a page again, and a script
without a guard for ever. joblib's do not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TypeVar

from joblib import Parallel, delayed

PartT = TypeVar("PartT")
ResultT = TypeVar("ResultT")
Done = Callable[[int], object]


def in_order(
    work: Callable[[PartT], ResultT],
    parts: Sequence[PartT],
    *,
    workers: int = 1,
    done: Done = lambda number: None,
) -> list[ResultT]:
    """``work`` of each part, in the order of the parts.

    workers   processes that share the parts; with 1 all is done here
    done      called here with the number of parts that are done; False ends the work, and the
              results of the parts that are done are returned

    Raises what ``work`` or ``done`` raises.
    """
    pool = Parallel(min(workers, max(len(parts), 1)), return_as="generator", batch_size=1)
    found: list[ResultT] = []
    with closing(pool(delayed(work)(part) for part in parts)) as results:
        for one in results:
            found.append(one)
            if done(len(found)) is False:
                break
    return found
