"""*People* says of everybody who has a role what they may do and how they come, and offers whoever
may change it just that."""

import json
import re
from pathlib import Path
from time import time
from typing import Any

import pytest

from labelcore.team.register import Register, ticket, token
from labelcore.team.roles import Role
from labelcore.team.settings import KEY
from labelcore.ui import visitor
from tests.app.conftest import Make
from tests.app.test_offered import offered, rounded
from tests.pinned import cases, holds

pytestmark = pytest.mark.slow
WAYS = cases("roles")
"""How the visitor comes; SECRET is that of Adj's link."""


def people(folder: Path, here: str) -> str:
    """Somebody of each kind; the ticket of the adjudicator's link."""
    register, there = Register(folder), {"another project": Role.OWNER}
    register.add("readers", None, group=True, roles={here: Role.VIEWER})
    register.add("nobody's", Role.ANNOTATOR, group=True)
    register.add("empty", None, group=True, roles=there)
    register.add("Run", Role.OWNER, login=True)
    register.add("Own", None, login=True, roles={here: Role.OWNER})
    register.add("Both", None, days=3, roles={here: Role.ANNOTATOR, **there})
    register.add("In", None, login=True, groups=["readers"])
    register.add("In, too", None, groups=["readers", "empty"], roles={here: Role.ANNOTATOR})
    register.add("View", Role.VIEWER)
    register.add("Elsewhere", None, login=True, roles=there)
    register.add("Old", None, days=1, roles={here: Role.VIEWER})
    (file,) = [one for one in register.folder.glob("*.json") if '"Old"' in one.read_text("utf-8")]
    ended = json.loads(file.read_text("utf-8")) | {"ends": "2026-01-02T10:00:00+00:00"}
    file.write_text(json.dumps(ended), "utf-8")
    register.seen(register.one("Own"))
    return ticket(register.add("Adj", None, roles={here: Role.ADJUDICATOR}))


@pytest.mark.parametrize("way", WAYS)
def test_what_is_said_of_roles_stays(
    way: str, app: Any, make: Make, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "of a share")
    session = make(labels=2)
    secret = people(data_folder, visitor.key(session.record))
    came = WAYS[way].replace("SECRET", token(secret, int(time()) + 60))
    monkeypatch.setattr(visitor, "came", lambda: came)
    page = app("people", project="demo")
    lines = [re.sub(r"-[0-9a-f]{8}\b", "", line) for line in offered(page)]
    shown = [rounded(one.value.to_csv(index=False)) for one in page.table]
    holds("roles", way, [lines, shown])
