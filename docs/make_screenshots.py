"""Pictures of every page and state, from temporary data folders: ``python
docs/make_screenshots.py [part of a name ...]``.

Writes docs/images/*.png and docs/screens.md; with parts of names only the pictures that hold one,
and no list. The same labels on the same items each time; only what is "now" on the live pages
and the browser's fonts differ from one machine to another.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser  # noqa: E402
from screenshots import material, projects, scenes  # noqa: E402
from screenshots.camera import Scene, take  # noqa: E402

from tests.browser.chromium import launch  # noqa: E402
from tests.browser.server import Server  # noqa: E402

IMAGES, LIST = ROOT / "docs" / "images", ROOT / "docs" / "screens.md"
BEGIN = "## What there is to read, to press and to look for"
LARGEST_SUM = 5_000_000
EMPTY = Scene("start", "Start page of a new installation: trials, and the own file.", "",
              wait=".st-key-trial-digits button")  # fmt: skip
HEAD = """# Every page and state

Made by `python docs/make_screenshots.py` from invented items and the trials' own data. Light at a
width of 1,280 pixels; `-dark` is the dark theme, `-390` a telephone.

"""
Group = tuple[str, Callable[[Path], object], Sequence[Scene]]


def groups(uploads: Path) -> list[Group]:
    """(title, what makes the data folder, its scenes), in the order of the list."""
    files = {
        "german": material.german(uploads / "nachrichten.csv"),
        "faulty": material.faulty(uploads / "messages.csv"),
        "unsure": material.unsure(uploads / "survey.csv"),
        "repeated": material.repeated(uploads / "repeated.csv"),
        "headless": material.headless(uploads / "headless.csv"),
        "long": material.write(uploads / "letters.csv", material.messages(8000)),
        "letters": material.write(
            uploads / "five topics.csv", material.topics_of(material.letters(600))
        ),
    }

    def nothing(data: Path) -> None:
        """A new installation."""

    return [
        ("Start page, empty", nothing, [EMPTY]),
        ("Start page", projects.start_page, scenes.START),
        ("New project", nothing, scenes.new_project(files)),
        (
            "Label, Progress, Explore, Report",
            projects.one_each,
            [*scenes.LABEL, *scenes.PROGRESS, *scenes.EXPLORE, *scenes.REPORT],
        ),
        ("Roles and audit", projects.shared, scenes.TEAM),
    ]


def pictures(browser: Browser, folder: Path, wanted: Sequence[str]) -> Iterator[Scene]:
    """Take them; yields what was asked for, after it was taken."""
    for number, (_, prepare, all_scenes) in enumerate(groups(folder / "uploads")):
        chosen = [s for s in all_scenes if not wanted or any(w in s.name for w in wanted)]
        if not chosen:
            continue
        data = folder / f"{number}" / "data"
        data.mkdir(parents=True)
        prepare(data)
        with Server(data) as server:
            for scene in chosen:
                try:
                    take(browser, server.url, scene, IMAGES)
                except Exception as error:
                    print(f"{scene.name} was not taken: {error}", file=sys.stderr)
                    continue
                print(scene.name, flush=True)
                yield scene
            if "Traceback" in server.log:
                print(server.log[-4000:], file=sys.stderr)


def write_list(folder: Path) -> None:
    """docs/screens.md: a line for each picture, its other views behind it, then what was measured
    there."""
    lines, (_, begin, measured) = [HEAD], LIST.read_text("utf-8").partition(BEGIN)
    for title, _, all_scenes in groups(folder / "uploads"):
        lines.append(f"## {title}\n\n")
        for scene in all_scenes:
            first, *others = (f"[{name}](images/{name}.png)" for name in scene.names)
            more = f" ({', '.join(others)})" if others else ""
            lines.append(f"- {first}{more}: {scene.words}\n")
        lines.append("\n")
    LIST.write_text("".join([*lines, begin, measured]).rstrip() + "\n", "utf-8")


def tidy(folder: Path) -> None:
    """Remove pictures of scenes that are no more."""
    kept = {name for _, _, found in groups(folder / "uploads") for s in found for name in s.names}
    for path in IMAGES.glob("*.png"):
        if path.stem not in kept:
            path.unlink()


def main(wanted: Sequence[str]) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, launch(whole=True) as browser:
        folder = Path(name)
        taken = len(list(pictures(browser, folder, wanted)))
        if not wanted:
            tidy(folder)
            write_list(folder)
        every = sum(len(one) for _, _, one in groups(folder / "uploads"))
    total = sum(path.stat().st_size for path in IMAGES.glob("*.png"))
    print(f"{taken} of {every} states, all pictures together {total:,} bytes")
    if total > LARGEST_SUM or (not wanted and taken < every):
        raise SystemExit("too large together, or a state is missing")


if __name__ == "__main__":
    main(sys.argv[1:])
