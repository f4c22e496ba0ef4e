"""The table of labels as a file: the same values in every form, and no formula in any."""

import io
from functools import partial

import pandas as pd
import pytest
from openpyxl import load_workbook

from labelcore.report import LABEL_FORMS, labels_file, table_file
from tests.report.conftest import Made

READ = {
    ".csv": pd.read_csv,
    ".jsonl": partial(pd.read_json, lines=True),
    ".parquet": pd.read_parquet,
    ".xlsx": pd.read_excel,
}


@pytest.mark.parametrize("suffix", LABEL_FORMS)
def test_every_form_holds_the_same_table(suffix: str, made: Made) -> None:
    table = made.session.labels_table(content=True)
    found = READ[suffix](io.BytesIO(labels_file(made.session, suffix, content=True)))
    assert list(found.columns) == list(table.columns)
    for name in ("id", "answer", "status", "annotator", "stratum", "text", "flagged"):
        assert found[name].fillna("").tolist() == table[name].fillna("").tolist(), name
    for name in ("weight", "seconds", "score_lr"):
        pd.testing.assert_series_equal(
            found[name].astype(float), table[name], check_exact=False, rtol=1e-12
        )
    assert pd.to_datetime(found["time"]).tolist() == table["time"].tolist()


def test_the_weights_are_explained_where_a_file_has_room(made: Made) -> None:
    said = made.session.labels_table().attrs["weight"]
    assert "weighted shares estimate those of the file" in said
    parquet = pd.read_parquet(io.BytesIO(labels_file(made.session, ".parquet")))
    assert parquet.attrs == {"weight": said}
    about = pd.read_excel(io.BytesIO(labels_file(made.session, ".xlsx")), sheet_name="About")
    assert about.to_dict("records") == [{"column": "weight", "meaning": said}]


def test_another_form_is_refused(made: Made) -> None:
    with pytest.raises(
        ValueError, match=r"written as \.csv, \.jsonl, \.parquet, \.xlsx, got '\.ods'"
    ):
        labels_file(made.session, ".ods")


def test_no_character_breaks_a_workbook() -> None:
    numbers = [*range(0x20), 0x7F, 0x85, 0x2028, 0xFDD0, *range(0xFFF0, 0x10002)]
    every = "".join(map(chr, numbers))
    content = table_file(pd.DataFrame({f"a{every}": [f"{every}z"]}), ".xlsx")
    sheet = load_workbook(io.BytesIO(content)).active
    assert sheet is not None
    assert [str(row[0].value)[-1] for row in sheet.iter_rows()] == ["\U00010001", "z"]
