"""Facts about the files of the repository that are easy to break without noticing."""

import ast
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from streamlit import config

from labelcore.version import __version__

PAGE_LINES = 100
FILE_LINES = 600
ONE_CLASS = "labelcore/session/session.py"
"""``Session`` has all its public verbs in one class, which is not cut to meet a number."""

# Folders at the top of a machine that no tracked file may name. Written apart, so that this
# file does not find itself.
MACHINE_PATH = re.compile(
    r"(?:^|[^\w.~/-])/(?:" + "|".join(["work", "root", "farm", "Users", r"home/\w+", "tmp"]) + ")/"
)
REGISTRY = re.compile(
    "|".join(["pypi" + r"\.org", "python" + "hosted", "index" + "-url", "find" + "-links"])
)
UNSAFE = re.compile(r"unsafe_allow_html|unsafe_allow_javascript|st\.iframe|components\.html|pickle")


def findings(pattern: re.Pattern[str], text: str) -> list[int]:
    """Lines of the text, from 1, where the pattern occurs."""
    return [n for n, line in enumerate(text.splitlines(), 1) if pattern.search(line)]


def tracked_files(root: Path) -> list[Path]:
    """Files under version control and new ones that are not ignored."""
    if shutil.which("git") is None or not (root / ".git").exists():
        pytest.skip("not a git checkout")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    files = (root / name for name in listed.decode().split("\0") if name)
    return sorted(file for file in files if file.is_file())


def product_files(root: Path) -> Iterator[Path]:
    for folder in ("labelcore", "pages"):
        yield from sorted((root / folder).rglob("*.py"))
    yield from root.glob("app.py")


@pytest.mark.parametrize("pattern", [MACHINE_PATH, REGISTRY], ids=["machine path", "registry"])
def test_tracked_files_name_no_machine_and_no_registry(
    root: Path, pattern: re.Pattern[str]
) -> None:
    found = []
    for file in tracked_files(root):
        content = file.read_bytes()
        if b"\0" not in content:
            lines = findings(pattern, content.decode("utf-8", "replace"))
            found += [f"{file.relative_to(root)}:{line}" for line in lines]
    assert found == []


@pytest.mark.parametrize(
    ("pattern", "line", "found"),
    [
        (MACHINE_PATH, "open('" + "/" + "root/items.csv')", True),
        (MACHINE_PATH, "/" + "home/ann/items.csv", True),
        (MACHINE_PATH, "data/" + "work/items.csv", False),
        (MACHINE_PATH, "https://example.org/" + "work/x", False),
        (MACHINE_PATH, "~/" + "work/x", False),
        (REGISTRY, "--index" + "-url https://example.org", True),
        (REGISTRY, "pip install -r requirements.txt", False),
        (UNSAFE, "st.markdown(text, unsafe_allow_" + "html=True)", True),
        (UNSAFE, "import pic" + "kle", True),
        (UNSAFE, "st.text(text)", False),
    ],
)
def test_the_patterns_find_what_they_should(
    pattern: re.Pattern[str], line: str, found: bool
) -> None:
    assert bool(findings(pattern, line)) is found


HANDED_OVER = Path("labelcore/bounded.py")
"""Pickles what one process of ours hands to another one, in a folder that nobody else can write."""


def test_nothing_can_run_the_content_of_an_item(root: Path) -> None:
    found = [
        f"{file.relative_to(root)}:{line}"
        for file in product_files(root)
        for line in findings(UNSAFE, without_handing_over(file, root))
    ]
    assert found == []


def without_handing_over(file: Path, root: Path) -> str:
    text = file.read_text("utf-8")
    return text.replace("pickle", "") if file.relative_to(root) == HANDED_OVER else text


def lines_of_code(text: str) -> int:
    """The lines of a module without its docstrings: explaining a method does not make it longer."""
    found = len(text.splitlines())
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            found -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
    return found


