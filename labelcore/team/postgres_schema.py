"""The schema of a PostgreSQL store, version by version.

MIGRATIONS[k] leads from version k to version k + 1, and one that has been released is never edited.
The version is the one row of the table ``labelcore``. Texts are compared byte by byte, so that
nothing depends on the language of the database.
"""

from __future__ import annotations

from sqlalchemy import Connection, bindparam, text

from labelcore.errors import StoreError

_CREATE_EVERYTHING = (
    "CREATE TABLE labelcore (version INTEGER NOT NULL)",
    "INSERT INTO labelcore VALUES (0)",
    """
    CREATE TABLE project (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL UNIQUE,
        created_at TEXT COLLATE "C" NOT NULL,
        fingerprint TEXT COLLATE "C" NOT NULL,
        plan_json TEXT COLLATE "C" NOT NULL,
        population_json TEXT COLLATE "C" NOT NULL,
        settings_json TEXT COLLATE "C" NOT NULL,
        archived BOOLEAN NOT NULL
    )
    """,
    """
    CREATE TABLE event (
        project_id BIGINT NOT NULL REFERENCES project (id),
        sequence BIGINT NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        at TEXT COLLATE "C" NOT NULL,
        annotator TEXT COLLATE "C" NOT NULL,
        token TEXT COLLATE "C",
        answers TEXT COLLATE "C",
        index BIGINT,
        item_id TEXT COLLATE "C",
        stratum BIGINT,
        batch BIGINT,
        basis BIGINT,
        label TEXT COLLATE "C",
        text TEXT COLLATE "C",
        previous BIGINT,
        shown_at TEXT COLLATE "C",
        detail TEXT COLLATE "C" NOT NULL,
        hash TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (project_id, sequence)
    )
    """,
    "CREATE UNIQUE INDEX event_token ON event (token) WHERE token IS NOT NULL",
    "CREATE UNIQUE INDEX event_answers ON event (answers) WHERE answers IS NOT NULL",
    """
    CREATE TABLE item (
        project_id BIGINT NOT NULL REFERENCES project (id),
        item_id TEXT COLLATE "C" NOT NULL,
        content TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (project_id, item_id)
    )
    """,
    """
    CREATE TABLE person (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id BIGINT NOT NULL REFERENCES project (id),
        key TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        at TEXT COLLATE "C" NOT NULL,
        UNIQUE (project_id, key),
        UNIQUE (project_id, name)
    )
    """,
    """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the log and the plan of a project cannot be changed';
    END $$
    """,
    """
    CREATE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.sequence IS DISTINCT FROM 1 + (
            SELECT coalesce(max(one.sequence), 0) FROM event AS one
            WHERE one.project_id = NEW.project_id
        ) THEN
            RAISE EXCEPTION 'the log is append-only: an event must follow the last';
        END IF;
        RETURN NEW;
    END $$
    """,
)

_SALT = ("ALTER TABLE item ADD COLUMN salt TEXT COLLATE \"C\" NOT NULL DEFAULT ''",)

_ACTS = (
    """
    CREATE TABLE act (
        sequence BIGINT PRIMARY KEY,
        at TEXT COLLATE "C" NOT NULL,
        who TEXT COLLATE "C" NOT NULL,
        what TEXT COLLATE "C" NOT NULL,
        about TEXT COLLATE "C" NOT NULL,
        hash TEXT COLLATE "C" NOT NULL
    )
    """,
)

MIGRATIONS: list[tuple[str, ...]] = [_CREATE_EVERYTHING, _SALT, _ACTS]
WITH_SALT, WITH_ACTS = 2, 3

# Put back on opening where they are missing or switched off.
TRIGGERS = {
    "event_is_never_changed": "BEFORE UPDATE OR DELETE ON event FOR EACH ROW"
    " EXECUTE FUNCTION refuse_change()",
    "event_is_never_emptied": "BEFORE TRUNCATE ON event EXECUTE FUNCTION refuse_change()",
    "act_is_never_changed": "BEFORE UPDATE OR DELETE ON act FOR EACH ROW"
    " EXECUTE FUNCTION refuse_change()",
    "event_follows_the_last": "BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION refuse_gap()",
    "plan_is_frozen": "BEFORE UPDATE OF id, created_at, fingerprint, plan_json ON project"
    " FOR EACH ROW EXECUTE FUNCTION refuse_change()",
}
_ON = {name: words.split(" ON ")[1].split()[0] for name, words in TRIGGERS.items()}

_OURS = text("SELECT to_regclass('labelcore') IS NOT NULL")
_SAME_NAMES = text(
    "SELECT c.relname FROM pg_class AS c"
    " WHERE c.relname IN ('project', 'event', 'item', 'person', 'act')"
    " AND c.relkind IN ('r', 'p', 'v') AND pg_table_is_visible(c.oid) ORDER BY c.relname"
)
_IN_FORCE = text(
    "SELECT tgname FROM pg_trigger WHERE tgname IN :names AND tgenabled = 'O'"
    " AND tgrelid IN (to_regclass('event'), to_regclass('project'), to_regclass('act'))"
).bindparams(bindparam("names", value=list(TRIGGERS), expanding=True))


def schema_version(connection: Connection) -> int:
    """The version the database is at; 0 for one without our tables."""
    if not connection.execute(_OURS).scalar_one():
        return 0
    return int(connection.exec_driver_sql("SELECT version FROM labelcore").scalar_one())


def check_ours(connection: Connection, url: str) -> None:
    """Raise StoreError for a database whose texts are not Unicode, whose tables are another
    program's, or that a newer Labelcore wrote."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise StoreError(
            f"{url} keeps its texts in {encoding}, and Labelcore needs UTF8. Make the database "
            "with CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0."
        )
    # In this order: another server may be making the tables between the two looks.
    named = list(connection.execute(_SAME_NAMES).scalars())
    version = schema_version(connection)
    if named and not version:
        raise StoreError(
            f"{url} has a table {named[0]!r} of another program, and Labelcore will not write "
            "into it. Give an empty database."
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{url} has schema version {version}, and this Labelcore knows versions up to "
            f"{len(MIGRATIONS)}. Install the newer Labelcore that wrote it; it is unchanged."
        )


def is_current(connection: Connection) -> bool:
    """Whether ``migrate`` has nothing to do."""
    return schema_version(connection) == len(MIGRATIONS) and not _triggers_to_mend(connection)


def migrate(connection: Connection) -> None:
    """Bring the database to the newest version, and put back what guards its log; to be called
    inside one transaction that nobody else migrates in."""
    for version in range(schema_version(connection), len(MIGRATIONS)):
        for statement in MIGRATIONS[version]:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(f"UPDATE labelcore SET version = {version + 1}")
    for name in _triggers_to_mend(connection):
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name} ON {_ON[name]}")
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {TRIGGERS[name]}")


def _triggers_to_mend(connection: Connection) -> list[str]:
    there = set(connection.execute(_IN_FORCE).scalars())
    return [name for name in TRIGGERS if name not in there]
