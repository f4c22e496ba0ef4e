"""Projects in every state, made in the data folder without the page."""

import csv
import itertools
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from labelcore.access import key_of
from labelcore.plan.plan import Plan
from labelcore.population import Population, read_population
from labelcore.session import managing
from labelcore.session.session import Session
from labelcore.store import open_store
from labelcore.store.trail import act, note
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.trials.table import TRIALS
from labelcore.waves.monitor import Monitor
from screenshots import material
from tests.browser.driving import store_url

# When the first label was made, and how long each step of the person took.
BEGAN, STEP = datetime(2026, 3, 2, 8, tzinfo=UTC), timedelta(seconds=4)
Truth = Mapping[str, object]
UNSURE_AT, LOOK_EVERY = 23, 5


def make(
    data: Path,
    name: str,
    population: Population,
    plan: Plan,
    settings: Mapping[str, Any],
    *,
    truth: Truth | None = None,
    labels: int = 0,
    then: Callable[[Session], None] | None = None,
) -> str:
    """A project with its first items answered; ``then`` is done to it at the end."""
    times = (BEGAN + number * STEP for number in itertools.count())
    clock = mock.patch("labelcore.session.ledger.now", side_effect=map(datetime.isoformat, times))
    with closing(open_store(store_url(data))) as store, clock:
        session = Session(population, plan, store, name, settings=dict(settings))
        for place in range(labels):
            draw = session.next()
            if draw is None:
                break
            answer = "unsure" if place == UNSURE_AT else (truth or {}).get(draw.item_id, True)
            session.answer(draw, answer)
            if place < 60 or place % LOOK_EVERY == 0:
                session.results()
        session.results()
        if then is not None:
            then(session)
    return name


def trial(
    data: Path,
    which: str,
    labels: int,
    name: str | None = None,
    then: Callable[[Session], None] | None = None,
    **changes: Any,
) -> str:
    """One of the product's own trials with 120 labels, answered with the known truth."""
    one = TRIALS[which]
    path = one.write(data / "files" / "trials")
    with path.open(encoding="utf-8", newline="") as stream:
        truth = {row["id"]: row["true_label"] == "1" for row in csv.DictReader(stream)}
    given = {**one.plan.to_dict(), "budget": 120, "stop": None, "promise": None}
    plan = Plan(**{**given, **changes})
    settings = {
        "question": one.question,
        "instructions": one.instructions,
        "answer_words": [one.positive_words, one.negative_words],
        "used_for_training": "no",
        "trial": one.name,
        "dots": True,
    }
    population = read_population(path, **one.read_arguments)
    return make(
        data, name or one.label, population, plan, settings, truth=truth, labels=labels, then=then
    )


def simple(
    data: Path,
    name: str,
    question: str,
    rows: list[material.Row],
    content: list[str],
    score: str,
    labels: int = 0,
    **settings: Any,
) -> str:
    """A score with a threshold."""
    path = material.write(data / "files" / f"{name}.csv", rows)
    short = score.removeprefix("score_")
    population = read_population(
        path, id="id", content=content, scores={short: score}, thresholds={short: 0.5}
    )
    plan = Plan("recalibrated_neyman", ("accuracy",), budget=100, seed=3)
    return make(data, name, population, plan, {"question": question, **settings}, labels=labels)


def topics(data: Path, name: str, labels: int) -> str:
    """Five classes."""
    rows = material.letters(600)
    path = material.write(data / "files" / "letters.csv", material.topics_of(rows))
    population = read_population(
        path, id="id", content=["text"], predictions={"sorter": "prediction"}
    )
    plan = Plan("recalibrated_neyman", ("accuracy", "precision", "recall"), budget=200, seed=3)
    truth = {str(row["id"]): row["truth"] for row in rows}
    settings = {"question": "What is this letter about?"}
    return make(data, name, population, plan, settings, truth=truth, labels=labels)


