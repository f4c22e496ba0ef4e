"""Settings of a project: words for people, and whether they are told what the classifier says. They
never change a figure."""

from collections.abc import Mapping
from typing import Any

from labelcore.errors import PlanError, did_you_mean

# What may be mended after the start, and the kind of its value.
WORDING: dict[str, type | tuple[type, ...]] = {
    "question": str,
    "instructions": str,
    "answer_words": (list, tuple),
    "highlight": dict,
    "title": str,
    "names": dict,
    "dots": bool,
}
SETTINGS = (
    *WORDING, "keys", "negative_words", "positive_words", "ranks", "schedule", "seconds", "trial",
    "used_for_training",
)  # fmt: skip
"""What else a project is told as it begins."""


def mapping_of(settings: object) -> dict[str, Any]:
    """The settings; TypeError for what is no mapping."""
    if not isinstance(settings, Mapping):
        rule = "must be a mapping of names to values"
        raise TypeError(f"settings {rule}, got {type(settings).__name__}")
    return dict(settings)


def check_settings(settings: Mapping[str, Any]) -> None:
    """Raise PlanError for a name that is nearly one of ``SETTINGS``: nothing would read it;
    TypeError for words of the wrong kind."""
    for name, value in settings.items():
        if name in WORDING:
            check_wording({name: value})
        elif name not in SETTINGS and (near := did_you_mean(name, SETTINGS)):
            raise PlanError(f"there is no setting {name!r} of a project{near}")


def check_wording(changes: Mapping[str, Any]) -> None:
    """Raise PlanError for a name that is no wording, TypeError for a value of the wrong kind."""
    for name, value in changes.items():
        if name not in WORDING:
            raise PlanError(
                f"{name} cannot be changed after the start; the words that can are "
                + ", ".join(WORDING)
            )
        if not isinstance(value, WORDING[name]):
            raise TypeError(f"{name} is of the wrong kind: {type(value).__name__}")