def test_lines_of_code_leave_out_docstrings() -> None:
    assert lines_of_code('"""One.\n\nTwo."""\n\n\ndef f():\n    """Three."""\n    return 1\n') == 4


def test_files_are_short(root: Path) -> None:
    long = []
    for file in product_files(root):
        name = file.relative_to(root)
        if name == Path(ONE_CLASS):
            continue
        limit = FILE_LINES if "labelcore" in name.parts else PAGE_LINES
        text = file.read_text("utf-8")
        if text.count("\n") > limit and (lines := lines_of_code(text)) > limit:
            long.append(f"{name}: {lines} lines, at most {limit}")
    assert long == []


def requirements(text: str) -> dict[str, str]:
    """Name -> version of each line; anything but ``name==version`` is an error."""
    pinned = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith(("#", "-r ")):
            match = re.fullmatch(r"([A-Za-z0-9_.-]+)(?:\[[a-z]+\])?==([0-9][0-9a-z.]*)", line)
            if match is None:
                raise ValueError(f"a requirement must be name==version, got {line!r}")
            pinned[match[1].lower()] = match[2]
    return pinned


def reasons(text: str) -> dict[str, str]:
    """Name -> reason, from the rows of the tables under the heading 'Dependencies'."""
    section = text.partition("\n## Dependencies\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \| (.+?) \|$", section, re.MULTILINE)
    return {name.lower(): reason for name, reason in rows}


def test_each_requirement_is_pinned_and_has_a_reason(root: Path) -> None:
    pinned: dict[str, str] = {}
    for name in ("requirements.txt", "requirements-dev.txt"):
        pinned |= requirements((root / name).read_text("utf-8"))
    given = reasons((root / "CONTRIBUTING.md").read_text("utf-8"))
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [one for extra in project["optional-dependencies"].values() for one in extra]
    asked = {Requirement(one).name.lower() for one in extras}
    assert sorted(given) == sorted({*pinned, *asked})
    assert [name for name, reason in given.items() if len(reason) < 20] == []


