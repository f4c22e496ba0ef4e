"""Systems that a model judges: pass rates as people judge, pairs, and the judge, for every page.

*Progress*, the report in all its forms and the command line tell what is put together here.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from labelcore.estimands import DIFFERENCE
from labelcore.figures.differences import places_of
from labelcore.figures.judge import JUDGE, JUDGE_MEAN, MEAN, MEAN_BIAS
from labelcore.population import Population
from labelcore.population.classes import grades_of
from labelcore.population.revealing import snake
from labelcore.results.agreement import PeopleAgree
from labelcore.results.told_values import is_early, too_wide
from labelcore.session.session import Session
from labelcore.words import sentences as words
from labelcore.words.agreement import settled_by
from labelcore.words.differences import points_range
from labelcore.words.label_error import hundredths, two_decimals
from labelcore.words.tables import TOO_EARLY

THE_JUDGE = "The judge"
HEAD = "{who} passes {judge} of 100 answers; {would}{settled}."
PEOPLE_PASS = "people would pass {range}"
EARLY_HEAD = "too early to say how many people would"
SETTLED, AS_SETTLED = "; {by}, {range}", "As settled"
AHEAD = "{sure} sure: {pairs}."
ONE_AHEAD, MOST_AHEAD = "{better} is better than {worse}", 3
ORDER_DIFFERS = "{who} puts {judge} first; people put {people} first."
OPEN_BY, OPEN, SURE, TIE, SAME = "open +{more:,}", "open", "sure", "too close", ""
LEGEND = "+n: about n more labels decide it. "
TOGETHER = "{pairs}, {sure} together."
MEANS, RATES, PAIRS, MEASURES = "Mean scores", "The systems", "Which is better", THE_JUDGE
SYSTEM, BETTER, ALL = "System", "Better than", "All"
TWO_PEOPLE = "two people, on what both judged"
SHARES = {
    "agreement": "Agreement",
    "true pass rate": "True pass rate",
    "false pass rate": "False pass rate",
}
GRADES = re.compile(r"(^|_)(judges?|scores?|grades?|ratings?|stars|points)(_|$)", re.IGNORECASE)
AGREES = {"accuracy", "recall", "specificity"}
"""What *How good is my judge?* asks for."""
Ends = dict[str, float]
"""value, low and high"""
CLOSE, NEXT = 0.1, 3
MOST_SYSTEMS = 20
"""Of more, in a plan that gives none labels of its own, the judge is told alone."""
Name = Callable[[str], str]


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """What the labels say of a judge and of the systems that it judges.

    by              the column of the systems; "" for a judge alone
    measures        as ``Session.judge`` tells them
    pairs, places   as ``Session.differences`` and ``Session.ranking`` do; empty without systems
    people          how far two people agree, where some answers are judged by both
    settled, by_whom   the measures for the settled judgement, and how many people settle it
    judge           which of several judges it is; "" of a single one
    """

    by: str
    measures: pd.DataFrame
    pairs: pd.DataFrame
    places: pd.DataFrame
    confidence: float
    people: PeopleAgree | None = None
    settled: pd.DataFrame | None = None
    by_whom: str = ""
    judge: str = ""

    def sentences(self, name: Name = str) -> list[str]:
        """What the judge passes and people would, and whom each puts first; ``name`` writes a
        system. None of grades, of which the table says it all."""
        if self._graded:
            return []
        every, systems, also = self._every(), self._systems(), ""
        if self.settled is not None:
            settled = _range(_every(self.settled)["pass rate"], unit="")
            also = SETTLED.format(by=_lower(self.by_whom), range=settled)
        between = _range(every["pass rate"], unit="")
        would = EARLY_HEAD if between == TOO_EARLY else PEOPLE_PASS.format(range=between)
        judge, who = round(100 * every[JUDGE]["value"]), name(self.judge or THE_JUDGE)
        sentences = [HEAD.format(who=who, judge=judge, would=would, settled=also)]
        if pairs := self._ahead(name):
            more = len(pairs) - MOST_AHEAD
            pairs = [*pairs[:MOST_AHEAD], *([f"{more} more"] if more > 0 else [])]
            sure = words.confidence_words(self.confidence)
            sentences.append(AHEAD.format(sure=sure, pairs=", ".join(pairs)))
        if systems:
            judged = max(systems, key=lambda system: systems[system][JUDGE]["value"])
            first = self._order()[0]
            if judged != first and self.places["place_to"].iloc[0] == 1:
                ends = {"judge": name(judged), "people": name(first)}
                sentences.append(ORDER_DIFFERS.format(who=who, **ends))
        return sentences

    def tables(
        self, name: Name = str, truth: Mapping[str, float] = MappingProxyType({})
    ) -> dict[str, pd.DataFrame]:
        """By caption: the systems in their order, which of two is better, and the judge; ``truth``
        is the true pass rate of systems where it is known. Of grades the mean score of all and of
        each system."""
        if self._graded:
            return {MEANS: self._means(name)}
        tables = {RATES: self._rates(name, truth)} if len(self.places) else {}
        if len(self.pairs):
            tables[PAIRS] = self._matrix(name)
        return {**tables, MEASURES: self._judge()}

    def both(self) -> pd.DataFrame:
        """The measures, and below them those for the settled judgement, where there are some."""
        if self.settled is None:
            return self.measures
        parts = {"first answers": self.measures, self.by_whom: self.settled}
        return pd.concat([measures.assign(judgement=name) for name, measures in parts.items()])

    def legend(self) -> str:
        """Of the table of pairs."""
        sure = words.confidence_words(self.confidence)
        numbers = LEGEND if self.next_to_decide()[0] else ""
        return numbers + TOGETHER.format(pairs=words.count(len(self.pairs), "pair"), sure=sure)

    def next_to_decide(self) -> tuple[int, int]:
        """How many open pairs are the nearest to being decided, and about how many labels more
        decide them; none where that cannot be said."""
        labels = self.pairs["more"].dropna().tolist() if len(self.pairs) else []
        more = sorted(int(number) for number in labels if number)
        return len(more[:NEXT]), max(more[:NEXT], default=0)

    def to_dict(self) -> dict[str, Any]:
        """Sentences and the rows of the three frames, as JSON has them."""
        frames = {"measures": self.measures, "pairs": self.pairs, "places": self.places}
        if self.settled is not None:
            frames["settled"] = self.settled
        return {"sentences": self.sentences()} | {
            key: frame.astype(object).where(frame.notna(), None).to_dict("records")
            for key, frame in frames.items()
        }

    def rows(self, project: str) -> list[dict[str, Any]]:
        """The pairs as rows of a table of results; ``group`` is "a - b"."""
        shared = {"project": project, "confidence": self.confidence, "asked": False}
        columns = ("by", "value", "low", "high", "promise", "labels_used")
        return [
            {**shared, **{key: row[key] for key in columns},
             "estimand": row["estimand"] + DIFFERENCE, "group": f"{row['a']} - {row['b']}"}
            for row in self.pairs.to_dict("records")
        ]  # fmt: skip

    @property
    def _graded(self) -> bool:
        return MEAN in set(self.measures["measure"])

    def _means(self, name: Name) -> pd.DataFrame:
        rows = []
        each = [(ALL, self._every())]
        each += [(name(system), measures) for system, measures in self._systems().items()]
        head = SYSTEM if len(each) > 1 else "Answers"
        for system, measures in each:
            rows.append(
                {
                    head: system,
                    "Mean score": ""
                    if np.isnan(measures[MEAN]["value"])
                    else f"{measures[MEAN]['value']:.2f}",
                    "Interval": _numbers(measures[MEAN]),
                    "Judge says": f"{measures[JUDGE_MEAN]['value']:.2f}",
                    "Judge too kind by": _numbers(measures[MEAN_BIAS]),
                    "Same grade": _range(measures["agreement"]),
                }
            )
        return pd.DataFrame(rows)

    def _ahead(self, name: Name) -> list[str]:
        """The pairs that are decided, the largest difference first."""
        if not len(self.pairs):
            return []
        rows = self.pairs[self.pairs["ahead"] != ""].sort_values(
            "value", key=abs, ascending=False, kind="stable"
        )
        return [
            ONE_AHEAD.format(
                better=name(pair["ahead"]),
                worse=name(pair["b"] if pair["ahead"] == pair["a"] else pair["a"]),
            )
            for pair in rows.to_dict("records")
        ]

    def _every(self) -> dict[str, Ends]:
        return _every(self.measures)

    def _systems(self) -> dict[str, dict[str, Ends]]:
        return _by_system(self.measures)

    def _order(self) -> list[str]:
        return [str(system) for system in self.places["name"]]

    def _rates(self, name: Name, truth: Mapping[str, float]) -> pd.DataFrame:
        systems, rows = self._systems(), []
        settled = {} if self.settled is None else _by_system(self.settled)
        for system, low, high in self.places.to_numpy().tolist():
            rate, judge, bias = (systems[system][key] for key in ("pass rate", JUDGE, "bias"))
            low_end, high_end = points_range(bias["low"], bias["high"])
            rows.append(
                {
                    "Place": f"{low}" if low == high else f"{low} to {high}",
                    SYSTEM: name(system),
                    "Pass rate": _value(rate),
                    "Interval": _range(rate),
                    **({AS_SETTLED: _range(settled[system]["pass rate"])} if settled else {}),
                    **({"Truth": f"{100 * truth[system]:.0f} %"} if system in truth else {}),
                    "Judge says": f"{100 * judge['value']:.0f} %",
                    "Judge too kind by": f"{low_end} to {high_end}",
                }
            )
        return pd.DataFrame(rows)

    def _matrix(self, name: Name) -> pd.DataFrame:
        """A row for each system but the last: whether it is better than those after it."""
        order, verdicts = self._order(), {}
        for row in self.pairs.to_dict("records"):
            verdicts[row["a"], row["b"]] = verdicts[row["b"], row["a"]] = _told(row)
        rows = [
            [name(a), *(SAME if order.index(b) <= at else verdicts[a, b] for b in order[1:])]
            for at, a in enumerate(order[:-1])
        ]
        return pd.DataFrame(rows, columns=[BETTER, *map(name, order[1:])])

    def _judge(self) -> pd.DataFrame:
        rows = [_row_of("against people", self._every())]
        if self.settled is not None:
            rows.append(_row_of(_lower(self.by_whom), _every(self.settled)))
        if self.people is not None:
            share, beyond = self.people.share, self.people.coefficients["fleiss_kappa"]
            row = dict.fromkeys(rows[0], "") | {MEASURES: TWO_PEOPLE}
            if share.value is not None:
                ends = {"value": share.value, "low": share.low, "high": share.high}
                row[SHARES["agreement"]] = _share(ends)
            if beyond.value is not None:
                row["Kappa"] = _kappa(beyond.value, beyond.low, beyond.high)
            rows.append(row)
        return pd.DataFrame(rows)


def judged_of(session: Session) -> Judged | None:
    """Of a plan that asks for the pass rates of systems, or for what people say of a judge's
    verdicts, or whose answers are grades; None of others, and before the first label."""
    plan, population = session.plan, session.population
    asked, name = set(plan.estimands), session.engine.classifiers[0]
    labelled = session.labels and not plan.superseded and name in population.predictions
    if labelled and _grades_answers(population):
        measures, empty = session.judge(columns_of(session)), pd.DataFrame()
        means = MEAN in set(measures["measure"])
        return Judged("", measures, empty, empty, plan.confidence) if means else None
    systems = "prevalence" in asked and bool(population.groups)
    if not population.has_judge or not (systems or asked >= AGREES):
        return None
    if not labelled:
        return None
    both = session.agreement() if plan.overlap else None
    people = both if both is not None and both.items else None
    by = columns_of(session) if systems else ()
    pairs = session.differences(by, "prevalence") if by else pd.DataFrame()
    places = places_of(pairs) if by else pairs
    settled = _settled(session, by) if people else None
    return Judged(by[0] if by else "", session.judge(by), pairs, places, plan.confidence, people,
                  settled, settled_by(plan.readers),
                  str(name) if len(population.predictions) > 1 else "")  # fmt: skip


def _grades_answers(population: Population) -> bool:
    """Whether the classes are grades: numbers said of answers to prompts, or in a column that is
    called so. Others, such as digits that are read, have no mean."""
    columns = map(snake, population.arguments["predictions"].values())
    called = population.prompt is not None or any(map(GRADES.search, columns))
    return called and grades_of(population.classes) is not None


def _settled(session: Session, by: tuple[str, ...]) -> pd.DataFrame | None:
    """The measures for the settled judgement; None where there are none yet."""
    try:
        return session.judge(by, settled=True)
    except ValueError:
        return None


def columns_of(session: Session) -> tuple[str, ...]:
    """The column of the systems, or what the plan names; none of one, or over ``MOST_SYSTEMS``."""
    if session.plan.by or not session.population.groups:
        return tuple(session.plan.by or ())
    column = system_column(session.population)
    return (column,) if 1 < len(session.population.groups[column].texts) <= MOST_SYSTEMS else ()


def system_column(base: Population) -> str:
    """The column of the systems: that whose groups share the most prompts, else the first one."""
    columns = list(base.groups)
    if base.prompt is None:
        return columns[0]

    def shared(name: str) -> int:
        both = base.prompt.codes.astype(np.int64) * 2**31 + base.groups[name].codes  # type: ignore[union-attr]
        return len(np.unique(both))

    return max(columns, key=shared)


def _measures(rows: pd.DataFrame) -> dict[str, Ends]:
    kept = rows.set_index("measure")[["value", "low", "high"]]
    return {str(name): dict(row) for name, row in kept.to_dict("index").items()}  # type: ignore[arg-type]


def _every(measures: pd.DataFrame) -> dict[str, Ends]:
    return _measures(measures[measures["group"].isna()])


def _by_system(measures: pd.DataFrame) -> dict[str, dict[str, Ends]]:
    rows = measures[measures["group"].notna()]
    return {str(name): _measures(lines) for name, lines in rows.groupby("group", sort=False)}


def _row_of(against: str, every: Mapping[str, Ends]) -> dict[str, str]:
    """How the judge stands to people, a row of the table."""
    shares = {label: _share(every[key]) for key, label in SHARES.items()}
    return {MEASURES: against, **shares, "Kappa": _kappa(**every["kappa"])}


def _lower(name: str) -> str:
    return name[:1].lower() + name[1:]


def _told(pair: Mapping[Any, Any]) -> str:
    """Whether one of two is surely better; where it is open about how many labels decide it, if
    that can be said; and where both ends are near zero that they are too close to tell."""
    if pair["ahead"]:
        return SURE
    if not pd.isna(pair["more"]):
        return OPEN_BY.format(more=pair["more"])
    return TIE if max(-pair["low"], pair["high"]) <= CLOSE else OPEN


def _value(row: Ends) -> str:
    """The value where it says something."""
    return "" if too_wide(row["low"], row["high"]) else words.value_percent(**row)


def _kappa(value: float, low: float, high: float) -> str:
    return f"{hundredths(value)} ({two_decimals(low, high)})"


def _numbers(row: Ends) -> str:
    return two_decimals(row["low"], row["high"])


def _share(row: Ends) -> str:
    """The value, if it says something, and the interval."""
    between = _range(row, unit="")
    return between if between == TOO_EARLY else f"{_value(row)} ({between})".strip()


def _range(row: Ends, unit: str = " %") -> str:
    early = is_early(row["low"], row["high"])
    return TOO_EARLY if early else words.range_text(row["low"], row["high"], unit)
