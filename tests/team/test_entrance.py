"""Who may come in where others do: keys of links, and the word of a proxy."""

import asyncio
import json
import os
import re
import socket
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime import media_file_manager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.session_manager import SessionClient

from labelcore import access
from labelcore.cli import serving
from labelcore.settings import FORWARDED, HOSTS
from labelcore.team import entrance
from labelcore.team import register as register_module
from labelcore.team.entrance import TeamEntrance, visitor_of
from labelcore.team.register import Register, ticket, token
from labelcore.team.roles import Role
from labelcore.team.settings import KEY, PROXIES, SESSION_HOURS, USER_HEADER, role_key
from labelcore.ui import door, visitor
from tests.awaited import awaited
from tests.ui.test_door import PLACES, asked, came, set_address, status

COOKIE = f"{entrance.COOKIE}_8501"


@pytest.fixture(autouse=True)
def nobody_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong keys of one test are not counted in the next."""
    monkeypatch.setattr(door.entrance(), "_wrong", {})


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(KEY, "the-key")
    return "the-key"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    set_address(monkeypatch, "127.0.0.1")


def cookie_of(key: str) -> str:
    """What a browser keeps of a link that it opens."""
    head = dict(asked("/", f"start={key}")[0]["headers"])
    return str(head[b"set-cookie"].decode().partition(";")[0])


def test_a_link_lasts_as_long_as_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert entrance.session_seconds() == 3600 * float(entrance.HOURS)
    monkeypatch.setenv(SESSION_HOURS, "0.5")
    assert entrance.session_seconds() == 1800


@pytest.mark.parametrize("path", PLACES)
def test_nothing_is_answered_without_the_key(path: str, shared: str) -> None:
    for cookie in ("", f"{COOKIE}=", f"{COOKIE}=another", "other=the-key", "\x00;=;"):
        assert status(asked(path, cookie=cookie)) == 403
        assert asked(path, cookie=cookie, kind="websocket") == [door.REFUSED_SOCKET]
    for query in ("start=", "start=another", "start=the-key-and-more", "other=the-key"):
        assert status(asked(path, query)) == 403
    assert asked(path, f"start={shared}", kind="websocket") == [door.REFUSED_SOCKET]
    for query in ("", "start=another"):
        assert status(asked(path, query, cookie=f"{COOKIE}={shared}")) == 200
    assert asked(path, cookie=f"{COOKIE}={shared}", kind="websocket")[0]["type"].endswith("accept")


def test_the_key_leaves_the_address_and_stays_in_a_cookie(shared: str) -> None:
    sent = asked("/label", f"project=a+b&start={shared}")
    head = dict(sent[0]["headers"])
    assert status(sent) == 303 and head[b"location"] == b"/label?project=a+b"
    assert head[b"set-cookie"] == b"labelcore_start_8501=the-key; Path=/; HttpOnly; SameSite=Lax"


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("//elsewhere.example", b"/elsewhere.example"),
        ("/\t/elsewhere.example", b"/%09/elsewhere.example"),
        ("/\r\n/elsewhere.example", b"/%0D%0A/elsewhere.example"),
        ("/\\elsewhere.example", b"/elsewhere.example"),
        ("/a?b", b"/a%3Fb"),
    ],
)
def test_the_key_never_leads_to_another_server(path: str, location: bytes, shared: str) -> None:
    assert dict(asked(path, f"start={shared}")[0]["headers"])[b"location"] == location


@pytest.mark.parametrize("other", ['a={"x": 1}', "a=b c", "=", "a", "\x00", 'a="x', "é=é"])
def test_cookies_of_other_apps_are_no_hindrance(other: str, shared: str) -> None:
    assert status(asked(cookie=f"{other}; {COOKIE}={shared}")) == 200
    assert status(asked(cookie=f"{COOKIE}={shared};{other}")) == 200
    assert status(asked(cookie=f"{other}; {COOKIE}=another")) == 403


def test_two_shared_links_of_one_host_keep_a_cookie_each(shared: str) -> None:
    both = f"{entrance.COOKIE}_8502=of-the-other; {COOKIE}={shared}"
    assert status(asked(cookie=both)) == 200
    assert status(asked(cookie=both, host="127.0.0.1:8502")) == 403
    head = dict(asked(query=f"start={shared}", host="labels.example:8502")[0]["headers"])
    assert head[b"set-cookie"].startswith(b"labelcore_start_8502=the-key;")
    bare = dict(asked(query=f"start={shared}", host="labels.example")[0]["headers"])
    assert bare[b"set-cookie"].startswith(b"labelcore_start=the-key;")


@pytest.mark.parametrize(
    ("address", "checked"),
    [
        ("127.0.0.1", True), ("127.0.0.2", True), ("localhost", True), ("::1", True), ("", True),
        (None, True), ("0.0.0.0", False), ("::", False), ("192.168.1.7", False),
        ("unix:///run/labels.sock", False), ("labels.example", False),
    ],
)  # fmt: skip
def test_beyond_this_machine_a_key_is_asked_for_under_every_name(
    address: str | None, checked: bool, here: None, data_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    set_address(monkeypatch, address)
    assert door.listens_beyond() != checked == (not entrance.needs_key())
    assert status(asked(host="elsewhere.example:8501")) == (421 if checked else 403)
    assert status(asked(host=f"{address or 'localhost'}:8501")) == (200 if checked else 403)
    monkeypatch.setenv(KEY, "to be put back")
    monkeypatch.delenv(KEY)
    assert TeamEntrance().is_shared() != checked
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOSTS, "labels.example")
        entrance.keep_address()
    assert Register(data_folder).link("x") == "https://labels.example/?start=x"
    assert ("Other computers can reach this app" in TeamEntrance().begin()) != checked
    name = "127.0.0.1" if checked else socket.gethostname()
    assert Register(data_folder).link("x") == f"http://{name}:8501/?start=x"
    if not checked:
        key = os.environ[KEY]
        assert not entrance.needs_key() and len(key) >= 32
        assert status(asked(host="elsewhere.example:8501", cookie=f"{COOKIE}={key}")) == 200


def test_the_command_shares_by_a_new_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(serving, "become", lambda *given: called.append(given) or 0)
    monkeypatch.setenv(KEY, "an old one")
    from labelcore.cli import main

    share = ["app", "--share", "--unencrypted"]
    assert main(share) == main(share) == main(["app"]) == main(["app", "--unencrypted"]) == 0
    keys = [environment.get(KEY, "") for _, environment in called]
    assert len(keys[0]) >= 32 and keys[0] != keys[1] and keys[2] == ""
    addresses = [
        dict(zip(one[5::2], one[6::2], strict=True))["--server.address"] for one, _ in called
    ]
    assert addresses == ["0.0.0.0", "0.0.0.0", "127.0.0.1", "127.0.0.1"]
    said = capsys.readouterr().out.splitlines()
    assert all(environment[FORWARDED] == "" for _, environment in called)
    assert [line.rpartition("?start=")[2] for line in said[:3]] == [
        role_key(keys[0], Role.ANNOTATOR), role_key(keys[0], Role.VIEWER), keys[0],
    ]  # fmt: skip
    assert "127.0.0.1" in said[2] and "127.0.0.1" not in said[0] + said[1]
    for named in (["--host", "labels.example"], []):
        assert main(["app", "--share", *named]) == 0 and called[-1][1][KEY]
        links = re.findall("https://labels.example/", capsys.readouterr().out)
        assert len(links) == 2 and "127.0.0.1" in called[-1][0]
        monkeypatch.setenv(HOSTS, "labels.example")


def test_nobody_says_himself_how_he_came(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = {door.CAME.decode(): f"{entrance.BY_START} owner"}
    monkeypatch.setenv(KEY, "the-key")
    assert status(asked(more=forged)) == 403


# --- roles --------------------------------------------------------------------------------------


def test_each_role_has_a_key_of_its_own_that_leads_to_no_other(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {role: role_key(shared, role) for role in Role}
    assert len(set(keys.values())) == len(Role) and keys[Role.OWNER] == shared
    for role, key in keys.items():
        assert came(asked(cookie=f"{COOKIE}={key}")) == f"{entrance.BY_START} {role}"
        assert key == role_key(shared, role) != role_key("another", role)
        if role != Role.OWNER:
            assert not {role_key(key, one) for one in list(Role)[1:]} & set(keys.values())
    monkeypatch.delenv(KEY)
    assert {entrance.opened_by(role_key("", role)) for role in Role} == {""}, "nothing is shared"


def test_a_link_takes_nothing_from_a_browser_that_may_do_more(shared: str) -> None:
    def cookie_set(opened: Role, has: Role) -> bool:
        has_key = f"{COOKIE}={role_key(shared, has)}"
        sent = asked("/report", f"start={role_key(shared, opened)}", cookie=has_key)
        assert status(sent) == 303
        return b"set-cookie" in dict(sent[0]["headers"])

    assert not cookie_set(Role.VIEWER, Role.OWNER) and not cookie_set(Role.ANNOTATOR, Role.OWNER)
    assert cookie_set(Role.OWNER, Role.VIEWER) and cookie_set(Role.VIEWER, Role.ANNOTATOR)


def test_files_are_taken_from_those_alone_who_may_make_projects(shared: str) -> None:
    for role in Role:
        cookie = f"{COOKIE}={role_key(shared, role)}"
        sent = asked("/lab/_stcore/upload_file/a/b", cookie=cookie, method="PUT")
        assert status(sent) == (200 if role == Role.OWNER else 403)
        assert status(asked("/share", cookie=cookie)) == (403 if role == Role.ANNOTATOR else 200)


def test_a_link_of_ones_own_opens_until_it_is_taken_back(
    shared: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register, told = Register(data_folder), []
    secret = register.add("Ann", Role.ANNOTATOR)
    monkeypatch.setattr(access, "LISTENERS", [lambda *one: told.append(one)])
    asked("/", f"start={role_key(shared, Role.VIEWER)}")
    sent = asked("/label", f"project=a&start={secret}")
    assert told == [("link opened", "viewer", "of a share"), ("link opened", "Ann", "")]
    head = dict(sent[0]["headers"])
    assert status(sent) == 303 and head[b"location"] == b"/label?project=a"
    cookie, _, terms = head[b"set-cookie"].decode().partition(";")
    assert terms == " Path=/; HttpOnly; SameSite=Lax; Max-Age=43200" and secret not in cookie
    by_tls = {"path": "/", "headers": [(b"x-forwarded-proto", b"https")]}
    for scope in (by_tls, {**by_tls, "headers": [], "scheme": "https"}):
        assert entrance._welcome(scope, {}, secret, None)[1][1].endswith(b"; Secure")
    assert status(asked(cookie=f"{COOKIE}={secret}")) == 403, "the link itself is no session"
    person = visitor_of(came(asked(cookie=cookie)))
    assert person is not None and (person.name, person.role) == ("Ann", Role.ANNOTATOR)
    assert secret not in came(asked(cookie=cookie))
    passed, seen, guard = [100.0], [], TeamEntrance()
    monkeypatch.setattr(entrance, "monotonic", lambda: passed[0])
    monkeypatch.setattr(Register, "seen", lambda _, who: seen.append((who.name, passed[0])))
    for passed[0] in (100.0, 159.0, 160.0):
        assert guard.still({}, came(asked(cookie=cookie)))
    assert seen == [("Ann", 100.0), ("Ann", 160.0)]
    left = dict(asked("/", f"start={entrance.LEAVE}", cookie=cookie)[0]["headers"])
    assert b"Max-Age=0" in left[b"set-cookie"]
    opened = came(asked(cookie=cookie))
    register.remove("Ann")
    assert status(asked(cookie=cookie)) == status(asked("/", f"start={secret}")) == 403
    assert asked(cookie=cookie)[1]["body"].decode() == entrance.LINK_ENDED
    assert asked()[1]["body"].decode() == entrance.NO_KEY
    assert asked(cookie=cookie, kind="websocket") == [door.REFUSED_SOCKET]
    assert visitor_of(opened) is None, "a page that is open has no role from now on"
    assert register.add("Ann", Role.VIEWER) != secret
    assert visitor_of(opened) is None


def test_a_shared_page_asks_for_the_role_in_its_project(
    shared: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor, "key_named", lambda project: f"key of {project}")
    secret = Register(data_folder).add("Ann", None, roles={"key of mine": Role.VIEWER})
    cookie = cookie_of(secret)
    found = [status(asked("/share", f"project={one}", cookie=cookie)) for one in ("mine", "other")]
    assert found == [200, 403]
    for both in ("mine&project=", "&project=mine", "mine&project=mine", "mine&project=other"):
        assert status(asked("/share", f"project={both}", cookie=cookie)) == 403
    asks = {"path": "/share", "query_string": b"project=mine"}
    assert not TeamEntrance().may_ask_for(asks, "link of nobody")


def test_links_and_sessions_end(
    shared: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = Register(data_folder)
    secret = register.add("Ann", Role.ANNOTATOR, days=7)
    ann = register.one("Ann")
    assert register.last_seen(ann) == ""
    cookie = cookie_of(secret)
    stem, ends, mac = cookie.partition("=")[2].split("-")
    longer = f"{COOKIE}={stem}-{int(ends) + 1}-{mac}"
    assert status(asked(cookie=cookie)) == 200 and status(asked(cookie=longer)) == 403
    register.seen(ann)
    assert register.last_seen(ann) > ann.at[:10]
    for wrong in (f"{ends}-\xe9", f"{'9' * 5000}-{mac}"):
        assert status(asked(cookie=f"{COOKIE}={stem}-{wrong}")) == 403
    (file,) = (data_folder / ".people").glob("*.json")
    held = json.loads(file.read_text("utf-8"))
    for end, found in (("2020-01-01T00:00:00+00:00", [403, 403]), (held["ends"], [200, 303])):
        file.write_text(json.dumps({**held, "ends": end}), "utf-8")
        assert [status(asked(cookie=cookie)), status(asked("/", f"start={secret}"))] == found
    monkeypatch.setattr(register_module, "time", lambda: int(ends) + 1)
    assert status(asked(cookie=cookie)) == 403 and status(asked("/", f"start={secret}")) == 303
    register.add("a@b.org", Role.VIEWER, login=True, days=7)
    assert register.one("a@b.org").ends == "", "a login has no link that ends"


def test_after_many_wrong_keys_none_is_looked_at_for_a_minute(
    shared: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed = [100.0]
    monkeypatch.setattr(entrance, "monotonic", lambda: passed[0])
    monkeypatch.setattr(door, "REFUSALS", door.Refusals())
    cookie = cookie_of(shared)
    told: list[tuple[str, ...]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(access, "LISTENERS", [lambda *one: told.append(one)])
        found = [status(asked("/", f"start=wrong{n}")) for n in range(entrance.FAILED + 3)]
    assert status(asked("/", "start=wrong", sender="10.0.0.7")) == 403, "another address"
    assert found[: entrance.FAILED - 1] == [403] * (entrance.FAILED - 1)
    assert found[entrance.FAILED :] == [429] * 3
    assert len(told) == len(found) and {one[0] for one in told} == {"refused"}
    assert "wrong1" not in str(told)
    assert status(asked("/", f"start={shared}")) == 429, "a right key is one more guess"
    assert status(asked(cookie=cookie)) == 200, "who is in stays in"
    assert status(asked("/", f"start={shared}", cookie=cookie)) == 303 and status(asked()) == 403
    passed[0] += entrance.FAILED_SECONDS
    assert status(asked("/", f"start={shared}")) == 303


def test_a_file_goes_to_the_person_whose_page_it_was_made_for(
    shared: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    register = Register(data_folder)
    secrets = {who: register.add(who, Role.VIEWER) for who in ("Ann", "Bob")}
    cookies = {who: cookie_of(secret) for who, secret in secrets.items()}
    headers = {door.CAME.decode(): came(asked(cookie=cookies["Ann"]))}
    # Streamlit's own manager: what it keeps of pages it says nowhere.
    files = media_file_manager.MediaFileManager(MemoryMediaFileStorage("/media"))
    monkeypatch.setattr(media_file_manager, "_get_session_id", lambda: "s1")
    place = files.add(b"a picture", "image/png", "1.0")
    client = SimpleNamespace(client_context=SimpleNamespace(headers=headers.items()))
    clients = {"s1": client}
    runtime = SimpleNamespace(media_file_mgr=files, get_client=clients.get)
    fake = SimpleNamespace(exists=lambda: True, instance=lambda: runtime)
    assert hasattr(entrance.Runtime, "get_client") and "client_context" in vars(SessionClient)
    monkeypatch.setattr(entrance, "Runtime", fake)
    assert status(asked(place, cookie=cookies["Ann"])) == 200, (
        "Streamlit keeps the files of its pages otherwise: see _files_of_pages"
    )
    assert status(asked(place, cookie=cookies["Bob"])) == 403
    assert status(asked("/media/other.pdf", cookie=cookies["Ann"])) == 403
    for other, same in (("start viewer", True), ("start owner", False), ("link of nobody", False)):
        assert entrance._same_person("start viewer", other) == same
    assert not entrance._same_person("link x", "link y"), "nobody is nobody else"
    twice = (
        f"link {token(ticket(secrets['Ann']), ends)}" for ends in (9_999_999_998, 9_999_999_999)
    )
    assert entrance._same_person(*twice), "who opened the link again"
    runtime.media_file_mgr = object()
    assert status(asked(place, cookie=cookies["Ann"])) == 403, "unknown, nobody gets it"
    assert "only owners get files" in caplog.text


@pytest.mark.parametrize("gone", [True, False])
def test_a_connection_ends_with_its_role(
    gone: bool, shared: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed while the page is open: it ends by itself, without a press."""
    monkeypatch.setattr(door, "STILL_SECONDS", 0.01)
    register = Register(data_folder)
    cookie = cookie_of(register.add("Ann", Role.VIEWER))
    at = came(asked(cookie=cookie))
    scope = {"headers": [(b"cookie", cookie.encode())]}
    sent: list[Any] = []

    async def talk() -> Any:
        async def receive() -> Any:
            await asyncio.sleep(0.2)
            return {"type": "websocket.receive", "bytes": b""}

        async def send(message: Any) -> None:
            sent.append(message)

        if gone:
            register.remove("Ann")
        return await door._watched(scope, receive, send, at)()

    found = awaited(talk())
    assert found["type"] == ("websocket.disconnect" if gone else "websocket.receive")
    assert sent == ([door.REFUSED_SOCKET] if gone else [])


