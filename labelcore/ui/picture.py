"""The browser's part of the living picture: nodes become elements, names become texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.charts.design import SERIES, both
from labelcore.ui.living import Picture
from labelcore.ui.nodes import MADE
from labelcore.ui.scripts import Script

DRAWN = ("quiet", "rule", "expected", "empty", "ink", "ground", "band")
STYLE = (
    f".living {{ {both(*SERIES, *DRAWN)} }}"
    + """
.living {
  color: var(--st-text-color); font-family: var(--st-font); font-variant-numeric: tabular-nums;
}
.bars { display: grid; gap: 0.6rem; margin-bottom: 0.7rem; }
.bar {
  display: grid; grid-template-columns: 5.8rem 4rem minmax(3.5rem, 1fr) 5.7rem; align-items: center;
  gap: 0.5rem; min-height: 1.6rem;
}
.name { font-size: 0.875rem; color: var(--quiet); overflow-wrap: anywhere; line-height: 1.15; }
button.name { all: unset; font-size: 0.875rem; color: var(--quiet); cursor: pointer; }
button.name { overflow-wrap: anywhere; line-height: 1.15; }
/* Bold is what has a value to quote; the line is below whose chart is shown. */
.bar:not(.out):has(.value:not(:empty)) .name { color: inherit; font-weight: 700; }
button.name[aria-pressed="true"] {
  color: inherit; text-underline-offset: 4px;
  text-decoration: underline 2px var(--own, var(--data));
}
.guess { margin: -0.1rem 0 0.6rem; font-size: 0.875rem; color: var(--quiet); }
button.name:focus-visible { outline: 2px solid var(--own, var(--data)); outline-offset: 3px; }
.chosen .name { color: inherit; font-weight: 700; }
.out .track { opacity: 0.5; }
.out .value { font-size: 0.875rem; font-weight: 400; color: var(--quiet); }
.value { font-size: 1.1rem; font-weight: 700; white-space: nowrap; }
.range { font-size: 0.875rem; text-align: right; white-space: nowrap; }
.track { position: relative; height: 10px; border-radius: 5px; background: var(--empty); }
.track > * { position: absolute; }
.track .band {
  top: 0; height: 100%; border-radius: 5px;
  background: color-mix(in srgb, var(--own, var(--data)) 42%, transparent);
}
.track .assumed {
  background: none; box-sizing: border-box; border: 1.5px dashed var(--own, var(--data));
}
.track .tick {
  top: -3px; height: 16px; width: 4px; margin-left: -2px; border-radius: 2px;
  background: var(--own, var(--data));
}
.track .grey { background: var(--quiet); }
.track .truth {
  top: -2px; width: 14px; height: 14px; margin-left: -7px; border-radius: 50%;
  box-sizing: border-box; background: var(--ink); border: 2px solid var(--st-background-color);
}
.track .line { top: -6px; height: 22px; border-left: 1.5px dashed var(--quiet); }
.living p { margin: 0.4rem 0; font-size: 0.875rem; color: var(--quiet); }
.living p:first-of-type { font-size: 1.25rem; font-weight: 600; line-height: 1.35; color: inherit; }
.tabs { display: flex; gap: 1rem; margin: 0 0 0.35rem; }
.tabs button {
  all: unset; cursor: pointer; font-size: 0.875rem; color: var(--quiet); padding: 2px 0;
}
.tabs button[aria-pressed="true"] { color: var(--st-text-color); font-weight: 700; }
.tabs button:focus-visible { outline: 2px solid var(--own, var(--data)); outline-offset: 3px; }
.chart { display: block; width: 100%; height: auto; font-size: 12px; }
@media (prefers-reduced-motion: no-preference) {
  .truth { animation: land 0.9s cubic-bezier(0.3, 1.4, 0.6, 1) 0.3s backwards; }
  @keyframes land { from { transform: translateY(-70px); opacity: 0; } }
}
@media (min-width: 900px) {
  .large { display: grid; grid-template-columns: 2fr 3fr; gap: 2.5rem; align-items: start; }
  .large .bars { gap: 1.3rem; margin: 1.9rem 0 1.5rem; }
  .large .chart { font-size: 8.5px; }
  .large .bar { grid-template-columns: 6.5rem 4.4rem minmax(4rem, 1fr) 5.8rem; }
  .large .bar:not(.out) .value { font-size: 1.25rem; }
  .large .track { height: 14px; border-radius: 7px; }
  .large .track .band { border-radius: 7px; }
  .large .track .tick { height: 20px; }
  .large .track .truth { top: 0; }
}
@media (max-width: 640px) {
  .bars { gap: 0.35rem; margin-bottom: 0.4rem; }
  .bar { grid-template-columns: 5rem 3.6rem minmax(3rem, 1fr) 5.7rem; min-height: 1.3rem; }
  .chart { font-size: 14px; }
  .folded .bars:not(:has(.bar:nth-child(-n+2) .grey)) + .guess { display: none; }
  .folded .bar:nth-child(n+3), .folded .tabs, .folded .chart { display: none; }
}
"""
)

SCRIPT = Script(
    MADE
    + f"const STYLE = {json.dumps(STYLE)};\n"
    + """
