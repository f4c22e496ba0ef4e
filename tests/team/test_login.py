"""What a login by OpenID Connect calls a person, and what needs one before any page is drawn."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value
from uvicorn import Config
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from labelcore.settings import FORWARDED
from labelcore.team import login
from labelcore.team.entrance import ASK, BY_LOGIN, TeamEntrance
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.team.settings import KEY, LOGIN_CLAIM, PROXIES, USER_HEADER
from labelcore.ui.door import Door
from tests.ui import test_door
from tests.ui.test_door import asked, came, inside, status

SECRET = "a secret"
ANN = {"is_logged_in": True, "email": "ann@example.org", "email_verified": True, "sub": "17"}


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        (ANN, "ann@example.org"), ({**ANN, "is_logged_in": False}, ""), ({}, ""),
        ({**ANN, "email_verified": False}, ""), ({**ANN, "email_verified": None}, ""),
        ({**ANN, "email_verified": "true"}, ""), ({**ANN, "email": None}, ""),
    ],
)  # fmt: skip
def test_only_a_verified_address_is_a_name(claims: dict[str, Any], name: str) -> None:
    assert login.name_of(claims) == name


def test_another_claim_may_be_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOGIN_CLAIM, "sub")
    assert login.name_of({**ANN, "email_verified": False}) == "17"
    assert login.name_of({**ANN, "is_logged_in": False}) == ""


@pytest.fixture
def set_up(monkeypatch: pytest.MonkeyPatch, data_folder: Path) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setattr(login, "is_set_up", lambda: True)
    for module in (login.starlette_websocket,):
        monkeypatch.setattr(module, "get_cookie_secret", lambda: SECRET)
    test_door.set_address(monkeypatch, "127.0.0.1")


def cookie(secret: str = SECRET, **claims: Any) -> str:
    value = create_signed_value(secret, login.USER_COOKIE_NAME, json.dumps({**ANN, **claims}))
    return f"other=1; {login.USER_COOKIE_NAME}={value.decode()}"


def test_pages_come_to_everybody_and_ask_who_it_is(set_up: None) -> None:
    assert came(asked()) == ASK and TeamEntrance().still({"headers": []}, ASK)
    assert asked(kind="websocket")[0]["type"] == "websocket.accept"
    assert status(asked(host="elsewhere.example")) == 421
    assert status(asked("/static/media/font.woff2")) == 200
    for path in ("/media/static/media/a.png", "/lab/static/media/a.png", "/x/media/a.png"):
        assert status(asked(path)) == 403


def test_files_come_to_those_with_a_role_alone(set_up: None, data_folder: Path) -> None:
    for path in ("/media/a.png", "/_stcore/upload_file/a/b"):
        for given in ("", cookie(), cookie(secret="another"), "_streamlit_user=x"):
            assert status(asked(path, cookie=given)) == 403
    register = Register(data_folder)
    register.add("ann@example.org", Role.VIEWER, login=True)
    assert status(asked("/media/a.png", cookie=cookie())) == 403, "made for none of Ann's pages"
    assert status(asked("/media/a.png", cookie=cookie(secret="another"))) == 403
    assert status(asked("/media/a.png", cookie=cookie(email_verified=False))) == 403
    assert status(asked("/_stcore/upload_file/a/b", cookie=cookie(), method="PUT")) == 403
    register.remove("ann@example.org")
    register.add("ann@example.org", Role.OWNER, login=True)
    assert status(asked("/_stcore/upload_file/a/b", cookie=cookie(), method="PUT")) == 200
    assert status(asked("/media/a.png", cookie=cookie())) == 200


@pytest.mark.parametrize(("allowed", "believed"), [("", True), (None, False), ("*", False)])
def test_who_writes_the_address_of_a_proxy_is_none(
    allowed: str | None, believed: bool, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server itself reads X-Forwarded-For: with what the app starts it with, it does not."""
    monkeypatch.setenv(USER_HEADER, "X-User")
    monkeypatch.setenv(FORWARDED, "")
    if allowed is None:
        monkeypatch.delenv(FORWARDED)
    else:
        monkeypatch.setenv(FORWARDED, allowed)
    test_door.set_address(monkeypatch, "127.0.0.1")
    behind = ProxyHeadersMiddleware(Door(inside), Config(inside).forwarded_allow_ips)  # type: ignore[arg-type]
    monkeypatch.setattr(test_door, "Door", lambda app: behind)
    more = {"x-user": "ann", "x-forwarded-for": "10.9.9.9:5000"}
    assert (came(asked(more=more)) == f"{BY_LOGIN} ann") == believed
    monkeypatch.setenv(PROXIES, "10.9.9.9")
    assert status(asked(more=more)) == 403, "the sender is this machine, whatever it says"
