"""All that each page says, offers and draws in each state of a project stays, and so does *New
project* for each kind of question, *Watch*, and what the papers plan: a line for each element, with
its first words and a checksum of all its words and numbers."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from itertools import count, product
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zlib import crc32

import pytest
import streamlit as st
from google.protobuf.json_format import MessageToDict
from plotly.graph_objects import Figure
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.charts.base import Chart
from labelcore.papers.oversampling import planner as oversampling
from labelcore.safe_text import JOINER
from labelcore.session import ledger
from labelcore.ui import actions, compare, monitors, review, sessions, watch_preview, watch_tables
from labelcore.ui.asking import DRAFT
from labelcore.ui.draft import CLAIMS, ProjectDraft
from labelcore.ui.new_cards import ACCURACY, BETTER, BOTH, RANKED, SEVERAL, SHIP
from tests.app.conftest import Make, button, on, to_aim, with_upload
from tests.app.papers import test_compare as papers
from tests.app.test_every_aim import written
from tests.app.test_watch import week, weeks
from tests.pinned import stays
from tests.test_pinned import lived
from tests.waves.test_monitor import label

PAGES = ("", "label", "progress", "explore", "report", "review", "people", "audit", "watch")
CHOICE = {"candidates": [0.3, 0.5, 0.7], "precision_threshold": 0.6, "precision_slack": 0.2}
STATES: dict[str, dict[str, Any]] = {
    "new": {},
    "begun": {"labels": 12},
    "ended": {"labels": 60},
    "read twice": {"labels": 60, "repeats": 0.2},
    "read by two": {"labels": 30, "overlap": 0.2},
    "watched": {"labels": 30, "budget": None, "margin": 0.1, "promise": "watched"},
    "fixed by margin": {"labels": 30, "budget": None, "margin": 0.1, "promise": "fixed"},
    "claims": {"labels": 12, "claims": ["accuracy >= 0.6"]},
    "finished early": {"labels": 30},
    "a curve": {
        "design": "geometric_strata", "estimands": "precision_curve", "budget": 110, "labels": 50,
    },
    "a choice": {
        "design": "reach_selection", "estimands": "selection", "params": CHOICE, "labels": 12,
    },
    "a choice made": {
        "design": "reach_selection", "estimands": "selection", "params": CHOICE, "labels": 18,
    },
}  # fmt: skip
DRAFTS: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "accuracy, suggested": ("one classifier", None, {"budget": 60}),
    "both by margin": ("one classifier", BOTH.title, {"margin": 0.1}),
    "claims": ("one classifier", ACCURACY.title, {"way": CLAIMS}),
    "of the process": ("two different", ACCURACY.title, {"target": "process", "margin": 0.1}),
    "one of two": ("near equal", BETTER.title, {}),
    "a list, suggested": ("no prediction", None, {}),
    "a cut": ("no prediction", SHIP.title, {}),
    "precisions": ("two different", SEVERAL.title, {"estimands": ("precision",), "margin": 0.05}),
    "three classes, suggested": ("three classes", None, {}),
    "better, suggested": ("two different", None, {}),
}
SAID = (
    "alt", "body", "captions", "codeText", "componentName", "default", "disabled", "expanded",
    "format", "help", "icon", "json", "label", "max", "maxChars", "min", "options", "placeholder",
    "popover", "queryString", "selectionMode", "spec", "step", "type", "url", "value",
)  # fmt: skip
LAID_OUT = ("flex_container", "column", "main", "sidebar", "empty", "event", "html")
MOVES = re.compile(
    rf"[0-9a-f]{{16,}}|\d\d:{JOINER}?\d\d(:\d\d)?|\d{{4}}[-/]\d\d[-/]\d\d|\d+ [A-Z]\w\w 20\d\d"
)


def elements(node: Any) -> Iterator[Any]:
    for one in getattr(node, "children", {}).values():
        yield one
        yield from elements(one)


def offered(page: AppTest) -> list[str]:
    """Of each element its kind, its key, its first words and the checksum."""
    found = []
    for one in elements(page._tree):
        if (proto := getattr(one, "proto", None)) is None or one.type in LAID_OUT:
            continue
        sent = MessageToDict(proto)
        said = {name: sent[name] for name in SAID if name in sent}
        if one.type in ("dataframe", "table"):
            said["value"] = one.value.to_json(double_precision=6, force_ascii=False)
        words = rounded(json.dumps(said, ensure_ascii=False))
        key = sent.get("id", "").split("-", 2)[-1]
        first = said.get("label") or said.get("body") or ""
        found.append(f"{one.type} {key} {MOVES.sub('', first)[:40]!r} {crc32(words.encode()):x}")
    return found


def rounded(words: str) -> str:
    digits = re.sub(r"\d+\.\d{5,}(e-?\d+)?", lambda found: f"{float(found[0]):.5g}", words)
    return MOVES.sub("", digits)


@pytest.fixture(autouse=True)
def drawings_and_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chart is sent as what it is drawn from, and each event is a second after the last."""
    seconds = count()

    def later() -> str:
        return (datetime.now(UTC) + timedelta(seconds=next(seconds))).isoformat()

    def plotted(chart: Chart, theme: object) -> Figure:
        drawn = json.dumps(asdict(chart.drawing), default=lambda one: one.tolist())
        return Figure(layout={"title": rounded(drawn)})

    st.cache_data.clear()  # A forecast of the same file by a test that works more roughly.
    monkeypatch.setattr(Chart, "plotted", plotted)
    monkeypatch.setattr(ledger, "now", later)