return ({ data, parentElement, setStateValue }) => {
  const div = () => document.createElement("div");
  const root = (parentElement.labelcorePicture ||= Object.assign(div(), { parts: [] }));
  if (!root.parts.length) {
    // Bars, what is said, the chart. A live region speaks only while it stays in its place.
    const [first, holder, said, below] = [div(), div(), div(), div()];
    said.setAttribute("aria-live", "polite");
    first.append(holder, said);
    const style = Object.assign(document.createElement("style"), { textContent: STYLE });
    root.append(style, first, below);
    root.parts = [holder, said, below];
  }
  if (root.parentNode !== parentElement) parentElement.appendChild(root);
  const [holder, said, below] = root.parts;
  const focused = root.getRootNode().activeElement;
  const held = root.contains(focused) ? focused.textContent : "";
  root.className = "living" + (data.unfolded ? "" : " folded") + (data.large ? " large" : "");
  // What is pressed by the mouse keeps no focus, which a later key would frame.
  const pressed = (kind, name) => (event) => {
    if (event.detail) event.currentTarget.blur();
    setStateValue(kind, name);
  };
  const bars = made(data.bars);
  for (const name of bars.querySelectorAll("[data-figure]")) {
    name.onclick = pressed("figure", name.dataset.figure);
  }
  const parts = [];
  if (data.views.length > 1) {
    const tabs = document.createElement("div");
    tabs.className = "tabs";
    for (const name of data.views) {
      const tab = document.createElement("button");
      tab.textContent = name;
      tab.setAttribute("aria-pressed", String(name === data.view));
      tab.onclick = pressed("view", name);
      tabs.appendChild(tab);
    }
    parts.push(tabs);
  }
  if (data.chart) parts.push(made(data.chart));
  const guess = Object.assign(div(), { className: "guess", textContent: data.grey });
  holder.replaceChildren(bars, ...(data.grey ? [guess] : []));
  below.replaceChildren(...parts);
  if (said.textContent !== data.said.join("")) {
    said.replaceChildren(...data.said.map(text =>
      Object.assign(document.createElement("p"), { textContent: text })));
  }
  [...root.querySelectorAll("button")].find(one => one.textContent === held)?.focus();
};
"""
)


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_picture", js=SCRIPT.asked)


def show_picture(
    key: str,
    shown: Picture,
    chosen: Mapping[str, Callable[[], None]] | None = None,
    *,
    unfolded: bool = True,
    large: bool = False,
    said: Sequence[str] = (),
) -> None:
    """Bars, below them what is ``said``, then, or beside them where it is ``large``, the chart that
    is chosen.

    ``chosen["view"]`` and ``chosen["figure"]`` are called when another one is pressed; its name is
    then in ``st.session_state[key]`` under the same word. A narrow screen has two bars only, unless
    ``unfolded``.
    """
    data = {
        "bars": shown.bars,
        "chart": shown.chart,
        "views": list(shown.views),
        "view": shown.view,
        "unfolded": unfolded,
        "large": large,
        "said": list(said),
        "grey": shown.grey,
    }
    _component()(
        key=key,
        data=data,
        on_view_change=chosen["view"] if chosen else _nothing,
        on_figure_change=chosen["figure"] if chosen else _nothing,
        height="content",
    )


def _nothing() -> None:
    """Nothing can be pressed."""
