"""The Containerfile, as far as it can be held against the repository without a container engine."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

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
    assert {*built, "requirements.txt", "README.md", "LICENSE"} <= set(named)
    assert not {"data", ".venv", ".git", "tests"} & set(named)


def test_the_app_is_started_where_this_python_installs_it() -> None:
    (version,) = {found for one in rest_of("FROM") for found in re.findall(r":(3\.\d+)-slim", one)}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
    started = json.loads(rest_of("CMD")[0])
    assert started[4] == f"/usr/local/lib/python{version}/site-packages/labelcore/app/app.py"
    ours = command(8501, no_browser=True)
    assert started[1:4] == ours[1:4]
    given, wanted = (dict(zip(one[5:][::2], one[5:][1::2], strict=True)) for one in (started, ours))
    assert given == {**wanted, "--server.address": "0.0.0.0"}


def test_it_runs_as_nobody_special_and_keeps_its_data() -> None:
    assert rest_of("USER") == ["1000:1000"] and rest_of("VOLUME") == ["/data"]
    assert "LABELCORE_DATA=/data" in rest_of("ENV")[0]
    assert rest_of("ENV")[0].endswith(f"{FORWARDED}="), "a proxy is known by its own address"
    assert "-p 127.0.0.1:8501:8501" in TEXT, "the example publishes to this machine only"
    health = rest_of("HEALTHCHECK")[0].removeprefix("CMD ")
    compile(json.loads(health)[2], "health", "exec")