@pytest.mark.as_shipped
@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_what_each_page_offers_and_draws_stays(state: str, app, make: Make) -> None:
    session = make(question="Is it spam?", **STATES[state])
    if state == "finished early":
        session.finish("enough")
    stays("offered", state, {name: offered(app(name, project="demo")) for name in PAGES})


CELL: dict[str, Any] = {compare.OPENED: ("", ("m", None), "accuracy"), compare.SHOWN: "default"}
OF_GROUP: dict[str, Any] = {
    compare.MARKED: ("language", [("m", "l0"), ("m", "l1")]),
    compare.OPENED: ("language", ("m", "l1"), "recall"),
    compare.SHOWN: "default",
}
LIVED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "errors alike": [
        ("progress", CELL),
        ("review", {review.LIST: review.WRONG}),
        ("review", {review.OPENED: (1, "1" * 24)}),
        ("label", {actions.PANEL: {"name": "said", "token": "2" * 24}}),
        ("label", {actions.PANEL: {"name": "open", "token": "3" * 24, "index": 1}}),
    ],
    "groups": [("progress", OF_GROUP)],
    "open again": [("progress", {}), ("label", {})],
    "lists": [("progress", {}), ("explore", {}), ("label", {})],
    "duel to the end": [("progress", {compare.SHOWN: "another", compare.MARKED: ("", [])})],
    "read twice": [("report", {})],
    "nothing yet": [("label", {actions.PANEL: {"name": "said", "token": "4" * 24}})],
    "classes": [("progress", {}), ("explore", {})],
    "choice, another": [("explore", {})],
}
"""What happened, and the pages that are opened then with this in their state."""


@pytest.mark.as_shipped
@pytest.mark.slow
@pytest.mark.parametrize("name", LIVED)
def test_what_pages_offer_after_a_story_stays(name: str, app, data_folder: Path) -> None:
    data_folder.mkdir()
    session = lived(name, [datetime.now(UTC)], f"sqlite:///{data_folder / 'labelcore.db'}")
    if name == "choice, another":  # Two choices on a file stand side by side.
        lc.Session(session.population, session.plan, session.store, "the same")
    found = {}
    for page, state in LIVED[name]:
        shown = app(page, project=session.project)
        for key, value in state.items():
            shown.session_state[key] = value
        if state.get(review.LIST):
            pill = next(
                one for one in shown.run().button_group if one.key.startswith(review.COMMON)
            )
            found["in common"] = offered(shown)
            pill.select(pill.options[0])
        found[" ".join([page, *state])] = offered(shown.run() if state else shown)
        assert not shown.error, page
    stays("offered", f"story: {name}", found)


