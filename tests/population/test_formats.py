"""Every format of the table gives the same population for the same items."""

import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import pytest

from labelcore.population import FORMATS, read_population
from labelcore.population.formats import known_suffix

ITEMS = pd.DataFrame(
    {
        "id": ["007", "a,b", "日本"],
        "text": ["nan", 'say "no"\nor\r\nyes', ""],
        "score": [0.1, -2.5, 1e-17],
        "predicted": ["ham", "spam", "ham"],
        "truth": [1, 0, 1],
    }
)


def delimited(mark: str) -> Callable[[pd.DataFrame], str]:
    return lambda items: items.to_csv(index=False, sep=mark, lineterminator="\r\n")


def json_list(items: pd.DataFrame) -> str:
    return json.dumps(items.to_dict("records"), indent=1)


def json_lines(items: pd.DataFrame) -> str:
    rows = items.astype(object).where(items.notna(), None).to_dict("records")
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def excel(items: pd.DataFrame, stream: BinaryIO) -> None:
    """Excel itself writes a carriage return like this."""
    items.replace("\r", "_x000D_", regex=True).to_excel(stream, index=False, engine="openpyxl")


TEXTS: dict[str, Callable[[pd.DataFrame], str]] = {
    ".csv": delimited(","),
    ".tsv": delimited("\t"),
    ".txt": delimited("|"),
    ".json": json_list,
    ".jsonl": json_lines,
    ".ndjson": json_lines,
}


def write(items: pd.DataFrame, path: Path) -> None:
    """A file of the format that its suffix names."""
    suffix = known_suffix(path.name)
    if suffix == ".parquet":
        items.to_parquet(path)
    elif suffix == ".xlsx":
        with path.open("wb") as stream:
            excel(items, stream)
    else:
        raw = TEXTS[suffix.removesuffix(".gz")](items).encode()
        path.write_bytes(gzip.compress(raw) if suffix.endswith(".gz") else raw)


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("upper", [False, True])
def test_what_goes_in_comes_out(tmp_path: Path, suffix: str, upper: bool) -> None:
    path = tmp_path / f"items{suffix.upper() if upper else suffix}"
    write(ITEMS, path)
    population = read_population(
        path, id="id", content=["text", "id"], scores={"A": "score"},
        predictions={"A": "predicted"}, metadata="truth",
    )  # fmt: skip
    assert population.name == path.name
    assert population.ids() == ITEMS["id"].tolist()
    assert population.scores["A"].tolist() == ITEMS["score"].tolist()
    assert population.classes == ("ham", "spam")
    assert population.predictions["A"].tolist() == [0, 1, 0]
    assert population.column("truth") == ["1", "0", "1"]
    for item_id, text in zip(ITEMS["id"], ITEMS["text"], strict=True):
        assert population.content(item_id) == {"text": text, "id": item_id}
    assert population.metadata("a,b") == {"truth": "0"}


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_population_goes_to_another_process(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"items{suffix}"
    write(ITEMS, path)
    population = read_population(path, id="id", content="text")
    population.content("007")
    assert pickle.loads(pickle.dumps(population)).content("007") == {"text": "nan"}


def test_a_relative_path_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ITEMS.to_csv(tmp_path / "items.csv", index=False)
    monkeypatch.chdir(tmp_path)
    population = read_population("items.csv", id="id", content="text")
    monkeypatch.chdir("/")
    assert population.path == tmp_path / "items.csv"
    assert population.content("007") == {"text": "nan"}
