"""One evaluation over many snapshots."""

import json
import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs.base import NEWEST_RULES
from labelcore.errors import ArgumentError, ProjectExistsError, UnknownProjectError
from labelcore.log.engine import Engine
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.report.quarter import NO_VALUE
from labelcore.session.carried import CARRIED, Home, terms_of, waves_of
from labelcore.session.erasing import erase_items, erase_project
from labelcore.session.integrity import verify
from labelcore.session.managing import duplicate, rename
from labelcore.stats.proportion import wilson
from labelcore.waves import checks as room
from labelcore.waves import preview, watches
from labelcore.waves.chart import monitor_chart
from labelcore.waves.evidence import fitted, value_of
from labelcore.waves.measured import (
    ABSENT,
    Figure,
    Measured,
    compared,
    counts_of,
    difference,
    first_given,
    measured,
    of_session,
    side_by_side,
)
from labelcore.waves.preview import MonitorPreview
from labelcore.words.sentences import percent_range, value_percent
from tests.answering import next_draw

ITEMS, LABELS = 600, 60
PLAN = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=LABELS, seed=3)


def table(first: int = 0, items: int = ITEMS, right: float = 0.9) -> pd.DataFrame:
    """Items with ids from ``first`` on; of those called positive so many are."""
    random = np.random.default_rng([first, items])
    score = random.beta(0.6, 1.4, items)
    called = score >= 0.5
    truth = np.where(called, random.random(items) < right, random.random(items) < 0.05)
    name = np.arange(first, first + items).astype(str)
    return pd.DataFrame(
        {"id": name, "text": "text " + pd.Series(name), "score": score,
         "call": np.where(called, "yes", "no"), "truth": np.where(truth, "yes", "no")}
    )  # fmt: skip


def read(frame: pd.DataFrame, **values: Any) -> lc.Population:
    arguments = {"classes": ["no", "yes"], "positive": "yes", **values}
    return lc.read_population(frame, id="id", content="text", scores={"m": "score"},
                              predictions={"m": "call"}, **arguments)  # fmt: skip


def changed(frame: pd.DataFrame, share: float, first: int) -> pd.DataFrame:
    """The table with some rows gone and others come."""
    gone = int(share * len(frame))
    return pd.concat([frame.iloc[gone:], table(first, gone)], ignore_index=True)


def label(session: lc.Session, frame: pd.DataFrame, most: int = 10_000) -> list[str]:
    """The ids that a person was asked."""
    truth, asked = dict(zip(frame["id"], frame["truth"], strict=True)), []
    while len(asked) < most and (draw := session.next("ann")) is not None:
        session.answer(draw, truth[draw.item_id])
        asked.append(draw.item_id)
    return asked


def started(store: Any = None, **values: Any) -> lc.Monitor:
    given = {"requirements": ["precision >= 0.8"], "since_launch": False, "waves": 12, **values}
    return lc.Monitor(store, "spam", given.pop("plan", PLAN), **given)


def test_what_nobody_could_judge_does_not_come_home() -> None:
    monitor, first = started(), table()
    wave = monitor.wave(read(first), "one")
    unsure = next_draw(wave, "ann")
    wave.answer(unsure, "unsure")
    asked = label(wave, first, 3)
    assert set(Home(monitor.store, "spam", 2).labels) == {*asked} - {unsure.item_id} != set()


def test_labels_of_unchanged_items_come_home_and_are_no_evidence() -> None:
    monitor, first = started(), table()
    assert len(label(monitor.wave(read(first), "one"), first)) == LABELS
    second = changed(first, 0.05, 1_000)
    again = monitor.wave(read(second), "two")
    asked = label(again, second)
    assert again.labels == LABELS
    assert 0 < len(asked) < LABELS / 3
    carried = {one.item_id for one in again.events if one.annotator == CARRIED and one.label}
    assert carried == set(Home(monitor.store, "spam", 2).labels) & carried
    assert len(carried) + len(asked) == LABELS
    found = monitor.table().set_index("wave")
    assert found.loc["two", ["labels", "first_labels"]].tolist() == [LABELS, len(asked)]
    (_, two) = measured(monitor.store, waves_of(monitor.store, "spam"), {}.__getitem__)
    left = two.figures["precision"]
    assert sum(one[3] for one in left.counts) == len(asked)
    assert found.loc["two", "low"] > 0.5  # The figure itself rests on all labels.


def test_an_item_that_has_changed_is_asked_again() -> None:
    monitor, first = started(), table()
    asked = label(monitor.wave(read(first), "one"), first)
    second = first.assign(text=np.where(first["id"] == asked[0], "other", first["text"]))
    assert label(monitor.wave(read(second), "two"), second) == [asked[0]]


def test_a_schedule_is_that_of_the_last_wave_and_words_are_as_mended() -> None:
    monitor, first = started(settings={"schedule": "weekly", "question": "Spam?"}), table()
    session = monitor.wave(read(first), "one")
    session.reword(question="Is it spam?")
    store = monitor.store
    later = started(store, settings={"schedule": "monthly", "question": "Spam?"})
    later.wave(read(changed(first, 0.05, 1_000)), "two")
    assert "monthly" in later.report() and "weekly" not in later.report()
    lc.Monitor.open(store, "spam").wave(read(changed(first, 0.1, 1_000)), "three")
    settings = [json.loads(one.settings_json) for one in waves_of(store, "spam")]
    assert [one["schedule"] for one in settings] == ["weekly", "monthly", "monthly"]
    assert [one["question"] for one in settings] == ["Spam?", "Is it spam?", "Is it spam?"]


