"""One row says all of a stop rule: what it reads, when it is met, and its words."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

import labelcore as lc
from labelcore.figures.stops import stop_reason
from labelcore.plan import stop_rules
from labelcore.plan.stop_rules import RULES, StopRule
from labelcore.testing.known import calibrated
from labelcore.words.stops import stop_words, stopped_short, stopped_title, stopped_words
from tests.answering import answer_draws

VALUES = {"deadline": "2027-01-31T18:00"}
"""A value of each rule that takes one."""
LABELS = StopRule(
    name="labels", met=lambda now, number: now.labels >= int(number),
    read=lambda text: str(int(text)), written="'labels 300'", choice="So many items have a label",
    until="{value} items have a label", open="the labels are not there yet", short="labels reached",
    title="The labels are there", was="{value} items had a label",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted(RULES))
def test_every_word_of_a_rule_can_be_filled_in(name: str) -> None:
    rule = stop_rules.read_stop(f"{name} {VALUES[name]}" if name in VALUES else name)
    for text in (
        stop_words(rule, 0.05),
        stopped_words(rule[0], 0.05),
        stopped_words(rule[0], None),
    ):
        assert text and "{" not in text and "None" not in text
    assert stopped_short(rule[0]) == RULES[name].short
    assert stopped_title(rule[0]) == RULES[name].title


@pytest.fixture
def with_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "labels", LABELS)


@pytest.mark.usefixtures("with_labels")
def test_a_new_row_ends_sessions_of_every_design(tmp_path: Path) -> None:
    known = calibrated(tmp_path, 300, 1)
    for name in ("simple_random", "recalibrated_neyman", "geometric_strata"):
        asked = "precision_curve" if name == "geometric_strata" else "accuracy"
        plan = lc.Plan(name, [asked], budget=120, promise="fixed", stop="labels 7")
        session = lc.Session(known.population, plan)
        answer_draws(session, known)
        assert session.labels == 7 and session.events[-1].text == "labels 7"
        assert session.status == "goal reached"


def test_which_rules_end_a_session() -> None:
    moment = datetime.fromisoformat(VALUES["deadline"] + "+00:00")
    end = f"deadline {moment.isoformat()}"

    def met(*stop: str, at: datetime | None = moment, goal: bool = False) -> tuple[str, ...]:
        now = SimpleNamespace(labels=1, at=at, goal_reached=lambda: goal)
        return stop_rules.met_rules(stop_rules.read_stop(stop), now)  # type: ignore[arg-type]

    assert met(end) == met("any", end) == met("margin", end) == (end,)
    assert met(end, at=None) == met(end, at=moment - timedelta(seconds=1)) == ()
    assert met("margin", end, at=None, goal=True) == ("margin",)
    assert met("all", "margin", end) == met("all", "margin", end, at=None, goal=True) == ()
    assert met("all", "margin", end, goal=True) == ("margin", end)
    assert stop_rules.read_stop(("all", "margin")) == ("margin",) and stop_rules.read_stop(()) == ()
    blind = {name for name, row in RULES.items() if not row.looks}
    assert {*stop_rules.available(())} == blind >= {"deadline"}
    for wrong in (3, ("margin", 3)):
        with pytest.raises(TypeError, match="stop must be names of rules, got"):
            stop_rules.read_stop(wrong)


def test_a_moment_of_any_rule_must_be_still_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(RULES, "closing", replace(RULES["deadline"], name="closing"))
    plan = lc.Plan("simple_random", ["accuracy"], budget=20, stop="closing 2020-01-01")
    with pytest.raises(lc.errors.PlanError, match="name a closing that is still to come"):
        lc.Session(calibrated(tmp_path, 300, 1).population, plan)


@pytest.mark.usefixtures("with_labels")
def test_a_new_row_is_read_and_worded(tmp_path: Path) -> None:
    stop = ("all", "margin", "labels 30")
    plan = lc.Plan("simple_random", ["accuracy"], margin=0.2, stop=stop)
    assert plan.stop == stop and lc.Plan.from_json(plan.to_json()) == plan
    assert stop_words(plan.stop, 0.2).endswith("20.0 points and 30 items have a label")
    with pytest.raises(lc.errors.PlanError, match="write it as 'labels 300'"):
        lc.Plan("simple_random", ["accuracy"], margin=0.2, stop="labels many")
    engine = calibrated(tmp_path, 300, 1).engine(plan, 1)
    assert stop_reason(engine, None) == ""
