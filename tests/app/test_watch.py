"""Watch: how each monitor stands, its waves beside each other, what is due."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.ui import monitors, sessions, visitor, watch_preview, watch_tables, watching
from labelcore.ui.figures import LATER
from labelcore.waves import preview
from labelcore.waves.plan_file import SCHEDULES
from tests import rooms
from tests.answering import answer_draws
from tests.app.conftest import HOSTILE, button, folds, pictures, texts
from tests.cases import once
from tests.waves.test_monitor import label, table

RIGHT = (0.9, 0.2, 0.2)
"""The precision of each wave."""


def write(frame: pd.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.drop(columns="truth").to_csv(path, index=False)
    return path


def week(folder: Path, wave: int, right: float) -> tuple[lc.Population, pd.DataFrame]:
    frame = table(1_000 * wave, right=right)
    frame = frame.assign(language=["de", "en"] * (len(frame) // 2))
    path = write(frame, folder / "files" / f"week {wave}.csv")
    population = lc.read_population(
        path, id="id", content="text", scores={"m": "score"}, predictions={"m": "call"},
        classes=["no", "yes"], positive="yes", groups=["language"],
    )  # fmt: skip
    return population, frame


def weeks(folder: Path) -> Path:
    """A folder of data with three finished weeks, the last two after a fall, and one that waits for
    its labels."""
    store = lc.open_store(f"sqlite:///{folder / 'labelcore.db'}")
    plan = lc.Plan("recalibrated_neyman", ["precision"], budget=80, seed=3, by="language")
    made = lc.Monitor(store, "spam", plan, ["precision >= 0.8"], since_launch=False, waves=12)
    for wave, right in enumerate((*RIGHT, 0.2)):
        population, frame = week(folder, wave, right)
        session = made.wave(population, f"w{wave}")
        if wave < len(RIGHT):
            label(session, frame)
    store.close()
    return folder


watched = once(weeks)


def test_a_plan_of_differences_alone_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    both, records = ["accuracy", "accuracy_difference"], []
    for names, settings in ((both, "{}"), (both[1:], "{}"), (both[1:], '{"trial": "judges"}')):
        plan = lc.Plan("paired_comparison", names, classifier=["a", "b"], budget=60)
        about = {"settings_json": settings, "plan_json": plan.to_json(), "name": f"p {settings}"}
        records.append(SimpleNamespace(**about, archived=False))
        assert watch_tables.may_be_watched(records[-1]) is (names == both)
    there = SimpleNamespace(projects=lambda: records)
    monkeypatch.setattr(watch_tables.sessions, "store", lambda: there)
    assert watch_tables.not_offered() == "'p {}' (about differences alone)"


@pytest.fixture
def monitor(data_folder: Path, watched: Path) -> lc.Monitor:
    shutil.copytree(watched, data_folder)
    return monitors.opened("spam")


def links(page: AppTest) -> set[str]:
    return {one.proto.label for one in page.get("page_link")}


def test_a_fall_is_told_and_its_labels_are_a_press_away(app: Callable, monitor: lc.Monitor) -> None:
    page = app("watch")
    (alarm,) = monitor.alarms
    title = page.title[0].value.replace("\\", "")
    assert title == f"spam: precision has been lower than 80 % since about {alarm.about}."
    assert title in {link.replace("\\", "") for link in links(app())}, "also on the first page"
    (report,) = page.get("download_button")
    assert report.proto.label == "Report of the last 4 waves"
    button(page, "watch-label").click().run()
    assert page.query_params["project"] == "spam: w3"


def test_a_wave_is_closed_unseen_and_the_monitor_begins_anew(
    app: Callable, monitor: lc.Monitor
) -> None:
    start = app()
    assert start.expander[0].label == "Finished waves of monitors (3)"
    assert "**spam: w3**" in links(start)
    session = sessions.session("spam: w3")
    answer_draws(session, "yes", 5)
    for name in ("label", "progress", "report", "explore"):
        page = app(name, project="spam: w3")
        assert LATER in texts(page) and not pictures(page)
    page = app("watch")
    page.text_input(key="watch-why-spam-w3").input("no more time").run()
    button(page, "watch-close-w3").click().run()
    assert monitor.due == {}
    closed = monitor.table().set_index("wave").loc["w3"]
    assert closed["promise"] == "fixed" and closed["labels"] == 5
    assert button(app("watch"), "watch-open").click().run().query_params["project"] == "spam: w1"
    closed = app("label", project="spam: w3")
    steps = {one.key: one.proto.type for one in closed.button}
    assert (steps["to-watch"], steps["to-report"]) == ("primary", "secondary")
    assert button(closed, "to-watch").click().run().query_params["monitor"] == "spam"
    button(page, "watch-restart").click().run()
    assert "must say why the monitor begins anew" in texts(page)
    page.text_input(key="watch-why-spam").input("a new classifier").run()
    button(page, "watch-restart").click().run()
    assert page.title[0].value.replace("\\", "") == "spam: begins anew with the next wave."
    assert monitor.alarms == []
    said = [(one.kind, one.text, one.annotator)
            for one in sessions.session("spam: w3").events if one.text]  # fmt: skip
    assert said == [("finished", "no more time", "me"), ("restarted", "a new classifier", "me")]


def test_a_monitor_begins_from_a_project_and_goes_on_with_the_next_table(
    app: Callable, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_preview, "SERIES", 6)
    monkeypatch.setattr(watch_preview, "SESSIONS", 4)
    shown = texts(app("watch"))
    assert watch_tables.NO_PROJECT in shown and watch_tables.WHAT_IT_DOES in shown
    population, frame = week(data_folder, 0, 0.9)
    claim = lc.Plan("recalibrated_neyman", ["precision"], claims=["precision >= 0.5"])
    for name, said, settings in (
        ("digits", watch_tables.TRIALS_ALONE, {"trial": "digits"}),
        ("claimed", watch_tables.NONE_FITS, {}),
    ):
        sessions.registry().create(name, population, claim, settings)
        assert said in texts(app("watch"))
    plan = lc.Plan("recalibrated_neyman", ["precision"], budget=60, promise="fixed", seed=1)
    label(sessions.registry().create("mail", population, plan, {"question": "Spam?"}), frame)
    link = links(app("progress", project="mail"))
    assert watch_tables.WATCH_THIS in link
    page = app("watch", **{"from": "mail"})
    assert page.text_area(key="watch-required-mail").placeholder == "precision >= 0.8"
    page.text_area(key="watch-required-mail").input("precision >= 80").run()
    assert "What is required must " in texts(page) and "share between 0 and 1" in texts(page)
    page.text_area(key="watch-required-mail").input("precision >= 0.7").run()
    page.number_input(key="watch-labels-mail").set_value(50).run()
    button(page, "watch-preview").click().run()
    slider = page.select_slider(key="watch-labels-mail-slider")
    assert [one.split(" · ")[0] for one in slider.options][:3] == ["20", "50", "100"]
    assert slider.value == 50
    slider.set_value(100).run()
    assert page.number_input(key="watch-labels-mail").value == 100
    page.number_input(key="watch-labels-mail").set_value(50).run()
    assert monitors.names() == []
    content = Path(population.path).read_bytes()
    page.file_uploader(key="watch-upload-first-mail").upload("first.csv", content, "text/csv")
    button(page, "watch-begin").click().run()
    (wave,) = sessions.store().projects()[:1]
    assert page.query_params["project"] == wave.name
    session = sessions.session(wave.name)
    assert session.plan.planned == 50 and session.settings["question"] == "Spam?"
    assert session.population.name == "first.csv"
    page = button(app("watch", **{"from": "mail"}), "watch-begin").click().run()
    assert "There is a monitor called 'mail' already. Choose another name." in texts(page)
    assert "Next table" in folds(app("watch"))
    opened = monitors.opened("mail")
    with pytest.raises(ValueError, match="must have changed since wave"):
        watch_tables.begin_wave(opened, Path(population.path), "next")
    other = data_folder / "files" / "other.csv"
    frame.drop(columns=["truth", "call"]).to_csv(other, index=False)
    lacks = r"^other.csv has no column 'call', which .*\. Its columns are 'id', .*'score'"
    with pytest.raises(ValueError, match=lacks) as refused:
        watch_tables.begin_wave(opened, other, "next")
    assert isinstance(refused.value, watch_tables.LacksColumns)
    assert refused.value.lacks == ["call"]
    without = data_folder / "files" / "without.csv"
    frame.drop(columns=["truth", "text"]).to_csv(without, index=False)
    with pytest.raises(ValueError, match=r"no column 'text', .*Rename the one that is meant"):
        watch_tables.begin_wave(opened, without, "next")
    changed = Path(week(data_folder, 7, 0.9)[0].path)
    assert watch_tables.begin_wave(opened, changed, "next") == "mail: next"
    assert opened.names[-1] == "next" and watch_tables.NOT_WORDS[0] not in session.settings


def test_a_monitor_that_began_anew_says_so_while_its_next_wave_waits(
    app: Callable, monitor: lc.Monitor
) -> None:
    monitor.restart("a new classifier", "me")
    title = app("watch").title[0].value.replace("\\", "")
    assert title == "spam: begins anew; no wave since then is finished."


def test_a_project_of_few_labels_may_be_watched(app: Callable, make: Callable) -> None:
    make(budget=5)
    assert app("watch", **{"from": "demo"}).number_input(key="watch-labels-demo").value == 10


def test_a_project_that_cannot_be_watched_is_named_with_the_reason(
    app: Callable, make: Callable
) -> None:
    make(budget=5)
    assert "Cannot be watched" not in texts(app("watch"))
    make("claimed", claims=["precision >= 0.5"])
    assert "Cannot be watched: 'claimed' (with claims)." in texts(app("watch"))


def test_a_column_that_is_called_otherwise_now_is_read_by_its_new_name(
    app: Callable, data_folder: Path, monitor: lc.Monitor
) -> None:
    page = app("watch")

    def begun(content: bytes) -> AppTest:
        page.file_uploader(key="watch-upload-spam-5").upload("next.csv", content, "text/csv").run()
        page.text_input(key="watch-wave-spam-5").input("w4")
        return button(page, "watch-next").click().run()

    path = Path(week(data_folder, 3, 0.2)[0].path)
    assert "must have changed since wave" in begun(path.read_bytes()).error[0].value
    assert "600 faults" in texts(begun(path.read_bytes().replace(b"\n", b",\n", 1)))
    frame = pd.read_csv(week(data_folder, 5, 0.9)[0].path)
    renamed = frame.rename(columns={"score": "p", "call": "said"}).to_csv(index=False).encode()
    begun(renamed)
    assert not page.error and [len(one.options) for one in page.selectbox[-2:]] == [5, 5]
    for place, name in enumerate(("p", "said")):
        page.selectbox(key=f"watch-called-{place}").set_value(name)
    button(page, "watch-next").click().run()
    assert page.query_params["project"] == "spam: w4"
    wave = sessions.session("spam: w4")
    assert wave.population.arguments["scores"] == {"m": "p"}
    assert wave.population.arguments["predictions"] == {"m": "said"}


def test_a_wave_is_called_by_its_schedule(monitor: lc.Monitor) -> None:
    standing = monitor.standing()
    for schedule in ("weekly", "each file", ""):
        due = SCHEDULES[schedule or "each file"](datetime.now(UTC).date())
        for begun, name in (({}, due), ({due: ""}, f"{due} (2)")):
            asked = replace(standing, schedule=schedule, projects=begun)
            assert watch_tables.free_wave(asked) == name


def test_what_a_wave_says_by_itself_is_said_where_there_is_no_alarm(monitor: lc.Monitor) -> None:
    standing = replace(monitor.standing(), alarms=())
    said = watching.alone_words(monitor.compare("w1", "w0"), standing, "w1")
    assert said == [
        "Lower than required, by w1 alone: Precision.",
        "Fallen, by these two waves alone: Precision; Precision, de; Precision, en.",
    ]
    assert watching.alone_words(monitor.compare("w0"), standing, "w0") == []


def test_a_bar_without_a_dot_has_its_reason(
    app: Callable, monitor: lc.Monitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert watching.NO_VALUE not in [one.value for one in app("watch").caption]
    standing = monitor.standing()
    table = standing.table.assign(value=float("nan"))
    monkeypatch.setattr(monitors.Opened, "standing", lambda _: replace(standing, table=table))
    assert watching.NO_VALUE in [one.value for one in app("watch").caption]


def test_a_monitor_asks_in_the_words_of_now_and_keeps_no_former_name(data_folder: Path) -> None:
    population, _ = week(data_folder, 0, 0.9)
    plan = lc.Plan("simple_random", ["accuracy"], budget=20)
    sessions.registry().create("mail", population, plan, {"question": "Spma?", "trial": "mail"})
    sessions.session("mail").reword(question="Spam?")
    record = sessions.store().project(sessions.registry().rename("mail", "post"))
    made = watch_tables.new_monitor(record, plan, "weekly mail", 20, 52, "weekly", ())
    assert made.settings == {"dots": True, "question": "Spam?", "schedule": "weekly"}


def test_a_tick_is_of_one_monitor(app: Callable, monitor: lc.Monitor, data_folder: Path) -> None:
    lc.Monitor(sessions.store(), "other", monitor.plan).wave(week(data_folder, 0, 0.9)[0], "w0")
    page = app("watch", monitor="spam")
    page.checkbox[0].check().run()
    page.query_params["monitor"] = "other"
    assert page.run().checkbox[0].value is False


@rooms.needs("team")
def test_who_may_not_run_begins_no_wave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visitor, "came", lambda: "start viewer")
    with pytest.raises(ValueError, match="You are here as a viewer"):
        watch_tables.begin_wave(None, Path("x"), "next")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="You are here as a viewer"):
        watch_tables.first_table(None, None)  # type: ignore[arg-type]


def test_names_notes_and_tables_of_others_do_nothing_here(app: Callable, data_folder: Path) -> None:
    """Every word that a person or a file gave is literal: monitor, wave, reason, question, ids."""
    frame = table(0).assign(id=lambda one: one["id"] + HOSTILE, text=HOSTILE)
    path = write(frame, data_folder / "files" / "week.csv")
    population = lc.read_population(
        path, id="id", content="text", scores={HOSTILE: "score"}, predictions={HOSTILE: "call"},
        classes=["no", "yes"], positive="yes",
    )  # fmt: skip
    plan = lc.Plan("recalibrated_neyman", ["precision"], budget=40, seed=3)
    made = lc.Monitor(
        sessions.store(), HOSTILE, plan, ["precision >= 0.8"], settings={"question": HOSTILE}
    )
    label(made.wave(population, f"{HOSTILE} 1"), frame)
    made.restart(HOSTILE, HOSTILE)
    page = app("watch")
    shown = [one.value for one in (*page.title, *page.markdown)]
    shown += [one.proto.label for one in page.get("page_link")]
    shown += [*page.table[0].value.columns, *page.table[0].value.to_numpy().ravel()]
    assert any("onerror" in str(one) for one in shown)
    for one in shown:
        assert HOSTILE not in str(one), one
    html = made.report()
    assert "<img" not in html and "onerror" in html


def test_what_a_monitor_will_notice_has_the_names_of_a_file_literally() -> None:
    """Classes and groups stand in the keys of figures, and what is noticed is told as Markdown."""
    row = {"watch": "w", "estimand": f"accuracy[site={HOSTILE}]", "required": None}
    rows = pd.DataFrame([row | {f"within {wave}": 1.0 for wave in preview.WITHIN}])
    said, _ = watch_preview.sentences(preview.MonitorPreview(40, 0.1, 12, 500.0, rows), "week")
    assert HOSTILE not in said and "onerror" in said


def test_a_wave_is_named_as_it_is_where_no_markdown_is_read() -> None:
    rows = pd.DataFrame([{"estimand": "accuracy", "required": 0.9}])
    standing = SimpleNamespace(table=rows)
    table = pd.DataFrame([{"estimand": "accuracy", "high": 0.5}])
    (said,) = watching.alone_words(table, standing, "w*1")  # type: ignore[arg-type]
    assert said == "Lower than required, by w*1 alone: Accuracy."