def test_erased_texts_of_a_wave_hold_up_no_later_one(tmp_path: Path) -> None:
    monitor, first = started(f"sqlite:///{tmp_path / 'labels.db'}"), table()
    asked = label(monitor.wave(read(first), "one"), first)
    erase_items(monitor.store, "spam: one", None, who="retention", why="texts are kept 30 days")
    second = changed(first, 0.05, 1_000)
    again = label(monitor.wave(read(second), "two"), second)
    assert len(again) == LABELS and set(again) & set(asked), "nobody can tell what is unchanged"


@pytest.mark.parametrize("erased", [False, True])
def test_a_wave_goes_on_when_the_one_before_is_renamed_or_erased(erased: bool) -> None:
    monitor, first = started(), table()
    label(monitor.wave(read(first), "one"), first)
    second = changed(first, 0.05, 1_000)
    session = monitor.wave(read(second), "two")
    came = session.labels
    assert 0 < came < LABELS
    if erased:
        erase_project(monitor.store, "spam: one", who="ann", why="asked for")
    else:
        rename(monitor.store, "spam: one", "launch")
    asked = label(session, second)
    assert session.labels == LABELS
    assert len(asked) == LABELS - came if erased else len(asked) < LABELS / 3


def test_what_is_due_is_what_people_will_be_asked() -> None:
    """Not what is planned: most of that comes home."""
    monitor, first = started(), table()
    label(monitor.wave(read(first), "one"), first)
    second = changed(first, 0.05, 1_000)
    session = monitor.wave(read(second), "two")
    due = monitor.due["two"]
    asked = label(session, second, 2)
    assert abs(monitor.due["two"] - (due - 2)) <= 2  # It follows from answers, which were guessed.
    asked += label(session, second)
    assert abs(due - len(asked)) <= 2 < LABELS / 3
    assert monitor.due == {}


