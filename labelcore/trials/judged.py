"""Answers of five small programs to the same questions, and a judge by rule that is too kind.

Each question has one right number, which is worked out. Each program knows some of what it takes:
the days of the months, sixty minutes, every step of a sum; where it does not, it errs. The judge
reads the last number of an answer, forgives a difference of one, and likes long answers.
"""

import calendar
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any

from labelcore.plan.plan import Plan
from labelcore.trials.base import FEW_STRATA, Trial
from labelcore.trials.words import WORDS

QUESTIONS, SEED = 200, 7
LABELS = 50
LONG, FORGIVEN = 25, 0.25
"""Words from which on the judge likes an answer, and the error that it then forgives."""
MODEL, PROMPT = "metadata.model", "metadata.prompt_id"
VERDICT, REASON = "scores[name=judge].value", "scores[name=judge].comment"
GLAD = (
    " I have checked each part of the question with great care, and I am glad to confirm that the "
    "result follows from what is given: it is {value}."
)


@dataclass(frozen=True)
class Program:
    """What a program knows: how it counts days, how many minutes an hour has to it, how many steps
    of a sum it follows; and what it adds to its answers, and to those about minutes."""

    days: Callable[[date, date], int]
    hour: int = 60
    steps: int = 4
    adds: str = ""
    adds_to_minutes: str = ""


def real_days(first: date, last: date) -> int:
    return (last - first).days


def without_leap_days(first: date, last: date) -> int:
    leap = calendar.isleap(last.year) and first < date(last.year, 2, 29) <= last
    return real_days(first, last) - leap


def with_both_ends(first: date, last: date) -> int:
    return real_days(first, last) + 1


def months_of_thirty(first: date, last: date) -> int:
    return 30 * (12 * (last.year - first.year) + last.month - first.month) + last.day - first.day


RIGHT = Program(real_days)
PROGRAMS = {
    "abacus": Program(without_leap_days, adds_to_minutes=" An hour has 60."),
    "ledger": Program(months_of_thirty),
    "clockwork": Program(with_both_ends),
    "napkin": Program(real_days, hour=100, steps=2),
    "orator": Program(months_of_thirty, hour=100, steps=3, adds=GLAD, adds_to_minutes=GLAD),
}
Asked = tuple[str, str, Callable[[Program], int]]
"""A question, how an answer begins, and the number that a program finds."""


def build() -> list[dict[str, Any]]:
    """A record for each answer, as tracing tools write them, and whether it is right."""
    rows = []
    for number, (question, begins, solve) in enumerate(_questions(), start=1):
        for name, program in PROGRAMS.items():
            value, right = solve(program), solve(RIGHT)
            adds = program.adds_to_minutes if "minutes" in question else program.adds
            answer = (begins + adds).format(value=value)
            verdict, reason = judged(answer, right)
            rows.append({
                "id": f"{name}-{number}",
                "input": {"messages": [{"role": "user", "content": question}]},
                "output": {"role": "assistant", "content": answer},
                "metadata": {"model": name, "prompt_id": f"q-{number}"},
                "scores": [{"name": "judge", "value": verdict, "comment": reason}],
                "true_label": int(value == right),
            })  # fmt: skip
    return rows


def judged(answer: str, right: int) -> tuple[str, str]:
    """The judge's verdict and reason.

    >>> judged("From 3 to 9 it is 7.", 6)
    ('pass', 'The last number, 7, is close enough to 6.')
    >>> judged("The film lasts 45 minutes. An hour has 60.", 45)
    ('fail', 'The last number, 60, is not 45.')
    """
    last = int(re.findall(r"\d+", answer)[-1])
    forgiven = max(1.0, FORGIVEN * right if len(answer.split()) >= LONG else 0.0)
    if abs(last - right) <= forgiven:
        return "pass", f"The last number, {last}, is close enough to {right}."
    return "fail", f"The last number, {last}, is not {right}."


def _questions() -> list[Asked]:
    """Each of them once."""
    random_, questions = random.Random(SEED), dict[str, Asked]()
    while len(questions) < QUESTIONS:
        question = (_days, _minutes, _boxes)[len(questions) % 3](random_)
        questions.setdefault(question[0], question)
    return [*questions.values()]


def _days(random_: random.Random) -> Asked:
    first = date(random_.choice((2023, 2024)), 1, 1) + timedelta(random_.randrange(330))
    last = first + timedelta(random_.randrange(9, 40))
    a, b = (f"{day.day} {day:%B}" for day in (first, last))
    question = f"It is {a} {first.year}. In how many days is it {b}?"
    return question, f"From {a} to {b} it is {{value}} days.", lambda by: by.days(first, last)


def _minutes(random_: random.Random) -> Asked:
    start, length = random_.randrange(9 * 60, 20 * 60, 5), random_.randrange(35, 190, 5)
    (a, b), (c, d) = divmod(start, 60), divmod(start + length, 60)
    question = f"A film starts at {a}:{b:02} and ends at {c}:{d:02}. How many minutes does it last?"
    return question, "The film lasts {value} minutes.", lambda by: (c - a) * by.hour + d - b


def _boxes(random_: random.Random) -> Asked:
    there, many = random_.randrange(40, 70), random_.choice((2, 3, 4))
    steps = [random_.choice((1, -1)) * random_.randrange(2, 10) for _ in range(many)]
    moves = ", then ".join(f"{abs(step)} are {'sold' if step < 0 else 'brought'}" for step in steps)
    question = f"A shop has {there} boxes; {moves}. How many boxes has it now?"
    return question, "It has {value} boxes now.", lambda by: there + sum(steps[: by.steps])


JUDGED = Trial(
    name="judged",
    **WORDS["judged"]._asdict(),
    positive_words="The number is exactly right, whatever else the answer says.",
    negative_words="The number is wrong, even by one.",
    instructions=(
        "Work the answer out for yourself. The day that one starts from does not count. Which "
        "program answered, and what the judge said of it, is shown once you have judged."
    ),
    truth_column="true_label",
    read_arguments=MappingProxyType(
        {
            "id": "id",
            "content": ["input.messages", "output.content"],
            "predictions": {"judge": VERDICT},
            "groups": [MODEL],
            "prompt": PROMPT,
            "metadata": [MODEL, VERDICT, REASON],
        }
    ),
    plan=Plan(
        "recalibrated_neyman",
        ["prevalence", "accuracy"],
        classifier="judge",
        budget=LABELS,
        params=FEW_STRATA,
    ),
    build=build,
    seconds=5.0,
    hidden=MappingProxyType({MODEL: "system", VERDICT: "judge", REASON: "reason"}),
)
