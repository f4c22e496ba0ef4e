"""New project: a reload, which is a new session of the same address, loses nothing."""

import json
import os
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labelcore.ui import new_project as new_kept
from labelcore.ui.asking import DRAFT
from labelcore.ui.draft import MARGIN
from labelcore.ui.new_cards import PREVALENCE
from labelcore.version import __version__
from tests.app.conftest import back, button, created, to_aim, with_upload

pytestmark = pytest.mark.usefixtures("price_alone")


def token(page: AppTest) -> str:
    found = page.query_params["draft"]
    return found if isinstance(found, str) else str(found[0])


def shown(page: AppTest) -> dict[str, object]:
    """What each input of the last screen shows."""
    kinds = ("radio", "segmented_control", "number_input", "select_slider", "selectbox")
    return {one.key: one.value for kind in kinds for one in getattr(page, kind)}


def test_a_reload_loses_nothing(app, items: Path, data_folder: Path) -> None:
    page = with_upload(app, "items.csv", items.read_bytes())
    page.multiselect[0].set_value(["text", "id"]).run()
    to_aim(page, "Is it spam?", PREVALENCE.title, way=MARGIN)
    page.number_input(key="new-margin").set_value(8.0)
    page.radio(key="new-promise").set_value("fixed").run()
    app("new_project", draft=token(page))
    again = app("new_project", draft=token(page))
    assert again.title[0].value == "Aim and price · 3 of 3"
    assert shown(again) == shown(page) and shown(again)["new-margin"] == 8.0
    assert back(again).text_input(key="new-question").value == "Is it spam?"
    button(again, "new-next").click().run()
    assert created(again, data_folder).plan.margin == 0.08
    assert list(new_kept.folder().iterdir()) == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[1]",
        '{"version": "0.0.1", "draft": {"path": "items.csv"}}',
        '{"version": "VERSION", "draft": {"path": "../secret.csv"}}',
        '{"version": "VERSION", "draft": {"path": "files/items.csv", "person": "eve"}}',
    ],
)
def test_a_file_of_another_kind_is_left_alone(app, items: Path, text: str) -> None:
    (items.parent.parent.parent / "secret.csv").write_text("id,text\n1,secret\n")
    new_kept.folder().mkdir()
    name = "0" * 24
    (new_kept.folder() / f"{name}.json").write_text(text.replace("VERSION", __version__))
    page = app("new_project", draft=name)
    assert page.title[0].value == "Items · 1 of 3"
    assert page.session_state[DRAFT].path is None and "person" not in page.session_state


def test_an_address_names_no_other_file(app, items: Path) -> None:
    (items.parent.parent / "drafts.json").write_text(
        json.dumps({"version": __version__, "draft": {"path": str(items)}})
    )
    page = app("new_project", draft="../drafts")
    assert page.session_state[DRAFT].path is None


def test_old_ones_are_cleared_away(app, items: Path) -> None:
    new_kept.folder().mkdir(parents=True)
    old, young = (new_kept.folder() / f"{letter * 24}.json" for letter in "ab")
    for path in (old, young):
        path.write_text("{}")
    month_ago = time.time() - new_kept.OLDEST_SECONDS - 60
    os.utime(old, (month_ago, month_ago))
    with_upload(app, "items.csv", items.read_bytes())
    assert young.exists() and not old.exists()