def test_what_waits_is_worked_out_once_for_a_position_of_its_log(tmp_path: Path) -> None:
    """A look opens no session where no log has grown; labels of an earlier wave that comes in late
    come home to a later one, whose own log has not."""
    monitor, frame = started(f"sqlite:///{tmp_path / 'labels.db'}"), table()
    one = monitor.wave(read(frame), "one")
    two = monitor.wave(read(changed(frame, 0.05, 1_000)), "two")
    assert monitor.due == {"one": LABELS, "two": LABELS}
    again = lc.Monitor.open(monitor.store, "spam")
    assert again.due == {"one": LABELS, "two": LABELS} and not again._sessions
    position = two.store.last_sequence(two.project)
    asked = label(one, frame, LABELS // 2)
    assert two.store.last_sequence(two.project) == position
    left = lc.Monitor.open(monitor.store, "spam").due
    assert left["one"] == LABELS - len(asked) and left["two"] < LABELS
    again = lc.Monitor.open(monitor.store, "spam")
    assert again.due == left and not again._sessions


def test_people_who_take_several_items_get_none_that_came_home() -> None:
    monitor, first = started(), table()
    label(monitor.wave(read(first), "one"), first)
    session = monitor.wave(read(changed(first, 0.2, 1_000)), "two")
    known = Home(monitor.store, "spam", 2).labels
    assert not {one.item_id for one in session.take(4, "ann")} & set(known)
    assert not {one.item_id for one in session.page(4, "ben")} & set(known)


def test_a_fall_raises_an_alarm_that_a_store_keeps(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    monitor = started(store, requirements=["precision >= 0.8", "precision >= 0.79"])
    for wave in range(4):
        frame = table(1_000 * wave, right=0.9 if wave < 2 else 0.3)
        label(monitor.wave(read(frame), f"w{wave}", 30), frame)
    alarm, other = monitor.alarms
    assert alarm.estimand == "precision"
    assert alarm.wave in {"w2", "w3"}
    assert alarm.since in {"w1", "w2"}
    assert monitor.sentence().startswith(f"spam: Alarm in {alarm.wave}: precision has been lower")
    opened = lc.Monitor.open(store, "spam")
    assert monitor.news(lambda one: one == alarm) == [alarm, other]
    assert opened.news() == [other] and opened.news() == [], "the other was not taken before"
    pd.testing.assert_frame_equal(opened.table(), monitor.table())
    assert len(opened.figure().data) > 5
    words = monitor_chart(opened.table()).alt
    assert "w0: Precision below 80 %, " in words and "precision >= 0.8" not in words
    copy = duplicate(opened.store, "spam: w0", "another project")
    assert terms_of(copy) == {}
    assert all(one.whole for one in verify(store).projects)
    opened.restart("a new classifier")
    frame = table(9_000)
    label(opened.wave(read(frame), "w5", 30), frame)
    assert opened.alarms == []
    assert lc.Monitor.open(store, "spam").sentence() == "spam: no alarm; 1 of 12 waves so far."
    with pytest.raises(ProjectExistsError, match="terms: waves is 12 there and 26 here. Choose"):
        started(store, waves=26, requirements=monitor.requirements)
    with pytest.raises(UnknownProjectError, match="no monitor is called 'ham'.*known are spam"):
        lc.Monitor.open(store, "ham")


def test_figures_are_hidden_until_the_planned_size_or_the_end() -> None:
    monitor, frame = started(), table()
    session = monitor.wave(read(frame), "one")
    label(session, frame, most=30)
    row = monitor.table().iloc[0]
    assert row[["value", "evidence"]].isna().all()
    assert monitor.due == {"one": 30}
    assert monitor.sentence().endswith("one waits for 30 labels.")
    monitor.close("one", "enough")
    row = monitor.table().iloc[0]
    assert 0 < row["low"] < row["high"]
    assert row["promise"] == "fixed"


def test_figures_of_a_wave_are_made_by_the_rules_of_now() -> None:
    """Where some items cannot be judged an end goes as far as all that may be judged; by the rules
    of before, which waves had, three of these twelve ended inside."""
    frame, held = table(items=60).assign(call=np.where(np.arange(60) < 30, "yes", "no")), []
    frame["truth"] = frame["call"].where(frame.index != 20, "no")
    said = frame.assign(truth=frame["truth"].where(frame.index >= 6, "unsure"))
    for seed in range(12):
        plan = lc.Plan("recalibrated_neyman", "accuracy", budget=30, seed=seed)
        session = started(plan=plan, requirements=["accuracy >= 0.5"]).wave(read(frame), "W1")
        label(session, said)
        one = session.results()["accuracy"]
        held.append(one.low <= 53 / 54 <= one.high)
    assert all(held)


@pytest.mark.parametrize(("labels", "promise"), [(30, "none"), (LABELS, "fixed")])
def test_a_wave_closed_early_after_a_look_has_no_promise(labels: int, promise: str) -> None:
    monitor, frame = started(), table()
    session = monitor.wave(read(frame), "one")
    label(session, frame, most=labels)
    session.results()
    monitor.close("one")
    assert monitor.table().iloc[0]["promise"] == promise


def test_a_monitor_that_stays_open_follows_what_others_label() -> None:
    monitor, frame = started(), table()
    monitor.wave(read(frame), "one")
    assert monitor.due == {"one": LABELS}
    label(lc.Session.open(monitor.store, "spam: one"), frame)
    assert monitor.table().iloc[0]["labels"] == LABELS and monitor.due == {}


def test_a_wave_that_went_on_after_a_look_and_was_closed_again_has_no_promise() -> None:
    monitor, frame = started(), table()
    session = monitor.wave(read(frame), "one")
    label(session, frame, most=30)
    monitor.close("one")
    assert monitor.table().iloc[0]["promise"] == "fixed"
    session.extend(budget=LABELS)
    label(session, frame, most=10)
    monitor.close("one")
    assert monitor.table().iloc[0]["promise"] == "none"


def test_a_wave_after_an_erased_one_is_the_last() -> None:
    monitor = started()
    for number, name in enumerate(("one", "two", "three", "four")):
        if name == "four":
            erase_project(monitor.store, "spam: one", who="ann", why="asked for")
        monitor.wave(read(table(1_000 * number)), name)
        monitor.close(name)
    assert monitor.names == ["two", "three", "four"]
    assert [terms_of(one)["number"] for one in monitor.records] == [2, 3, 4]


def test_what_waits_is_told_where_nothing_is_predicted() -> None:
    plan = lc.Plan("recalibrated_neyman", ["prevalence"], margin=0.1, promise="fixed", seed=3)
    monitor = lc.Monitor(None, "spam", plan, ["prevalence >= 0.1"], since_launch=False)
    for first in (0, 500):
        frame = table(first)
        items = lc.read_population(frame, id="id", content="text", scores={"m": "score"})
        session = monitor.wave(items, f"from {first}")
        if not first:
            label(session, frame)
    size = session.plan.planned
    assert size and 0 < monitor.due["from 500"] <= size
    assert (session.plan.rules, session.plan.budget) == (NEWEST_RULES, size)
    assert f"{size} labels, {plan.method.label}" in monitor.report()


def languages(frame: pd.DataFrame, **items: int) -> pd.DataFrame:
    """The table with so many items of each language, one after another."""
    return frame.assign(language=np.repeat([*items], [*items.values()]))


def in_languages() -> lc.Monitor:
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=100, by="language", seed=3)
    return lc.Monitor(None, "both", plan, "accuracy[language=de] >= 0.75", waves=12)


def strata_of(monitor: lc.Monitor, key: str) -> list[set[float]]:
    """The strata that each wave counts a figure by."""
    return [{cell[0] for cell in wave.figures[key].counts} for wave in monitor._measured()]


def test_strata_of_a_group_stay_its_own_when_another_outgrows_it() -> None:
    monitor = in_languages()
    for number, items in enumerate(({"en": 400, "de": 200}, {"en": 200, "de": 400})):
        frame = languages(table(1_000 * number), **items)
        label(monitor.wave(read(frame, groups=("language",)), str(number)), frame)
    one, two = strata_of(monitor, "accuracy[language=de]")
    assert one & two
    english = strata_of(monitor, "accuracy[language=en]")
    assert not one & english[1]
    assert not two & english[0]


@pytest.mark.parametrize(
    ("items", "told"),
    [
        ({"en": 600}, ["en"]),
        ({"en": 300, "de": 200, "es": 100}, ["en", "de", "other"]),
        ({"es": 400, "en": 200}, ["en", "other"]),
    ],
)
def test_a_table_may_lack_a_group_or_have_a_new_one(items: dict[str, int], told: list[str]) -> None:
    """A figure of a group waits for a table that has it; groups that are new are one, others."""
    monitor, first = in_languages(), languages(table(), en=400, de=200)
    for number, frame in enumerate((first, languages(table(1_000), **items))):
        session = monitor.wave(read(frame, groups=("language",)), str(number))
        label(session, frame)
        assert session.complete
    groups = [f"accuracy[language={name}]" for name in told]
    assert monitor.compare("1")["estimand"].tolist() == ["accuracy", *groups]
    both = monitor.compare("1", "0").set_index("estimand")
    assert both.loc["accuracy[language=de]", "earlier_low"] > 0
    has_german = "de" in items
    assert (both.loc["accuracy[language=de]", "low"] > 0) == has_german
    required = monitor.table().query("required == 0.75").set_index("wave")["evidence"]
    assert required.notna().tolist() == [True, has_german]
    third = languages(table(2_000), de=300, en=200, es=100)
    label(monitor.wave(read(third, groups=("language",)), "2"), third)
    german = strata_of(monitor, "accuracy[language=de]") if has_german else []
    assert all(german[0] & strata for strata in german)


def test_a_table_without_any_group_of_the_monitor_is_refused() -> None:
    monitor, first = in_languages(), languages(table(), en=400, de=200)
    label(monitor.wave(read(first, groups=("language",)), "one"), first)
    other = languages(table(1_000), es=600)
    with pytest.raises(ValueError, match="groups names 'en', which 'language' lacks"):
        monitor.wave(read(other, groups=("language",)), "two")


def test_a_preview_believes_labels_of_the_table_more_than_its_scores() -> None:
    """Four of ten that this classifier calls positive are, and its scores say seven."""
    frame = table(items=2_000, right=0.4)
    plan = lc.Plan("recalibrated_neyman", ["precision"], budget=200, seed=1, promise="fixed")
    session = lc.Session(read(frame), plan)
    label(session, frame)
    monitor = lc.Monitor(None, "spam", plan, waves=12)
    by_scores, by_labels = (
        monitor.preview(read(frame), 60, sessions=10, session=one) for one in (None, session)
    )
    called = frame["call"] == "yes"
    true = (frame["truth"][called] == "yes").mean()
    assert by_scores.table["now"][0] > true + 0.15
    assert abs(by_labels.table["now"][0] - true) < 3 * np.sqrt(true * (1 - true) / 100)


def test_previews_in_a_process_of_their_own_say_how_much_is_done(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of two that are asked for each is half of it."""
    found, said = MonitorPreview(60, 0.1, 3, 9.0, pd.DataFrame()), list[float]()

    def previewed(table: object, falls: object, rates: object, progress: Any) -> MonitorPreview:
        progress(0.5)
        progress(1.0)
        return found

    monkeypatch.setattr(preview, "previewed", previewed)
    monkeypatch.setattr(preview, "open_snapshot", lambda path: None)
    monkeypatch.setattr(preview, "tell", said.append)
    terms = {one.name: () for one in fields(preview.Falls)}
    assert len(preview.apart([str(tmp_path)], [terms, terms])) == 2
    assert said == [0.25, 0.5, 0.75, 1.0]


def test_a_preview_says_how_long_a_fall_takes_to_be_noticed() -> None:
    share = {f"within {wave}": wave / 12 for wave in range(1, 13)}
    rows = [{"watch": "recall >= 0.8", **share}, {"watch": "x", **dict.fromkeys(share, 0.69)}]
    found = MonitorPreview(1_150, 0.125, 12, 240.4, pd.DataFrame(rows))
    assert found.waits() == {"recall >= 0.8": 9, "x": None}
    assert found.waits(0.5) == {"recall >= 0.8": 6, "x": 1}
    assert found.sentence() == (
        "1,150 labels a wave. recall >= 0.8: a fall of 12.5 points is noticed within 4 waves in 3 "
        "of 10 cases. x: a fall of 12.5 points is noticed within 4 waves in 7 of 10 cases. One "
        "false alarm in about 240 waves."
    )


FIGURE = Figure(0.8, 0.7, 0.88, [[0, 1, 9, 4, 3]], [0.6])


def wave_of(name: str, over: bool = True, seen: bool = False, **figures: Figure) -> Measured:
    return Measured(name, f"m: {name}", 30, 20, 0, over, seen, "", figures)


def test_an_alarm_says_in_which_wave_and_from_about_when(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evidence of each start, the latest first; starts with a seventh of the highest may be it."""
    starts = {1: [1.0], 2: [4.0, 5.9], 3: [1.0, 8.0, 1.1]}
    asked: list[list[str]] = []

    def evidence(watch: watches.Watch, waves: list[Measured]) -> np.ndarray:
        asked.append([wave.wave for wave in waves])
        return np.array(starts[sum(watch.key in wave.figures for wave in waves)])

    monkeypatch.setattr(watches, "evidence", evidence)
    stretch = [
        wave_of("one", recall=FIGURE), wave_of("without"), wave_of("open", over=False),
        wave_of("two", recall=FIGURE), wave_of("three", seen=True, recall=FIGURE),
    ]  # fmt: skip
    lines = [watches.Watch("recall", 0.125), watches.Watch("recall", None)]
    found = list(watches.rows_of(lines, (10.0, 10.1), stretch))
    assert asked[-1] == ["one", "without", "two", "three"] and len(asked) == 6
    rows = pd.DataFrame([row for row, _ in found])
    assert rows["watch"][:2].tolist() == ["recall >= 0.125", "recall since launch"]
    assert rows["threshold"].tolist() == [10.0, 10.1] * 5
    assert rows["evidence"].dropna().tolist() == [1.0, 1.0, 9.9, 9.9, 10.1, 10.1]
    assert rows["alarm"].tolist() == [False] * 8 + [True, True]
    assert rows["promise"].dropna().tolist() == ["fixed"] * 4 + ["none"] * 2
    assert rows.loc[9, ["value", "low", "high", "labels", "first_labels"]].tolist() == [
        0.8, 0.7, 0.88, 30, 20
    ]  # fmt: skip
    required, launch = (alarm for _, alarm in found if alarm is not None)
    assert (launch.wave, launch.since, launch.since_first, launch.since_last) == (
        "three", "two", "two", "two"
    )  # fmt: skip
    assert required.sentence() == (
        "Alarm in three: recall has been lower than 12.5 % since about two; evidence 10, alarm "
        "from 10."
    )
    starts[3] = [1.3, 8.0, 1.3]
    (*_, (_, alarm)) = watches.rows_of(lines, (10.0, 10.1), stretch)
    assert alarm is not None and f"{alarm.lower} since {alarm.about}" == (
        "lower than before since two (one to three)"
    )


@pytest.mark.parametrize(("waves", "required", "launch"), [(1, 1, 0), (3, 3, 2), (20, 16, 16)])
def test_each_of_the_last_waves_may_be_the_start(waves: int, required: int, launch: int) -> None:
    """Of a requirement the first one, too; of a change it is what the others are compared with."""
    key = "precision@B[language=de]"
    stretch = [wave_of(str(number), **{key: FIGURE}) for number in range(waves)]
    for level, starts in ((0.5, required), (None, launch)):
        assert watches.evidence(watches.Watch(key, level), stretch).shape == (starts,)


def test_labels_that_came_home_were_not_first_given_here() -> None:
    answers = [("ann", "yes"), (CARRIED, "yes"), ("ann", None), None, ("bob", "no"), ("ann", "no")]
    given = [[SimpleNamespace(annotator=one and one[0])] for one in answers]
    engine: Any = SimpleNamespace(
        asked=[SimpleNamespace(position=10 + n, answers=one) for n, one in enumerate(given)],
        prefix=lambda: 5, classes={"no": 0, "yes": 1},
        in_force=lambda index: (one := answers[index - 1]) and SimpleNamespace(label=one[1]),
    )  # fmt: skip
    positions, codes = first_given(engine)
    assert (positions.tolist(), codes.tolist()) == ([10, 14], [1, 0])


def test_evidence_is_of_the_items_that_a_person_can_judge() -> None:
    """Nobody can judge the third of the table that is called positive with the lowest scores, and
    is not: counts of a wave give the figure that it has. The twin, monitors of before, counts
    labels as if they stood for these as well."""
    frame = table()
    called = frame["score"].where(frame["call"] == "yes")
    hard = called < called.quantile(0.4)
    frame["truth"] = frame["truth"].where(~hard, "no")
    said = frame.assign(truth=frame["truth"].where(~hard, "unsure"))
    session = started().wave(read(frame), "one")
    label(session, said)
    engine, given = session.engine, first_given(session.engine)
    (question,) = [one for one in engine.questions if one.key == "precision"]
    found = []
    for judged in (True, False):
        counts, suggested = counts_of(engine, question, *given, judged)
        cells, rates = side_by_side([Figure(0, 0, 1, counts, suggested)])
        found.append(float(value_of(cells, question.row, fitted(cells, rates))[0]))
    figure = of_session(session).figures["precision"]
    assert figure.counts == counts_of(engine, question, *given, True)[0]
    assert found[0] == pytest.approx(figure.value, abs=1e-9) and abs(found[1] - found[0]) > 0.01


def test_counts_of_waves_stand_side_by_side_by_stratum_and_prediction() -> None:
    other = Figure(0.5, 0.1, 0.9, [[1, 0, 8, 5, 2], [0, 1, 7, 3, 1]], None)
    cells, suggested = side_by_side([FIGURE, other])
    assert suggested is None and cells.predicted.tolist() == [True, False]
    assert cells.size.tolist() == [[9, ABSENT], [7, 8]]
    assert (cells.labelled.tolist(), cells.positive.tolist()) == (
        [[4, 0], [3, 5]], [[3, 0], [1, 2]]
    )  # fmt: skip
    _, suggested = side_by_side([replace(other, suggested=[0.2, 0.3]), FIGURE])
    assert suggested is not None and suggested.tolist() == [0.6, 0.2]


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        (
            Figure(0.6, 0.5, 0.75, [], None),
            (0.2, 0.2 - np.hypot(0.1, 0.15), 0.2 + np.hypot(0.08, 0.1)),
        ),
        (Figure(0.0, 0.0, 1.0, [], None), (0.8, 0.8 - np.hypot(0.1, 1.0), 0.88)),
        (Figure(0.1, -3.0, 3.0, [], None), (0.7, -1.0, 1.0)),
        (Figure(None, 0.0, 1.0, [], None), (np.nan, -1.0, 1.0)),
    ],
)
def test_a_difference_has_the_ends_that_face_each_other(
    then: Figure, expected: tuple[float, float, float]
) -> None:
    assert difference(FIGURE, then) == pytest.approx(expected, nan_ok=True)
    row = compared(wave_of("b", recall=FIGURE), wave_of("a", recall=then, f1=FIGURE))
    assert row["estimand"].tolist() == ["recall", "f1"]
    assert (row["low"][1], row["high"][1], row["earlier_low"][1]) == (0.0, 1.0, 0.7)
    assert row["difference_low"][0] == pytest.approx(expected[1])


