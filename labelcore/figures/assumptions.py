"""What a result rests on, in words."""

from labelcore.designs.curves import (
    APPROXIMATE,
    JUDGED_TWICE,
    JUDGEMENT,
    OPEN_BOTH_WAYS,
    UNDECIDED_BOTH_WAYS,
)
from labelcore.figures.unsure import both_ways
from labelcore.log.engine import Engine
from labelcore.promises import Form
from labelcore.words.existing import assumed
from labelcore.words.unsure import ASSUMED

SETTLED = (
    "the settled judgement is what {readers} people agree on, or what was settled where they "
    "differ; a mistake that all of them make stays unseen"
)


def assumptions(engine: Engine, form: Form, *, both: bool | None = None) -> tuple[str, ...]:
    """What a result of this form rests on; ``both``: whether items called unsure or broken count
    both ways, where that is not for the plan's reading to say."""
    strict = form is Form.STRICT
    of_design = engine.design.assumed(engine.plan.design_params)
    sentences = [sentence for sentence in of_design if not strict or sentence != APPROXIMATE]
    sentences.append(judgement(engine))
    sentences += assumed(len(engine.existing.positions), engine.existing.use)
    if engine.plan.target == "process":
        sentences.append("the file is a random sample of the items that the statement is about")
    if engine.undecided:
        either = both_ways(engine) if both is None else both
        sentences.append(UNDECIDED_BOTH_WAYS if either else ASSUMED[engine.unsure_reading])
    if engine.open_positions():
        sentences.append(OPEN_BOTH_WAYS)
    return tuple(sentences)


def settled_assumptions(first: tuple[str, ...], engine: Engine) -> tuple[str, ...]:
    """What a result for the settled judgement rests on, from what that of the first readings does.

    first   the assumptions of the result by the first readings
    """
    kept = [sentence for sentence in first if sentence not in (JUDGEMENT, JUDGED_TWICE)]
    sentences = [*kept, SETTLED.format(readers=engine.plan.readers)]
    return tuple(sentences if APPROXIMATE in sentences else [*sentences, APPROXIMATE])


def judgement(engine: Engine) -> str:
    """Whose judgement the labels are, and where their errors are told."""
    return JUDGED_TWICE if engine.repeats.answered else JUDGEMENT
