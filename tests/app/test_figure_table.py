"""The table of figures on Progress: classifiers or groups down, and what differs from the rest."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.ui.compare import NONE_AHEAD, figures_of
from tests.app.conftest import HOSTILE, texts
from tests.grouped import grouped, grouped_frame, label_all


def panel() -> None:
    from labelcore.ui import sessions
    from labelcore.ui.compare import compare_panel

    compare_panel(sessions.session("groups"))


def shown(page: AppTest) -> list[list[str]]:
    (table,) = page.dataframe
    return [list(map(str, row)) for row in table.value.to_numpy().tolist()]


def test_groups_are_rows_and_what_is_not_asked_is_a_first_guess(data_folder: Path) -> None:
    frame = grouped_frame(2_000, shares=(0.6, 0.3, 0.1))
    frame["language"] = frame["language"].replace("l2", HOSTILE)
    frame.loc[frame["language"] == "l1", "truth"] = 1 - frame["truth"]
    plan = lc.Plan(
        "recalibrated_neyman", ["accuracy"], classifier="m", budget=240, by="language", seed=2,
        promise="fixed",
    )  # fmt: skip
    store = f"sqlite:///{data_folder / 'labelcore.db'}"
    session = lc.Session(grouped(frame), plan, store, "groups")
    label_all(session, frame)
    page = AppTest.from_function(panel, default_timeout=60).run()
    assert not page.exception
    rows = shown(page)
    assert [row[1] for row in rows[:4]] == ["all items", "l0", "l1", HOSTILE]
    assert "first guess" not in rows[1][4] and rows[1][5].endswith("a first guess")
    assert "l1 is " in texts(page) and " points worse than the rest" in texts(page)
    page.segmented_control[0].set_value("classifiers").run()
    assert [row[0] for row in shown(page)] == ["m", "n"] and "than the rest" not in texts(page)


def test_before_a_figure_nothing_differs(data_folder: Path) -> None:
    frame = grouped_frame(1_000, shares=(0.6, 0.4))
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], classifier="m", budget=100)
    store = f"sqlite:///{data_folder / 'labelcore.db'}"
    session = lc.Session(grouped(frame), plan, store, "groups")
    page = AppTest.from_function(panel, default_timeout=60).run()
    page.segmented_control[0].set_value("language").run()
    assert not page.exception and NONE_AHEAD in texts(page)
    assert {*figures_of(session.table("language")).to_numpy()[:, -1].tolist()} == {"not yet"}
