"""The numbers of a chart as a table: shares as percentages, differences in points."""

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from labelcore.ui.explore import readable_packages

TABLE = pd.DataFrame(
    {
        "Labels": [40, 41],
        "Estimate": [0.5, 0.004],
        "Low": [0.25, None],
        "Items": [0.5, 1.0],
        "So far": [0.25, None],
        "Recall": [0.5, None],
        "State": ["waiting", "exact"],
        "When": ["2026-01-05T04:18:05.192131+00:00", ""],
    }
)


def drawn(unit: str, table: pd.DataFrame = TABLE) -> AppTest:
    def script(table, unit):  # type: ignore[no-untyped-def]
        from labelcore.ui.tables import number_table

        number_table(table, "numbers", unit=unit)

    return AppTest.from_function(script, args=(table, unit)).run()


@pytest.mark.parametrize(("unit", "pattern"), [("%", "%.2f %%"), ("points", "%.1f points")])
def test_shares_are_percentages_with_one_number_of_decimals(unit: str, pattern: str) -> None:
    (shown,) = drawn(unit).dataframe
    assert shown.value["Estimate"].tolist() == [50.0, 0.4]
    assert shown.value["Labels"].tolist() == [40, 41]
    assert shown.value["Items"].tolist() == [0.5, 1.0]
    columns = shown.proto.columns
    assert columns.count(f'"{pattern}"') == 4
    assert shown.value["So far"][0] == 25.0 and shown.proto.placeholder == ""
    assert shown.value["State"].tolist() == ["items are open", "exact"]
    assert shown.value["When"].tolist() == ["5 Jan 2026 04:18", ""]


def test_a_package_that_keeps_nothing_has_no_ranks() -> None:
    empty = pd.DataFrame([{"precision": 0.9, "first": None, "items": 0, "score": None}])
    assert readable_packages(empty)["ranks"].tolist() == ["none"]


def test_ends_are_rounded_outwards_as_in_the_sentence_beside_the_table() -> None:
    ends = {"Low": [0.8512, 2 / 3], "High": [0.9433, 2 / 3]}
    recall = {"Recall low": [0.8512, 0.0], "Recall high": [0.9433, 1.0]}
    (shown,) = drawn("%", pd.DataFrame({**ends, **recall})).dataframe
    low, high, least, most = (shown.value[name].tolist() for name in (*ends, *recall))
    assert (low[0], high[0]) == (least[0], most[0]) == (85.1, 94.4)
    assert low[1] == high[1] == pytest.approx(200 / 3) and (least[1], most[1]) == (0.0, 100.0)


def test_a_difference_is_in_points_like_its_ends() -> None:
    table = pd.DataFrame({"Difference": [0.031], "Low": [-0.0212], "High": [0.0833]})
    (shown,) = drawn("points", table).dataframe
    assert [shown.value[name].item() for name in table] == [3.1, -2.2, 8.4]
    assert shown.proto.columns.count('"%.1f points"') == 3
