"""Processor time of each choice on New project, for a file with two scores.

    python docs/time_new_project.py [ITEMS]

prints a table for docs/new_project.md: the server's processor seconds, without the process that
reads the file and without the race, which runs when the page is drawn. Seed 7.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from labelcore.ui import new_cards, new_race  # noqa: E402
from tests.app.conftest import button, every_question  # noqa: E402

SEED, PATIENCE_SECONDS = 7, 600
CHOICES = ("BOTH", "ACCURACY", "SEVERAL", "SHIP", "RANKED", "PREVALENCE", "FOUND", "BOTH")


def written(items: int) -> bytes:
    """Two classifiers, right nine times in ten, the second one as the first more than that."""
    random = np.random.default_rng(SEED)

    def said(truth: np.ndarray, right: float) -> np.ndarray:
        return np.where(random.random(items) < right, truth, ~truth)

    def score(called: np.ndarray) -> np.ndarray:
        return (0.25 + 0.5 * called + random.uniform(-0.24, 0.24, items)).round(4)

    first = said(random.random(items) < 0.12, 0.9)
    second = said(first, 0.92)
    columns = {"id": [f"m{n}" for n in range(items)], "text": [f"mail {n}" for n in range(items)]}
    for name, called in (("lr", first), ("nb", second)):
        columns |= {f"score_{name}": score(called), f"pred_{name}": called.astype(int)}
    return pd.DataFrame(columns).to_csv(index=False).encode()


def timed(name: str, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    print(f"| {name} | {time.process_time() - start:.2f} |", flush=True)


def main() -> None:
    items = int(float(sys.argv[1])) if len(sys.argv) > 1 else 10_000
    os.environ["LABELCORE_DATA"] = tempfile.mkdtemp()
    new_race.may_race = lambda population, plan: False  # type: ignore[assignment]
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE_SECONDS)
    app.switch_page("pages/new_project.py")
    page = app.run()
    page.file_uploader(key="new-upload").upload("mails.csv", written(items), "text/csv").run()
    button(page, "new-next").click().run()
    page.text_input(key="new-question").set_value("Is it spam?").run()
    print("| choice | processor seconds |\n|---|---|")
    timed("the last screen", lambda: button(page, "new-next").click().run())
    every_question(page)
    for name in CHOICES:
        title = getattr(new_cards, name).title
        timed(title, lambda title=title: page.radio(key="new-aim").set_value(title).run())
        assert not page.exception
    timed("Create", lambda: button(page, "new-create").click().run())


if __name__ == "__main__":
    main()
