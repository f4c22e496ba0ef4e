"""The result of a replay that agrees with its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from labelcore.results.base import Finding


@dataclass(frozen=True, eq=False, slots=True)
class ReplayResult:
    """A session that was recomputed and agrees with its log in every event.

    Attributes
    ----------
    file, items, fingerprint
        the population as it was read again
    events, draws, answers, looks
        how many of each were checked
    erased
        how many texts were erased since
    seal
        the hash of the last event: two logs with the same seal are the same
    stages
        for each stage a sentence that says what agrees
    results
        the final results, computed anew
    """

    file: str
    items: int
    fingerprint: str
    events: int
    draws: int
    answers: int
    looks: int
    seal: str
    stages: tuple[str, ...]
    results: Mapping[str, Finding]
    erased: int = 0

    def sentences(self) -> list[str]:
        """The final results in words."""
        return [result.sentence() for result in self.results.values()]

    def with_stage(self, sentence: str) -> ReplayResult:
        """This result with one more stage that agrees."""
        return replace(self, stages=(*self.stages, sentence))

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        del plain["stages"], plain["results"]
        return {
            "agrees": True,
            **plain,
            "stages": list(self.stages),
            "sentences": self.sentences(),
            "results": {key: result.to_dict() for key, result in self.results.items()},
        }
