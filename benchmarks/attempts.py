"""Attempts on the door, roles by project, the trail and what was erased, against one server.

    python -m benchmarks.attempts [--quick] [--rows FILE] [--write]

Each is a function whose first line says what is tried; it returns what came out, and raises where
something got through.
"""

import asyncio
import http.client
import json
import os
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from labelcore.access import OF_PROJECTS, PAGES, Right, key_of
from labelcore.cli import main
from labelcore.errors import StoreError
from labelcore.session.copying import copy_project
from labelcore.session.dumps import dump, load
from labelcore.session.erasing import erase_items, erase_project
from labelcore.session.managing import duplicate
from labelcore.settings import FORWARDED
from labelcore.store import RepeatedTokenError, act, acts_follow, note
from labelcore.team.register import Register
from labelcore.team.roles import RIGHTS, Role
from labelcore.team.settings import KEY, USER_HEADER, role_key
from tests.browser import driving
from tests.browser.server import Server

OWNERS, MINE, OTHER = "the-key-of-the-owner", "Mine", "Other"
PROXY = "X-Login"
SHARED, COMPARE = "share", "method"
REFUSED = {400, 403, 404, 405, 429}
PATIENCE, NOTHING_SECONDS = 240.0, 20.0


@dataclass
class Place:
    """A shared server with two projects; ann looks and bob judges in one, cleo owns it."""

    server: Server
    links: dict[str, str]
    cookies: dict[str, str]
    logins: Sequence[str] = ()
    """Who is known by what a proxy says."""

    @property
    def data(self) -> Path:
        return self.server.data

    @property
    def url(self) -> str:
        return driving.store_url(self.data)

    def get(
        self, path: str, who: str = "", method: str = "GET", **headers: str
    ) -> tuple[int, str, dict[str, str]]:
        """What the server answers to exactly this path."""
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        with closing(line):
            line.request(method, path, headers={**self.said(who), **headers})
            got = line.getresponse()
            return got.status, got.read().decode("utf-8", "replace"), dict(got.getheaders())

    def said(self, who: str) -> dict[str, str]:
        """The headers by which somebody is known."""
        if who in self.logins:
            return {PROXY: who}
        return {"Cookie": self.cookies[who]} if who else {}

    def refused(self, *paths: str, who: str, **headers: str) -> str:
        found = {self.get(one, who, **headers)[0] for one in paths}
        assert found <= REFUSED, found
        return f"{len(paths)} refused"

    def line(self, who: str) -> connect:
        own = f"http://127.0.0.1:{self.server.port}"
        return connect(
            f"{own.replace('http', 'ws')}/_stcore/stream", subprotocols=["streamlit"],  # type: ignore[list-item]
            additional_headers=self.said(who), origin=own, proxy=None,  # type: ignore[arg-type]
            max_size=None, open_timeout=PATIENCE, ping_interval=None,
        )  # fmt: skip

    def alive(self) -> None:
        assert self.get("/_stcore/health")[0] == 200, "the server is gone"
        assert self.server.running


OF_PAGE = {COMPARE: "&page=compare"}
"""What the address of a page says besides."""


async def until_done(line: ClientConnection, alone: str = "") -> str:
    """Everything that the server sends, to the end of the script; ``alone``: the part of a page
    that was asked for, of which nothing comes where the server does not know it."""
    found: list[str] = []
    with suppress(TimeoutError) if alone else nullcontext():
        async with asyncio.timeout(NOTHING_SECONDS if alone else PATIENCE):
            while True:
                message = ForwardMsg.FromString(bytes(await line.recv()))
                found.append(str(message))
                if message.WhichOneof("type") == "script_finished":
                    break
    return "\n".join(found)


def page(place: Place, who: str, name: str, project: str = MINE, **run: str) -> str:
    """A page as its connection gets it."""

    async def talk() -> str:
        async with place.line(who) as line:
            said = BackMsg()
            said.rerun_script.page_name = name
            said.rerun_script.query_string = f"project={quote(project)}{OF_PAGE.get(name, '')}"
            for field, value in run.items():
                setattr(said.rerun_script, field, value)
            await line.send(said.SerializeToString())
            return await until_done(line, run.get("fragment_id", ""))

    return asyncio.run(talk())