@pytest.mark.parametrize(
    ("reused", "kept", "refused"), [(19, 0, False), (20, 20, False), (20, 19, True)]
)
def test_ids_are_reused_where_most_have_other_contents(
    reused: int, kept: int, refused: bool
) -> None:
    labelled = {str(number): None for number in range(reused + kept + 5)}
    shown = {key: {"text": "old"} for key in [*labelled][: reused + kept]}
    now = {key: {"text": "new" if place < reused else "old"} for place, key in enumerate(labelled)}
    home: Any = SimpleNamespace(labels={**labelled, "gone": None}, shown=shown.get)
    population: Any = SimpleNamespace(position=[*now].index, content=now.__getitem__)
    with (
        pytest.raises(ArgumentError, match=f"under {reused} of {reused + kept} ids")
        if refused
        else (nullcontext())
    ):
        room.check_ids(population, home)


def test_the_report_of_a_quarter_holds_the_last_waves_and_runs_nothing() -> None:
    hostile = "<img src=x onerror=alert(1)>"
    monitor = started(settings={"question": f"Why {hostile}?"})
    with pytest.raises(ArgumentError, match="this monitor has none yet"):
        monitor.report()
    for wave in range(3):
        frame = table(1_000 * wave)
        label(monitor.wave(read(frame), f"{hostile} {wave}", 30), frame)
    monitor.wave(read(table(9_000)), f"{hostile} 3")
    monitor.close(f"{hostile} 3", hostile)
    html = monitor.report(2)
    assert "<img" not in html and html.count("&lt;img src=x onerror=alert(1)&gt; 2") >= 3
    assert "Why &lt;img src=x onerror=alert(1)&gt;?" in html
    assert "onerror=alert(1)&gt; 1" not in html and "closed early" in html
    told = html[html.index("<caption>Labels of each wave") :]
    assert re.findall(r'<td class="number"[^>]*>([^<]*)', told) == ["30", "30", "0", "0"]
    value, low, high = monitor.table().loc[2, ["value", "low", "high"]]
    ends = " to ".join(percent_range(low, high))
    assert f"{value_percent(value, low, high)} ({ends})" in html.replace("\xa0", " ")
    assert "onerror=alert(1)&gt; 2" not in monitor.report(1)
    with pytest.raises(ArgumentError, match="must be a whole number of at least 1"):
        monitor.report(0)


