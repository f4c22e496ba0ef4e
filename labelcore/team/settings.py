"""What the server is told of its visitors: variables of the environment, and the keys of links.

The command that starts the app writes them, the door reads them.
"""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from ipaddress import ip_network

from labelcore.team.roles import Role

KEY = "LABELCORE_START_KEY"
"""The owner's key where the app is shared by links; the keys of other roles follow from it."""
USER_HEADER = "LABELCORE_USER_HEADER"
"""The header in which a proxy says who has logged in there."""
PROXIES = "LABELCORE_PROXIES"
"""Addresses or networks, with commas, from which that header counts; 127.0.0.1 and ::1 where none
is said."""
LOGIN_CLAIM = "LABELCORE_LOGIN_CLAIM"
"""What a login by OpenID Connect calls the person; the verified ``email`` where nothing is said."""
SESSION_HOURS = "LABELCORE_SESSION_HOURS"
"""After how many hours a browser must open a personal link again; 12 where nothing is said."""
HERE = "127.0.0.1,::1"
PARAMETER = "start"
"""How the address of a link names its key."""


def role_key(key: str, role: Role) -> str:
    """The key of a role's link: the owner's is ``key``, and nobody finds it from another one."""
    if role == Role.OWNER:
        return key
    return urlsafe_b64encode(hmac.digest(key.encode(), role.encode(), hashlib.sha256))[:32].decode()


def check_proxies(addresses: Iterable[str]) -> None:
    """ValueError for what is no address and no network."""
    for address in addresses:
        try:
            ip_network(address)
        except ValueError as error:
            raise ValueError(
                f"proxy must be an address or a network such as 10.0.0.0/8, got {address!r}"
            ) from error
