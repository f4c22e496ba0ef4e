"""The documentation says what there is, and its examples run."""

import re
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from tests.test_structure import INSIDE

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def code_blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def write_items(path: Path) -> None:
    random = np.random.default_rng(3)
    score = random.beta(0.5, 1.5, 400)
    truth = (random.random(400) < score).astype(int)
    rows = [
        f"m{i},{'you won a prize' if truth[i] else 'lunch at noon?'} {i},"
        f"{score[i]:.4f},{int(score[i] >= 0.5)},{truth[i]}"
        for i in range(400)
    ]
    path.write_text("id,text,lr_score,lr_pred,true_label\n" + "\n".join(rows), "utf-8")


def test_the_python_example_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_items(tmp_path / "items.csv")
    (block,) = code_blocks("python")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {})
    assert "valid at every look" in capsys.readouterr().out


def test_the_readme_can_be_read_in_two_minutes() -> None:
    assert len(README.splitlines()) <= 150
    assert len((ROOT / "CONTRIBUTING.md").read_text("utf-8").splitlines()) <= 150


@pytest.mark.parametrize("name", lc.DESIGNS)
def test_every_method_is_compared(name: str) -> None:
    text = (ROOT / "docs/guide/sampling.md").read_text("utf-8")
    assert f"`{name}`" in "".join(line.split("|")[1] for line in text.splitlines() if "|" in line)


def test_every_folder_has_a_place_in_contributing() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    section = text.partition("| folder or module |")[2].partition("\n\n")[0]
    described = re.findall(r"^\| `(\w+)` \| \S", section, flags=re.MULTILINE)
    assert sorted(described) == sorted([*INSIDE, "ui", "papers", "team", "testing"])


def test_links_lead_to_files() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert links
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing


def links(root: Path) -> set[Path]:
    """The files that README, CONTRIBUTING and the pages of docs/ link to, or name from the root."""
    pages = [root / "README.md", root / "CONTRIBUTING.md", *(root / "docs").rglob("*.md")]
    texts = {page.parent: "" for page in pages}
    for page in pages:
        texts[page.parent] += page.read_text("utf-8")
    linked = {
        (folder / target).resolve()
        for folder, text in texts.items()
        for target in re.findall(r"\]\(([^)#:]+)", text)
    }
    return linked | {root / name for name in re.findall(r"`(docs/\w+\.md)`", texts[root])}


def test_every_page_and_figure_is_linked() -> None:
    made = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "docs").rglob("*.svg")]
    made += (ROOT / "docs/papers/images").glob("*.png")
    linked = links(ROOT)
    assert [str(one.relative_to(ROOT)) for one in made if one not in linked] == []


def test_only_pages_linked_or_named_count_as_linked(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("See [this](docs/linked.md#part) and `docs/named.md`.")
    (tmp_path / "CONTRIBUTING.md").touch()
    assert links(tmp_path) == {tmp_path / "docs/linked.md", tmp_path / "docs/named.md"}


def test_every_picture_is_listed_and_every_listed_one_exists() -> None:
    listed = re.findall(r"\]\(images/([^)]+)\)", (ROOT / "docs" / "screens.md").read_text("utf-8"))
    assert len(set(listed)) == len(listed)
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs" / "images").iterdir())


def test_the_threat_model_names_tests_that_exist() -> None:
    said = (ROOT / "docs" / "threat_model.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", said)
    assert len(named) > 30 and "`::" not in said
    for file, test in named:
        assert test and f"def {test}(" in (ROOT / file).read_text("utf-8"), (file, test)
