"""Pages run by Streamlit's own tester, each test on an empty data folder."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plotly.graph_objects import Figure
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.runtime.scriptrunner_utils import script_run_context
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

import labelcore as lc
from labelcore.bounded import Work
from labelcore.charts.base import Chart
from labelcore.planning import race
from labelcore.population import apart
from labelcore.safe_text import JOINER
from labelcore.settings import DATABASE
from labelcore.store import open_store
from labelcore.store.guard import BESIDE
from labelcore.store.sqlite_backup import copy_database
from labelcore.ui import draft, forecasts, lines, new_confidence, new_price, new_race, reading
from labelcore.ui.asking import DRAFT
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_cards import ACCURACY
from labelcore.ui.params import as_inputs
from tests.answering import answer_draws
from tests.rows import write_rows

HOSTILE = "<img src=x onerror=alert(1)> **bold** :red[x] $y$ [a](javascript:b) `c`"
PATIENCE_SECONDS = 120
Make = Callable[..., lc.Session]
Once = Callable[[str, Callable[[Path], lc.Session]], lc.Session]


@pytest.fixture(scope="session", autouse=True)
def components() -> Iterator[None]:
    """Streamlit's tester asks every installed package for components once, not for each page."""
    found = manifest_scanner.scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: found)
        yield


class Served:
    """What pages ask of a server; the mock that the tester makes costs a third of a run."""

    def __init__(self, spec: type) -> None:
        self._client = SimpleNamespace(client_context=None)

    def get_client(self, session: str) -> Any:
        return self._client


