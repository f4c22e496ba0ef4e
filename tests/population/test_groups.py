"""Columns of groups and of prompts: kept as codes and names, counted by stratum."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.errors import PopulationError
from labelcore.population import groups
from labelcore.population.snapshots import cells_of
from tests.population.test_formats import write

N = 600
READ: dict[str, Any] = {
    "id": "id",
    "content": "text",
    "scores": {"lr": "score"},
    "thresholds": {"lr": 0.5},
    "groups": ("language", "model"),
    "prompt": "prompt_id",
}
PLAN = lc.Plan("recalibrated_neyman", ["precision"], budget=40, seed=3)


def rows() -> pd.DataFrame:
    random = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "id": [f"i{number}" for number in range(N)],
            "text": "x",
            "score": np.round(random.random(N), 3),
            "language": random.choice(["de", " en", "日本", None], N),
            "model": random.choice([1, 2, 30], N),
            "prompt_id": [f"p{number // 3}" for number in range(N)],
        }
    )


def told() -> list[str | None]:
    """The language of each item as it is written."""
    return [one if isinstance(one, str) else None for one in rows()["language"]]


def test_each_item_has_its_group_and_prompt() -> None:
    found = lc.read_population(rows(), **READ)
    language, model = found.groups["language"], found.groups["model"]
    assert language.names == ("de", "en", "日本") and model.names == ("1", "2", "30")
    found_in = [None if code < 0 else language.names[code] for code in language.codes]
    assert found_in == [one and one.strip() for one in told()]
    assert found.prompt is not None and len(found.prompt.texts) == N // 3
    names = found.prompt.names
    assert [names[code] for code in found.prompt.codes] == rows()["prompt_id"].tolist()
    part = found.part(np.array([5, 0]))
    assert part.groups["model"].codes.tolist() == model.codes[[5, 0]].tolist()
    without = lc.read_population(rows(), **{**READ, "groups": (), "prompt": None})
    assert without.groups == {} and without.prompt is None
    assert not {"groups", "prompt"} & set(without.arguments), "as before there were any"
    assert cells_of(without) != cells_of(found)


@pytest.mark.parametrize("block", [7, 1 << 20])
def test_groups_are_counted_by_stratum(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "BLOCK", block)
    session = lc.Session(lc.read_population(rows(), **READ), PLAN)
    stratum, language = session.engine.frame.stratum, session.population.groups["language"]
    found = language.counts(stratum, session.engine.frame.n_strata)
    wanted = Counter((int(at), one.strip()) for at, one in zip(stratum, told(), strict=True) if one)
    assert {
        (at, language.names[code]): int(found[at, code])
        for at, code in zip(*np.nonzero(found), strict=True)
    } == wanted
    assert found.sum() == rows()["language"].notna().sum() < N


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "xlsx"])
def test_a_project_keeps_them(kind: str, tmp_path: Path) -> None:
    file, store = tmp_path / f"items.{kind}", f"sqlite:///{tmp_path}/labels.db"
    frame = rows().sample(frac=1, random_state=2)
    write(frame, file)
    read = lc.read_population(file, **READ)
    assert cells_of(read) == cells_of(lc.read_population(rows(), **READ))
    lc.Session(read, PLAN, store, "p")
    file.unlink()
    found = lc.Session.open(store, "p").population
    assert found.snapshot is not None and found.prompt is not None and read.prompt is not None
    assert found.groups.keys() == {"language", "model"}
    pairs = [(found.groups[name], read.groups[name]) for name in read.groups]
    for mine, its in [*pairs, (found.prompt, read.prompt)]:
        assert mine.names == its.names and np.array_equal(mine.codes, its.codes)
    assert found.arguments["groups"] == ["language", "model"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"groups": "nowhere"}, "'nowhere'"),
        ({"groups": ("model", "model")}, "groups must name a column once, got 'model' again"),
        ({"groups": "empty"}, "groups names 'empty', which has no value in any row"),
        ({"prompt": "empty"}, "prompt names 'empty', which has no value in any row"),
        ({"groups": "id"}, "groups names 'id', which has 600 different values; .* at most 500"),
        ({"prompt": "id"}, "prompt names 'id', which has another value in each row"),
        ({"groups": "tags"}, r"groups names 'tags', which holds lists or objects; .* tags\[0\]"),
    ],
)
def test_what_is_no_column_of_groups_is_refused(
    given: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "MOST", 500)
    frame = rows().assign(empty="", tags=[["a"]] * N)
    with pytest.raises(PopulationError, match=message):
        lc.read_population(frame, **{**READ, **given})


def test_numbers_are_cut_into_ranges_and_dates_into_months() -> None:
    """At the quartiles, or at given edges; the codes are those that pandas cuts."""
    frame, random = rows(), np.random.default_rng(5)
    frame["length"] = np.round(random.lognormal(5, 1, N)).astype(int)
    frame["day"] = pd.Timestamp("2026-01-05") + pd.to_timedelta(random.integers(0, 80, N), "D")
    frame["day"] = frame["day"].dt.strftime("%Y-%m-%d")
    found = lc.read_population(frame, **READ | {"groups": ("length", "day")})
    length = found.groups["length"]
    counts = np.bincount(length.codes)
    assert len(counts) == 4 and counts.min() > 0.2 * N and length.names[0].startswith("under ")
    months = [found.groups["day"].names[code] for code in found.groups["day"].codes]
    assert months == frame["day"].str[:7].tolist()
    own = lc.read_population(frame, **READ | {"groups": {"length": [100, 1_500], "model": ()}})
    assert own.groups["length"].names == ("under 100", "100 to 1,500", "1,500 or more")
    cut = pd.cut(frame["length"], [-np.inf, 100, 1_500, np.inf], right=False)
    assert own.groups["length"].codes.tolist() == cut.cat.codes.tolist()
    assert own.groups["model"].names == ("1", "2", "30")
    again = lc.read_population(frame, **own.arguments)
    assert again.groups["length"].names == own.groups["length"].names


@pytest.mark.parametrize(
    "form", ["{}_1", "{:05}", "2026_{}"], ids=["parts", "leading zeros", "years"]
)
def test_codes_are_no_numbers(form: str) -> None:
    names = [form.format(number) for number in range(30)]
    frame = rows().assign(code=np.resize(names, N))
    found = lc.read_population(frame.astype({"code": str}), **READ | {"groups": "code"})
    assert found.groups["code"].names == tuple(sorted(names))


def test_a_decimal_comma_is_one_in_groups_too(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("text;score;length\n" + "".join(f"x;0,{n + 10};{n},5\n" for n in range(1200)))
    read: dict[str, Any] = {"content": "text", "scores": {"lr": "score"}}
    found = lc.read_population(path, groups="length", **read)
    assert len(found.groups["length"].names) == 4
    own = lc.read_population(path, groups={"length": [7.5]}, **read)
    assert np.bincount(own.groups["length"].codes).tolist() == [7, 1193]


@pytest.mark.parametrize(
    ("first", "step", "said"), [(1_700_000_000.5, 7.0, "under 17000010"), (98.0, 0.01, "under 99.")]
)
def test_ranges_far_from_zero_have_different_names(first: float, step: float, said: str) -> None:
    frame = rows().assign(at=first + step * np.arange(N))
    at = lc.read_population(frame, **READ | {"groups": "at"}).groups["at"]
    assert len(set(at.names)) == 4 and at.names[0].startswith(said)


@pytest.mark.parametrize(
    ("groups", "said"),
    [({"language": [3]}, "its values must be numbers, got"),
     ({"score": [0.5, 0.2]}, "a list of rising numbers"),
     ({"score": 0.5}, r"groups\['score'\] must be a list of rising numbers, .*, got float"),
     ({"score": "0.5"}, r"groups\['score'\] must be a list of rising numbers, .*, got str"),
     ({"score": ["a"]}, r"each number in groups\['score'\] must be .*, got str")],
)  # fmt: skip
def test_edges_that_cannot_be_are_refused(groups: dict[str, list[float]], said: str) -> None:
    with pytest.raises((PopulationError, TypeError, ValueError), match=said):
        lc.read_population(rows(), **READ | {"groups": groups})
