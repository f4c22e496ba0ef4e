"""The pages of the site: their examples run, and nothing that a user may name is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import labelcore as lc
from docs.made_pages import literal, part
from tests.test_docs import write_items

DOCS = Path(__file__).resolve().parents[1] / "docs"
WITH_CODE = sorted([DOCS / "tutorial.md", *(DOCS / "questions").glob("*.md")])
PRINTED = {
    "tutorial": "valid at every look",
    "how_many_labels": "simple_random",
    "can_i_stop": "the labels show that the precision of 'lr'",
    "which_threshold": "lr>=0.6",
    "is_a_better_than_b": "points better in accuracy",
    "how_good_is_my_judge": "the classifier 'judge'",
    "have_i_found_enough": "100 known items",
    "what_do_i_tell_my_boss": "95 % confidence",
}


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_every_example_runs(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_items(tmp_path / "items.csv")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, page.name, "exec"), names)
    assert PRINTED[page.stem] in capsys.readouterr().out


def test_every_public_name_is_in_the_reference() -> None:
    text = (DOCS / "reference" / "python.md").read_text("utf-8")
    for name in lc.__all__:
        assert re.search(rf"::: labelcore\.[\w.]*\b{name}\n|`lc\.{name}`", text), name


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