@pytest.mark.parametrize(("role", "kept"), [(Role.VIEWER, 1), (Role.OWNER, 2)])
def test_only_who_runs_projects_empties_the_caches(role: Role, kept: int, shared: str) -> None:
    from streamlit.proto.BackMsg_pb2 import BackMsg

    words = [BackMsg(clear_cache=True), BackMsg(stop_script=True)]
    waiting = [{"type": "websocket.receive", "bytes": one.SerializeToString()} for one in words]

    async def talk() -> list[Any]:
        async def receive() -> Any:
            if waiting:
                return waiting.pop(0)
            return {"type": "websocket.disconnect"}

        received = door._watched({"headers": []}, receive, receive, f"start {role}")
        found = [await received() for _ in range(kept + 1)]
        return [one for one in found if one["type"] == "websocket.receive"]

    assert len(awaited(talk())) == kept


def test_nobody_has_any_number_of_connections(shared: str, data_folder: Path) -> None:
    register = Register(data_folder)
    cookie, another = (cookie_of(register.add(name, Role.VIEWER)) for name in ("A-b", "C-d"))
    assert TeamEntrance().counted_as({"client": None}, "start viewer") == "start viewer "
    who = door.entrance().counted_as({}, came(asked(cookie=cookie)))
    with pytest.MonkeyPatch.context() as patch:
        full = Counter({(who, "websocket"): entrance.SOCKETS})
        patch.setattr(door, "Counter", lambda: full)
        assert asked(cookie=cookie, kind="websocket") == [door.REFUSED_SOCKET]
        assert asked(cookie=another, kind="websocket") != [door.REFUSED_SOCKET]
        full[who, "websocket"] -= 1
        assert asked(cookie=cookie, kind="websocket") != [door.REFUSED_SOCKET]