@pytest.mark.as_shipped
@pytest.mark.slow
@pytest.mark.parametrize("name", DRAFTS)
def test_what_new_project_offers_stays(name: str, app) -> None:
    kind, aim, chosen = DRAFTS[name]
    page = with_upload(app, "items.csv", written(kind))
    found = {"items": offered(page), "question": offered(on(page))}
    found["aim"] = offered(to_aim(page, "Is it spam?", aim, **chosen))
    stays("offered", f"draft: {name}", found)


ROWS: dict[str, tuple[str, Callable[[int], str]]] = {
    "grades": ("score_a", lambda n: f"{n * n % 7 % 5 + 1}"),
    "one grade": ("score_a", lambda n: "3"),
    "groups": (
        "score_a,pred_a,pred_b,language",
        lambda n: f"{n * 7 % 240 / 240:.3f},{int(n * 7 % 240 > 140)},{n % 2},l{n % 3}",
    ),
}
"""Columns beside the id and the text, and what is in them in each row."""
LEVEL: dict[str, Any] = {"way": CLAIMS, "claims": {"0-figure": "precision", "0-percent": 60.0}}
SCREENS: dict[str, tuple[str, str | None, dict[str, Any]]] = {
    "claims of groups": (
        "groups", ACCURACY.title,
        {"way": CLAIMS, "claim_count": 2, "claims": {"0-group": "[every language]"}},
    ),
    "claims of classes": ("three classes", ACCURACY.title, LEVEL),
    "two people": ("one classifier", ACCURACY.title, {"budget": 60, "readers": 2}),
    "judged again": ("one classifier", ACCURACY.title, {"budget": 60, "repeats": 0.2}),
    "grades": ("grades", ACCURACY.title, {}),
    "one grade": ("one grade", ACCURACY.title, {}),
    "a band by margin": ("no prediction", RANKED.title, {"margin": 0.1}),
    "two numbers of a list": (
        "no prediction", RANKED.title, {"estimands": ("precision_curve", "average_precision")},
    ),
    "no difference": (
        "same", BETTER.title, {"design": "paired_comparison", "pair": ["b", "a"]},
    ),
}  # fmt: skip


@pytest.mark.as_shipped
@pytest.mark.slow
@pytest.mark.parametrize("name", SCREENS)
def test_what_the_last_screen_offers_stays(name: str, app) -> None:
    kind, aim, chosen = SCREENS[name]
    if kind in ROWS:
        head, row = ROWS[kind]
        rows = (f"i{n},item {n},{row(n)}" for n in range(240))
        content = "\n".join([f"id,text,{head}", *rows]).encode()
    else:
        content = written(kind)
    page = with_upload(app, "items.csv", content)
    handed = {key: chosen[key] for key in chosen if key in ProjectDraft.__dataclass_fields__}
    vars(page.session_state[DRAFT]).update(
        {key: chosen[key] for key in chosen if key not in handed}
    )
    to_aim(page, "Is it spam?", aim, **handed)
    found = {"": offered(page)}
    for way in (one for one in page.button if one.key == "new-way-out-0"):
        found["way out"] = offered(way.click().run())
    stays("offered", f"screen: {name}", found)


