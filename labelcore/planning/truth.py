"""Known labels for simulations, from whatever form they come in."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from labelcore.population import Population

SHOWN_ROWS = 5


def true_codes(population: Population, truth: Any) -> NDArray[np.int64]:
    """Class index of every item in file order, (n_items,).

    truth   a column of the file, a Series indexed by id, or an array in file order; class names, or
            0/1 and bool where no class is called so. Raises ValueError with rows for missing or
            unknown labels.
    """
    values = _in_file_order(population, truth)
    if len(values) != len(population):
        raise ValueError(
            f"truth must have {len(population):,} values, one per item, got {len(values):,}"
        )
    text = [str(value) if str(value) in population.classes else _text(value) for value in values]
    names = _names(population)
    codes = np.array([names.get(name, -1) for name in text], dtype=np.int64)
    wrong = np.flatnonzero(codes < 0)
    if len(wrong):
        rows = ", ".join(f"row {i + 1}: {text[i]!r}" for i in wrong[:SHOWN_ROWS])
        raise ValueError(
            f"truth must be one of {', '.join(names)} in every row; {len(wrong):,} rows are not: "
            + rows
        )
    return codes


def _names(population: Population) -> dict[str, int]:
    names = {name: code for code, name in enumerate(population.classes)}
    if len(names) == 2:
        positive = names[population.positive]
        for text, code in (
            ("1", positive),
            ("0", 1 - positive),
            ("true", positive),
            ("false", 1 - positive),
        ):
            names.setdefault(text, code)
    return names


def _in_file_order(population: Population, truth: Any) -> list[Any]:
    if isinstance(truth, str):
        return list(population.column(truth))
    if isinstance(truth, pd.Series):
        by_id = pd.Series(truth.to_numpy(), index=truth.index.astype(str))
        # Row numbers may be the ids of other rows, whose labels these would become.
        if isinstance(truth.index, pd.RangeIndex) and list(by_id.index) != list(population.ids()):
            raise ValueError(
                "truth is a Series whose index is row numbers, not ids: name the column, or give "
                "its to_numpy() in file order"
            )
        if not by_id.index.is_unique:
            raise ValueError("truth must have each id once in its index")
        missing = [name for name in population.ids() if name not in by_id.index][:SHOWN_ROWS]
        if missing:
            raise ValueError(
                f"truth must have every id in its index, and lacks {', '.join(missing)}"
            )
        return by_id.loc[list(population.ids())].tolist()
    if isinstance(truth, (list, tuple, np.ndarray)):
        return list(truth)
    as_list = getattr(truth, "tolist", getattr(truth, "to_list", None))  # Of Arrow, pandas, polars.
    if as_list is not None and not np.isscalar(truth):
        return list(as_list())
    raise TypeError(
        "truth must be a column name, a Series indexed by id or an array in file order, got "
        + type(truth).__name__
    )


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower()
    return str(value)
