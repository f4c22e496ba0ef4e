"""compose.yaml and its proxy, as far as they can be held against the repository and be run without
a container engine."""

import os
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from labelcore.session.session import Session
from labelcore.settings import FORWARDED, HOSTS
from labelcore.store import open_store
from labelcore.team.entrance import UPLOADS
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.team.settings import PROXIES, USER_HEADER
from tests.browser.server import Server, free_port
from tests.report.sessions import session_on, write_items

ROOT = Path(__file__).parents[1]
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
SERVICES: dict[str, Any] = COMPOSE["services"]
APP = SERVICES["first"]
PROXY = (ROOT / "Caddyfile").read_text("utf-8")


def test_only_the_proxy_can_be_reached() -> None:
    assert [name for name, one in SERVICES.items() if "ports" in one] == ["proxy"]
    assert COMPOSE["networks"]["inside"]["internal"] is True
    inside = {name for name, one in SERVICES.items() if "outside" not in one["networks"]}
    assert inside == {"first", "second", "database"}


def test_the_servers_are_alike_and_share_database_and_folder() -> None:
    assert SERVICES["second"] == APP
    text = (ROOT / "Containerfile").read_text("utf-8")
    assert f"LABELCORE_DATA={APP['volumes'][0].split(':')[1]} " in text
    assert "\npsycopg" in (ROOT / "requirements.lock").read_text("utf-8")
    database = SERVICES["database"]["environment"]
    assert APP["environment"]["LABELCORE_STORE"] == (
        f"postgresql://{database['POSTGRES_USER']}@database/{database['POSTGRES_DB']}"
    )
    assert APP["environment"]["PGPASSWORD"].startswith("${LABELCORE_PASSWORD:?")
    assert database["POSTGRES_PASSWORD"] == "${LABELCORE_PASSWORD}"


def test_every_setting_is_one_that_the_app_reads() -> None:
    known = {HOSTS, USER_HEADER, PROXIES, FORWARDED}
    assert set(APP["environment"]) == known | {"LABELCORE_STORE", "PGPASSWORD"}
    assert APP["environment"][FORWARDED] == ""
    proxy = SERVICES["proxy"]["networks"]["inside"]["ipv4_address"]
    assert APP["environment"][PROXIES] == proxy
    header = APP["environment"][USER_HEADER]
    assert f"header_up {header} {{http.auth.user.id}}" in PROXY
    given = set(re.findall(r"\{\$(\w+)\}", PROXY))
    assert given == {name for name in SERVICES["proxy"]["environment"] if name != "TZ"}


def test_what_is_named_is_there() -> None:
    volumes = {one.split(":")[0] for service in SERVICES.values() for one in service["volumes"]}
    assert {one for one in volumes if not one.startswith("./")} == set(COMPOSE["volumes"])
    assert (ROOT / APP["build"]["dockerfile"]).is_file()
    mounted = {one for one in volumes if one.startswith("./")}
    assert mounted == {"./Caddyfile", "./people.caddy"} and "import people.caddy" in PROXY


def asked(url: str, word: str = "", **headers: str) -> tuple[int, str]:
    """Status and the name of the server that the proxy chose."""
    if word:
        headers["Authorization"] = f"Basic {b64encode(word.encode()).decode()}"
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=30
        ) as got:
            return got.status, got.headers.get("Set-Cookie", "").split(";")[0]
    except urllib.error.HTTPError as error:
        return error.code, ""


def upgraded(site: str, word: str, origin: str) -> int:
    """Status of a page's connection for live changes."""
    host = site.removeprefix("http://")
    lines = [
        "GET /_stcore/stream HTTP/1.1", f"Host: {host}", f"Origin: {origin}",
        f"Authorization: Basic {b64encode(word.encode()).decode()}", "Connection: Upgrade",
        "Upgrade: websocket", "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {b64encode(b'0123456789abcdef').decode()}", "", "",
    ]  # fmt: skip
    name, port = host.split(":")
    with socket.create_connection((name, int(port)), timeout=30) as line:
        line.sendall("\r\n".join(lines).encode())
        return int(line.recv(1000).split()[1])


WORD = "a word"


@contextmanager
def proxied(
    folder: Path, site: str, servers: list[Server], people: Sequence[str] = ("ann", "bob"),
    hashed: str = "",
) -> Iterator[int]:  # fmt: skip
    """Caddy with the Caddyfile of the repository, where these may log in; its process."""
    caddy = str(shutil.which("caddy"))
    hashed = (
        hashed
        or subprocess.run(
            [caddy, "hash-password", "--plaintext", WORD],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    )
    (folder / "people.caddy").write_text("".join(f"{who} {hashed}\n" for who in people))
    # The administration of Caddy would listen on a port that all share.
    (folder / "Caddyfile").write_text("{\n\tadmin off\n}\n" + PROXY.replace(
        "{$LABELCORE_SITE}\n", "{$LABELCORE_SITE} {\n", 1) + "}\n")  # fmt: skip
    environment = {
        **os.environ,
        "LABELCORE_SITE": site,
        "LABELCORE_SERVERS": " ".join(one.url.removeprefix("http://") for one in servers),
        "HOME": str(folder),
    }
    process = subprocess.Popen(
        [caddy, "run", "--config", "Caddyfile"], cwd=folder, env=environment,
        stderr=(folder / "log").open("wb"),
    )  # fmt: skip
    try:
        for _ in range(100):
            try:
                if asked(site)[0] == 401:
                    break
            except OSError:
                time.sleep(0.1)
        yield process.pid
    finally:
        process.kill()
        process.wait()


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("caddy"), reason="needs caddy on the PATH")
def test_who_logs_in_and_has_a_role_comes_in_by_either_server(
    tmp_path: Path, postgres_url: str
) -> None:
    site = f"http://127.0.0.1:{free_port()}"
    environment = {**APP["environment"], "LABELCORE_STORE": postgres_url}
    environment |= {PROXIES: "127.0.0.1", HOSTS: "", "PGPASSWORD": ""}
    data = tmp_path / "data"
    write_items(tmp_path / "items.csv")
    with closing(open_store(postgres_url)) as store:
        session_on(tmp_path / "items.csv", store=store)
        with (
            Server(data, environment=environment) as first,
            Server(data, environment=environment) as second,
            proxied(tmp_path, site, [first, second]),
        ):
            Register(data).add("ann", Role.OWNER, login=True)
            assert asked(site)[0] == 401
            assert asked(site, "ann:another word")[0] == 401
            assert asked(first.url)[0] == asked(first.url, **{"X-Forwarded-User": ""})[0] == 403
            upload = f"{site}{UPLOADS}x"
            assert asked(upload, "ann:a word")[0] != 403
            assert asked(upload, "bob:a word")[0] == 403, "no role"
            assert asked(upload, "bob:a word", **{"X-Forwarded-User": "ann"})[0] == 403
            found = {asked(site, "ann:a word") for _ in range(12)}
            assert {status for status, _ in found} == {200}
            assert len({cookie for _, cookie in found}) == 2, "both servers are used"
            assert upgraded(site, "ann:a word", site) == 101
            assert upgraded(site, "ann:a word", "http://elsewhere.example") == 403
            assert upgraded(site, "ann:another word", site) == 401
            first.kill()
            assert {asked(site, "ann:a word")[0] for _ in range(6)} == {200}
        assert Session.open(store, "spam").labels == 0
