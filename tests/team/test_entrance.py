"""Who may come in where others do: keys of links, and the word of a proxy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from labelcore.cli import serving
from labelcore.settings import FORWARDED
from labelcore.team import entrance
from labelcore.team.entrance import TeamEntrance, visitor_of
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.team.settings import KEY, PROXIES, USER_HEADER, role_key
from labelcore.ui import door
from tests.ui.test_door import PLACES, asked, came, set_address, status

COOKIE = f"{entrance.COOKIE}_8501"


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(KEY, "the-key")
    return "the-key"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    set_address(monkeypatch, "127.0.0.1")


@pytest.mark.parametrize("path", PLACES)
def test_nothing_is_answered_without_the_key(path: str, shared: str) -> None:
    for cookie in ("", f"{COOKIE}=", f"{COOKIE}=another", "other=the-key", "\x00;=;"):
        assert status(asked(path, cookie=cookie)) == 403
        assert asked(path, cookie=cookie, kind="websocket") == [door.REFUSED_SOCKET]
    for query in ("start=", "start=another", "start=the-key-and-more", "other=the-key"):
        assert status(asked(path, query)) == 403
    assert asked(path, f"start={shared}", kind="websocket") == [door.REFUSED_SOCKET]
    assert status(asked(path, cookie=f"{COOKIE}={shared}")) == 200
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
    address: str | None, checked: bool, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_address(monkeypatch, address)
    assert door.listens_beyond() != checked == (not entrance.needs_key())
    assert status(asked(host="elsewhere.example:8501")) == (421 if checked else 403)
    assert status(asked(host=f"{address or 'localhost'}:8501")) == (200 if checked else 403)
    if not checked:
        monkeypatch.setenv(KEY, "to be put back")
        key = entrance.new_key().partition("start=")[2]
        assert not entrance.needs_key() and len(key) >= 32
        assert status(asked(host="elsewhere.example:8501", cookie=f"{COOKIE}={key}")) == 200


def test_the_command_shares_by_a_new_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(serving, "become", lambda *given: called.append(given) or 0)
    monkeypatch.setenv(KEY, "an old one")
    from labelcore.cli import main

    assert main(["app", "--share"]) == main(["app", "--share"]) == main(["app"]) == 0
    keys = [environment.get(KEY, "") for _, environment in called]
    assert len(keys[0]) >= 32 and keys[0] != keys[1] and keys[2] == ""
    addresses = [
        dict(zip(one[5::2], one[6::2], strict=True))["--server.address"] for one, _ in called
    ]
    assert addresses == ["0.0.0.0", "0.0.0.0", "127.0.0.1"]
    said = capsys.readouterr().out.splitlines()
    assert all(environment[FORWARDED] == "" for _, environment in called)
    assert [line.rpartition("?start=")[2] for line in said[:3]] == [
        role_key(keys[0], Role.ANNOTATOR), role_key(keys[0], Role.VIEWER), keys[0],
    ]  # fmt: skip
    assert "127.0.0.1" in said[2] and "127.0.0.1" not in said[0] + said[1]


def test_nobody_says_himself_how_he_came(here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    forged = {door.CAME.decode(): f"{entrance.BY_START} owner"}
    monkeypatch.setenv(KEY, "the-key")
    assert status(asked(more=forged)) == 403


# --- roles --------------------------------------------------------------------------------------


def test_each_role_has_a_key_of_its_own_that_leads_to_no_other(shared: str) -> None:
    keys = {role: role_key(shared, role) for role in Role}
    assert len(set(keys.values())) == len(Role) and keys[Role.OWNER] == shared
    for role, key in keys.items():
        assert came(asked(cookie=f"{COOKIE}={key}")) == f"{entrance.BY_START} {role}"
        assert key == role_key(shared, role) != role_key("another", role)
        if role != Role.OWNER:
            assert not {role_key(key, one) for one in list(Role)[1:]} & set(keys.values())


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
        assert status(asked("/media/a.png", cookie=cookie)) == 200
        assert status(asked("/share", cookie=cookie)) == (403 if role == Role.ANNOTATOR else 200)


def test_a_link_of_ones_own_opens_until_it_is_taken_back(
    shared: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = Register(data_folder)
    secret = register.add("Ann", Role.ANNOTATOR)
    sent = asked("/label", f"project=a&start={secret}")
    head = dict(sent[0]["headers"])
    assert status(sent) == 303 and head[b"location"] == b"/label?project=a"
    kept = f"{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age=2592000"
    assert head[b"set-cookie"] == kept.encode()
    cookie = f"{COOKIE}={secret}"
    person = visitor_of(came(asked(cookie=cookie)))
    assert person is not None and (person.name, person.role) == ("Ann", Role.ANNOTATOR)
    assert secret not in came(asked(cookie=cookie))
    left = dict(asked("/", f"start={entrance.LEAVE}", cookie=cookie)[0]["headers"])
    assert b"Max-Age=0" in left[b"set-cookie"]
    opened = came(asked(cookie=cookie))
    register.remove("Ann")
    assert status(asked(cookie=cookie)) == status(asked("/", f"start={secret}")) == 403
    assert asked(cookie=cookie, kind="websocket") == [door.REFUSED_SOCKET]
    assert visitor_of(opened) is None, "a page that is open has no role from now on"
    assert register.add("Ann", Role.VIEWER) != secret
    assert visitor_of(opened) is None


def test_a_secret_is_nowhere_in_the_data_folder(data_folder: Path) -> None:
    secret = Register(data_folder).add("Ann", Role.OWNER)
    (file,) = (data_folder / ".people").iterdir()
    assert secret not in file.read_text("utf-8") and file.stat().st_mode & 0o077 == 0


# --- a proxy ------------------------------------------------------------------------------------


@pytest.fixture
def behind_proxy(here: None, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(USER_HEADER, "X-Forwarded-User")
    monkeypatch.setenv(FORWARDED, "")
    monkeypatch.delenv(PROXIES, raising=False)
    register = Register(data_folder)
    register.add("ann@example.org", Role.ANNOTATOR, login=True)
    register.add("Bob", Role.OWNER)


def by_proxy(name: str = "ann@example.org", **said: Any) -> str:
    return came(asked(more={"x-forwarded-user": name}, **said))


def test_the_word_of_a_proxy_counts_from_its_own_address_alone(
    behind_proxy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    person = visitor_of(by_proxy("Ann@Example.org"))
    assert person is not None and (person.name, person.role) == ("ann@example.org", "annotator")
    assert status(asked()) == 403, "the plain address is closed"
    assert by_proxy(sender="10.1.2.3") == by_proxy(sender="testclient") == by_proxy(sender="") == ""
    monkeypatch.setenv(PROXIES, "10.1.2.0/24, 192.168.7.7")
    assert by_proxy(sender="10.1.2.3") and by_proxy(sender="::ffff:192.168.7.7")
    assert not by_proxy(sender="127.0.0.1") and not by_proxy(sender="10.1.3.3")


def test_the_word_of_a_proxy_is_off_by_default(
    behind_proxy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(USER_HEADER)
    assert by_proxy() == door.PLAIN
    monkeypatch.setenv(USER_HEADER, "X-Auth")
    assert by_proxy() == ""


def test_no_proxy_is_believed_where_a_request_may_say_its_sender(
    behind_proxy: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("127.0.0.1", "*"):
        monkeypatch.setenv(FORWARDED, value)
        assert by_proxy() == ""
    monkeypatch.delenv(FORWARDED)
    assert by_proxy() == ""


def test_a_name_said_twice_is_nobodys(behind_proxy: None) -> None:
    headers = [(b"host", b"127.0.0.1:8501"), *[(b"x-forwarded-user", b"Bob")] * 2]
    assert TeamEntrance().came_by({"headers": headers, "client": ("127.0.0.1", 1)}) is None
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
