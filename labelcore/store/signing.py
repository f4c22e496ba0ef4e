"""The key that a store's seals are signed with: made once, kept where the owner says."""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from labelcore.whole_file import new_file

KEY = "LABELCORE_KEY"
"""The file of the key; beside the seals where nothing is said, "labels.key" beside "labels.db"."""

STARTED_IN = os.environ.get("PWD", "")
with suppress(OSError):  # Where it was removed there is none.
    STARTED_IN = os.getcwd()


def named_path(text: str) -> Path:
    """What the environment names: a relative path begins in the folder in which the program was
    when it loaded this, wherever it has gone since."""
    return Path(STARTED_IN, os.path.expanduser(text))


def key_file(place: Path) -> Path:
    named = os.environ.get(KEY)
    return named_path(named) if named else place.with_suffix(".key")


def public_key(place: Path) -> str:
    """The half that everybody may know, in hexadecimal; "" where there is no key, or none that can
    be read: it is lost then, and a new one will be made."""
    with suppress(OSError, ValueError):
        return _public(_read(key_file(place)))
    return ""


def secret_to_be(place: Path) -> bytes:
    """The half that stays here, or where there is none a new one, which ``secret_of`` may keep.
    Raises OSError."""
    try:
        return _read(key_file(place))
    except (FileNotFoundError, ValueError):
        return os.urandom(32)


def secret_of(place: Path, new: bytes | None = None) -> bytes:
    """The half that stays here; where there is none, ``new`` or one that is made. Raises
    OSError."""
    try:
        return _read(key_file(place))
    except (OSError, ValueError):
        return _made(key_file(place), new or os.urandom(32))


def signed(secret: bytes, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with a signature and the key that it can be checked by."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(secret)
    whole = {**values, "key": _public(secret)}
    return {**whole, "signature": key.sign(_bytes(whole)).hex()}


def is_signed(values: Mapping[str, Any]) -> bool:
    """Whether the values are as they were signed, by the key that they name."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    whole = {name: value for name, value in values.items() if name != "signature"}
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(values["key"]))
        key.verify(bytes.fromhex(values["signature"]), _bytes(whole))
    except (InvalidSignature, KeyError, TypeError, ValueError):
        return False
    return True


def _bytes(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, sort_keys=True, separators=(",", ":")).encode()


def _read(file: Path) -> bytes:
    secret = bytes.fromhex(file.read_text("ascii"))
    if len(secret) != 32:
        raise ValueError(f"{file} is no key")
    return secret


def _made(file: Path, secret: bytes) -> bytes:
    """This key, or the one that another process makes at this moment."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if file.exists():
        with suppress(ValueError):
            return _read(file)  # Another thread or process made it a moment ago.
        file.rename(file.with_name(f"{file.name}.unreadable"))
    with suppress(FileExistsError):
        new_file(file, secret.hex().encode())
    return _read(file)


def _public(secret: bytes) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw().hex()