FRAME = table()
BAD: dict[str, tuple[Mapping[str, Any], str]] = {
    "number": (
        {"requirements": ["precision >= 80"]},
        "with a share between 0 and 1, got 'precision >= 80'",
    ),
    "words": ({"requirements": ["good"]}, "requirements must be texts such as"),
    "name": ({"requirements": ["precison >= 0.8"]}, "did you mean 'precision'"),
    "unasked": (
        {"requirements": ["accuracy >= 0.8"]},
        "requirements must be about figures that the plan asks for: precision, recall, got",
    ),
    "error": ({"error": 0}, "error must lie above 0"),
    "none": ({"requirements": None}, "requirements must be texts such as .*, got 'None'"),
    "launch": ({"since_launch": "no"}, "since_launch must be True or False, got 'no'"),
    "settings": ({"settings": 3}, "settings must be a mapping of names to values, got int"),
    "question": ({"settings": {"question": 3}}, "question is of the wrong kind: int"),
    "no error": ({"error": "x"}, "error must be a number, got 'x'"),
    "waves": ({"waves": 1}, "waves must be a whole number from 2 to 4,000, got 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_terms_are_refused(case: str) -> None:
    values, message = BAD[case]
    with pytest.raises((ValueError, TypeError), match=message):
        started(**values)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"seed": -1}, "seed must be at least 0, got -1"),
        ({"sessions": 0}, "sessions must be at least 1, got 0"),
        ({"sessions": 2.5}, "sessions must be a whole number, got 2.5"),
        ({"fall": "x"}, "fall must be a share above 0 and at most 1, got 'x'"),
        ({"fall": 2}, "fall must be a share above 0 and at most 1, got 2"),
    ],
)
def test_what_cannot_be_simulated_is_named(asked: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        started().preview(read(FRAME), **asked)


def test_a_reason_is_text() -> None:
    with pytest.raises(ValueError, match="reason must say why the monitor begins anew, got 3"):
        started().restart(3)  # type: ignore[arg-type]
    assert repr(started()).endswith("0 of 12 waves>")


def test_a_wave_without_a_name_is_called_by_its_day() -> None:
    monitor = started()
    monitor.wave(read(FRAME))
    (day,) = monitor.names
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)


