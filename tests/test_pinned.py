"""What a project shows of a fixed file stays: what is asked, all figures, all pictures, by the
numbers in its report; and its words, of projects and monitors to which more happened."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields, is_dataclass
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs import base
from labelcore.report.data import report_text
from labelcore.report.error_cards import error_cards
from labelcore.report.facts import Facts
from labelcore.report.page import page, sections_of
from labelcore.report.style import SCRIPT, STYLE
from labelcore.session import drawing, ledger, projects
from labelcore.session import session as whole
from labelcore.waves import checks, monitor, quarter
from labelcore.waves.preview import known_rates
from tests.answering import answer_draws, next_draw
from tests.grouped import grouped, grouped_frame
from tests.judged import judged, judged_frame
from tests.pinned import numbers, stays, summed

pytestmark = [pytest.mark.slow, pytest.mark.as_shipped]

OURS, BOTH, DIFFERENCE = "recalibrated_neyman", ["m", "n"], ["precision_curve_difference"]
AT_MARGIN = {"promise": "watched", "margin": 0.2, "budget": None}
HELPED = {"interval": "difference", "helpers": ["n"]}
CALLS = {"scores": {"n": "other"}, "thresholds": {"n": 0.5}, "predictions": {"m": "called"}}
PLANS: dict[str, dict[str, Any]] = {
    "read twice": {"design": "simple_random", "estimands": ["accuracy", "recall"], "repeats": 0.2},
    "watched": {"design": OURS, "estimands": ["precision", "f1"], "budget": None, "margin": 0.2},
    "together": {"design": OURS, "estimands": ["recall", "prevalence"], "together": True},
    "stream": {"design": OURS, "estimands": ["precision"], "target": "process"},
    "two": {"design": "agreement_patterns", "estimands": ["recall"], "classifier": BOTH},
    "curve": {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 130},
    "lists": {"design": "paired_lists", "estimands": DIFFERENCE, "classifier": BOTH},
    "strata": {"design": "stratified", "estimands": ["accuracy"]},
    "waves": {"design": "oversampling", "estimands": ["precision", "recall"]},
    "paula": {"design": "paula", "estimands": ["precision_curve"]},
    "rings": {"design": "logarithmic_stratified", "estimands": ["precision_curve"]},
    "random curve": {"design": "random_curve", "estimands": ["precision_curve"]},
    "recycled": {
        "design": "recycling", "estimands": ["precision"],
        "params": {"parent": "m", "children": ["n"]},
    },
    "sequence": {
        "design": "simple_random", "estimands": ["precision", "f1"], "promise": "watched",
        "params": {"interval": "sequence"},
    },
    "waves, watched": {"design": "oversampling", "estimands": ["f1"], **AT_MARGIN},
    "strata, watched": {"design": "stratified", "estimands": ["accuracy"], **AT_MARGIN},
    "helped": {"design": "simple_random", "estimands": ["accuracy"], "params": HELPED},
    "helped, calls": {
        "design": "simple_random", "estimands": ["accuracy"], "params": HELPED, "reads": CALLS,
    },
    "helped, groups": {
        "design": OURS, "estimands": ["recall"], "by": "language", "params": {"helpers": ["n"]},
    },
    "alone": {
        "design": "simple_random", "estimands": ["precision"], "classifier": None,
        "reads": {"scores": {"m": "score"}, "thresholds": {"m": 0.5}},
    },
    "sure": {"design": OURS, "estimands": ["recall", "accuracy"], "sure_scores": ["m"]},
    "large": {"design": OURS, "estimands": ["precision", "recall"]},
    "large, calls": {"design": OURS, "estimands": ["recall"], "reads": CALLS},
    "large, two": {"design": OURS, "estimands": ["recall"], "classifier": BOTH},
    "large, pair": {"design": "paired_comparison", "estimands": ["accuracy"], "classifier": BOTH},
    "large, curve": {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 130},
    "large, strata": {"design": "stratified", "estimands": ["accuracy"]},
}  # fmt: skip


def session_of(plan: dict[str, Any]) -> tuple[lc.Session, list[int], lc.Preview]:
    """After forty answers, some unsure, put off or taken back; the places of what was asked, and
    what was expected."""
    frame, asked = grouped_frame(400, shares=(0.6, 0.4)), []
    given = {"budget": 90, "classifier": "m", "seed": 3, **plan}
    calls = frame.assign(called=(frame["score"] > 0.6).astype(int))
    population = grouped(calls, **given.pop("reads", {}))
    wanted = lc.Plan(given.pop("design"), given.pop("estimands"), **given)
    session, ahead = lc.Session(population, wanted), lc.preview(population, wanted)
    for number in range(40):
        draw = next_draw(session)
        asked.append(population.position(draw.item_id))
        odd = {4: "unsure", 7: "later"}.get(number % 11)
        session.answer(draw, odd or bool(frame["truth"][asked[-1]]))
        if number == 20:
            session.undo()
    return session, asked, ahead


def drawn(page: str) -> Iterator[tuple[str, float]]:
    """The numbers of the pictures of a report, by element and attribute."""
    for picture in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        for element, attributes in re.findall(r"<(\w+) ([^>]*)>", picture):
            for name, text in re.findall(r'([\w-]+)="([^"]*)"', attributes):
                for number in re.findall(r"-?\d+\.?\d*", text):
                    yield f"picture/{element}.{name}", float(number)


def worded(html: str) -> Iterator[tuple[str, Any]]:
    """Of a page, its texts by section, and how many elements and colours of each kind it has."""
    html = html.replace(STYLE, "").replace(SCRIPT, "")
    html = re.sub(r"[0-9a-f]{64}|(?<=by Labelcore )[\d.]+\d", "OTHER", html)
    for place, part in enumerate(html.split("<section")):
        yield f"words/{place}", re.sub("(<[^>]*>)+", "|", part)
    pictures = re.findall(r"<svg.*?</svg>", html, flags=re.DOTALL)
    tags = re.findall("<[^/!][^>]*>", re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL))
    looks = re.findall(r' [\w-]+="[^"0-9]+"', "".join(pictures))
    yield from ((f"tags/{tag}", [number]) for tag, number in Counter([*tags, *looks]).items())


Step = Callable[[lc.Session, pd.DataFrame], object]
WORDING = {"question": "Is it one?", "title": "Ones", "dots": True, "used_for_training": "some"}
CHOICE = {"candidates": [0.3, 0.5, 0.7], "precision_threshold": 0.6, "precision_slack": 0.1}


def labels(number: int | None = None, who: str = "me") -> Step:
    """So many answers, all of them without a number; of nine in turn one is wrong, one unsure."""

    def step(session: lc.Session, frame: pd.DataFrame) -> None:
        truth, turns = dict(zip(frame["id"], frame["truth"], strict=True)), count()
        given = lambda draw, turn: session.population.classes[truth[draw.item_id] - (turn == 6)]  # noqa: E731
        said = lambda draw: "unsure" if (turn := next(turns) % 9) == 3 else given(draw, turn)  # noqa: E731
        answer_draws(session, said, number, who=who)

    return step


def marked(session: lc.Session, _: pd.DataFrame) -> None:
    session.reword(question="Is it?", highlight={"words": ["won"], "patterns": []})
    draws = []
    for answer in ("no", "later", "broken"):
        draws.append(next_draw(session, "ann"))
        session.answer(draws[-1], answer)
    session.undo("ann")
    session.note(draws[0].index, "odd one", "ann")
    session.flag(draws[0].index, annotator="ann")
    session.revise(draws[0].index, "yes", "better", annotator="ann")
    session.release(next_draw(session, "bob"))


def settled(session: lc.Session, _: pd.DataFrame) -> None:
    for one in session.unsettled():
        session.settle(one.first.item_id, session.population.positive, "ann", "it is one")


def ended(session: lc.Session, _: pd.DataFrame) -> None:
    session.finish("that is enough")


def by_language(session: lc.Session, frame: pd.DataFrame) -> None:
    spoken = dict(zip(frame["id"], frame["language"], strict=True))
    answer_draws(session, lambda draw: spoken[draw.item_id] == "l1")


def turned(session: lc.Session, _: pd.DataFrame) -> None:
    for place, event in enumerate([one for one in session.events if one.label in ("yes", "no")]):
        session.revise(event.index, "no" if event.label == "yes" else "yes", f"turned {place}")


def classes_frame() -> pd.DataFrame:
    """Three classes, one of them rare; what a classifier says, and what is known."""
    random, names = np.random.default_rng(8), np.array(["ham", "other", "spam"])
    truth = random.choice(3, 300, p=[0.6, 0.1, 0.3])
    called = names[np.where(random.random(300) < 0.8, truth, random.choice(3, 300))]
    known = np.where(np.arange(300) < 40, names[truth], "")
    columns = {"m": called, "truth": truth, "known": known}
    return pd.DataFrame({"id": [f"i{at}" for at in range(300)], "text": "item", **columns})


STORIES: dict[str, tuple[dict[str, Any], list[Step]]] = {
    "several people": (
        {"design": "simple_random", "estimands": ["accuracy", "recall"], "overlap": 0.9},
        [marked, labels(14, "ann"), labels(16, "bob"), settled, labels(24, "eve"), ended],
    ),
    "read twice": (
        {"estimands": ["precision", "recall"], "repeats": 0.7, "together": True, "budget": 40,
         "claims": ["recall >= 0.1", "accuracy < 0.9"], "claim_form": "approximate",
         "unsure": "odds"},
        [labels()],
    ),
    "two stages": (
        {"estimands": ["precision"], "promise": "fixed", "budget": 25,
         "claims": ["precision >= 0.3", "precision >= 0.95"]},
        [labels(), lambda session, _: session.extend(budget=40), labels(9)],
    ),
    "groups": (
        {"estimands": ["recall"], "by": "language", "budget": 80,
         "claims": ["accuracy[every language] >= 0.4", "precision[some language] < 0.8"]},
        [labels(30), lambda session, _: session.extend(budget=100, group="l1"), labels(4)],
    ),
    "duel": (
        {"design": "paired_comparison", "estimands": ["accuracy"], "classifier": BOTH,
         "claims": ["accuracy[m] > accuracy[n]"]},
        [labels()],
    ),
    "judge": (
        {"estimands": ["prevalence"], "classifier": "judge", "by": "model", "budget": 90},
        [labels()],
    ),
    "classes": (
        {"estimands": ["accuracy", "precision"], "existing": "certainty",
         "classes": ["other", "spam"]},
        [labels(40), ended],
    ),
    "choice": (
        {"design": "reach_selection", "estimands": "selection", "params": CHOICE, "budget": 200},
        [labels()],
    ),
    "choice, another": (
        {"design": "reach_selection", "estimands": "selection", "params": CHOICE, "budget": 200},
        [labels(), lambda session, _: session.seek_choice(0.55, budget=133), labels()],
    ),
    "classes, people": (
        {"design": "simple_random", "estimands": ["accuracy", "recall"], "overlap": 0.9,
         "classes": ["spam"], "existing": "ignored"},
        [labels(14, "ann"), labels(20, "bob"), settled, labels(24, "eve"), ended],
    ),
    "watched on": (
        {"estimands": ["precision"], "promise": "watched", "budget": 40},
        [labels(), lambda session, _: session.extend(budget=70), labels(20),
         lambda session, _: session.second_pass(6), labels(3)],
    ),
    "nothing yet": ({"design": "simple_random", "estimands": ["f1"]}, []),
    "lists": (
        {"design": "paired_lists", "estimands": DIFFERENCE, "classifier": BOTH},
        [labels(), ended],
    ),
    "duel to the end": (
        {"design": "paired_comparison", "estimands": ["accuracy_difference"], "classifier": BOTH,
         "budget": 300},
        [lambda session, _: answer_draws(session, "yes")],
    ),
    "errors alike": (
        {"estimands": ["accuracy"], "margin": 0.1, "budget": None, "classifier": BOTH},
        [by_language],
    ),
    "open again": (
        {"estimands": ["accuracy"], "claims": ["accuracy >= 0.2", "accuracy < 0.99"]},
        [labels(), turned],
    ),
}  # fmt: skip
FIRST = "the first result"
ASKED: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        ("results_table", "strata", "confusion", "labels_table", "calibration", "corrected_scores",
         "readings", "agreement", "label_error", "errors_in_common", "differences", "judge",
         "ranking", "curves", "list_difference", "history", "unsettled"), (),
    ),
    "table": ("language",), "by_group": ("language",), "cut": (30,), "deepest_cut": (0.7, 200),
    "cheapest_cut": (1, 2), "packages": ([0.4, 0.6],), "choices_at": ([0.5, 0.8],),
    "labels_until_choice": (0.8,), "list_items": (20,), "course": (FIRST,),
}  # fmt: skip
"""What a session is asked, and with which arguments."""
READ: dict[str, dict[str, Any]] = {
    "lists": {"thresholds": {}}, "errors alike": {"metadata": "language"},
}  # fmt: skip
SAID = {"errors alike": {"hidden": {"language": "system"}}}


def lived(name: str, clock: list[datetime], store: str | None = None) -> lc.Session:
    frame: pd.DataFrame
    if name == "judge":
        frame = judged_frame(60, systems={"alpha": 0.9, "beta": 0.2, "gamma": -0.4})
        population = judged(frame)
    elif name.startswith("classes"):
        given = {"scores": {}, "thresholds": {}, "groups": (), "predictions": {"m": "m"}}
        population = grouped(frame := classes_frame(), known="known", **given)
    else:
        population = grouped(frame := grouped_frame(300, shares=(0.6, 0.4)), **READ.get(name, {}))
    plan, steps = STORIES[name]
    given = {"design": OURS, "budget": 60, "classifier": "m", "seed": 3, **plan}
    made = lc.Plan(given.pop("design"), given.pop("estimands"), **given)
    session = lc.Session(population, made, store, settings=WORDING | SAID.get(name, {}))
    for step in steps:
        clock.append(clock[-1] + timedelta(hours=7))
        step(session, frame)
        session.results()
    return session


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[datetime]:
    """Times of what happens: the last one is now."""
    times = [datetime(2026, 5, 3, 8, tzinfo=UTC)]
    for module in (drawing, ledger, projects, whole, checks, monitor, quarter):
        monkeypatch.setattr(module, "now", lambda: times[-1].isoformat(timespec="microseconds"))
    return times


@pytest.mark.parametrize("name", PLANS)
def test_what_a_project_shows_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if name.startswith("large"):
        monkeypatch.setattr(base, "LARGE", 100)
    session, asked, ahead = session_of(PLANS[name])
    facts = Facts(session)
    html = "".join(one.html for one in sections_of(facts))
    words = ((key, crc32(text.encode())) for key, text in worded(html) if isinstance(text, str))
    found = (
        *(("asked", place) for place in asked),
        *numbers(json.loads(report_text(facts))),
        *drawn(html),
        *words,
    )
    stays("shown", name, summed(found) | dict(counted("ahead", plain([ahead, ahead.table]))))


def plain(value: Any) -> Any:
    """What somebody is told, as JSON."""
    if isinstance(value, pd.DataFrame):
        return json.loads(value.to_json(orient="records", double_precision=15, date_format="iso"))
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(one) for one in value]
    return value if isinstance(value, int | float | dict) and value == value else str(value)


def counted(name: str, found: Any) -> Iterator[tuple[str, Any]]:
    """Its numbers, and a checksum of its words."""
    yield from summed(numbers(found, name)).items()
    words = re.sub(r"[0-9a-f]{16,}|-?\d+\.\d{6,}", "", json.dumps(found, default=str))
    yield name, [crc32(words.encode())]


def told(session: lc.Session) -> Iterator[tuple[str, Any]]:
    """The numbers of the answers to ``ASKED``, a checksum of their words, or why there is none."""
    first = next(iter(session.results()))
    for name, given in ASKED.items():
        try:
            found = plain(
                getattr(session, name)(*(first if one is FIRST else one for one in given))
            )
        except ValueError as error:
            yield f"told/{name}", str(error)
            continue
        yield from counted(f"told/{name}", found)


@pytest.mark.parametrize("name", STORIES)
def test_what_a_project_says_stays(name: str, clock: list[datetime]) -> None:
    session = lived(name, clock)
    facts = Facts(session)
    html = page(session, facts, error_cards(session))
    shown = summed((*numbers(json.loads(report_text(facts))), *drawn(html)))
    stays("said", name, shown | dict(worded(html)) | dict(told(session)))


MONITORS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "languages": (
        {"estimands": ["precision", "recall"], "by": "language", "budget": 100},
        ["recall >= 0.7", "precision[language=l1] >= 0.5"],
    ),
    "of samples": (
        {"design": "oversampling", "estimands": ["precision", "recall"], "budget": 60},
        ["recall >= 0.6"],
    ),
    "plain": (
        {"design": "simple_random", "estimands": ["accuracy", "precision"], "budget": 40},
        ["accuracy >= 0.9"],
    ),
    "classes": ({"estimands": ["accuracy", "recall"], "classes": ["spam"], "budget": 30}, []),
}


def waves_of(made: lc.Monitor, frame: pd.DataFrame, read: Callable[..., Any]) -> Iterator[Any]:
    """Two waves without a change, a fall, and after a restart one that was closed early and one
    that is open; before each of them what is said so far."""
    fallen = frame.assign(truth=frame["truth"].sample(frac=1, random_state=1).to_numpy())
    rows = frame[:300], frame[60:360], fallen[300:600], frame[560:860], frame[600:]
    for number, (some, answers) in enumerate(zip(rows, (None, None, None, 20, 7), strict=True)):
        session = made.wave(read(some), f"w{number}", labels=90 if number == 1 else None)
        labels(answers)(session, some)
        known = [made.knows(session.population), session.project, session.plan.planned]
        yield [*known, made.sentence(), made.due, [str(alarm) for alarm in made.news()]]
        if number == 2:
            made.restart("another classifier")
        if number == 3:
            made.close("w3", "enough", "ann")


@pytest.mark.parametrize("name", MONITORS)
def test_what_a_monitor_says_stays(name: str, clock: list[datetime]) -> None:
    plan, required = MONITORS[name]
    given = {"design": OURS, "classifier": "m", "seed": 3, **plan}
    of_classes = {"scores": {}, "thresholds": {}, "groups": (), "predictions": {"m": "m"}}
    frame = grouped_frame(900, shares=(0.6, 0.4))
    if name == "classes":
        frame = pd.concat([classes_frame()] * 3, ignore_index=True)
        frame["id"] = [f"i{at}" for at in range(900)]
    read = lambda some: grouped(some, **of_classes if name == "classes" else {})  # noqa: E731
    made = lc.Monitor(None, name, lc.Plan(given.pop("design"), given.pop("estimands"), **given),
                      required, waves=12, settings=WORDING | {"schedule": "weekly"})  # fmt: skip
    said = list(waves_of(made, frame, read))
    html = re.sub(r"\b[0-9a-f]{12}\b", "SEAL", made.report(4))
    tables = [made.table(), made.compare("w3", "w1"), made.compare("w2")]
    first = made._session(f"{name}: w0")
    said.append([] if (rates := known_rates(first)) is None else [float(rates.sum().round(6))])
    if name != "classes":
        known = None if name == "languages" else first
        table, done = read(frame[:300]), []
        preview = made.preview(
            table, fall=0.2, seed=1, sessions=12, session=known, progress=done.append
        )
        said.append([preview.sentence(), preview.waits(0.4), done])
        tables += [preview.table, preview.rules]
    found = [json.loads(table.to_json(orient="records", double_precision=15)) for table in tables]
    found.append([json.loads(json.dumps(asdict(wave))) for wave in made._measured()])
    words = {"said/": json.dumps(said), "tables/": json.dumps([list(x) for x in tables])}
    shown = summed((*numbers(found), *drawn(html)))
    stays("said", f"monitor: {name}", shown | words | dict(worded(html)))