def events_of(place: Place, project: str = MINE) -> int:
    return len(driving.events(place.data, project))


# --- the door and roles ---------------------------------------------------------------------------


def two_projects_in_one_address(place: Place) -> str:
    """the shared page with two projects in its address, so that door and page read another one"""
    said = [f"/share?project={MINE}&project={OTHER}", f"/share?project={OTHER}&project={MINE}",
            f"/share?project={MINE}&project=", f"/share?project=&project={OTHER}"]  # fmt: skip
    found = [place.get(one, "ann") for one in said]
    assert not any(OTHER in text for _, text, _ in found)
    assert place.get(f"/share?project={MINE}", "ann")[0] == 200
    return f"answers {', '.join(str(one) for one, *_ in found)}; none is of the other project"


def shared_by_another_path(place: Place) -> str:
    """the shared page of another project by other spellings of its path"""
    spelled = ["/share/", "//share", "/%73hare", "/SHARE", "/x/../share", "/share%2f", "/./share",
               "/share;x", "/label/../share", "/share%00"]  # fmt: skip
    found = [place.get(f"{one}?project={OTHER}", "ann") for one in spelled]
    assert not any(f"{OTHER} ·" in text or "Message" in text for _, text, _ in found)
    shown = [one for one, (code, text, _) in zip(spelled, found, strict=True)
             if code == 200 and "<svg" in text]  # fmt: skip
    assert not shown, shown
    return f"{len(spelled)} spellings, none shows it"


def media_through_the_fonts(place: Place) -> str:
    """a file made for somebody else, by a path that begins as that of the fonts does"""
    return place.refused(
        "/static/media/../../media/a.html", "/static/media/..%2f..%2fmedia/a.html",
        "/static/media/%2e%2e/%2e%2e/media/a.html", "/static/media/..%5c..%5cmedia/a.html",
        "/media/a.html", "/x/media/a.html", who="ann",
    )  # fmt: skip


def spliced_sessions(place: Place) -> str:
    """a session put together from two people's, made longer, cut, and without its seal"""
    name, ann = place.cookies["ann"].split("=", 1)
    stem, ends, seal = ann.split("-")
    other = place.cookies["cleo"].split("=", 1)[1].split("-")
    made = [f"{other[0]}-{ends}-{seal}", f"{stem}-{int(ends) + 1}-{seal}", f"{stem}-{ends}-",
            f"{stem}-{ends}-{seal[:-2]}", f"../{stem}-{ends}-{seal}", f"{stem}-{ends}",
            f"{other[0]}-{other[1]}-{seal}", f"{stem}-{ends}0-{seal}"]  # fmt: skip
    found = {place.get("/", Cookie=f"{name}={one}")[0] for one in made}
    assert found == {403}
    return f"{len(made)} refused"


def names_in_headers(place: Place) -> str:
    """the door's own header and a proxy's, sent by a visitor"""
    headers = [{"X-Labelcore-Came": "start owner"}, {"X_Labelcore_Came": "start owner"},
               {"X-Forwarded-User": "cleo"}, {"X-Labelcore-Own": "yes"}]  # fmt: skip
    found = {place.get("/new_project", **one)[0] for one in headers}
    assert found == {403}
    text = page(place, "ann", "new_project")
    assert "You are here as" in text
    return f"{len(headers)} refused"


def a_group_as_a_login(place: Place) -> str:
    """a login under the name of a group, and under names that look like a person's"""
    register = Register(place.data)
    register.add("readers", Role.OWNER, group=True)
    register.add("dora", Role.OWNER, login=True)
    try:
        names = ["readers", "Readers", "d\u043era", "dora\u200b", "dor\u0430", "dora\x00", "ann"]
        assert [one for one in names if register.by_login(one)] == []
        assert register.by_login("DORA") is not None
    finally:
        register.remove("readers")
        register.remove("dora")
    return f"{len(names)} names, nobody"


