"""New project: which of its three screens is shown, and how one goes from one to the next."""

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.charts.design import both
from labelcore.safe_text import plain
from labelcore.ui.asking import current
from labelcore.ui.presses import button


@dataclass(frozen=True)
class Places:
    """Where things stand: the cards, beside them the price from above to below.

    aim      cards and classifiers
    price    what the labels give, and what is refused
    axis     the slider below the picture
    slide    what is started from, and how much of it
    methods  every method for this aim, to choose from
    people   how many judge, and how much each of them
    more     what has a good first value, in a fold
    end      the way back, and the last press
    """

    aim: DeltaGenerator
    price: DeltaGenerator
    axis: DeltaGenerator
    slide: DeltaGenerator
    methods: DeltaGenerator
    people: DeltaGenerator
    more: DeltaGenerator
    end: DeltaGenerator


NAMES = ("Items", "Question", "Aim and price")
SCREENS_STYLE = (
    f"<style>.stApp {{ {both('ground')} }}"
    + """
.stApp:has(.st-key-new-head) .stMainBlockContainer { max-width: 1180px; padding-bottom: 0; }
.stApp .st-key-new-head { gap: 0.2rem; padding-bottom: 0.35rem; }
.stApp .st-key-new-head h1 { padding: 0; }
.stApp:has(.st-key-new-head) .stMainBlockContainer > [data-testid="stVerticalBlock"],
.stApp:has(.st-key-new-head) [data-testid="stColumn"] > [data-testid="stVerticalBlock"] {
  gap: 0.6rem;
}
[class*="st-key-new-price"] p {
  font-size: 1.25rem; font-weight: 650; font-variant-numeric: tabular-nums;
}
.stVerticalBlock > :has(> .st-key-new-on), .stVerticalBlock > :has(> * > * > .st-key-new-on) {
  position: sticky; bottom: 0; z-index: 40; background: var(--ground);
}
.st-key-new-on { border-top: 1px solid var(--border); padding: 0.5rem 0; }
</style>"""
)


def go(number: int) -> None:
    """Show a screen."""
    current().step = number


def head(here: int, answers: Mapping[int, str]) -> None:
    """The way so far: each screen that is settled with its answer in a line, and a press back."""
    st.html(SCREENS_STYLE)
    with st.container(key="new-head"):
        st.title(f"{NAMES[here - 1]} · {here} of {len(NAMES)}", anchor=False)
        if answers:
            with st.container(horizontal=True, key="new-done"):
                for number, words in answers.items():
                    more = {"icon": ":material/check:", "help": f"Back to {NAMES[number - 1]}"}
                    button(
                        plain(words, 90), f"new-go-{number}", go, number, type="tertiary", **more
                    )


def bar() -> DeltaGenerator:
    """Where the ways on stand, always in reach."""
    return st.container(horizontal=True, vertical_alignment="center", key="new-on")


def next_button(settled: bool, lacking: str, *, says: bool) -> None:
    """On to the next screen; what is lacking stands beside it where it ``says`` so by itself, else
    after a press."""
    with bar():
        if current().step > 1:
            back_button()
        pressed = st.button("Next", key="new-next", type="primary", shortcut="Enter")
        if pressed and settled:
            go(current().step + 1)
            st.rerun()
        if not settled and (pressed or says):
            st.text(lacking)


def back_button() -> None:
    button("Back", "new-back", go, current().step - 1)
