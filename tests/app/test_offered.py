"""What each page offers and draws in each state of a project stays: the keys of all that can be
pressed or set, and the numbers of its pictures."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.conftest import Make, pictures
from tests.cases import sampled
from tests.pinned import numbers, stays, summed

PAGES = ("label", "progress", "explore", "report", "review", "people", "audit", "watch")
KINDS = (
    "button", "checkbox", "download_button", "multiselect", "number_input", "pills", "radio",
    "segmented_control", "selectbox", "slider", "text_area", "text_input", "toggle",
)  # fmt: skip
STATES: dict[str, dict[str, Any]] = {
    "new": {},
    "begun": {"labels": 12},
    "ended": {"labels": 60},
    "read twice": {"labels": 60, "repeats": 0.2},
    "read by two": {"labels": 30, "overlap": 0.2},
    "watched": {"labels": 30, "budget": None, "margin": 0.1, "promise": "watched"},
    "fixed by margin": {"labels": 30, "budget": None, "margin": 0.1, "promise": "fixed"},
    "claims": {"labels": 12, "claims": ["accuracy >= 0.6"]},
    "finished early": {"labels": 30},
}


def offered(page: AppTest) -> str:
    found = [one.proto for kind in KINDS for one in page.get(kind)]
    return " ".join(f"{one.id.split('-', 2)[-1]}{' (off)' * one.disabled}" for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("state", sampled(STATES, 3, seed=3))
def test_what_each_page_offers_and_draws_stays(state: str, app, make: Make) -> None:
    session = make(**STATES[state])
    if state == "finished early":
        session.finish("enough")
    pages = {page: app(page, project="demo") for page in PAGES}
    drawn = (pair for page in PAGES for pair in numbers(pictures(pages[page]), f"{page} "))
    stays("offered", state, {name: offered(pages[name]) for name in PAGES} | summed(drawn))