PLANNED: dict[str, list[dict[str, Any]]] = {
    papers.STRATA: [{"allocation": "optimal"}, {"allocation": "equal"}],
    papers.OVERSAMPLING: [
        {"precision": 98.0, "recall": 20.0},
        {"precision": 70.0, "recall": 60.0, "margin": 6.0},
        {"planned-by": oversampling.EARLIER},
        {f"earlier-{name}": 12 + 30 * at for at, name in enumerate(oversampling.CELLS)},
    ],
    papers.RECYCLING: [{"children": []}, {"children": ["b"], "draws": 150}],
    papers.CHOICE: [
        {"sizes": "100, 300"},
        {"slack": 95.0},
        {"slack": 10.0, "wanted": None},
        {"wanted": 90.0, "budget": 5},
        {"budget": None, "candidates": "Classifiers"},
    ],
    papers.CURVE: [
        {"half": None},
        {"half": 12.0, "least": None},
        {"least": 50.0, "from": "Epsilon", "goes-on": "PAULA"},
    ],
}


def chosen(page: AppTest, asked: dict[str, Any]) -> AppTest:
    """The page of the papers after these inputs."""
    for start, value in asked.items():
        keyed = [one for one in elements(page._tree) if (getattr(one, "key", "") or "")]
        next(one for one in keyed if one.key.startswith(f"compare-{start}")).set_value(value)
    return page.run()


@pytest.mark.as_shipped
@pytest.mark.slow
@pytest.mark.parametrize("planner", PLANNED)
def test_what_the_papers_plan_stays(planner: str, app, data_folder: Path) -> None:
    papers.write(data_folder / "two.csv")
    page = app("method", page="compare")
    page.session_state["compare-planner"] = planner
    found = {"": offered(page.text_input(key="new-typed").set_value("two.csv").run())}
    found |= {" ".join(asked): offered(chosen(page, asked)) for asked in PLANNED[planner]}
    found["plan"] = [papers.goes_on(page, data_folder).to_json()]
    stays("offered", f"planner: {planner}", found)


@pytest.mark.as_shipped
@pytest.mark.slow
def test_what_is_offered_of_a_monitor_stays(app, data_folder: Path) -> None:
    """After a fall, and after it began anew."""
    data_folder.mkdir()
    weeks(data_folder)
    found = {"": offered(app()), "watch": offered(page := app("watch"))}
    page.selectbox(key="watch-then-spam-w2").select("w0").run()
    found["other"] = offered(page)
    for wave, name in product(("w2", "w3"), PAGES[1:5]):
        found[f"{wave} {name}"] = offered(app(name, project=f"spam: {wave}"))
    made = monitors.opened("spam")
    made.close("w3", "enough", "me")
    made.restart("another classifier", "me")
    found |= {"anew": offered(app("watch")), "closed": offered(app("label", project="spam: w3"))}
    stays("offered", "a monitor", found)


@pytest.mark.as_shipped
@pytest.mark.slow
@pytest.mark.parametrize("design", ["recalibrated_neyman", "oversampling"])
def test_what_a_first_wave_offers_stays(
    design: str, app, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch_preview, "SERIES", 30)
    monkeypatch.setattr(watch_preview, "SESSIONS", 10)
    monkeypatch.setattr(watch_tables, "secrets", SimpleNamespace(randbelow=lambda below: 7))
    plan = lc.Plan(design, ["precision", "recall"], budget=60, seed=1, promise="fixed")
    population, frame = week(data_folder, 0, 0.9)
    label(sessions.registry().create("mail", population, plan, {"question": "Spam?"}), frame)
    page = app("watch", **{"from": "mail"})
    found = {"asked": offered(page)}
    page.text_area(key="watch-required-mail").input("precision >= 0.7\nrecall >= 0.4").run()
    found["preview"] = offered(button(page, "watch-preview").click().run())
    button(page, "watch-begin").click().run()
    found["begun"] = offered(app("watch"))
    for wave, right in enumerate((0.9, 0.2)):
        population, frame = week(data_folder, wave, right)
        if wave:
            watch_tables.begin_wave(monitors.opened("mail"), Path(population.path), f"w{wave}")
        label(sessions.session(sessions.store().projects()[0].name), frame)
    found["second"] = offered(app("watch"))
    stays("offered", f"a first wave: {design}", found)
