"""The state of the second readings, and its sentences."""

import json
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.estimands import ratios
from labelcore.figures.label_error import both_ways, label_error
from labelcore.figures.scalars import headline_stage
from labelcore.figures.unsure import TIMES
from labelcore.stats.profile import plug_in_totals
from labelcore.words.label_error import NO_DIFFERENCES, NO_REPEATS, OLD_SAMPLE, SEVERAL_CLASSES
from tests.answering import answer_draws, next_draw
from tests.columns import items
from tests.existing_files import at_random, made, read
from tests.recycled import plan_of, written

CLASSES = ("a", "b", "c")


def population(classes: tuple[str, ...]) -> lc.Population:
    """400 items with two classifiers that are right nine times in ten."""
    right = np.random.default_rng(2).random((400, 2)) < 0.9
    truth = np.arange(400) % len(classes)
    said = np.array(classes)[np.where(right.T, truth, (truth + 1) % len(classes))]
    given = {"classes": list(classes), "positive": classes[1]}
    return items(predictions=dict(zip("mn", said, strict=True)), **given)


def done(
    items: lc.Population, every: int, estimands: tuple[str, ...] = ("precision",),
    design: str = "simple_random", second: tuple[str, ...] = ("me",), flip: bool = True,
    **more: object,
) -> lc.Session:  # fmt: skip
    """150 labels, each right; of the repeats each ``every``-th is answered otherwise if ``flip``,
    by the people of ``second`` in turn."""
    usual = {"budget": 150, "repeats": 0.3, "promise": "fixed"}
    plan = lc.Plan(design, estimands, classifier="m", **{**usual, **more})
    session, repeats = lc.Session(items, plan), 0
    while (draw := session.next()) is not None:
        code = int(draw.item_id[1:]) % len(items.classes)
        if not draw.repeat:
            session.answer(draw, items.classes[code])
            continue
        other = flip and repeats % every == 0
        answer = items.classes[(code + other) % len(items.classes)]
        if (who := second[repeats % len(second)]) != "me":
            session.release(draw)
            again = session.next(who)
            assert again is not None and (again.repeat, again.index) == (True, draw.index)
            draw = again
        session.answer(draw, answer, annotator=who)
        repeats += 1
    return session


def test_without_repeats_it_is_agreement_with_a_judgement() -> None:
    session = lc.Session(
        population(CLASSES[:2]),
        lc.Plan("simple_random", "accuracy", classifier="m", budget=90),
    )
    found = session.label_error()
    assert found.sentence() == (
        "The figures are agreement with the judgement of the people who gave the answers: no "
        "item was judged twice, so "
        "mistakes in the labels are not counted."
    )
    assert found.share.value is None
    assert found.share.reason == NO_REPEATS
    assert found.figures == ()
    assumed = session.results()["accuracy"].assumptions
    assert any("the judgement of whoever gave it" in one for one in assumed)


