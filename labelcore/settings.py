"""What the environment tells the app: where its data is, and what the app is called."""

import os
from pathlib import Path

from labelcore.errors import did_you_mean

DATA = "LABELCORE_DATA"
"""The folder of projects, pictures and people."""
STORE = "LABELCORE_STORE"
"""The address of the store; a file in that folder where nothing is said."""
DATABASE = "labelcore.db"
"""That file."""
HOSTS = "LABELCORE_HOSTS"
"""Further names of the app, with commas."""
FORWARDED = "FORWARDED_ALLOW_IPS"
"""Read by the server: whose word it takes for another sender. Nobody's, or the door could not tell
a proxy from somebody who writes its address."""

START = "LABELCORE_"
NAMES = (
    *("DATA", "STORE", "HOSTS", "KEY", "ANCHOR", "START_KEY", "USER_HEADER", "PROXIES"),
    *("LOGIN_CLAIM", "SESSION_HOURS", "SITE", "SERVERS", "PASSWORD"),
    *("MONITOR", "WAVE", "ESTIMAND", "SENTENCE"),
)
"""What follows ``START`` in all that we read, compose.yaml or the command of an alarm."""


def check_environment() -> None:
    """Raises ValueError for a variable whose name is nearly one of ours: nothing would read it."""
    for name in os.environ:
        own = name.removeprefix(START)
        if own != name and own not in NAMES and (near := did_you_mean(own, NAMES, START)):
            raise ValueError(f"there is no setting {name}{near}")


def data_folder() -> Path:
    """``LABELCORE_DATA``, else ./data."""
    return Path(os.path.realpath(Path(os.environ.get(DATA) or "data").expanduser()))


def listed(name: str, standard: str = "") -> list[str]:
    """The parts of a variable of the environment that has commas."""
    text = os.environ.get(name) or standard
    return [part.strip() for part in text.split(",") if part.strip()]