def a_project_made_anew(place: Place) -> str:
    """a role in a project that was erased, in a new one of the same name and file, and in a copy"""
    with closing(lc.open_store(place.url)) as store:
        driving.make_project(place.data, "Again")
        old = store.project("Again")
        copied = duplicate(store, "Again", "Again, copied")
        erase_project(store, "Again", who="me", why="mistaken")
        driving.make_project(place.data, "Again")
        new = store.project("Again")
        keys = {key_of(one.created_at, one.fingerprint) for one in (old, new, copied)}
        assert len(keys) == 3
    register = Register(place.data)
    secret = register.add("Eve", None, roles={key_of(old.created_at, old.fingerprint): Role.OWNER})
    try:
        place.cookies["eve"] = opened(place, secret)
        for one in ("Again", "Again, copied"):
            assert "You are here as a guest" in page(place, "eve", "progress", one)
    finally:
        register.remove("Eve")
    return "a guest in both"


def pages_by_socket(place: Place) -> str:
    """pages that a role has not, asked for by the socket, by name and by a part of another page"""
    for name in ("new_project", "progress", "review", "report", "people", "watch"):
        assert "You are here as a" in page(place, "bob", name), name
    for name in ("label", "progress"):
        assert "You are here as a guest" in page(place, "cleo", name, OTHER), name
    part = page(place, "bob", "label").rpartition('fragment_id: "')[2].partition('"')[0]
    assert part
    found = page(place, "ann", "label", fragment_id=part)
    assert "Message" not in found
    return "refused on each"


def a_viewer_presses(place: Place) -> str:
    """a press by somebody who only looks, with the parts of a page of somebody who judges"""
    text, before = page(place, "bob", "label"), events_of(place)
    part = text.rpartition('fragment_id: "')[2].partition('"')[0]
    widget = text.partition("labelcore_surface")[0].rpartition('id: "')[2].partition('"')[0]
    widget = widget or text.partition("-surface")[0].rpartition('"')[2] + "-surface"
    token = text.partition('\\"token\\": \\"')[2].partition("\\")[0]
    assert part and token and widget.endswith("-surface"), (part, token, widget)

    async def talk() -> None:
        async with place.line("ann") as line:
            said = BackMsg()
            run = said.rerun_script
            run.page_name, run.query_string, run.fragment_id = "label", f"project={MINE}", part
            press = {"id": "1", "act": "answer", "answer": "yes", "token": token}
            events = run.widget_states.widgets.add()
            events.id = f"$$STREAMLIT_INTERNAL_KEY_{widget}__events"
            events.json_trigger_value = json.dumps([{"event": "press", "value": press}])
            own = run.widget_states.widgets.add()
            own.id, own.json_value = widget, "{}"
            await line.send(said.SerializeToString())
            await until_done(line, part)

    asyncio.run(talk())
    after = events_of(place)
    assert after == before, (before, after)
    return "nothing stored"


def orders_to_the_server(place: Place) -> str:
    """orders to the server that no page has: to end, to let go, to forget, to save"""

    async def talk(field: str) -> None:
        async with place.line("bob") as line:
            said = BackMsg()
            if field in ("backend_operation_request", "file_urls_request"):
                getattr(said, field).SetInParent()
            else:
                setattr(said, field, True)
            await line.send(said.SerializeToString())
            await asyncio.sleep(0.5)

    orders = ("debug_shutdown_runtime", "debug_disconnect_websocket", "clear_cache",
              "load_git_info", "set_run_on_save", "backend_operation_request")  # fmt: skip
    for one in orders:
        asyncio.run(talk(one))
        place.alive()
    return f"{len(orders)} orders, the server goes on"