def ranked(
    data: Path,
    name: str,
    labels: int,
    design: str = "geometric_strata",
    then: Callable[[Session], None] | None = None,
    **terms: Any,
) -> str:
    """A ranked list of 1,500 pairs of offers."""
    rows = material.pairs(1500)
    shown = [{key: value for key, value in row.items() if key != "truth"} for row in rows]
    path = material.write(data / "files" / "offers.csv", shown)
    population = read_population(
        path, id="id", content=["offer_a", "offer_b"], scores={"match": "score_match"}
    )
    plan = Plan(design, ("precision_curve", "average_precision"), seed=4, **terms)
    truth = {str(row["id"]): bool(row["truth"]) for row in rows}
    settings = {"question": "Is this the same product?"}
    return make(data, name, population, plan, settings, truth=truth, labels=labels, then=then)


def choice(
    data: Path, name: str, labels: int, then: Callable[[Session], None] | None = None
) -> str:
    """Which cut of the list of offers to take."""
    rows = material.pairs(1500)
    shown = [{key: value for key, value in row.items() if key != "truth"} for row in rows]
    path = material.write(data / "files" / "offers.csv", shown)
    population = read_population(
        path, id="id", content=["offer_a", "offer_b"], scores={"match": "score_match"}
    )
    wanted = {"precision_threshold": 0.8, "precision_slack": 0.1, "reach_slack": 0.2}
    plan = Plan("reach_selection", "selection", params=wanted, budget=800, seed=4)
    truth = {str(row["id"]): bool(row["truth"]) for row in rows}
    settings = {"question": "Is this the same product?"}
    return make(data, name, population, plan, settings, truth=truth, labels=labels, then=then)


def compared(data: Path, name: str, labels: int, every: int = 9, **settings: bool) -> str:
    """A or B: two classifiers by the items on which they differ, the fewer the larger ``every``."""
    letters = material.letters(600)
    shown: list[material.Row] = [
        {"id": row["id"], "text": row["text"], "old": row["prediction"] == material.TOPICS[0],
         "new": row["truth"] == material.TOPICS[0] or place % every == 0}
        for place, row in enumerate(letters)
    ]  # fmt: skip
    path = material.write(data / "files" / f"two {every}.csv", shown)
    population = read_population(
        path, id="id", content=["text"], predictions={"old": "old", "new": "new"}
    )
    plan = Plan("paired_comparison", ("accuracy_difference", "recall_difference"),
                classifier=["old", "new"], budget=100, seed=1)  # fmt: skip
    words = {"question": "Is this letter about delivery?", **settings}
    truth = {str(row["id"]): row["truth"] == material.TOPICS[0] for row in letters}
    return make(data, name, population, plan, words, truth=truth, labels=labels)


def waves(data: Path) -> None:
    """Twelve weeks of the same classifier; in the tenth its precision falls."""
    plan = Plan("recalibrated_neyman", ("precision", "recall"), budget=120, seed=1)
    with closing(open_store(store_url(data))) as store:
        monitor = Monitor(store, "Spam filter", plan, ["precision >= 0.7"],
                          settings={"question": "Is this spam?"})  # fmt: skip
        for number, (name, right) in enumerate(material.WAVES.items()):
            rows = material.wave(name, right, 20 + number)
            shown = [{key: row[key] for key in ("id", "text", "prediction")} for row in rows]
            path = material.write(data / "files" / f"{name}.csv", shown)
            population = read_population(
                path, id="id", content=["text"], predictions={"filter": "prediction"}
            )
            truth = {str(row["id"]): bool(row["truth"]) for row in rows}
            session = monitor.wave(population, name)
            while (draw := session.next()) is not None:
                session.answer(draw, truth[draw.item_id])


def start_page(data: Path) -> None:
    """A few projects in different states, one of them put away, another renamed."""
    trial(data, "messages", 0, "Support mail, second sample")
    trial(data, "digits", 60)
    ranked(data, "Same offers?", 120, budget=400)
    trial(data, "messages", 100, "Support mail", finish)
    with closing(open_store(store_url(data))) as store:
        managing.duplicate(store, "Support mail", "First try", seed=5)
        managing.set_archived(store, "First try", True)


def finish(session: Session) -> None:
    session.finish("The interval is narrow enough.")


