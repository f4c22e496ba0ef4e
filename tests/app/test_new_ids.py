"""Ids of several columns, named on New project."""

from pathlib import Path

import pytest

from labelcore.population import id_parts
from labelcore.ui.new_cards import PREVALENCE
from labelcore.ui.new_columns import NO_ID, SEVERAL_COLUMNS
from tests.app.conftest import created, texts, to_aim, with_upload

pytestmark = pytest.mark.usefixtures("price_alone")


def pairs() -> bytes:
    """400 pairs of records; neither id is unique alone."""
    rows = [
        f"l{n // 20},r{n % 20},name {n // 20},name {n % 20},{n / 400:.4f}\n" for n in range(400)
    ]
    return ("left_id,right_id,left_name,right_name,match_score\n" + "".join(rows)).encode()


def chosen(page, label: str):
    (found,) = [one for one in [*page.selectbox, *page.multiselect] if one.label == label]
    return found


def test_two_columns_make_the_id_together(app, data_folder: Path) -> None:
    page = with_upload(app, "pairs.csv", pairs())
    judged = "What does the person judge? (one column, two for a pair, or more)"
    chosen(page, judged).set_value(["left_name", "right_name"]).run()
    chosen(page, "Which column identifies an item?").set_value("left_id").run()
    assert "an id must be unique" in texts(page).replace("\\", "")
    chosen(page, "Which column identifies an item?").set_value(SEVERAL_COLUMNS).run()
    assert NO_ID in texts(page)
    chosen(page, "Which columns identify it together?").set_value(["left_id", "right_id"]).run()
    assert "400 items" in texts(page)
    to_aim(page, "One person?", PREVALENCE.title)
    session = created(page, data_folder)
    assert id_parts(session.population.id_at(21)) == ["l1", "r1"]
