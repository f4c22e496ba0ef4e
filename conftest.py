"""The examples in the docstrings read ``items.csv``, as those of the README do."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

# Workers that fill the cores would only wait for each other's threads; read by the libraries once.
os.environ |= dict.fromkeys(["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"], "1")


@pytest.fixture(autouse=True)
def items_for_examples(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of its own for each docstring, with a file of 1,000 scored items in it."""
    if not isinstance(request.node, pytest.DoctestItem):
        return
    monkeypatch.chdir(tmp_path)
    random = Random(1)
    rows = ["id,text,lr_score,lr_pred,true_label"]
    for number in range(1, 1001):
        score = random.betavariate(0.5, 1.5)
        truth = int(random.random() < score)
        text = "you won a prize" if truth else "see you at lunch"
        rows.append(f"m{number},{text},{score:.4f},{int(score >= 0.5)},{truth}")
    Path("items.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