def by_three(session: Session) -> None:
    """Three people judge by the score; the second and the third differ here and there."""
    scores = next(iter(session.population.scores.values()))
    for place, who in enumerate(("Ann", "Bob", "Cleo")):
        while (draw := session.next(who)) is not None:
            at = session.engine.asked[draw.index - 1].position
            session.answer(draw, bool(scores[at] > 0.5) ^ (place > 0 and (at + place) % 9 == 0))


def by_three_of(data: Path, name: str) -> None:
    trial(data, "messages", 0, name, by_three, overlap=0.5, readers=3)


def shared(data: Path) -> None:
    """A project with people of every role, and what they did, as the trail has it."""
    by_three_of(data, "Shared")
    register = Register(data)
    with closing(open_store(store_url(data))) as store:
        record = store.project("Shared")
        key = key_of(record.created_at, record.fingerprint)
        register.add("Readers", None, group=True, roles={key: Role.ANNOTATOR})
        register.add("Ann", None, days=90, roles={key: Role.ANNOTATOR})
        register.add("Bob", None, days=90, groups=["Readers"])
        register.add("cleo@example.org", None, login=True, roles={key: Role.ADJUDICATOR})
        register.add("Dan", Role.VIEWER, days=90)
        owner, item = "owner", "project 'Shared', item 'm12'"
        told = [(owner, "came", ""), (owner, "role", f"Ann: annotator in {key}"),
                ("Ann (annotator)", "came", "by a link of their own"),
                ("Ann (annotator)", "viewed", item),
                ("Dan (viewer)", "refused", "a page that asks to judge items"),
                (owner, "exported", "project 'Shared', report.html")]  # fmt: skip
        note(store, *(act(*one) for one in told))


def one_each(data: Path) -> None:
    """Everything for Label, Progress, Explore and Report."""
    files = data / "files"
    trial(data, "messages", 70)
    trial(data, "digits", 70)
    trial(data, "digits", 0, "Not started")
    trial(data, "digits", 120, "Digits finished", finish)
    trial(data, "digits", 120, "Digits at the end")
    trial(data, "messages", 500, "Messages at the goal", margin=0.1, budget=500,
          estimands=["accuracy"])  # fmt: skip
    claimed = {"claims": ["precision >= 0.75"], "budget": 500}
    trial(data, "messages", 70, "A claim", **claimed)
    trial(data, "messages", 500, "A claim settled", **claimed)
    trial(data, "messages", 500, "A claim finished", finish, **claimed)
    for name, folder, broken in (
        ("Picture files", "photos", False),
        ("Refused pictures", "none", True),
    ):
        rows = material.pictures(files / folder, 60, broken=broken)
        simple(data, name, "Is there a sun in it?", rows, ["image"], "score_sun")
    simple(data, "Tables", "Is this order suspicious?", material.orders(60), ["order"],
           "score_fraud")  # fmt: skip
    simple(data, "JSON", "Is this order suspicious?", material.orders(60), ["record"],
           "score_fraud")  # fmt: skip
    simple(data, "Right to left", "Is this customer content?", material.right_to_left(60),
           ["text"], "score_positive")  # fmt: skip
    marked = {"words": ["nothing", "early", "update", "open", "back"], "patterns": [r"\d{1,4}"]}
    simple(data, "Highlighted", "Is this a complaint?", material.messages(60), ["text"],
           "score_complaint", highlight=marked)  # fmt: skip
    topics(data, "Letters", 120)
    compared(data, "A or B, half way", 24, every=40, dots=True)
    by_three_of(data, "Three readers")
    along_ranks(data)
    choice(data, "Which cut?", 60)
    choice(data, "Which cut, chosen", 800)
    waves(data)
    with closing(open_store(store_url(data))) as store:
        managing.duplicate(store, "Picture files", "Old name", seed=5)
        managing.rename(store, "Old name", "New name")


def along_ranks(data: Path) -> None:
    ranked(data, "List, nothing yet", 0, budget=400)
    ranked(data, "List, first labels", 40, budget=400)
    ranked(data, "List with its band", 400, budget=400)
    ranked(data, "List finished", 400, then=finish, budget=400)
    paula = {"epsilon": 0.3, "window": 20}
    ranked(data, "PAULA, part of it", 120, "paula", params=paula)
    ranked(data, "PAULA, all of it", 1500, "paula", params=paula)
