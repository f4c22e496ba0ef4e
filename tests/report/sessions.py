"""Small sessions to report on and to replay."""

import json
import random
import zipfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import labelcore as lc
from labelcore.log.events import Event, genesis
from labelcore.replay import ReplayResult, replay
from labelcore.store import back_up_now
from tests.cases import sampled
from tests.rows import write_rows

HOSTILE = (
    "<script>document.title='caught'</script>",
    "=cmd|' /C calc'!A0",
    "]]></script><img src=x onerror=\"document.title='caught'\">",
    "javascript:alert(1)",
    '"><a href="javascript:alert(1)">x</a>&lt;&amp;',
    "+1+1",
    "@SUM(1)",
)
WORDS = sampled([" ".join(HOSTILE), *HOSTILE], 1, seed=1, keep=[" ".join(HOSTILE)])
"""All at once; each alone in ``.ci/full``."""


def write_items(
    path: Path, items: int = 300, *, names: Callable[[int], str] = "m{}".format, seed: int = 1,
) -> dict[str, bool]:  # fmt: skip
    """A CSV file with scores; returns {id: truth}."""
    rng = random.Random(seed)
    truth, rows = {}, []
    for number in range(items):
        score = round(rng.betavariate(0.6, 1.2), 4)
        truth[names(number)] = rng.random() < score
        rows.append([names(number), f"message {number}", score])
    write_rows(path, ["id", "text", "score"], rows)
    return truth


def read(path: Path, **arguments: Any) -> lc.Population:
    given = {"id": "id", "content": ["text"], "scores": {"lr": "score"}, "thresholds": {"lr": 0.5}}
    return lc.read_population(path, **{**given, **arguments})


def session_on(
    path: Path, *, store: Any = None, project: str = "spam", settings: dict[str, Any] | None = None,
    arguments: dict[str, Any] | None = None, **plan: Any,
) -> lc.Session:  # fmt: skip
    chosen = {"design": "recalibrated_neyman", "estimands": ["precision", "recall"], "seed": 3}
    chosen.update(plan)
    if "budget" not in plan and "margin" not in plan:
        chosen["budget"] = 60
    return lc.Session(
        read(path, **(arguments or {})), lc.Plan(**chosen), store, project, settings=settings
    )


def begun(
    folder: Path, items: int = 300, *, names: Callable[[int], str] = "m{}".format, **given: Any
) -> tuple[lc.Session, dict[str, bool]]:
    """A session on a file in the folder, and its truth."""
    truth = write_items(folder / "items.csv", items, names=names)
    return session_on(folder / "items.csv", **given), truth


def label(
    session: lc.Session, truth: dict[str, bool], labels: int, *, eventful: bool = True,
    looks: int = 5,
) -> None:  # fmt: skip
    """Answer as a person does: sometimes unsure, later, undone, changed, flagged, noted; with a
    look after so many answers."""
    for number in range(labels):
        draw = session.next()
        if draw is None:
            return
        answer: object = truth[draw.item_id]
        if eventful and number % 17 == 7:
            answer = "later"
        if eventful and number == 19:
            answer = "broken"
        session.answer(draw, answer)
        if eventful and number % 13 == 5:
            session.undo()
        if eventful and number == 11:
            session.note(draw.index, "odd one")
            session.flag(draw.index)
            session.revise(draw.index, "yes", f"revision-{number}")
        if (number + 1) % looks == 0:
            session.results()


def again(session: lc.Session, events: Sequence[Event], **options: Any) -> ReplayResult:
    """These events, held against the file and the plan of a session."""
    return replay(
        session.population, session.record.plan_json, events,
        fingerprint=session.record.fingerprint, **options,
    )  # fmt: skip


def chained(session: lc.Session, events: Sequence[Event]) -> list[Event]:
    """The events with every hash made anew, as a forger would do it."""
    before = genesis(session.record.fingerprint, session.record.plan_json)
    found = []
    for event in events:
        found.append(event.chained(before))
        before = found[-1].hash
    return found


def swapped(events: Sequence[Event], place: int, **changes: Any) -> list[Event]:
    """The events with one of them changed and nothing else."""
    return [*events[:place], replace(events[place], **changes), *events[place + 1 :]]


def first(events: Sequence[Event], kind: str, after: int = 0) -> int:
    """The place of the first event of this kind."""
    return next(i for i, event in enumerate(events) if event.kind == kind and i >= after)


def repacked(bundle: Path, target: Path, changes: dict[str, bytes]) -> Path:
    """A bundle with some of its files replaced."""
    with zipfile.ZipFile(bundle) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            new.writestr(name, changes.get(name, old.read(name)))
    return target


def member(bundle: Path, name: str) -> bytes:
    with zipfile.ZipFile(bundle) as archive:
        return archive.read(name)


def as_json(text: bytes | str) -> Any:
    return json.loads(text)


def automatic_backup(database: Path) -> Path:
    """One made now, as the guard of the store makes it."""
    with closing(lc.open_store(f"sqlite:///{database}", create=False)) as store:
        return back_up_now(database, store.backup)