def test_the_package_takes_what_is_pinned(root: Path) -> None:
    """Its ranges name the same packages as the lock, and hold each pinned version."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    ranges = {one.name.lower(): one.specifier for one in map(Requirement, project["dependencies"])}
    pinned = requirements((root / "requirements.txt").read_text("utf-8"))
    assert sorted(ranges) == sorted(pinned)
    assert [name for name, version in pinned.items() if version not in ranges[name]] == []
    assert [
        name for name, one in ranges.items() if any(part.operator == "==" for part in one)
    ] == []


def test_the_lock_has_what_is_pinned_with_hashes(root: Path) -> None:
    lines = (root / "requirements.lock").read_text("utf-8").replace("\\\n", "").splitlines()
    locked = [line.split() for line in lines if not line.startswith("#")]
    assert all(len(hashes) > 0 for _, *hashes in locked)
    versions = requirements("\n".join(named for named, *_ in locked))
    pinned = requirements((root / "requirements.txt").read_text("utf-8"))
    assert {name: versions.get(name) for name in pinned} == pinned


def test_a_build_brings_the_app_with_its_settings(root: Path, tmp_path: Path) -> None:
    setuptools = pytest.importorskip("setuptools")
    build = runpy.run_path(str(root / "setup.py"))["WithApp"](setuptools.Distribution())
    build.build_lib = str(tmp_path)
    build.packages = build.py_modules = []
    build.editable_mode = False
    build.run()
    found = {str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*") if one.is_file()}
    assert found == {str(Path(one).relative_to(tmp_path)) for one in build.get_outputs()}
    pages = {f"pages/{one.name}" for one in (root / "pages").glob("*.py")}
    names = {"app.py", ".streamlit/config.toml", *pages}
    schema = "labelcore/report/report.schema.json"
    assert found == {schema, *(f"labelcore/app/{name}" for name in names)}
    assert (tmp_path / schema).read_bytes() == (root / "docs" / "report.schema.json").read_bytes()
    for name in names:
        assert (tmp_path / "labelcore/app" / name).read_bytes() == (root / name).read_bytes()


@pytest.mark.full
def test_the_wheel_holds_the_app_and_asks_for_ranges(root: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    for file in tracked_files(root):
        target = source / file.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path), "."]
    subprocess.run(command, cwd=source, check=True, timeout=300)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        metadata = next(name for name in names if name.endswith("METADATA"))
        asked = wheel.read(metadata).decode()
    assert {"labelcore/py.typed", "labelcore/app/app.py", "labelcore/app/pages/label.py"} <= names
    assert {"labelcore/app/.streamlit/config.toml", "labelcore/report/report.schema.json"} <= names
    served = {
        str(one.relative_to(root)) for one in tracked_files(root) if one.suffix in (".js", ".css")
    }
    assert "labelcore/ui/surface.js" in served and served <= names
    assert "Requires-Dist: pandas<4,>=2.3" in asked


@pytest.mark.parametrize("line", ["numpy", "numpy>=2", "numpy==2.*", "numpy == 2.4.6"])
def test_a_requirement_that_is_not_pinned_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="must be name==version"):
        requirements(line)


def test_version_is_the_newest_of_the_changelog(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    headings = re.findall(
        r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$",
        (root / "CHANGELOG.md").read_text("utf-8"),
        re.MULTILINE,
    )
    assert headings[0][0] == project["version"] == __version__
    dates = [date for _, date in headings]
    assert dates == sorted(dates, reverse=True)


def test_readme_has_two_set_up_commands_and_marks_that_of_the_tests(root: Path) -> None:
    readme = (root / "README.md").read_text("utf-8")
    commands = re.findall(r"^```bash\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    installing = [command for command in commands if "pip install" in command]
    assert len(installing) == 2
    assert readme.count("<!-- test-command -->\n```bash\n" + installing[1]) == 1
    assert "-m pytest" in installing[1]


def test_streamlit_knows_each_option_that_is_set(root: Path) -> None:
    """One of them is hidden: this fails when a new version of Streamlit drops it."""

    def names(table: dict[str, object], above: str = "") -> Iterator[str]:
        for key, value in table.items():
            if isinstance(value, dict):
                yield from names(value, f"{above}{key}.")
            else:
                yield above + key

    options = tomllib.loads((root / ".streamlit" / "config.toml").read_text("utf-8"))
    known = config.get_config_options()
    assert [name for name in names(options) if name not in known] == []
    assert options["runner"]["postScriptGC"] is False
    assert options["server"]["address"] == "127.0.0.1"


FULL = "import pytest\n@pytest.mark.full\ndef test_long(): ...\ndef test_short(): ...\n"


@pytest.mark.parametrize(
    ("asked", "run"),
    [("not slow", "test_short"), pytest.param("full", "test_long", marks=pytest.mark.full)],
)
def test_what_takes_minutes_runs_only_where_it_is_named(
    root: Path, tmp_path: Path, asked: str, run: str
) -> None:
    """Whatever else ``-m`` says: it replaces what is set in the file."""
    (tmp_path / "test_both.py").write_text(FULL, "utf-8")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-c", "pyproject.toml"]
    command += ["--rootdir", str(root), "-p", "tests.conftest", "-m", asked, str(tmp_path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert re.findall(r"::(\w+)", done.stdout) == [run], done.stdout + done.stderr


def test_full_checks_take_the_names_that_their_page_has(root: Path) -> None:
    command = [".ci/full", "papers", "nonsense"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60)
    said, _, names = done.stderr.partition(", only: ")
    assert (done.returncode, said) == (2, "There is no check 'nonsense'")
    page = (root / "docs" / "full_checks.md").read_text("utf-8")
    rows = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert rows and rows <= set(names.split())
