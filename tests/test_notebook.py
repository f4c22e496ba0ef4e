"""The example notebook runs from its first cell to its last, and shows what it says."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

BOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


def run(path: Path) -> list[Any]:
    """What each code cell shows: the value of its last line, None where that is no expression."""
    names: dict[str, Any] = {}
    shown = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), names)
        value = (
            eval(compile(ast.Expression(last.value), path.name, "eval"), names) if last else None
        )
        shown.append(value)
    return shown


def test_there_is_one() -> None:
    assert [path.name for path in BOOKS] == ["labels_home.ipynb"]


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_no_output_is_kept(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]


@pytest.mark.usefixtures("few_sessions_for_claims")
def test_a_frame_goes_in_and_labels_come_home() -> None:
    _, population, widths, session, estimate, figure, table, home, files = run(BOOKS[0])
    assert len(population) == 3_000 and 0 < widths["precision"] < 0.3
    assert 30 <= session.labels <= 150 and f"{session.labels} labels" in repr(session)
    assert "precision" in estimate._repr_html_() and figure.data
    assert set(table["estimand"]) >= {"precision", "recall"}
    truth = 0.25  # of Beta(0.5, 1.5)
    assert home["labels"] == session.labels and home["unweighted"] - truth > 0.05
    assert abs(home["weighted"] - truth) < home["unweighted"] - truth
    assert files == ["report.html", "report.xlsx"]