def test_a_plan_with_a_margin_may_be_watched_or_not() -> None:
    given = {"margin": 0.1, "seed": 3}
    watched, fixed = (
        started(plan=lc.Plan("recalibrated_neyman", "precision", promise=promise, **given))  # type: ignore[arg-type]
        for promise in (None, "fixed")
    )
    assert watched._asked == fixed._asked


def test_numbers_of_numpy_are_terms_too() -> None:
    assert started(waves=np.int64(9), error=np.float32(0.25))._asked == started(
        waves=9, error=0.25
    )._asked  # fmt: skip


@pytest.mark.parametrize(
    ("text", "key"),
    [("precision@n", "@n"), ("precision[n]", "@n"), ("precision@m", ""), ("precision[m]", "")],
)
def test_a_requirement_names_one_of_several_classifiers(text: str, key: str) -> None:
    frame = FRAME.assign(other="no")
    both = lc.read_population(
        frame, id="id", content="text", predictions={"m": "call", "n": "other"}
    )
    plan = lc.Plan("simple_random", "precision", classifier=("m", "n"), budget=LABELS)
    engine = lc.Session(both, plan).engine
    assert watches.requirement(f"{text} >= 0.8", engine) == watches.Watch(f"precision{key}", 0.8)


def test_bad_plans_and_requirements_are_refused() -> None:
    with pytest.raises(ValueError, match="counts by stratum.*got 'paula'"):
        lc.Monitor(None, "a", lc.Plan("paula", "precision_curve"))
    with pytest.raises(ValueError, match="must have no claims: what is required of every wave"):
        lc.Monitor(None, "a", lc.Plan("simple_random", "recall", claims=["recall >= 0.5"]))
    with pytest.raises(ArgumentError, match="is not needed before the first wave"):
        started().restart("another classifier")
    with pytest.raises(ValueError, match="name must be a text that is not empty, got ' '"):
        lc.Monitor(None, " ", lc.Plan("simple_random", "precision", budget=LABELS))
    with pytest.raises(TypeError, match="plan must be a labelcore.Plan, got 'x'"):
        lc.Monitor(None, "a", "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="figures that the plan asks for: precision, recall"):
        started(requirements=["precision[of=a] >= 0.8"]).wave(read(FRAME), "one")
    assert started(requirements="recall >= 0.8").requirements == ("recall >= 0.8",)
    with pytest.raises(ValueError, match="must name at least one"):
        started(requirements=[]).wave(read(FRAME), "one")
    other = lc.Monitor(None, "a", PLAN)
    first = other.wave(read(FRAME), "b: c")
    assert other.wave(read(FRAME), "b: c").project == first.project and len(other.names) == 1
    with pytest.raises(ProjectExistsError, match="'a: b: c' is no wave of 'a: b'"):
        lc.Monitor(other.store, "a: b", PLAN).wave(read(FRAME), "c")


def test_bad_tables_and_clocks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monitor = started(waves=2)
    label(monitor.wave(read(FRAME), "one"), FRAME)
    other = changed(FRAME, 0.1, 5_000)
    monitor.check(read(other))  # Called by its day.
    with pytest.raises(ValueError, match="nothing is to be labelled, so leave this wave out"):
        monitor.wave(read(FRAME), "two")
    with pytest.raises(ValueError, match="must be the table that wave 'one' began with"):
        monitor.wave(read(other), "one")
    with pytest.raises(ValueError, match="classes no, yes, with yes as the pos.*, yes with no'"):
        monitor.wave(read(other, positive="no"), "two")
    with pytest.raises(
        ValueError, match="must have the classifier 'm', as the waves before.*got 'n'"
    ):
        monitor.wave(lc.read_population(other, id="id", content="text", classes=["no", "yes"],
                                        predictions={"n": "call"}), "two")  # fmt: skip
    reused = FRAME.assign(text="new " + FRAME["text"])
    with pytest.raises(ValueError, match="has other contents under 60 of 60 ids"):
        monitor.wave(read(reused), "two")
    with monkeypatch.context() as patched:
        patched.setattr(room, "now", lambda: "2001-01-01T00:00:00.000000+00:00")
        with pytest.raises(ValueError, match="the clock of this machine went back"):
            monitor.wave(read(other), "two")
    assert len(label(monitor.wave(read(reused), "two", renewed=True), reused)) == LABELS
    with pytest.raises(ValueError, match="one more than the 2 waves"):
        monitor.wave(read(other), "three")
    with pytest.raises(ValueError, match="must say why"):
        monitor.restart(" ")
    with pytest.raises(ValueError, match="must be one of the waves one, two"):
        monitor.close("four")


def test_the_interval_of_a_difference_holds_the_truth_and_a_narrower_one_does_not() -> None:
    random, held, narrow = np.random.default_rng(5), 0, 0
    runs, rates, labels = 2_000, np.array([0.9, 0.8]), np.array([60, 90])
    for hits in random.binomial(labels, rates, (runs, 2)):
        lows, highs = wilson(hits, labels, 0.95)
        then, now = (
            Figure(value, low, high, [], None)
            for value, low, high in zip(hits / labels, lows, highs, strict=True)
        )
        value, low, high = difference(now, then)
        held += low <= -0.1 <= high
        narrow += (value + low) / 2 <= -0.1 <= (value + high) / 2
    noise = 3 * np.sqrt(0.05 * 0.95 / runs)
    assert held / runs >= 0.95 - noise > narrow / runs
    assert np.isnan(difference(Figure(None, 0, 1, [], None), then)[0])


def test_waves_are_compared_when_they_are_finished() -> None:
    monitor, first = started(), table()
    label(monitor.wave(read(first), "one"), first)
    monitor.wave(read(table(1_000)), "two")
    alone = monitor.compare("one")
    assert list(alone["estimand"]) == ["precision", "recall"]
    assert alone.loc[0, "low"] == monitor.table().loc[0, "low"]
    with pytest.raises(ArgumentError, match="must be finished"):
        monitor.compare("two", "one")


def test_no_value_is_told_of_an_interval_too_wide_for_one() -> None:
    """Neither by tables, nor by the chart, nor in the report of a quarter."""
    plan = replace(started().plan, budget=10)
    monitor, frame = lc.Monitor(None, "spam", plan, waves=12), table()
    for wave, rows in ("one", frame), ("two", table(1_000)):
        label(monitor.wave(read(rows), wave), rows)
    told = monitor._session("spam: two").results().one(lc.Estimate, "recall")
    assert told.told is None and told.value is not None
    rows = monitor.table().set_index(["wave", "estimand"])
    assert pd.isna(rows.loc[("two", "recall"), "value"])
    row = monitor.compare("two", "one").set_index("estimand").loc["recall"]
    assert row[["value", "earlier_value", "difference_value"]].isna().all()
    low, high = percent_range(told.low, told.high)
    report = monitor.report().replace("\xa0", " ")
    assert row["low"] == told.low and f">{low} to {high}<" in report and NO_VALUE in report


def test_no_difference_tells_a_value_that_one_of_its_waves_keeps_back() -> None:
    figures = Figure(0.5, 0.1, 0.9, [], None), Figure(0.8, 0.75, 0.85, [], None)
    one, two = (Measured("w", "w", 9, 9, 0, True, False, "", {"recall": each}) for each in figures)
    for row in (compared(one, two).iloc[0], compared(two, one).iloc[0]):
        assert pd.isna(row["difference_value"]) and row["difference_high"] < 1
    assert compared(one, one)["value"].dtype == float, "NaN also where no figure has a value"


def test_strata_end_at_the_scores_of_the_first_wave() -> None:
    """And not at ranks of each table, by which items would move."""
    plan, first = replace(started().plan, budget=216), table()
    monitor = lc.Monitor(None, "spam", plan, waves=12)
    label(monitor.wave(read(first), "one"), first)
    second = pd.concat([first.iloc[60:], table(1_000, 240)], ignore_index=True)
    engines = [monitor.wave(read(second), "two").engine]
    engines.append(Engine(engines[0].population, replace(engines[0].plan, edges=None)))
    launch = monitor._session("spam: one").engine
    moved = []
    for engine in engines:
        known = np.arange(99) if engine.frame.known_as is None else engine.frame.known_as
        before = launch.frame.known_as[launch.frame.stratum][60:]
        moved.append(np.mean(known[engine.frame.stratum][: ITEMS - 60] != before))
    assert moved[0] == 0.0
    assert moved[1] > 0.05
    assert Plan.from_json(engines[0].plan.to_json()) == engines[0].plan


@pytest.mark.parametrize("scores", ["one stratum", "beyond all edges", "no positives"])
def test_a_table_of_other_scores_is_a_wave(scores: str) -> None:
    plan = replace(started().plan, estimands=["accuracy", "precision"], budget=30)
    monitor = lc.Monitor(None, "spam", plan, ["accuracy >= 0.5"], False, waves=12)
    first = table()
    label(monitor.wave(read(first), "one"), first)
    other = changed(first, 0.5, 1_000)
    if scores == "no positives":
        other = other.assign(call="no")
    else:
        other = other.assign(score=0.6 if scores == "one stratum" else 3 + other["score"])
    session = monitor.wave(read(other), "two")
    label(session, other)
    assert session.labels == 30
    assert session.engine.frame.n_strata <= {"no positives": 12}.get(scores, 2)
    last = monitor.table().iloc[-1]
    truth = (other["call"] == other["truth"]).mean()
    assert last["low"] <= truth <= last["high"]


def test_edges_that_are_no_edges_are_refused() -> None:
    with pytest.raises(ValueError, match="edges must be scores and ties by group and class"):
        replace(started().plan, edges={"": {"no": [0.5]}})
    plan = replace(started().plan, edges={"": {"no": ((0.5, "a"),)}})
    assert lc.Plan.from_json(plan.to_json()) == plan
    kept = replace(started().plan, edges={"": {"no": []}})
    with pytest.raises(ValueError, match="edges must be of the classes, and of the groups"):
        Engine(read(FRAME), kept_plan(read(FRAME), kept))
