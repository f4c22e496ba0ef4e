"""What the environment tells the app: where its data is, and what the app is called."""

import os
from pathlib import Path

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


def data_folder() -> Path:
    """``LABELCORE_DATA``, else ./data."""
    return Path(os.environ.get(DATA) or "data").expanduser().resolve()


def listed(name: str, standard: str = "") -> list[str]:
    """The parts of a variable of the environment that has commas."""
    text = os.environ.get(name) or standard
    return [part.strip() for part in text.split(",") if part.strip()]
