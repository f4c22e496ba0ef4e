"""Logging in by OpenID Connect: whether it is set up, and what it calls a person."""

import json
import os
from collections.abc import Mapping
from typing import Any

from streamlit import auth_util
from streamlit.web.server.starlette import starlette_websocket
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from labelcore.team.settings import LOGIN_CLAIM

EMAIL, VERIFIED = "email", "email_verified"


def is_set_up() -> bool:
    """Whether ``secrets.toml`` has a section [auth]."""
    return bool(auth_util.get_secrets_auth_section())


def name_of(claims: Mapping[str, Any]) -> str:
    """What the login calls this person; "" where nobody is logged in or the claim does not count.

    An address counts only where the provider says that it was verified: else anybody could make an
    account with the address of somebody else.
    """
    claim = os.environ.get(LOGIN_CLAIM) or EMAIL
    if not claims.get("is_logged_in") or (claim == EMAIL and claims.get(VERIFIED) is not True):
        return ""
    return str(claims.get(claim) or "")


def named_in(cookies: Mapping[str, str]) -> str:
    """What the login in these cookies calls the person; "" where they hold none."""
    person = starlette_websocket._get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME)
    return name_of(json.loads(person)) if person else ""
