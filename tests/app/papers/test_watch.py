"""Watch with a method of the papers: its rule of alarm stands beside ours."""

from collections.abc import Callable
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.designs.registry import METHODS
from labelcore.safe_text import JOINER
from labelcore.ui import monitors, sessions, watch_preview, watch_tables
from labelcore.ui.watching import FIRST_ONLY
from tests.app.conftest import button, folds
from tests.app.test_watch import week
from tests.waves.test_monitor import label


@pytest.mark.full
def test_a_method_s_own_rule_of_alarm_stands_beside_ours(
    app: Callable, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_preview, "SERIES", 30)
    monkeypatch.setattr(watch_preview, "SESSIONS", 10)
    plan = lc.Plan("oversampling", ["precision", "recall"], budget=60, seed=1, promise="fixed")
    population, frame = week(data_folder, 0, 0.9)
    label(sessions.registry().create("mail", population, plan, {"question": "Spam?"}), frame)
    page = app("watch", **{"from": "mail"})
    button(page, "watch-preview").click().run()
    told = page.table[-1].value.replace(rf"[\\{JOINER}]", "", regex=True)
    assert list(told["Figure"]) == ["Precision", "Recall"] + ["Precision"] * 2 + ["Recall"] * 2
    assert told.iloc[0, 2].split() == ["at", "most", "5", "%"]
    assert "Shang et al. 2023" in told.iloc[2, 0]
    button(page, "watch-begin").click().run()
    for wave, right in enumerate((0.9, 0.9, 0.2)):
        if wave:
            path = Path(week(data_folder, wave, right)[0].path)
            watch_tables.begin_wave(monitors.opened("mail"), path, f"w{wave}")
        record = sessions.store().projects()[0]
        label(sessions.session(record.name), week(data_folder, wave, right)[1])
    page = app("watch")
    title = METHODS["oversampling"].alarm.title
    assert title in folds(page)
    assert FIRST_ONLY in [one.value for one in page.caption]
    shown = page.table[-1].value
    assert list(shown["Wave"])[:2] == ["w2", "w2"] and "alarm" in shown.iloc[0]["Alarm"]
