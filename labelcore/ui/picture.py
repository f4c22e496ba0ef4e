"""The browser's part of the living picture: nodes become elements, names become texts."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.charts.design import both
from labelcore.ui.living import Picture

# Only these are made; an attribute that is not listed is left out. Nothing is ever parsed.
SCRIPT = """
const TAGS = ["div", "span", "svg", "line", "text", "polygon", "polyline", "circle"];
const DRAWN = ["svg", "line", "text", "polygon", "polyline", "circle"];
const SPACE = "http://www.w3.org/2000/svg";
const NAMED = ["class", "style", "role", "aria-label", "aria-hidden", "viewBox", "points",
  "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "text-anchor"];
const made = node => {
  if (typeof node === "string") return document.createTextNode(node);
  const [tag, attributes, ...children] = node;
  if (!TAGS.includes(tag)) return document.createTextNode("");
  const element = DRAWN.includes(tag) ? document.createElementNS(SPACE, tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (NAMED.includes(name)) element.setAttribute(name, value);
  }
  element.append(...children.map(made));
  return element;
};
export default function ({ data, parentElement, setStateValue }) {
  let root = parentElement.querySelector("div.living");
  if (!root) {
    root = document.createElement("div");
    parentElement.appendChild(root);
  }
  root.className = data.unfolded ? "living" : "living folded";
  const parts = [made(data.bars)];
  if (data.views.length > 1) {
    const tabs = document.createElement("div");
    tabs.className = "tabs";
    for (const name of data.views) {
      const tab = document.createElement("button");
      tab.textContent = name;
      tab.setAttribute("aria-pressed", String(name === data.view));
      tab.onclick = () => { tab.blur(); setStateValue("view", name); };
      tabs.appendChild(tab);
    }
    parts.push(tabs);
  }
  if (data.chart) parts.push(made(data.chart));
  root.replaceChildren(...parts);
}
"""

STYLE = (
    f".living {{ {both('data', 'quiet', 'rule', 'expected', 'empty')} }}"
    + """
.living {
  color: var(--st-text-color); font-family: var(--st-font); font-variant-numeric: tabular-nums;
}
.bars { display: grid; gap: 0.6rem; margin-bottom: 0.7rem; }
.bar {
  display: grid; grid-template-columns: 6.2rem 3.4rem minmax(4rem, 1fr) 4.8rem; align-items: center;
  gap: 0.5rem; min-height: 1.6rem;
}
.name { font-size: 0.875rem; color: var(--quiet); overflow-wrap: anywhere; line-height: 1.15; }
.chosen .name { color: inherit; font-weight: 700; }
.out .track { opacity: 0.5; }
.value { font-size: 1.1rem; font-weight: 700; white-space: nowrap; }
.range { font-size: 0.875rem; text-align: right; white-space: nowrap; }
.track { position: relative; height: 10px; border-radius: 5px; background: var(--empty); }
.track > * { position: absolute; }
.track .band {
  top: 0; height: 100%; border-radius: 5px;
  background: color-mix(in srgb, var(--data) 42%, transparent);
}
.track .assumed {
  background: none; box-sizing: border-box; border: 1.5px dashed var(--data);
}
.track .tick {
  top: -3px; height: 16px; width: 4px; margin-left: -2px; border-radius: 2px;
  background: var(--data);
}
.track .grey { background: var(--quiet); }
.track .line { top: -6px; height: 22px; border-left: 1.5px dashed var(--quiet); }
.tabs { display: flex; gap: 1rem; margin: 0 0 0.35rem; }
.tabs button {
  all: unset; cursor: pointer; font-size: 0.875rem; color: var(--quiet); padding: 2px 0;
}
.tabs button[aria-pressed="true"] { color: var(--st-text-color); font-weight: 700; }
.tabs button:focus-visible { outline: 2px solid var(--data); outline-offset: 3px; }
.chart { display: block; width: 100%; height: auto; }
.chart text { font-size: 12px; fill: var(--quiet); }
.chart .grid { stroke: var(--rule); stroke-width: 1; }
.chart .band { fill: color-mix(in srgb, var(--data) 32%, transparent); }
.chart .assumed { fill: none; stroke: var(--data); stroke-dasharray: 4 3; }
.chart .expected { fill: var(--expected); }
.chart .estimate { fill: none; stroke: var(--data); stroke-width: 2; }
.chart .estimate.grey { stroke: var(--quiet); stroke-width: 1.5; }
.chart .last { fill: var(--data); stroke: var(--st-background-color); stroke-width: 2; }
.chart .last.grey { fill: var(--quiet); }
.chart .goal { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 5 4; }
.chart .cut { stroke: currentColor; stroke-width: 1.5; }
@media (max-width: 640px) {
  .bars { gap: 0.35rem; margin-bottom: 0.4rem; }
  .bar { grid-template-columns: 5.2rem 3.2rem minmax(3rem, 1fr) 4.6rem; min-height: 1.3rem; }
  .chart text { font-size: 14px; }
  .folded .bar:nth-child(n+3), .folded .tabs, .folded .chart { display: none; }
}
"""
)


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_picture", css=STYLE, js=SCRIPT)


def show_picture(key: str, shown: Picture, unfolded: bool, changed: Callable[[], None]) -> None:
    """Bars, and below them the chart of the view that is chosen.

    ``changed`` is called when another view is pressed; its name is then in
    ``st.session_state[key]["view"]``. A narrow screen has two bars only, unless ``unfolded``.
    """
    data = {
        "bars": shown.bars,
        "chart": shown.chart,
        "views": list(shown.views),
        "view": shown.view,
        "unfolded": unfolded,
    }
    _component()(key=key, data=data, on_view_change=changed, height="content")
