"""What a part, a prediction and a score of items are in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from labelcore.errors import TooManyItemsError
from labelcore.population.engines.engine import Engine, EngineError, Tick, go_on
from labelcore.population.engines.sql import Piece, all_of, joined, listed, sql, value
from labelcore.population.items import BEHIND, HELD, Mark, MeanScore, Part, Score, Stretch, Sureness


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a classifier's predictions are told.

    column      of the predictions, or else of the score that a threshold decides
    codes       text of a prediction -> index into classes
    threshold   predicted ``above`` if score >= threshold (<= where ``descending``), else ``below``
    """

    column: str
    codes: Mapping[str, int] = field(default_factory=dict)
    threshold: float | None = None
    descending: bool = False
    above: int = 1
    below: int = 0

    def of(self, said: str | float) -> int:
        """The class that one item is called: by the text of its prediction, or by its score."""
        if self.threshold is None:
            return self.codes[str(said)]
        score = float(said)
        over = score <= self.threshold if self.descending else score >= self.threshold
        return self.above if over else self.below


class Conditions:
    """A table of an engine, and how what is asked of its items is written.

    engine    holds the table
    verdicts  classifier -> how its predictions are told
    scores    classifier -> the column of its scores, for those that have another name
    tick      is called several times a second during each pass; what it raises ends the pass
    """

    def __init__(
        self,
        engine: Engine,
        verdicts: Mapping[str, Verdict] | None = None,
        tick: Tick = go_on,
        scores: Mapping[str, str] | None = None,
    ) -> None:
        self.engine, self.verdicts, self.tick = engine, dict(verdicts or {}), tick
        self.scores = dict(scores or {})
        self._number = engine.count()

    def __len__(self) -> int:
        return self._number

    def _inside(self, part: Part) -> Piece:
        outside = [sql("NOT {}", self._on(stretch)) for stretch in part.without]
        return all_of([self._predicted(part.predicted), *map(self._on, part.stretches), *outside])

    def _predicted(self, predicted: Mapping[str, int]) -> Piece:
        return all_of(self._says(self._verdict(name), code) for name, code in predicted.items())

    def _verdict(self, classifier: str) -> Verdict:
        if classifier not in self.verdicts:
            raise ValueError(f"there is no classifier {classifier!r} with predictions")
        return self.verdicts[classifier]

    def _says(self, verdict: Verdict, code: int) -> Piece:
        if verdict.threshold is None:
            texts = [text for text, own in verdict.codes.items() if own == code]
            return sql("{} IN {}", self.engine.text(verdict.column), listed(texts or [None]))
        return sql("{} = {}", self._said(verdict), value(str(code)))

    def _said(self, verdict: Verdict) -> Piece:
        """What a classifier says, as text: the column's own, or the code of a threshold's side."""
        if verdict.threshold is None:
            return self.engine.text(verdict.column)
        sign = "<=" if verdict.descending else ">="
        return sql(
            f"CASE WHEN {{}} {sign} {{}} THEN '{verdict.above}' ELSE '{verdict.below}' END",
            self.engine.score(verdict.column),
            value(verdict.threshold),
        )

    def _code(self, verdict: Verdict, text: str) -> int:
        if verdict.threshold is not None:
            return int(text)
        if text not in verdict.codes:
            raise EngineError(
                f"{self.engine.name}: column {verdict.column!r} holds {text!r} now, which it did "
                "not when it was read; read it again"
            )
        return verdict.codes[text]

    def _on(self, stretch: Stretch) -> Piece:
        after = [] if stretch.after is None else [self._behind(stretch, stretch.after)]
        until = [] if stretch.until is None else [self._behind(stretch, stretch.until)]
        return all_of([*after, *(sql("NOT {}", one) for one in until)])

    def _behind(self, stretch: Stretch, mark: Mark) -> Piece:
        """Whether an item comes after a mark; the hash is worked out for equal scores alone."""
        sign = "<" if stretch.falling else ">"
        score, at = self._float(stretch.score), value(float(mark.score))
        if mark.tie == BEHIND:
            return sql(f"({{}} {sign} {{}})", score, at)
        tie = self.engine.hash(stretch.seed, "tie")
        return sql(
            f"(CASE WHEN {{}} {sign} {{}} THEN TRUE"
            " WHEN {} = {} THEN {} > {} ELSE FALSE END)",
            *(score, at, score, at, tie, value(mark.tie)),
        )

    def _float(self, score: Score | None) -> Piece:
        """A score, how sure a classifier is, or what several say together; of no classifier the
        same number everywhere."""
        if score is None:
            return sql(f"CAST(0 AS {self.engine.float_type})")
        if isinstance(score, Sureness):
            return self._sure(score)
        if isinstance(score, MeanScore):
            return self._mean(score)
        return self.engine.score(self.scores.get(score, score))

    def _sure(self, sure: Sureness) -> Piece:
        """By the operations of ``Sureness.of``."""
        own = self._float(sure.classifier)
        if sure.cut is None:
            own = self._minus(value(1.0), own) if sure.descending else own
            other = self._minus(value(1.0), own)
        else:
            own = sql("(-{})", own) if sure.descending else own
            own, other = self._minus(own, value(sure.cut)), self._minus(value(sure.cut), own)
        if sure.positive is None:
            return own
        says = self._says(self._verdict(sure.classifier), sure.positive)
        return sql("(CASE WHEN {} THEN {} ELSE {} END)", says, own, other)

    def _mean(self, mean: MeanScore) -> Piece:
        """By the operations of ``MeanScore.of``."""
        if mean.ranked:
            raise TooManyItemsError(
                f"the share below the scores {mean.ranked[0]!r}", len(self), HELD
            )
        one, kind = value(1.0), self.engine.float_type
        scores = {name: self._float(name) for name in mean.classifiers}
        own = [
            self._minus(one, score) if name in mean.descending else score
            for name, score in scores.items()
        ]
        number = Piece(str(len(own)))
        return sql(f"(({{}}) / CAST({{}} AS {kind}))", joined(" + ", own), number)

    def _minus(self, one: Piece, other: Piece) -> Piece:
        kind = self.engine.float_type
        return sql(f"(CAST({{}} AS {kind}) - CAST({{}} AS {kind}))", one, other)
