"""What is hidden until a person has judged an item: its system, and what judges said of it."""

from collections.abc import Mapping, Sequence

from labelcore.access import Right
from labelcore.population.revealing import HIDDEN
from labelcore.population.roles import Roles
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import visitor

SETTING, KEY, SAID = HIDDEN, "W", "Verdict"
LOOKED = "looked at the verdict of"
"""{project: the answer whose verdict a person has seen}: it can be changed in History alone, and
the log tells that it was."""
REASON, OF_SCORE = "reason", ", score"
LONGEST = 2_000
NONE = "(nothing)"


def hidden_columns(roles: Roles | None, shown: Sequence[str]) -> dict[str, str]:
    """Column -> what it is, of those that are not shown with the item."""
    if roles is None:
        return {}
    columns = {roles.system: "system"}
    for judge in roles.judges:
        columns |= {judge.verdict: judge.name, judge.score: f"{judge.name}{OF_SCORE}"}
        columns[judge.reason] = REASON
    return {column: words for column, words in columns.items() if column and column not in shown}


def is_hidden(session: Session) -> bool:
    """Whether something is."""
    return bool(_named(session)) and visitor.allowed(Right.JUDGE)


def hidden_words(session: Session, item_id: str) -> list[str]:
    """What it was of an item that was judged, a line each."""
    values = session.population.metadata(item_id)
    return [
        f"{one_line(words, 60)}: {one_line(values[column], LONGEST) or NONE}"
        for column, words in _named(session).items()
    ]


def reason_column(session: Session, judge: str | None) -> str | None:
    """The column of a judge's reasons; None where there is none, or nothing is hidden."""
    mine = False
    for column, words in _named(session).items():
        if words != REASON:
            mine = words.removesuffix(OF_SCORE) == judge
        elif mine:
            return column
    return None


def _named(session: Session) -> Mapping[str, str]:
    named = session.settings.get(SETTING)
    known = session.population.metadata_columns
    return {k: str(v) for k, v in named.items() if k in known} if isinstance(named, dict) else {}