def broken_frames(place: Place) -> str:
    """300 broken messages by the socket, and one of a megabyte"""
    chance, whole = random.Random(4), BackMsg()
    whole.rerun_script.page_name = "label"

    async def talk() -> None:
        for _ in range(6):
            with_one = place.line("bob")
            try:
                async with with_one as line:
                    for _ in range(50):
                        made = bytearray(whole.SerializeToString() + chance.randbytes(20))
                        made[chance.randrange(len(made))] ^= 1 << chance.randrange(8)
                        await line.send(bytes(made[: chance.randrange(1, len(made))]))
                    await line.send(bytes(1_000_000))
            except ConnectionClosed:
                continue

    asyncio.run(talk())
    place.alive()
    return "the server goes on"


def too_many_sockets(place: Place) -> str:
    """sixty connections of one person at once"""

    async def talk() -> int:
        lines: list[ClientConnection] = []
        refused = 0
        for _ in range(60):
            try:
                lines.append(await place.line("bob"))
            except (InvalidStatus, ConnectionClosed):
                refused += 1
        for one in lines:
            await one.close()
        return refused

    refused = asyncio.run(talk())
    assert refused >= 20
    place.alive()
    return f"{refused} refused"


def uploads(place: Place) -> str:
    """uploads by those who may not, also the owner of one project, and under names that lead out"""
    names = ["a", "../../a", "%2e%2e%2fa", "a%00b", "x" * 4000]
    for who in ("ann", "bob", "cleo"):
        for name in names:
            code, *_ = place.get(f"/_stcore/upload_file/{name}/{name}", who, "PUT")
            assert code in REFUSED | {414, 431}, (who, name, code)
    before = {*place.data.parent.iterdir()}
    for name in names:
        place.get(f"/_stcore/upload_file/{name}/{name}", "owner", "PUT")
    assert {*place.data.parent.iterdir()} == before
    place.alive()
    return f"{3 * len(names)} refused; the owner's wrote nothing outside of the folder"


def lines_in_an_address(place: Place) -> str:
    """line ends in addresses and names, for a header or a line of the trail of one's own"""
    for path in ("/share?project=%0d%0aSet-Cookie:%20a=b", "/%0d%0aSet-Cookie:a=b?start=x",
                 '/x%0a{"what":"role","who":"ann"}'):  # fmt: skip
        for who in ("ann", ""):
            *_, headers = place.get(path, who)
            assert "a=b" not in headers.get("Set-Cookie", "") + headers.get("set-cookie", "")
    for name in ("ann\n{}", "a\u2028b", "a\x1b[31m", "a\u202eb"):
        try:
            Register(place.data).add(name, Role.VIEWER, group=True)
        except ValueError:
            continue
        found = [one.name for one in Register(place.data).people() if one.group]
        assert all(one.isprintable() for one in found), found
        for one in found:
            Register(place.data).remove(one)
    lines = (place.data / "labelcore.audit").read_text("utf-8").split("\n")
    known = [json.loads(one) for one in lines if one]
    assert not [one for one in known if one["what"] == "role" and one["who"] == "ann"]
    return f"no header; {len(known)} lines of the trail, each whole"


def keys_in_the_trail(place: Place) -> str:
    """keys and sessions in what the server prints, in the trail and in the store"""
    for path in ("/?start={}", "/label?project=x&start={}", "/nowhere?start={}"):
        place.get(path.format(place.links["ann"]))
        place.get(path.format(OWNERS))
    files = [one for one in place.data.rglob("*") if one.is_file()]
    held = place.server.log + "".join(one.read_text("latin-1") for one in files)
    secret = [*place.links.values(), OWNERS]
    secret += [place.cookies[one].split("-")[-1] for one in place.links]
    assert not [one for one in secret if one in held]
    return f"{len(secret)} looked for, none there"


def the_watch(place: Place) -> str:
    """Watch and monitors, by those who have a role in one project"""
    for who in ("ann", "bob", "cleo"):
        for query in (MINE, f"{MINE}&monitor={MINE}", f"x&from={MINE}"):
            assert "You are here as" in page(place, who, "watch", query), (who, query)
    return "refused on each"


