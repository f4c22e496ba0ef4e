"""New project, step 3: which classifiers, and from which score on each of them says yes."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from labelcore.charts.score_histogram import score_histogram_chart
from labelcore.designs.sure_scores import scores_looking_sure
from labelcore.population import Population
from labelcore.population.guess import RANK
from labelcore.safe_text import one_line, plain, shortened
from labelcore.ui.asking import ask
from labelcore.ui.chart import show_chart
from labelcore.ui.draft import Question
from labelcore.ui.fields import Rules
from labelcore.ui.new_columns import Columns
from labelcore.ui.status import shown_word

EXTREMES, MOST_THRESHOLDS, LONGEST_SCALE, MOST_STRAYS = 3, 8, 20, 0.05
MOVE = "Move the threshold, or choose another prediction column."


def usable(base: Population) -> tuple[str, ...]:
    """The classifiers that can be judged, without what was found so far: of two classes first those
    whose verdicts the file has, with several classes those that predict one."""
    if len(base.classes) == 2:
        names = (name for name in base.classifiers if name != base.found)
        return tuple(sorted(names, key=lambda name: name not in base.arguments["predictions"]))
    return tuple(name for name in base.classifiers if name in base.predictions)


def scored(base: Population, names: Sequence[str]) -> tuple[str, ...]:
    """Those that have a score."""
    return tuple(name for name in names if name in base.scores)


def positive_of(base: Population, question: Question) -> str:
    """The class of the file that counts as positive, whatever the person calls it."""
    if len(base.classes) > 2:
        return base.positive
    return base.classes[question.classes.index(question.positive)]


@dataclass(frozen=True)
class Cut(Rules):
    """A classifier's direction, and its thresholds where no prediction decides: ``number`` is
    "none", "one" or "several"."""

    base: Population
    question: Question
    name: str
    number: str = "one"

    def offered(self, name: str, part: str) -> Mapping[str, Any]:
        if name == "direction":
            named = zip(self.base.classes, self.question.classes, strict=True)
            words = {of_file: plain(shown_word(said)) for of_file, said in named}
            who = f" of {self.name}" if len(self.base.scores) > 1 else ""
            first = high_class(self.base, self.question, self.name)
            options = {self.positive: words[self.positive], **words}
            return {"label": plain(f"High scores{who} mean"), "options": options, "first": first}
        word, way = (
            shortened(shown_word(self.question.positive)),
            "down" if self.descending else "on",
        )
        label = f"From which score {way} does {self.name} say {word!r}?"
        first_threshold = threshold_of(self.base, self.name)
        if name == "thresholds":
            label += " One threshold, or several separated by spaces"
            return {"label": plain(label), "first": f"{first_threshold:g}"}
        low, high = score_range(self.base, self.name)
        step = 0.01 if (low, high) == (0.0, 1.0) else (high - low) / 200
        if high - low <= LONGEST_SCALE and not (self.base.scores[self.name] % 1).any():
            step = 1.0  # Grades, such as 1 to 5.
        bounds = {"low": low, "high": high, "more": {"step": step}}
        return {"label": plain(label), "first": first_threshold, **bounds}

    @property
    def positive(self) -> str:
        return positive_of(self.base, self.question)

    @property
    def has_direction(self) -> bool:
        return self.name in self.base.scores and len(self.question.classes) == 2

    @property
    def descending(self) -> bool:
        return bool(self.shown("direction", self.name) != self.positive)

    @property
    def predicted(self) -> bool:
        """Whether the file says what it calls positive, so that no score is cut."""
        return self.name in self.base.arguments["predictions"]

    def columns(self, columns: Columns) -> Columns:
        """The columns with it. Raises ValueError with a sentence for a threshold that is wrong."""
        if not self.has_direction:
            return columns
        thresholds: tuple[float, ...] = ()
        if self.number == "several" and not self.predicted:
            thresholds = read_thresholds(self.shown("thresholds", self.name))
        elif self.number == "one" and not self.predicted:
            thresholds = (float(self.shown("threshold", self.name)),)
        return replace(
            columns,
            thresholds={**columns.thresholds, **({self.name: thresholds} if thresholds else {})},
            descending=columns.descending + ((self.name,) if self.descending else ()),
        )

    def ask(self, columns: Columns) -> Columns | None:
        """Its inputs, and the columns with it; None while a threshold is wrong, which is told."""
        if self.has_direction:
            ask(self.row("direction", self.name))
            with st.expander("Check both ends"):
                extremes(self.base, self.name)
            low, high = score_range(self.base, self.name)
            if self.number == "several" and not self.predicted:
                ask(self.row("thresholds", self.name))
            elif self.number == "one" and not self.predicted and low < high:
                ask(self.row("threshold", self.name))
            elif self.number == "one" and not self.predicted:
                st.text(f"Every item has the score {low:g}.")
        try:
            return self.columns(columns)
        except ValueError as error:
            st.error(plain(f"{self.name}: {error}"))
            return None


def score_range(base: Population, name: str) -> tuple[float, float]:
    """Between which scores a threshold lies: 0 and 1 where they may be probabilities."""
    low, high = float(base.scores[name].min()), float(base.scores[name].max())
    return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def high_class(base: Population, question: Question, name: str) -> str:
    """The class of the file that high scores of a classifier speak for: the one that it predicts at
    the higher mean score. Where the file does not say, the positive one; a rank begins with it."""
    positive, predicting = positive_of(base, question), base.arguments["predictions"]
    if name in scores_looking_sure(base):
        return positive
    if name in predicting and name in base.predictions:
        second = base.predictions[name] == 1
        if second.any() and not second.all():
            scores = base.scores[name]
            rise = scores[second].mean() - scores[~second].mean()
            if rise:
                return base.classes[int(rise > 0)]
    if RANK.search(base.arguments["scores"].get(name) or ""):
        return next(word for word in base.classes if word != positive)
    return positive


def extremes(base: Population, name: str) -> None:
    scores = base.scores[name]
    number = min(EXTREMES, len(scores))
    order = np.argpartition(scores, [number - 1, len(scores) - number])
    ends = (("Highest scores", order[-number:], -1), ("Lowest scores", order[:number], 1))
    for title, places, sign in ends:
        st.markdown(f"**{title}**")
        for place in sorted(places, key=lambda p: sign * scores[p]):
            content = " | ".join(base.content(base.id_at(int(place))).values())
            st.text(f"{scores[place]:.4g}   {one_line(content, 160)}")


def strays(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The places of those outside 0 to 1, where these are few and the scores no whole numbers."""
    outside = np.flatnonzero((scores < 0) | (scores > 1))
    few = 0 < len(outside) <= MOST_STRAYS * len(scores) and (scores % 1).any()
    return outside if few else outside[:0]


