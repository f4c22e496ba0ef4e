"""Items of which no more matters than what is said of them: columns by their names."""

from typing import Any

import pandas as pd

import labelcore as lc

KINDS = ("scores", "predictions", "helpers", "groups")


def items(*, text: object = "x", ids: str = "i{}", **given: Any) -> lc.Population:
    """Items i0, i1, ... as ``read_population`` reads them from a table.

    given   its arguments; ``scores``, ``predictions``, ``helpers`` and ``groups`` are columns by
            name, ``known`` is a column
    """
    columns: dict[str, Any] = {}
    for kind in [one for one in KINDS if one in given]:
        names = {name: f"{name} {kind}" if name in columns else name for name in given[kind]}
        columns |= {names[name]: column for name, column in given[kind].items()}
        given[kind] = tuple(names) if kind == "groups" else names
    if "known" in given:
        columns["known"], given["known"] = given["known"], "known"
    number = len(next(iter(columns.values())))
    table = pd.DataFrame({"id": [ids.format(n) for n in range(number)], "text": text, **columns})
    return lc.read_population(
        table, **{"id": "id", "content": "text", "name": "items.csv", **given}
    )