def names_of_projects(place: Place) -> str:
    """pages of projects that are not there, under names that are paths, markup and formats"""
    names = ["../../etc/passwd", "<script>1</script>", "%00", "a" * 5000, "{0}", "Mine\x00", "mine"]
    for one in names:
        code, _, head = place.get(f"/share?project={quote(one, safe='')}", "owner")
        kind = {name.lower(): value for name, value in head.items()}
        assert code in (404, 409, 414, 431), (one[:20], code)
        assert kind["content-type"].startswith("text/plain") and "nosniff" in str(kind), one[:20]
        said = page(place, "owner", "progress", one)
        assert "Traceback" not in said and "Something went wrong" not in said, one[:20]
    return f"{len(names)} refused in words"


# --- the trail ------------------------------------------------------------------------------------


def untriggered(line: sqlite3.Connection) -> None:
    for (name,) in line.execute("SELECT name FROM sqlite_master WHERE type='trigger'").fetchall():
        line.execute(f"DROP TRIGGER {name}")


def trail_changed(place: Place) -> str:
    """lines of the trail changed, deleted and replaced by SQL"""
    copy = place.data.parent / "trail.db"
    with (
        closing(sqlite3.connect(place.data / "labelcore.db")) as from_,
        closing(sqlite3.connect(copy)) as to,
    ):
        from_.backup(to)
        columns = [name for _, name, *_ in to.execute("PRAGMA table_info(act)")]
        taken = ", ".join("'x'" if one == "who" else one for one in columns)
        replaced = f"INSERT OR REPLACE INTO act SELECT {taken} FROM act WHERE sequence = 2"
        for order in ("UPDATE act SET who = 'x'", "DELETE FROM act WHERE sequence = 2", replaced):
            with suppress(sqlite3.IntegrityError):
                to.execute(order)
                raise AssertionError(order)
            to.rollback()
        untriggered(to)
        to.execute(replaced)
        to.commit()
    with closing(lc.open_store(f"sqlite:///{copy}")) as store:
        assert acts_follow(store.acts()) == 2
    return "UPDATE, DELETE and REPLACE are stopped; without triggers, the chain names the line"


def trail_cut(place: Place) -> str:
    """the newest lines of the trail cut off, without triggers"""
    folder = place.data.parent / "cut"
    folder.mkdir()
    with closing(lc.open_store(f"sqlite:///{folder / 'labels.db'}")) as store:
        for number in range(6):
            note(store, act("me", "exported", f"file {number}"))
    assert main(["audit", "--store", f"sqlite:///{folder / 'labels.db'}"]) == 0
    with closing(sqlite3.connect(folder / "labels.db")) as line:
        untriggered(line)
        line.execute("DELETE FROM act WHERE sequence > 4")
        line.commit()
    assert main(["audit", "--store", f"sqlite:///{folder / 'labels.db'}"]) == 1
    return "named, by the lines of JSON beside the store"


# --- what was erased ------------------------------------------------------------------------------


@contextmanager
def erased(place: Place, name: str, *, whole: bool) -> Iterator[tuple[Any, Path, list[str], str]]:
    """A store with something erased, a copy of it and a dump from before, and the text."""
    folder = place.data.parent / name
    driving.make_project(folder, MINE)
    driving.label_without_page(folder, MINE, 6)
    file, lines = folder / "labelcore.db", list[str]()
    with closing(lc.open_store(driving.store_url(folder))) as store:
        item, text = next(iter(store.contents(MINE).items()))
        dump(store, lines.append)
        with (
            closing(sqlite3.connect(file)) as from_,
            closing(sqlite3.connect(folder / "before.db")) as to,
        ):
            from_.backup(to)
        if whole:
            erase_project(store, MINE, who="me", why="asked for")
        else:
            erase_items(store, MINE, [item], who="me", why="asked for")
        yield store, folder / "before.db", lines, str(text)


def texts_in(store: Any) -> str:
    return "".join(str(store.contents(one.name)) for one in store.projects())


