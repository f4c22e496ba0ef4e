"""The pages of the site: their examples run, and nothing that a user may name is missing."""

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest

import labelcore as lc
from docs.made_pages import literal, part
from labelcore.cli import COMMANDS, main
from labelcore.log.wording import WORDING
from labelcore.ui.new_cards import CARDS
from tests.test_docs import code_blocks, write_items

DOCS = Path(__file__).resolve().parents[1] / "docs"
PACKAGE = Path(lc.__file__).parent
OF_A_TRIAL = {"trial", "seconds"}
ANSWERS = [DOCS / "judge.md", *(DOCS / "questions").glob("*.md")]
HOW_TO = [*(DOCS / "guide").glob("*.md"), *(DOCS / "how_to").glob("*.md")]
PAGES = [DOCS / "tutorial.md", *ANSWERS, *HOW_TO]
WITH_CODE = sorted(page for page in PAGES if "```" in page.read_text("utf-8"))
TUTORIAL = DOCS / "tutorial.md"
# What `.ci/run` does before the tests.
INSTALLING = [code_blocks("bash")[0]]
SHORTER = {r"\bruns=\d+": "runs=2"}
PRINTED: dict[str, str | tuple[str, ...]] = {
    "tutorial": "valid at every look",
    "claims": ("the labels show that the precision of 'lr'", "the recall of 'lr'"),
    "in_python": (
        *("coverage", "mean_width", "all ranks together", "own_high"),
        *("items in items.csv, 'lr>=0.7'", "the classifier 'lr>=0.6' calls", "approximate"),
    ),
    "notebook": ("open", "weighted share of spam"),
    "build_server": "the labels show that the precision of 'lr'",
    "groups": ("expected_half_width", "low"),
    "search": "prevalence",
    "images": "first picture: photos/",
    "databases": "items from a query",
    "spark": "95 % confidence",
    "traces": ("judge's pass rate", "place_from", "labelcore import traces.json"),
    "label_studio": "50 tasks answered",
    "week_after_week": ("would begin on 400 rows", "no alarm; 1 of 52 waves so far"),
    "how_many_labels": "simple_random",
    "can_i_stop": "the labels show that the precision of 'lr'",
    "which_threshold": "lr>=0.6",
    "is_a_better_than_b": "points better in accuracy",
    "judge": "the classifier 'judge'",
    "have_i_found_enough": "100 known items",
    "what_do_i_tell_my_boss": "95 % confidence",
}


def blocks(page: Path) -> list[tuple[str, str]]:
    """Every block of a page, of code or of what was printed: its language, and what is in it."""
    return re.findall(r"```(\w+)\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.usefixtures("few_sessions_for_claims")
@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_every_example_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    if page != TUTORIAL:
        exec(compile(blocks(TUTORIAL)[1][1], TUTORIAL.name, "exec"), {})
    names: dict[str, object] = {}
    for language, block in found:
        for long, short in SHORTER.items():
            block = re.sub(long, short, block)
        if language == "py" and find_spec("pyspark") is None:
            pytest.skip("needs pyspark and a Java runtime")
        if language in ("python", "py"):
            exec(compile(block, page.name, "exec"), names)
        elif language == "toml":
            Path("plan.toml").write_text(block, "utf-8")
        elif language == "bash" and block not in INSTALLING:
            for line in block.splitlines():
                assert line.startswith("labelcore ") and main(shlex.split(line)[1:]) == 0, line
    printed, said = PRINTED[page.stem], capsys.readouterr().out
    assert Path("items.csv").is_file()
    assert all(words in said for words in ([printed] if isinstance(printed, str) else printed))


def test_the_two_commands_that_install_are_those_of_the_readme() -> None:
    assert [block for language, block in blocks(TUTORIAL) if language == "bash"] == INSTALLING


def test_the_file_to_try_it_with_is_that_of_the_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_items(tmp_path / "expected.csv")
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks(TUTORIAL)[1][1], TUTORIAL.name, "exec"), {})
    made, expected = pd.read_csv("items.csv"), pd.read_csv("expected.csv")
    numbers = ["id", "lr_score", "lr_pred", "true_label"]
    pd.testing.assert_frame_equal(made[numbers], expected[numbers])


def test_every_public_name_is_in_the_reference() -> None:
    pages = [DOCS / "reference" / "python.md", *(DOCS / "reference" / "python").glob("*.md")]
    text = "".join(page.read_text("utf-8") for page in pages)
    for name in lc.__all__:
        assert re.search(rf"::: labelcore\.[\w.]*\b{name}\n|`lc\.{name}`", text), name


def test_every_method_command_and_estimand_is_named() -> None:
    index = (DOCS / "methods" / "index.md").read_text("utf-8")
    assert set(lc.DESIGNS) == set(re.findall(r"\((\w+)\.md\)", index))
    assert all((DOCS / "methods" / f"{name}.md").is_file() for name in lc.DESIGNS)
    said = (DOCS / "reference" / "commands.md").read_text("utf-8")
    assert set(COMMANDS) == set(re.findall(r"^## (\w+)$", said, flags=re.MULTILINE))
    listed = (DOCS / "reference" / "estimands.md").read_text("utf-8")
    assert set(lc.ESTIMANDS) == set(re.findall(r"^\| `(\w+)` \|", listed, flags=re.MULTILINE))


def test_every_setting_is_named() -> None:
    """Those of a project that its sources read, of the environment, and of the server that a person
    may want to change."""
    read = re.compile(r"""(?:settings\.get|facts\.text|self\.text)\(\s*"(\w+)\"""")
    sources = [one.read_text("utf-8") for one in PACKAGE.rglob("*.py")]
    named = {name for text in sources for name in read.findall(text)} - OF_A_TRIAL
    assert {"question", "used_for_training", *WORDING} <= named | set(WORDING)
    variables = {name for text in sources for name in re.findall(r"LABELCORE_[A-Z_]*[A-Z]", text)}
    page = (DOCS / "reference" / "settings.md").read_text("utf-8")
    assert {one for one in {*named, *WORDING, *variables} if f"`{one}`" not in page} == set()


def test_every_aim_is_on_a_page_that_answers_a_question() -> None:
    text = "".join(page.read_text("utf-8") for page in ANSWERS)
    assert {title for title in CARDS if f"*{title}*" not in text} == set()


def test_every_question_is_on_the_first_page() -> None:
    text = (DOCS / "index.md").read_text("utf-8")
    assert {one.name for one in (DOCS / "questions").glob("*.md")} == set(
        re.findall(r"\(questions/(\w+\.md)\)", text)
    )


def test_text_of_a_docstring_is_no_markup() -> None:
    assert literal("a * b of ``n_step``, docs/curves.md") == (
        r"a \* b of `n_step`, [curves](../curves.md)"
    )
    assert part("Promise: it holds.\nSource: a <b> paper.") == (
        "**Promise.** it holds.\n\n**Source.** a \\<b\\> paper."
    )
