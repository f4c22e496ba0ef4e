"""What examples and tests share: the ``items.csv`` of the docstrings, and how roughly to work."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.cases import EVERY_EXAMPLE

# Workers that fill the cores would only wait for each other's threads; read by the libraries once.
os.environ |= dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"], "1")


ROUGHLY = {
    "figures.narrowing.EVERY_LABEL": 2,
    "figures.narrowing.THEN_EVERY": 20,
    "designs.geometric_strata.PATHS": 1_000,
    "stats.watched_curve.watched_critical.__defaults__": (1_000,),
    "waves.evidence.SERIES": 2_000,
}
"""The looks that cut a watched band and the simulations that say how far one reaches, which take
most of the time that a figure does: so many where figures are only passed on. Tests of how they are
made, those marked ``as_shipped``, examples and ``.ci/full`` have them all."""
AS_SHIPPED = {"browser", "designs", "figures", "papers", "stats"}


_roughly = pytest.MonkeyPatch()
_patched = False


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    global _patched
    shipped = item.get_closest_marker("as_shipped") or AS_SHIPPED & {*item.nodeid.split("/")[:2]}
    whole = shipped or isinstance(item, pytest.DoctestItem) or EVERY_EXAMPLE in os.environ
    if _patched != (not whole):
        from labelcore.waves.evidence import threshold

        for name, few in ROUGHLY.items() if not whole else ():
            _roughly.setattr(f"labelcore.{name}", few)
        if whole:
            _roughly.undo()
        threshold.cache_clear()
        _patched = not whole


@pytest.fixture(scope="session", autouse=True)
def trail_waits() -> Iterator[None]:
    """No thread writes to the store of a test or of the next one; ``Trail.flush`` does."""
    from labelcore.store import Trail

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trail, "_begin", lambda self: None)
        yield
    assert "trail" not in {one.name for one in threading.enumerate()}


@pytest.fixture(autouse=True)
def items_for_examples(request: pytest.FixtureRequest) -> None:
    """A folder of its own for each docstring, with a file of 1,000 scored items in it."""
    if not isinstance(request.node, pytest.DoctestItem):
        return
    request.getfixturevalue("monkeypatch").chdir(request.getfixturevalue("tmp_path"))
    random = Random(1)
    rows = ["id,text,lr_score,lr_pred,true_label"]
    for number in range(1, 1001):
        score = random.betavariate(0.5, 1.5)
        truth = int(random.random() < score)
        text = "you won a prize" if truth else "see you at lunch"
        rows.append(f"m{number},{text},{score:.4f},{int(score >= 0.5)},{truth}")
    Path("items.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
