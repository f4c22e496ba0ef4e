"""The Containerfile, as far as it can be held against the repository without a container engine."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from labelcore.cli.serving import command
from labelcore.settings import FORWARDED

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Containerfile").read_text("utf-8")
LINES = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", TEXT, flags=re.MULTILINE)).splitlines()
STEPS = [(name, rest) for name, _, rest in (line.partition(" ") for line in LINES if line)]
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "ENV", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}


def rest_of(name: str) -> list[str]:
    return [rest for one, rest in STEPS if one == name]


def test_every_step_is_an_instruction_and_what_it_copies_is_there() -> None:
    assert {name for name, _ in STEPS} == KNOWN
    kept = (ROOT / ".containerignore").read_text("utf-8").splitlines()
    named = [line.removeprefix("!") for line in kept if line.startswith("!")]
    assert all((ROOT / name).exists() for name in named)
    built = ["pyproject.toml", "setup.py", "labelcore", "app.py", "pages", ".streamlit"]
    locks = re.findall(r"requirements[\w-]*\.lock", " ".join(rest_of("RUN")))
    assert {*built, *locks, "README.md", "LICENSE"} <= set(named) and len(set(locks)) == 2
    assert not {"data", ".venv", ".git", "tests"} & set(named)


def test_the_app_is_started_where_this_python_installs_it() -> None:
    (version,) = {found for one in rest_of("FROM") for found in re.findall(r":(3\.\d+)-slim", one)}
    assert f"for Linux, Python {version}." in (ROOT / "requirements.lock").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    started = json.loads(rest_of("CMD")[0])
    assert started[4] == f"/usr/local/lib/python{version}/site-packages/labelcore/app/app.py"
    ours = command(8501, no_browser=True)
    assert started[1:4] == ours[1:4]
    given, wanted = (dict(zip(one[5:][::2], one[5:][1::2], strict=True)) for one in (started, ours))
    assert given == {**wanted, "--server.address": "0.0.0.0"}


def test_nothing_is_installed_but_by_its_hash() -> None:
    """A wheel of our own, that the build before it made, is the one thing without one."""
    installs = [one for run in rest_of("RUN") for one in run.split(" && ") if "pip " in one]
    assert len(installs) == 5 and installs[-1] == "pip check"
    for one in installs[:-1]:
        assert "--require-hashes" in one or "--no-deps" in one, one
        assert "--only-binary :all:" in one or "--no-index" in one or "--no-build-isolation" in one


IMAGE = re.compile(r"^(?:FROM|  +image:) +(\S+)", re.MULTILINE)
TO_BE_PINNED = {
    "docker.io/library/python:3.11-slim",
    "docker.io/library/caddy:2",
    "docker.io/library/postgres:15",
}
"""Whose digest nobody has asked for yet: `.ci/pin_images`, where their registry can be reached."""


def test_images_come_by_digest_or_are_listed_as_to_be_pinned() -> None:
    texts = [TEXT, (ROOT / "compose.yaml").read_text("utf-8")]
    named = {one for text in texts for one in IMAGE.findall(text)}
    pinned = {one for one in named if re.fullmatch(r"\S+:\S+@sha256:[0-9a-f]{64}", one)}
    assert named - pinned == TO_BE_PINNED


@pytest.mark.parametrize("said", ["sha256:" + "5a" * 32, "sha256:5a", "unauthorized"])
def test_the_command_pins_what_the_registry_says_or_nothing(tmp_path: Path, said: str) -> None:
    for name in ("Containerfile", "compose.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "docker").write_text(f"""#!/bin/sh\necho '{{"digest": "{said}", "size": 1}}'\n""")
    (tmp_path / "docker").chmod(0o755)
    path = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    for _ in range(2):  # Anew, it takes the place of the first.
        done = subprocess.run([ROOT / ".ci" / "pin_images", tmp_path], env=path, check=False)
    text = "".join((tmp_path / name).read_text() for name in ("Containerfile", "compose.yaml"))
    images = IMAGE.findall(text)
    if len(said) == 71:
        assert done.returncode == 0 and len(images) == 4
        assert all(one.endswith(f"@{said}") and one.count("@") == 1 for one in images)
        assert "slim@" in text and " AS build\n" in text
    else:
        assert done.returncode == 1 and not any("@" in one for one in images)


def test_it_runs_as_nobody_special_and_keeps_its_data() -> None:
    assert rest_of("USER") == ["1000:1000"] and rest_of("VOLUME") == ["/data"]
    assert "LABELCORE_DATA=/data" in rest_of("ENV")[0]
    assert rest_of("ENV")[0].endswith(f"{FORWARDED}="), "a proxy is known by its own address"
    assert "-p 127.0.0.1:8501:8501" in TEXT, "the example publishes to this machine only"
    health = rest_of("HEALTHCHECK")[0].removeprefix("CMD ")
    compile(json.loads(health)[2], "health", "exec")
