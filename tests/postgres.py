"""A PostgreSQL server of one's own in a temporary folder, for tests and benchmarks."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

DEBIAN = Path("/usr/lib/postgresql")
USER, PASSWORD = "labelcore", "a secret"


def binaries() -> Path | None:
    """The folder of initdb, pg_ctl and the rest; None where PostgreSQL is not installed."""
    installed = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda one: int(one.parts[-3]))
    if installed:
        return installed[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


def why_not() -> str:
    """Why no server can be started here, "" if one can."""
    if binaries() is None:
        return "needs PostgreSQL: apt-get install postgresql"
    if os.name != "posix":
        return "the server of the tests listens on a Unix socket"
    return ""


class Server:
    """``durable``: whether what was committed survives a power cut; without, a crash of the server
    only, which is faster. Who is root runs it as another user, because it refuses to be root's."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.folder, self.port = folder, _free_port()
        self._binaries = binaries()
        self._durable = durable

    def make(self) -> None:
        if os.geteuid() == 0:
            os.chown(self.folder, *_unprivileged())
        word = self.folder / "password"
        word.write_text(PASSWORD)
        word.chmod(0o644)
        self._run(
            *("initdb", "-D", self.data, "-U", USER, f"--pwfile={word}", "-E", "UTF8"),
            *("--locale=C", "--no-sync", "--auth-local=trust", "--auth-host=scram-sha-256"),
        )

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def start(self) -> None:
        options = f"-k {self.folder} -p {self.port} -c listen_addresses=127.0.0.1"
        # After a crash the files are synced together, not one by one.
        options += " -c recovery_init_sync_method=syncfs"
        if not self._durable:
            options += " -c fsync=off -c full_page_writes=off"
        self._control("start", "-l", str(self.folder / "log"), "-o", options)

    def stop(self) -> None:
        """At once, as a crash would."""
        self._control("stop", "-m", "immediate")

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        first = int((self.folder / "data" / "postmaster.pid").read_text().split("\n")[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for one in (first, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(one, number)

    def _control(self, verb: str, *given: str) -> None:
        self._run("pg_ctl", "-D", self.data, "-w", "-s", verb, *given)

    def _run(self, program: str, *given: str) -> None:
        as_user = {}
        if os.geteuid() == 0:
            user, group = _unprivileged()
            as_user = {"user": user, "group": group, "extra_groups": []}
        # The server keeps what it inherits open, so it inherits no pipe.
        with (self.folder / f"{program}.out").open("wb") as said:
            done = subprocess.run(
                [f"{self._binaries}/{program}", *given],
                stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd="/", **as_user,
            )  # fmt: skip
        if done.returncode:
            raise RuntimeError((self.folder / f"{program}.out").read_text())

    def url(self, schema: str = "", database: str = "postgres") -> str:
        """Through the socket, without a password; tables in the ``schema``."""
        options = f"&options={quote(f'-csearch_path={schema}')}" if schema else ""
        place = f"host={quote(str(self.folder))}&port={self.port}"
        return f"postgresql://{USER}@/{database}?{place}{options}"

    def network_url(self, user: str = USER, password: str = PASSWORD, query: str = "") -> str:
        return (
            f"postgresql://{user}:{quote(password)}@127.0.0.1:{self.port}/postgres"
            f"?sslmode=disable{query}"
        )


@contextmanager
def running(*, durable: bool = False) -> Iterator[Server]:
    # Not below the folder of the tests: a socket's path is short, and that one is another user's.
    folder = Path(tempfile.mkdtemp(prefix="labelcore-pg-"))
    try:
        server = Server(folder, durable=durable)
        server.make()
        server.start()
        try:
            yield server
        finally:
            with suppress(RuntimeError):
                server.resume()
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> tuple[int, int]:
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            found = pwd.getpwnam(name)
            return found.pw_uid, found.pw_gid
    raise RuntimeError("PostgreSQL refuses to run as root, and there is no other user")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
