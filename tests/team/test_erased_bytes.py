"""What was erased from a store in PostgreSQL is in no byte of the server's folder, its own log too
once the commands of docs/erasing.md have been given."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

import labelcore as lc
from labelcore.session.erasing import erase_items, erase_person
from labelcore.session.integrity import verify
from tests import postgres
from tests.report.sessions import session_on, write_items
from tests.session.test_erasing import WHY, holding, label

ROOT = Path(__file__).parents[2]
NAME, NOTE = "Philippa Nonesuch", "the one with the parrot"


@pytest.fixture
def server() -> Iterator[postgres.Server]:
    """Of its own: its settings are changed."""
    if words := postgres.why_not():
        pytest.skip(words)
    with postgres.running() as running:
        yield running


def held(server: postgres.Server, text: str) -> set[str]:
    """The folders of the server in which the text is."""
    found = set()
    for file in (server.folder / "data").rglob("*"):
        if file.is_file() and text.encode() in file.read_bytes():
            found.add(file.relative_to(server.folder / "data").parts[0])
    return found


@pytest.mark.slow
@pytest.mark.full
def test_texts_and_names_leave_the_server(
    server: postgres.Server, tmp_path: Path, data_folder: Path
) -> None:
    write_items(tmp_path / "items.csv")
    url, address = server.url(), psycopg.connect(server.url(), autocommit=True)
    with closing(address), closing(lc.open_store(url)) as store:
        session = session_on(tmp_path / "items.csv", store=store)
        session.introduce(NAME, "ann")
        said = {one: str(session.item_by_id(one)["text"]) for one in label(session, 12, "ann")}
        # No text that another one begins with.
        asked = [one for one, text in said.items() if len(text) == len("message 100")][:3]
        texts = [said[one] for one in asked]
        session.note([*said].index(asked[0]) + 1, NOTE)
        address.execute("CHECKPOINT")
        everything = [*texts, NAME, NOTE]
        assert all({"base", "pg_wal"} <= held(server, one) for one in everything)
        before = [one.to_dict() for one in session.results().values()]
        erase_items(store, "spam", asked, **WHY)
        erase_person(store, NAME, **WHY)
        address.execute("CHECKPOINT")
        assert [held(server, one) - {"pg_wal"} for one in everything] == [set()] * 5
        # As docs/erasing.md has it.
        page = (ROOT / "docs" / "erasing.md").read_text("utf-8")
        for line in page.partition("```sql\n")[2].partition("```")[0].strip().splitlines():
            address.execute(line.encode())
        assert [held(server, one) for one in everything] == [set()] * 5
        session.sync()
        assert [one.to_dict() for one in session.results().values()] == before
        assert verify(url).whole
    assert [*data_folder.rglob("*")]
    assert not [one for text in everything for one in holding(data_folder, text)]