def _brought_back(place: Place, name: str, how: Callable[[Any, Path, list[str]], object]) -> str:
    said = []
    for whole in (False, True):
        with erased(place, f"{name} {whole}", whole=whole) as (store, before, lines, text):
            try:
                how(store, before, lines)
                said.append("taken in")
            except (StoreError, ValueError, RepeatedTokenError):
                said.append("refused")
            for one in store.projects():
                try:
                    lc.Session.open(store, one.name)
                except (StoreError, ValueError):
                    said[-1] += ", not opened"
            assert text not in texts_in(store), (name, whole, said)
    return f"erased items: {said[0]}; an erased project: {said[1]}; the text is not there"


def copied_back(place: Place) -> str:
    """`labelcore copy` from a copy of the store of before the erasure"""

    def how(store: Any, before: Path, lines: list[str]) -> None:
        with closing(lc.open_store(f"sqlite:///{before}")) as source:
            copy_project(source, store, MINE)

    return _brought_back(place, "copied", how)


def loaded_back(place: Place) -> str:
    """`labelcore load` of a dump of before the erasure"""
    return _brought_back(place, "loaded", lambda store, before, lines: load(lines, store))


def copied_back_renamed(place: Place) -> str:
    """the same under another name, with the same file and plan"""

    def how(store: Any, before: Path, lines: list[str]) -> None:
        with closing(lc.open_store(f"sqlite:///{before}")) as source:
            record = source.project(MINE)
            store.create(replace(record, name="Other name"))
            store.append("Other name", source.events(MINE), source.contents(MINE))

    return _brought_back(place, "renamed", how)


# --- the table ------------------------------------------------------------------------------------

ATTEMPTS: tuple[Callable[[Place], str], ...] = (
    two_projects_in_one_address, shared_by_another_path, media_through_the_fonts, spliced_sessions,
    names_in_headers, a_group_as_a_login, a_project_made_anew, pages_by_socket, a_viewer_presses,
    orders_to_the_server, broken_frames, too_many_sockets, uploads, lines_in_an_address, the_watch,
    names_of_projects, keys_in_the_trail, trail_changed, trail_cut, copied_back, loaded_back,
    copied_back_renamed,
)  # fmt: skip


def key_in(data: Path) -> str:
    """What the first project is known by."""
    with closing(lc.open_store(driving.store_url(data))) as store:
        record = store.project(MINE)
    return key_of(record.created_at, record.fingerprint)


def opened(place: Place, secret: str) -> str:
    """The cookie of whoever opens a link."""
    code, _, headers = place.get(f"/?start={secret}")
    assert code == 303
    return {name.lower(): value for name, value in headers.items()}["set-cookie"].split(";")[0]


# --- each kind of key, each page, each project ----------------------------------------------------

KINDS: dict[str, tuple[str, Role, bool]] = {
    "a link of one's own": ("ann", Role.VIEWER, False),
    "a login at a proxy": ("lou", Role.ANNOTATOR, False),
    "a group": ("mel", Role.ADJUDICATOR, False),
    "the link of a share": ("vic", Role.VIEWER, True),
    "the owner's link": ("owner", Role.OWNER, True),
}
"""{kind of key: who comes by it, the role, whether in every project; else in one}"""


def due(name: str, role: Role, project: str, *, everywhere: bool) -> bool:
    """Whether a page is to be shown, by the tables of the product."""
    inside = everywhere or project == MINE
    if name == SHARED:
        return inside and Right.SEE in RIGHTS[role]
    right = Right.RUN if name == COMPARE else PAGES[name]
    rights = RIGHTS[role] if everywhere or (inside and name in OF_PROJECTS) else frozenset()
    return right is None or right in rights


def is_shown(place: Place, who: str, name: str, project: str) -> bool:
    if name == SHARED:
        return place.get(f"/share?project={project}", who)[0] == 200
    text = page(place, who, "" if name == "app" else name, project)
    assert "Traceback" not in text, (who, name, project)
    return "You are here as" not in text