@pytest.fixture(scope="session", autouse=True)
def light_runs() -> Iterator[None]:
    """Pages are compiled once in a process, not in each run, which has a light server, no hashes of
    what it sends, and a tester that waits until the page is drawn in place of looking again. None
    may end in an exception."""
    one, run = ScriptCache(), AppTest._run
    expects = local_script_runner.require_widgets_deltas

    def sound(test: AppTest, *given: Any, **more: Any) -> AppTest:
        run(test, *given, **more)
        assert not test.exception
        return test

    def waits(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
        runner._script_thread.join(timeout)
        if not runner.script_stopped():
            expects(runner, 0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AppTest, "_run", sound)
        patch.setattr(app_test, "MagicMock", Served)
        patch.setattr(local_script_runner, "require_widgets_deltas", waits)
        patch.setattr(script_run_context, "populate_hash_if_needed", lambda message: None)
        for place in (app_test, local_script_runner):
            patch.setattr(place, "ScriptCache", lambda: one)
        yield


KEPT = tempfile.TemporaryDirectory(prefix="labelcore-read-")
_read: dict[str, tuple[Any, Path, int]] = {}
"""What reading gave in this process: the answer, what was written, and when the file changed."""


class WorkHere(Work):
    """Work that is done at once in this process, which has DuckDB warm; what it gives is JSON. A
    file with the name and the bytes of one that was read before gets its time, and its answer."""

    def __init__(
        self, what: str, function: Callable[..., Any], *arguments: Any, handed: Any, **limits: Any
    ) -> None:
        self.what, self.ended = what, threading.Event()
        self.ended.set()
        folder = Path(tempfile.mkdtemp(dir=limits["folder"], prefix="work-"))
        given = arguments[0]
        parts = [Path(one) for one in ([given] if isinstance(given, str) else given)]
        path = parts[0]
        key = function.__module__ == apart.__name__ and all(map(Path.is_file, parts)) and repr(
            (function.__name__, [(one.name, one.read_bytes()) for one in parts], arguments[1:])
        )  # fmt: skip
        try:
            if key in _read:
                said, written, changed = _read[key]
                shutil.copytree(written, folder, dirs_exist_ok=True)
                os.utime(path, ns=(changed, changed))
            else:
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(tempfile, "tempdir", str(folder))
                    said = json.loads(json.dumps(function(*arguments)))
                if key:
                    written = Path(tempfile.mkdtemp(prefix="read-", dir=KEPT.name))
                    shutil.copytree(folder, written, dirs_exist_ok=True)
                    _read[key] = said, written, path.stat().st_mtime_ns
            self.found = handed(said, folder)
        except Exception as error:
            self.found = error

    def result(self) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture(autouse=True)
def read_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read in this process; ``test_large_files`` has them read in another."""
    monkeypatch.setattr(reading, "Work", WorkHere)


@pytest.fixture(autouse=True)
def no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prices on *New project* stay those of the formulas; ``test_race`` simulates them."""
    monkeypatch.setattr(new_race, "may_race", lambda population, plan: False)


@pytest.fixture(autouse=True)
def one_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """All drafts begin with one seed: what is worked out of a plan in one test serves others."""
    monkeypatch.setattr(draft, "secrets", SimpleNamespace(randbelow=lambda below: below // 2))


@pytest.fixture(autouse=True)
def open_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the tests read stands on the page; one test closes the folds again."""
    monkeypatch.setattr(lines, "OPEN_AT_FIRST", True)


@pytest.fixture
def price_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """*New project* leaves its lines below the price closed, as they are for a person: the other
    methods, and what each number costs. It works out no other method, and draws no picture."""
    monkeypatch.setattr(new_confidence, "fold", lambda title, key, inside: None)
    monkeypatch.setattr(forecasts, "lines", lambda *given: [forecasts.forecast(*given)])
    monkeypatch.setattr(new_price, "show_chart", lambda *given, **more: None)


@pytest.fixture(autouse=True)
def few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pictures of what is expected have three points a line, and no chart is made one of
    Plotly's; ``sizes`` has a doctest for all, ``tests/charts`` plots, and browser tests draw."""
    monkeypatch.setattr(Chart, "plotted", lambda chart, theme: Figure())
    monkeypatch.setattr(forecasts, "POINTS", 3)
    monkeypatch.setattr("labelcore.ui.session_picture.AHEAD_POINTS", 3)


@pytest.fixture(autouse=True)
def roughly(few_sessions_for_claims: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every page that plans claims or a cut simulates few sessions, and in this process."""
    monkeypatch.setattr(race, "CUT_SESSIONS", 2)
    monkeypatch.setattr(race, "CUT_SIZES", 2)
    monkeypatch.setattr(forecasts, "claimed", forecasts.forecast)


def write_items(folder: Path) -> Path:
    """200 items; every fifth truly yes; prediction and score right nine times in ten."""
    rows = []
    for n in range(200):
        truth = int(n % 5 == 0)
        called = truth if n % 10 else 1 - truth
        text = HOSTILE if n % 2 else f"item {n}\nwith a second line"
        rows.append([f"i{n}", text, round(0.2 + 0.6 * called + n / 2000, 4), called, truth])
    head = ["id", "text", "score_lr", "pred_lr", "true_label"]
    return write_rows(folder / "files" / "items.csv", head, rows)


@pytest.fixture
def items(data_folder: Path) -> Path:
    return write_items(data_folder)


_labelled: dict[str, Path] = {}
"""What was labelled in this process, each a folder of data to be copied."""


@pytest.fixture
def labelled_once(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Once:
    """``labelled_once(key, write)``: the project that ``write(folder)`` makes, the first of its
    test; another test with this key gets a copy of it."""

    def of(key: str, write: Callable[[Path], lc.Session]) -> lc.Session:
        if (data_folder / "labelcore.db").exists():
            return write(data_folder)
        if key not in _labelled:
            folder = tmp_path_factory.mktemp("labelled") / "data"
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("LABELCORE_DATA", str(folder))
                write(folder).store.close()
            _labelled[key] = folder
        return copied(_labelled[key], data_folder)

    return of


@pytest.fixture
def make(items: Path, data_folder: Path, labelled_once: Once) -> Make:
    """``make("name", budget=60, labels=50)``: a project in the app's own store, made once in a
    process, but for ``here=True``, where the place of file or store tells."""

    def build(
        name: str = "demo", labels: int = 0, question: str = "Spam?", here: bool = False,
        **plan: object,
    ) -> lc.Session:  # fmt: skip
        def write(folder: Path) -> lc.Session:
            return make_project(folder, name, labels, question, plan)

        if here:
            return write(data_folder)
        return labelled_once(repr((name, labels, question, plan)), write)

    return build


def make_project(
    folder: Path, name: str, labels: int, question: str, plan: dict[str, object]
) -> lc.Session:
    population = lc.read_population(
        write_items(folder), id="id", content="text",
        scores={"lr": "score_lr"}, predictions={"lr": "pred_lr"},
    )  # fmt: skip
    given = {"design": "recalibrated_neyman", "estimands": "accuracy", "budget": 60, "seed": 1}
    session = lc.Session(
        population,
        lc.Plan(**given | plan),
        f"sqlite:///{folder / 'labelcore.db'}",
        name,
        settings={"question": question, "instructions": "Junk counts."},
    )
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 5 == 0, labels)
    session.results()
    return session


def copied(first: Path, folder: Path) -> lc.Session:
    """The one project of a folder of data, opened in a copy of it; of its database as it is at one
    moment, which whoever still has it open cannot tear apart."""
    files = shutil.ignore_patterns(*(DATABASE + end for end in BESIDE))
    shutil.copytree(first, folder, ignore=files, dirs_exist_ok=True)
    copy_database(first / DATABASE, folder / DATABASE)
    store = open_store(f"sqlite:///{folder / DATABASE}")
    return lc.Session.open(store, store.projects()[0].name)


@pytest.fixture
def app(root: Path) -> Callable[..., AppTest]:
    """``app("label", project="demo")``: the page as a deep link opens it."""

    def open_page(page: str = "", /, **query: str) -> AppTest:
        test = AppTest.from_file(str(root / "app.py"), default_timeout=PATIENCE_SECONDS)
        if page:
            test.switch_page(f"pages/{page}.py")
        for name, value in query.items():
            test.query_params[name] = value
        return test.run()

    return open_page


def drawings(test: AppTest, kind: str) -> list[Any]:
    """The nodes of each drawing of a kind on the page."""
    every = [data for _, data in _components(test, "labelcore_drawing")]
    return [data["drawn"] for data in every if data["sheet"] == kind]


def pictures(test: AppTest) -> list[dict[str, Any]]:
    """What the pictures of the page show."""
    parts = [shown[2:] for shown in drawings(test, "picture")]
    return [
        {"bars": first[2][2], "said": [line[2] for line in first[3][2:]], "below": below[2:]}
        for first, below in (both for both in parts if len(both) == 2)  # Not a recorded one.
    ]


def picture(test: AppTest) -> dict[str, Any]:
    """The first of them; {} where there is none."""
    return next(iter(pictures(test)), {})


def table_rows(test: AppTest) -> list[list[str]]:
    """Of each row of the table of figures its name and its cells, in words."""

    def said(node: Any) -> str:
        return node if isinstance(node, str) else " ".join(filter(None, map(said, node[2:])))

    (table,) = drawings(test, "table")
    lines = [one for one in table[2:] if "line" in one[1]["class"]]
    return [[said(part) for part in line[2:]] for line in lines[1:]]


def _components(test: AppTest, name: str) -> list[tuple[str, dict[str, Any]]]:
    """The id and the data of each component of this name."""
    drawn = [one.proto for one in test.get("bidi_component")]
    return [(one.id, json.loads(one.json)) for one in drawn if one.component_name == name]


def cards(test: AppTest) -> dict[int, str]:
    """{draw: the texts of its card} of the cards on the page."""
    return {
        int(card[1]["data-figure"]): " | ".join(_texts_in(card[2:]))
        for drawn in drawings(test, "cards")
        for card in drawn[2:]
    }


def card_pictures(test: AppTest) -> dict[int, str]:
    """{draw: the address of its picture} of the cards that have one."""
    return {
        int(card[1]["data-figure"]): card[2][1]["src"]
        for drawn in drawings(test, "cards")
        for card in drawn[2:]
        if card[2][0] == "img"
    }


def surface(test: AppTest) -> dict[str, Any]:
    """What the labelling surface of the page is drawn from; {} where there is none."""
    return {name: part for _, one in _components(test, "labelcore_surface")
            for name, part in one.items()}  # fmt: skip


def explored(test: AppTest) -> dict[str, Any]:
    """What Explore's first screenful is drawn from; {} where there is none."""
    return next((data for _, data in _components(test, "labelcore_explore")), {})


def wish(test: AppTest, **changed: object) -> AppTest:
    """Explore after a cut, a need or a view was pressed or typed, as its script sends them."""
    ((key, data),) = _components(test, "labelcore_explore")
    now = {"cut": str(data["cut"]), **{name: data[name] for name in ("need", "view", "whole")}}
    return sent(test, key, "asked", {**now, **changed, "press": secrets.randbits(40)})


def sent(test: AppTest, key: str, event: str, value: Any) -> AppTest:
    """The page after the script of a component has sent this."""
    states = test._tree.get_widget_states()
    trigger = states.widgets.add()
    trigger.id = _make_trigger_id(key, "events")
    trigger.json_trigger_value = json.dumps([{"event": event, "value": value}])
    return test._run(states)


def item_texts(test: AppTest) -> list[str]:
    """The texts of the item on the labelling page, in order."""
    return list(_texts_in((surface(test).get("item") or {}).get("view", [])))


def _texts_in(nodes: Iterable[Any]) -> Iterator[str]:
    for one in nodes:
        if isinstance(one, str):
            yield one
        else:
            yield from _texts_in(one[2:])


@dataclass(frozen=True)
class SurfaceButton:
    """A button of the labelling surface; ``click().run()`` presses it as the browser does."""

    test: AppTest
    place: str
    label: str
    shortcut: str
    press: dict[str, Any]
    disabled: bool = False

    def click(self) -> SurfaceButton:
        return self

    def run(self) -> AppTest:
        pressed = {**self.press, "id": secrets.token_hex(8)}
        return sent(self.test, self._id(), "press", pressed)

    def _id(self) -> str:
        """That of the surface that has this button."""
        own = "answers" if self.press["act"] == "answer" else "tools"
        return next(at for at, one in _components(self.test, "labelcore_surface") if one.get(own))


def surface_buttons(test: AppTest) -> list[SurfaceButton]:
    """The answers of the labelling page, named after their place, and then its tools."""
    data = surface(test)
    token, tools = (data.get("item") or {}).get("token"), data.get("tools") or {}
    found = [
        SurfaceButton(
            test, one["place"], one["words"], one["key"],
            {"act": "answer", "answer": one["answer"], "token": token},
        )
        for one in data.get("answers") or []
    ]  # fmt: skip
    head = data.get("head") or {}
    if head.get("extend"):
        sent = {"act": "extend", "token": token, "last": 0}
        found.append(SurfaceButton(test, "extend", head["said"][0], "", sent))
    return found + [
        SurfaceButton(
            test, one["act"], one["words"], one["key"],
            {"act": one["act"], "token": token, "last": tools["last"]}, one["off"],
        )
        for one in tools.get("buttons", [])
    ]  # fmt: skip


def bar_texts(test: AppTest) -> list[list[str]]:
    """Name, value and interval of each bar of the pictures."""
    bars = [bar for one in pictures(test) for bar in one["bars"][2:]]
    return [[part[2] for part in bar[2:] if part[0] != "div"] for bar in bars]


def folds(test: AppTest) -> list[str]:
    """What stands on the lines that open, as people read it."""
    return [one.label.replace("\\", "").replace(JOINER, "") for one in test.expander]


def texts(test: AppTest) -> str:
    """Everything that stands on the page as text, its spaces plain ones."""
    kinds = (
        "title", "header", "subheader", "text", "code", "markdown", "caption", "error", "warning",
        "info", "success",
    )  # fmt: skip
    said = [str(one.value) for kind in kinds for one in getattr(test, kind)]
    head, tools = (surface(test).get(part) or {} for part in ("head", "tools"))
    said += [head.get("question", ""), " · ".join(head.get("said", ())), tools.get("saved", "")]
    said += item_texts(test)
    return "\n".join([*said, *(" ".join(bar) for bar in bar_texts(test))]).replace(
        "\N{NO-BREAK SPACE}", " "
    )


def plainly(test: AppTest) -> str:
    """The texts of a page without the signs that keep them literal."""
    return texts(test).replace("\\", "").replace(JOINER, "")


def captions(page: AppTest, key: str = "new-aim") -> list[str]:
    """What stands below the choices of a radio, such as on the cards of *New project*."""
    return [one.replace("\\", "") for one in page.radio(key=key).proto.captions]


def button(test: AppTest, start: str):
    """The button whose key, label or place on the labelling surface starts with ``start``."""
    found: list[Any] = [b for b in surface_buttons(test) if b.place.startswith(start)]
    found += [
        b for b in test.button if (b.key or "").startswith(start) or b.label.startswith(start)
    ]
    places = [b.place for b in surface_buttons(test)]
    assert found, f"no button {start!r} among {places} and {[b.key for b in test.button]}"
    return found[0]


def on(test: AppTest) -> AppTest:
    """New project's next screen."""
    button(test, "new-next").click().run()
    return test


def to_aim(test: AppTest, question: str, aim: str | None = None, **chosen: Any) -> AppTest:
    """From New project's first screen at once to the last one, with a question, and with an aim and
    other choices as another page hands them over."""
    now = test.session_state[DRAFT]
    now.question, now.step, now.every_aim = question, 3, aim is not None
    now.begin(as_inputs(ProjectDraft(question=aim, **chosen)))
    test.run()
    assert test.title[0].value == "Aim and price · 3 of 3"
    return test


def with_upload(app: Callable[..., AppTest], name: str, content: bytes) -> AppTest:
    """New project's first screen with a file that was uploaded."""
    page = app("new_project")
    page.file_uploader(key="new-upload").upload(name, content, "text/csv").run()
    return page


def opened(app: Callable[..., AppTest], path: str) -> AppTest:
    """The same with a file of the data folder."""
    page = app("new_project")
    page.text_input(key="new-typed").set_value(path).run()
    assert "no fault" in texts(page)
    return page


def whole_way(
    app: Callable[..., AppTest], items: Path, aim: str = ACCURACY.title, **chosen: object
) -> AppTest:
    """On the last screen, about the accuracy."""
    page = with_upload(app, "items.csv", items.read_bytes())
    return to_aim(page, "Is it spam?", aim, **chosen)


def error(page: AppTest) -> str:
    """The first error, as the person reads it."""
    return page.error[0].value.replace("\\", "").replace(JOINER, "")


def store(data_folder: Path) -> lc.store.LabelStore:
    return open_store(f"sqlite:///{data_folder / 'labelcore.db'}")


def created(test: AppTest, data_folder: Path) -> lc.Session:
    """The session of the one project there is, once New project has made it."""
    button(test, "new-create").click().run()
    (record,) = store(data_folder).projects()
    return lc.Session.open(store(data_folder), record.name)


def back(test: AppTest, screens: int = 1) -> AppTest:
    """So many screens of New project back."""
    for _ in range(screens):
        button(test, "new-back").click().run()
    return test


def every_question(test: AppTest) -> AppTest:
    """With the rarer questions among the others."""
    for one in [b for b in test.button if b.key == "new-press-more-aims"]:
        one.click().run()
    return test


def aimed(test: AppTest, title: str) -> AppTest:
    """With another question on the last screen of New project."""
    every_question(test).radio(key="new-aim").set_value(title).run()
    return test