def threshold_of(base: Population, name: str) -> float:
    """One half where all scores but strays may be probabilities, else the middle one."""
    scores = base.scores[name]
    if len(outside := strays(scores)):
        scores = np.delete(scores, outside)
    if 0 <= scores.min() <= 0.5 <= scores.max() <= 1:
        return 0.5
    return float(np.median(base.scores[name]))


def read_thresholds(typed: str) -> tuple[float, ...]:
    """Numbers with a point or a comma, in rising order. Raises ValueError with a sentence.

    >>> read_thresholds("0.5 0,3; 0.5")
    (0.3, 0.5)
    """
    thresholds = set()
    for part in re.split(r"[;\s]+|,\s+", typed.strip(" ;,")):
        try:
            value = float(part.replace(",", "."))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"A threshold is a number such as 0.5; this is {part!r}.")
        thresholds.add(value)
    if len(thresholds) > MOST_THRESHOLDS:
        raise ValueError(
            f"At most {MOST_THRESHOLDS} thresholds at once, and these are {len(thresholds)}."
        )
    return tuple(sorted(thresholds))


def show_called(
    population: Population, question: Question, names: tuple[str, ...], more: DeltaGenerator
) -> None:
    """How many items each classifier calls positive, and the picture of the first one's scores;
    both in ``more`` where the file's predictions decide."""
    first, two = names[0], len(question.classes) == 2
    for name in names if two else ():
        with st.container() if name in population.thresholds else more:
            show_calls_of(population, question, name, alone=len(names) == 1)
        if name in population.predictions and len(population.called(name)) == 1:
            st.warning(plain(f"{name} says the same about every item. {MOVE}"))
    if first in population.scores and two:
        chart = score_histogram_chart(
            population.scores[first],
            population.thresholds.get(first),
            first in population.descending,
        )
        with st.container() if first in population.thresholds else more:
            show_chart(chart, "new-histogram", height=180)
            if len(names) > 1:
                st.caption(plain(f"The picture shows the first of them, {first}."))


def show_calls_of(population: Population, question: Question, name: str, *, alone: bool) -> None:
    word, size = shortened(shown_word(question.positive)), len(population)
    if name not in population.predictions:
        return
    who = "" if alone else f"{name}: "
    number = population.called(name).get((population.positive,), 0)
    if name in population.thresholds:
        st.text(one_line(f"{who}{number:,} of {size:,} would be called {word!r}.", 300))
    else:
        column = population.arguments["predictions"][name]
        text = f"The column {column!r} decides: {number:,} of {size:,} are called {word!r}."
        st.text(one_line(who + text, 300))
