"""The labels of a session in the forms of other tools: one row each."""

from __future__ import annotations

import json
from collections.abc import Callable

from labelcore.exchange.label_studio import labelled_tasks, labelling_config
from labelcore.session.session import Session


def label_studio_json(session: Session) -> bytes:
    """Tasks with annotations and predictions, to be imported as they are."""
    tasks = labelled_tasks(session)
    return json.dumps(tasks, ensure_ascii=False, indent=1, allow_nan=False).encode()


LABELLED_FORMS: dict[str, Callable[[Session], bytes]] = {"label-studio": label_studio_json}
CONFIGS: dict[str, Callable[[Session], bytes]] = {
    "label-studio": lambda session: labelling_config(session).encode()
}
"""What to set up in a tool before its tasks are answered."""
