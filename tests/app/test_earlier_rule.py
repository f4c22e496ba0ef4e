"""The pages of a project that was measured by an earlier rule."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from labelcore.store import open_store
from tests.app.conftest import button, texts
from tests.test_version_0_1_0 import BUNDLES, opened

NO_MORE = "Nothing more is labelled here. A new project can take these labels as existing ones."


@pytest.fixture
def project(data_folder: Path, request: pytest.FixtureRequest) -> str:
    store = open_store(f"sqlite:///{data_folder / 'labelcore.db'}")
    opened(request.param, store, finished=request.param != "simple_random")
    store.close()
    return str(request.param)


@pytest.mark.parametrize("project", BUNDLES, indirect=True)
def test_every_page_shows_it(app: Callable[..., AppTest], project: str) -> None:
    start = app().run()
    assert start.get("page_link")
    for page in ("label", "progress", "review", "explore", "report"):
        shown = app(page, project=project).run()
        assert not shown.error, page
        assert page in ("review", "explore") or "easured by an earlier rule" in texts(shown), page


@pytest.mark.parametrize("project", ["simple_random"], indirect=True)
def test_label_says_that_nothing_more_is_labelled(
    app: Callable[..., AppTest], project: str
) -> None:
    label = app("label", project=project).run()
    said = texts(label)
    assert NO_MORE in said and "Finish" not in [one.label for one in label.button]
    assert button(label, "Open the report") and button(label, "New project with this file")