def test_without_tls_nothing_is_shared(capsys: pytest.CaptureFixture[str]) -> None:
    from labelcore.cli import main

    assert main(["app", "--share"]) == 2
    said = capsys.readouterr().err
    assert "reverse_proxy 127.0.0.1:8501" in said and "--unencrypted" in said


def test_a_secret_is_nowhere_in_the_data_folder(data_folder: Path) -> None:
    secret = Register(data_folder).add("Ann", Role.OWNER)
    (file,) = (data_folder / ".people").glob("*.json")
    assert secret not in file.read_text("utf-8") and file.stat().st_mode & 0o077 == 0


LOG_IN, LOG_OUT, LEAVE = "log-in", "log-out", "/?start=leave"
KNOWN = {"is_logged_in": True, "email": "a@b.org", "email_verified": True}


@pytest.mark.parametrize(
    ("way", "user", "said", "called", "shown_in", "shown_out"),
    [
        (entrance.ASK, {}, entrance.NOT_LOGGED_IN, "", LOG_IN, None),
        (entrance.ASK, KNOWN, "logged in as a@b.org, who has no", "a@b.org", LOG_OUT, LOG_OUT),
        (entrance.ASK, {"is_logged_in": True}, entrance.NO_CLAIM, "", LOG_OUT, LOG_OUT),
        ("login c%40d.org", KNOWN, "logged in as c@d.org, who has no", "c@d.org", None, None),
        ("link x-1-y", KNOWN, entrance.LINK_ENDED, "", LEAVE, LEAVE),
        ("start viewer", KNOWN, entrance.LINK_ENDED, "", None, None),
    ],
)
def test_who_is_not_let_in_is_told_why_and_shown_a_way(
    way: str, user: dict[str, object], said: str, called: str, shown_in: str | None,
    shown_out: str | None, monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    shown: list[str] = []
    monkeypatch.setattr(entrance, "button", lambda label, key, *_, **given: shown.append(key))
    monkeypatch.setattr(entrance, "st", SimpleNamespace(
        user=SimpleNamespace(to_dict=lambda: user), login=None, logout=None,
        link_button=lambda label, where, **_: shown.append(where),
    ))  # fmt: skip
    assert said in TeamEntrance().refusal(way) and TeamEntrance().stranger(way) == called
    for show, what in (("show_way_in", shown_in), ("show_way_out", shown_out)):
        shown.clear()
        getattr(TeamEntrance(), show)(way)
        assert shown == ([what] if what else [])


# --- a proxy ------------------------------------------------------------------------------------


@pytest.fixture
def behind_proxy(here: None, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER_HEADER, "X-Forwarded-User")
    monkeypatch.setenv(FORWARDED, "")
    monkeypatch.delenv(PROXIES, raising=False)
    register = Register(data_folder)
    register.add("ann@example.org", Role.ANNOTATOR, login=True)
    register.add("ann@strasse.org", Role.OWNER, login=True)
    register.add("Bob", Role.OWNER)


def by_proxy(name: str = "ann@example.org", **said: Any) -> str:
    return came(asked(more={"x-forwarded-user": name}, **said))


def test_the_word_of_a_proxy_counts_from_its_own_address_alone(
    behind_proxy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert visitor_of(f"{entrance.BY_LOGIN} ann@stra%C3%9Fe.org") is None, "another domain"
    person = visitor_of(by_proxy("Ann@Example.org"))
    assert person is not None and (person.name, person.role) == ("ann@example.org", "annotator")
    assert asked()[1]["body"].decode() == entrance.NO_LOGIN, "the plain address is closed"
    assert by_proxy(host="elsewhere.example") == "", "nor is it the proxy's under another name"
    with pytest.MonkeyPatch.context() as patch:
        set_address(patch, "0.0.0.0")
        assert not entrance.needs_key()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(KEY, "the-key")
        assert asked()[1]["body"].decode() == entrance.NO_KEY
    assert by_proxy(sender="10.1.2.3") == by_proxy(sender="testclient") == by_proxy(sender="") == ""
    monkeypatch.setenv(PROXIES, "10.1.2.0/24, 192.168.7.7")
    assert by_proxy(sender="10.1.2.3") and by_proxy(sender="::ffff:192.168.7.7")
    assert not by_proxy(sender="127.0.0.1") and not by_proxy(sender="10.1.3.3")
    assert not by_proxy(sender="2001:db8::7")


def test_the_word_of_a_proxy_is_off_by_default(
    behind_proxy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(USER_HEADER)
    assert by_proxy() == door.PLAIN
    monkeypatch.setenv(USER_HEADER, "X-Auth")
    assert by_proxy() == ""


def test_a_name_said_twice_is_nobodys(behind_proxy: None) -> None:
    headers = [(b"host", b"127.0.0.1:8501"), *[(b"x-forwarded-user", b"Bob")] * 2]
    assert TeamEntrance().came_by({"headers": headers, "client": ("127.0.0.1", 1)}) is None
    assert TeamEntrance().came_by({"headers": headers[:2], "client": None}) is None
    assert (
        TeamEntrance().came_by({"headers": headers[:2], "client": ("127.0.0.1", 1)}) == "login Bob"
    )


def test_a_login_is_not_the_person_of_a_link_of_that_name(behind_proxy: None) -> None:
    assert visitor_of(by_proxy("Bob")) is None
    assert visitor_of(by_proxy("nobody@example.org")) is None


def test_the_command_hands_over_what_is_said_of_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    from labelcore.cli import main

    called: list[dict[str, str]] = []
    monkeypatch.setattr(serving, "become", lambda given, new: called.append(new) or 0)
    asks = ["app", "--user-header", "X-User", "--proxy", "10.0.0.1", "--proxy", "10.1.0.0/16"]
    assert main(asks) == 0
    assert called[0][USER_HEADER] == "X-User" and called[0][PROXIES] == "10.0.0.1,10.1.0.0/16"
    assert main(["app", "--proxy", "everywhere"]) == 2 and len(called) == 1