def by_kind() -> list[Row]:
    """Every page of two projects, asked for with each kind of key."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LABELCORE_DATA"] = str(Path(folder) / "data")
        told = {USER_HEADER: PROXY, FORWARDED: ""}
        with shared(Path(folder), told) as place:
            here, register = key_in(place.data), Register(place.data)
            register.add("lou", None, login=True, roles={here: Role.ANNOTATOR})
            register.add("readers", None, group=True, roles={here: Role.ADJUDICATOR})
            register.add("mel", None, login=True, groups=["readers"])
            place.logins = ("lou", "mel")
            place.cookies["vic"] = opened(place, role_key(OWNERS, Role.VIEWER))
            for kind, (who, role, everywhere) in KINDS.items():
                for name in (*PAGES, SHARED):
                    for project in (MINE, OTHER):
                        shown = is_shown(place, who, name, project)
                        wanted = due(name, role, project, everywhere=everywhere)
                        rows.append({"kind": f"{kind} ({role})", "page": name, "project": project,
                                     "shown": shown, "through": int(shown != wanted)})  # fmt: skip
    return rows


@contextmanager
def shared(folder: Path, told: Mapping[str, str] = MappingProxyType({})) -> Iterator[Place]:
    data = folder / "data"
    for name in (MINE, OTHER):
        driving.make_project(data, name)
        driving.label_without_page(data, name, 20, "ann")
    here, register = key_in(data), Register(data)
    roles = {"ann": Role.VIEWER, "bob": Role.ANNOTATOR, "cleo": Role.OWNER}
    links = {who: register.add(who, None, roles={here: role}) for who, role in roles.items()}
    server = Server(data, environment={KEY: OWNERS, **told})
    server.start(PATIENCE)
    try:
        place = Place(server, links, {})
        given = {**links, "owner": OWNERS}
        place.cookies.update({who: opened(place, secret) for who, secret in given.items()})
        yield place
    finally:
        server.stop()


def tried(attempts: Sequence[Callable[[Place], str]] = ATTEMPTS) -> list[Row]:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LABELCORE_DATA"] = str(Path(folder) / "data")
        with shared(Path(folder)) as place:
            for one in attempts:
                row: Row = {"tried": (one.__doc__ or "").replace("\n    ", " "), "through": 0}
                try:
                    row["out"] = one(place)
                except Exception as error:
                    row |= {"out": f"{type(error).__name__}: {error}"[:300], "through": 1}
                rows.append(row)
    return rows


def jobs(options: Options) -> dict[str, Job]:
    return {"attempts": tried, "roles": by_kind}


def tables(rows: Rows, options: Options) -> str:
    lines = [(one["tried"], one["out"]) for one in rows["attempts"]]
    said = f"{len(lines)} attempts.\n\n" + markdown(("tried", "what came out"), lines)
    kinds = list(dict.fromkeys(one["kind"] for one in rows["roles"]))
    cells = []
    for name in dict.fromkeys(one["page"] for one in rows["roles"]):
        shown = {
            (one["kind"], one["project"]) for one in rows["roles"]
            if one["page"] == name and one["shown"]
        }  # fmt: skip
        cells.append((name, *(
            ", ".join(project for project in (MINE, OTHER) if (kind, project) in shown) or "refused"
            for kind in kinds
        )))  # fmt: skip
    head = f"\n## Each kind of key, each page, each project\n\n{BY_KIND}\n\n"
    return said + head + markdown(("page", *kinds), cells)


def faults(rows: Rows, options: Options) -> list[str]:
    return [f"{one.get('tried', one)}: {one.get('out')}" for one in flat(rows) if one["through"]]


BY_KIND = """For which of two projects a page is shown, as its connection gets it; *share* is asked
for by its address. The roles of the first three are of *Mine* alone. Watch, New project, Audit and
methods are of no project."""

HEAD = """# Attempts on the door, roles, the trail and what was erased

One server that is shared, with two projects of the same file: *ann* may look at one of them, *bob*
judge there, *cleo* owns it, each by a link of their own; nobody but the owner has a role in the
other. What is tried goes to that server as it is written, by a socket or an address, or to a store
beside it. [Attacks](attacks.md) has hostile contents on every page.

"""

BENCHMARK = Benchmark(
    name="attempts", about=__doc__ or "", jobs=jobs, tables=tables, faults=faults,
    page="attempts.md", head=HEAD + MADE + "\n\n", workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
