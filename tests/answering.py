"""Sessions that are answered at once, by what is known of their items."""

import labelcore as lc
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, label_all
from labelcore.testing.known import Known, label


def next_draw(session: lc.Session, who: str = "me") -> lc.Draw:
    """What is shown next to a person, who is asked something still."""
    draw = session.next(who)
    assert draw is not None
    return draw


def answer_draws(
    session: lc.Session, said: object, number: int | None = None, *, until: int | None = None,
    who: str = "me",
) -> lc.Session:  # fmt: skip
    """The session, once so many draws are answered, or all until nothing more is asked or so many
    labels are there. ``said`` is the answer to each, a rule that gives it, or a file's truth."""
    if isinstance(said, Known):
        truth, items = said.truth, said.population
        rule = lambda draw: items.classes[truth[items.position(draw.item_id)]]  # noqa: E731
    else:
        rule = said if callable(said) else lambda draw: said
    given = 0
    while given != number and (until is None or session.labels < until):
        if (draw := session.next(who)) is None:
            assert number is None, f"only {given} of {number} draws could be answered"
            break
        session.answer(draw, rule(draw))
        given += 1
    return session


def labelled_to(engine: Engine, known: Known, number: int) -> Engine:
    """The engine once it has so many labels."""
    for labels in label(engine, known.truth):
        if labels == number:
            return engine
    raise AssertionError(f"the plan asks for fewer than {number} labels")


def many_labelled(known: Known, plan: lc.Plan, number: int) -> list[Engine]:
    """So many sessions of one plan answered to their ends, side by side. Their orders are drawn
    instead of hashed, which is the same law (``tests/planning/test_runs.py``). Where a broken
    ``estimate`` must be seen, ask for the results of each: those of all together pass it by."""
    known.population.let_go()
    engines = list(beginnings(known.population, kept_plan(known.population, plan), range(number)))
    label_all(engines, known.truth)
    return engines
