"""For teams that share a server: the store in PostgreSQL. The core imports nothing of this."""

from importlib.util import find_spec
from typing import Any

from labelcore.errors import StoreError
from labelcore.store import LabelStore


def postgres_store(address: str, **options: Any) -> LabelStore:
    """Imported late: few stores are in PostgreSQL, and SQLAlchemy takes long to load."""
    if find_spec("psycopg") is None:
        raise StoreError(
            "a store in PostgreSQL needs the package psycopg: pip install 'labelcore[postgresql]'"
        )
    from labelcore.team.postgres import PostgresStore

    return PostgresStore(address, **options)