def test_rate_and_figures_after_the_last_repeat() -> None:
    session = done(population(CLASSES[:2]), 10, ("accuracy", "precision"))
    found = session.label_error()
    number = len(found.readings)
    assert len(found.differing) == -(-number // 10)
    assert found.share.value == len(found.differing) / number
    assert found.error.value == pytest.approx(found.share.value / 2, rel=0.15)
    assert found.sentence().startswith(
        f"{len(found.differing)} of {number} repeated items got a different answer the second "
        f"time ("
    )
    accuracy, precision = found.figures
    observed = session.results()["accuracy"]
    assert accuracy.alike.value > observed.value
    assert accuracy.bounds.low < observed.low < observed.high < accuracy.bounds.high
    assert precision.sentence().startswith(
        "The true value of the precision of 'm' for 'b': if mistakes are alike everywhere, "
    )
    assert "; wherever they are, between " in precision.sentence()
    (alone,) = found.agreements
    assert alone.same_person
    assert alone.sentence().startswith("Two answers under one name: the same answer to ")
    assert json.loads(json.dumps(found.to_dict()))["repeated"] == number


def test_without_a_second_answer_that_differs_the_corrected_value_is_the_estimate() -> None:
    """Of a plain random sample it is the share of the labels, which the counts by prediction are
    not."""
    items = population(CLASSES[:2])
    found = done(items, 10, ("accuracy", "prevalence"), flip=False).label_error()
    assert not found.differing
    assert len(found.figures) == 2
    for one in found.figures:
        assert one.alike.value == pytest.approx(one.observed.value, rel=1e-12)
        assert one.alike.low <= one.alike.value <= one.alike.high


def test_a_few_second_answers_say_nothing_of_the_figures_yet() -> None:
    items = population(CLASSES[:2])
    found = done(items, 5, budget=60, repeats=0.1).label_error()
    number = len(found.readings)
    assert 0 < number < 20
    assert found.figures == ()
    assert found.sentence().endswith(
        f" Too few second answers yet to say what that means for the figures: {number} of at least "
        "20."
    )


def test_second_answers_are_told_of_where_there_are_some() -> None:
    session = done(population(CLASSES[:2]), 10)
    assumed = session.results()["precision"].assumptions
    assert any("which the second answers measure" in one for one in assumed)
    assert not any("are not counted" in one for one in assumed)


def test_figures_wait_for_the_end_of_labelling() -> None:
    session = done(population(CLASSES[:2]), 10)
    assert session.label_error().figures
    session.second_pass(20)
    waiting = session.label_error()
    assert waiting.waiting == 20
    assert waiting.figures == ()
    assert waiting.sentence().endswith(" 20 items still to be shown again.")
    session.finish()
    assert session.label_error().figures


def test_a_second_not_sure_is_another_answer() -> None:
    session = done(population(CLASSES[:2]), 1000)
    session.second_pass(10)
    before = len(session.label_error().differing)
    session.answer(session.next(), "unsure")
    found = session.label_error()
    assert len(found.differing) == before + 1
    assert found.to_dict()["items"][-1]["second"] == "unsure"


def test_second_answers_without_a_class_say_nothing_of_the_rate() -> None:
    """The figure if mistakes are alike stays as if those items had not come again; the bound, which
    takes each for a mistake, widens."""
    session = done(population(CLASSES[:2]), 10)
    before = session.label_error().figures[0]
    session.second_pass(10)
    answer_draws(session, "unsure")
    after = session.label_error().figures[0]
    assert after.alike == before.alike
    assert after.bounds.low < before.bounds.low


def test_nothing_is_said_beside_a_sample_that_was_there_before(tmp_path: Path) -> None:
    """Its labels are never judged a second time."""
    items = read(tmp_path / "known", at_random(300))
    plan = lc.Plan(
        "simple_random", "accuracy", classifier="a", budget=100, promise="fixed", repeats=0.5,
        existing="random",
    )  # fmt: skip
    session, (_, truth) = lc.Session(items, plan), made()
    answer_draws(session, lambda draw: bool(truth[int(draw.item_id[1:])]))
    (one,) = session.label_error().figures
    assert one.alike.reason == one.bounds.reason == OLD_SAMPLE


def test_two_people_have_an_agreement_of_their_own() -> None:
    found = done(population(CLASSES[:2]), 6, second=("me", "other")).label_error()
    alone, both = found.agreements
    assert (alone.same_person, both.same_person) == (True, False)
    assert alone.pairs + both.pairs == len(found.readings)
    # Every sixth is the first of two in turn: the other person differs never.
    assert both.differing == 0
    assert both.ac1.value == 1.0
    assert "(no interval: fewer than two items are judged differently" in both.sentence()
    assert alone.differing > 0
    some = done(population(CLASSES[:2]), 5, second=("other",)).label_error()
    (only,) = some.agreements
    assert only.ac1.low < only.ac1.value < only.ac1.high
    assert "Gwet's AC1" in only.sentence()


def test_several_classes_are_bounded_and_not_corrected() -> None:
    found = done(population(CLASSES), 10, ("accuracy", "precision")).label_error()
    for one in found.figures:
        assert one.alike.reason == SEVERAL_CLASSES
        assert not one.bounds.reason
        assert one.bounds.high - one.bounds.low < 1


def test_differences_are_not_worked_out() -> None:
    items = population(CLASSES[:2])
    plan = lc.Plan(
        "paired_comparison", ("accuracy_difference",), classifier=("m", "n"), budget=150,
        repeats=0.3, promise="fixed",
    )  # fmt: skip
    session = lc.Session(items, plan)
    answer_draws(session, lambda draw: items.classes[int(draw.item_id[1:]) % 2])
    (one,) = session.label_error().figures
    assert one.alike.reason == one.bounds.reason == NO_DIFFERENCES
    assert one.sentence().startswith("Nothing can be said about the true value of ")
    assert one.sentence().endswith(f": {NO_DIFFERENCES}.")


def test_items_without_a_verdict_count_both_ways() -> None:
    items = population(CLASSES[:2])
    session = done(items, 10)
    plain = session.label_error().figures[0]
    answered = list(session.history(last=None))[:20]
    twice = {one.index for one in session.label_error().readings}
    for row in answered:
        if row.index not in twice:
            session.revise(row.index, "unsure", f"t{row.index}")
    wide = label_error(session.engine).figures[0]
    assert wide.bounds.low < plain.bounds.low
    assert wide.alike.low < plain.alike.low


def test_of_labels_from_before_it_is_the_judgement_of_those_who_gave_them() -> None:
    before = [str(n % 2) if n % 7 == 0 else "" for n in range(300)]
    plan = lc.Plan("simple_random", "accuracy", classifier="m", budget=90, existing="certainty")
    session = lc.Session(items(predictions={"m": [0, 1] * 150}, known=before), plan)
    session.answer(session.next(), True)
    assert (
        session.label_error()
        .sentence()
        .startswith(
            "The figures are agreement with the judgement of the people who gave the answers: "
        )
    )


def test_after_recycling_labels_count_where_they_are_a_random_sample() -> None:
    """The counts that a figure for the truth starts from have the precision of the headline; labels
    pooled by prediction, which is what they were once, do not."""
    known = written()
    session = lc.Session(known.population, plan_of(repeats=0.4))
    answer_draws(session, known)
    stage, results = headline_stage(session.engine), session.results()
    pooled = []
    for question in (one for one in stage.questions if one.row.name == "precision"):
        (cells,) = both_ways(stage, question)
        value = results[question.key].value
        assert ratios([question.row], cells).value(plug_in_totals(cells))[0] == pytest.approx(value)
        tally = stage.tallies[question.subject].cells(question.class_index)
        pooled.append(ratios([question.row], tally).value(plug_in_totals(tally))[0] - value)
    assert max(np.abs(pooled)) > 0.01
    assert len(session.label_error().figures) == len(stage.questions)


def test_second_readings_of_a_second_stage_are_left_out() -> None:
    """The figures are those of the first 60 labels: how sure their judgement is is said by second
    readings of these, not of what was labelled beyond them."""
    items = population(CLASSES[:2])
    session = done(items, 5, ("accuracy",), budget=60, repeats=0.5)
    first = label_error(session.engine)
    session.extend(budget=120)
    answer_draws(session, lambda draw: items.classes[int(draw.item_id[1:]) % 2])
    after = label_error(session.engine)
    further = [one for one in session.engine.repeats.readings() if one.index > 60]
    assert further, "the second stage must have second readings for the test to say anything"
    assert [one.index for one in after.readings] == [one.index for one in first.readings]
    assert after.share == first.share and after.share.value > 0


def test_unsure_items_count_at_the_odds_that_the_plan_declares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The true share of "b" of a plain sample, p of each cell where no second answer differs: with
    u of its items unsure the ends move by u (p - p'), p' having a third of the odds of p, or three
    times; wherever mistakes are by u (3^.5 - 1) / (3^.5 + 1)."""
    items = population(CLASSES[:2])
    session = done(items, 10, ("prevalence",), flip=False, unsure="odds")
    twice = {one.index for one in session.label_error().readings}
    for row in list(session.history(last=None))[:45]:
        if row.index not in twice:
            session.revise(row.index, "unsure", f"t{row.index}")
    engine = session.engine
    odds = label_error(engine).figures[0]
    monkeypatch.setattr("labelcore.figures.label_error.counts_at_odds", lambda engine: False)
    bare = label_error(engine).figures[0]
    expected = np.zeros(3)
    for code in range(2):
        said = items.predictions["m"] == code
        unsure = said[engine.undecided_positions()].sum()
        labelled = engine.codes.labelled[said[engine.codes.labelled]]
        rate = (engine.codes[labelled].sum() + 0.5) / (len(labelled) + 1)
        hidden = said.mean() * unsure / (unsure + len(labelled))
        moved = [one * rate / (1 - rate + one * rate) - rate for one in (1 / TIMES, TIMES)]
        expected += hidden * np.array([*moved, (TIMES**0.5 - 1) / (TIMES**0.5 + 1)])
    down, up, far = expected
    assert odds.alike.low - bare.alike.low == pytest.approx(down, rel=0.05)
    assert odds.alike.high - bare.alike.high == pytest.approx(up, rel=0.05)
    assert bare.bounds.low - odds.bounds.low == pytest.approx(far, rel=0.05)
    assert odds.bounds.high - bare.bounds.high == pytest.approx(far, rel=0.05)
    assert down < -0.005 and up > 0.005


def test_open_items_count_against_and_for_a_figure() -> None:
    """The worst case lies below the counts alone and the best one above them, by as many items of
    each cell as are open."""
    items = population(CLASSES[:2])
    session = lc.Session(items, lc.Plan("simple_random", "accuracy", classifier="m", budget=60))
    for number in range(60):
        draw = next_draw(session)
        right = items.classes[int(draw.item_id[1:]) % 2]
        session.answer(draw, "later" if number % 20 == 7 else right)
    stage, (question,) = headline_stage(session.engine), session.engine.questions
    plain, worst, best = (
        float(ratios([question.row], cells).value(plug_in_totals(cells))[0])
        for cells in both_ways(stage, question)
    )
    assert worst < plain - 0.02 < plain + 0.002 < best


def drifting(items: lc.Population, design: str, first: float, last: float) -> lc.Session:
    """200 labels; the chance of a mistake is ``first`` in the first half and ``last`` later."""
    plan = lc.Plan(
        design, "accuracy", classifier="m", budget=200, repeats=0.2, promise="fixed", seed=5
    )
    session, random, given = lc.Session(items, plan), np.random.default_rng(6), 0
    while (draw := session.next()) is not None:
        code = int(draw.item_id[1:]) % len(items.classes)
        wrong = random.random() < (first if given < 110 else last)
        session.answer(draw, items.classes[(code + wrong) % len(items.classes)])
        given += 1
        if given == 150:
            assert session.label_error().drift is None
    return session


@pytest.mark.parametrize("design", ["simple_random", "recalibrated_neyman"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_labeller_who_drifts_is_told(design: str, classes: int) -> None:
    items = population(CLASSES[:classes])
    for first, last, half in ((0.0, 0.3, "second"), (0.3, 0.0, "first")):
        found = drifting(items, design, first, last).label_error()
        assert found.drift is not None and found.drift.change.value is not None
        assert found.drift.change.value * (last - first) > 0
        repeated = found.drift.repeated
        assert sum(repeated) == len(found.readings) and min(repeated) > 0
        assert sum(found.drift.differing) == len(found.differing)
        early, late = (n / of for n, of in zip(found.drift.differing, repeated, strict=True))
        assert (late - early) * (last - first) > 0
        assert (
            f"The {half} half of the answers seems to have more mistakes: by about"
            in found.sentence()
        )
        assert json.loads(json.dumps(found.to_dict()))["drift"]["repeated"] == list(repeated)


def test_nobody_who_errs_alike_is_said_to_drift() -> None:
    items = population(CLASSES[:2])
    found = drifting(items, "recalibrated_neyman", 0.1, 0.1).label_error()
    assert found.drift is not None and not found.drift.seen
    assert "half" not in found.sentence()
    assert found.to_dict()["drift"] is None
