"""The page's own style and script, and the policy that lets nothing else run."""

from __future__ import annotations

import base64
import hashlib

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
  --paper: #ffffff; --panel: #f6f8fa; --accent: #0072b2; --warn: #b34700; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #3a434d;
  --paper: #0f1419; --panel: #181f27; --accent: #56b4e9; --warn: #f0a35e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.4; margin: 0 0 .75rem; font-weight: 600; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem;
  padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.interim { display: inline-block; font-style: italic; color: var(--warn);
  border: 1px solid currentColor; border-radius: .3rem; padding: 0 .5rem; margin-right: .25rem; }
.about, .note, figcaption, caption { color: var(--soft); font-size: .9rem; }
.lines { white-space: pre-wrap; margin: 0; }
dl { margin: 0 0 1rem; }
dl > div { display: grid; grid-template-columns: minmax(9rem, 14rem) 1fr; gap: .25rem 1rem;
  padding: .35rem 0; border-bottom: 1px solid var(--line); }
dt { color: var(--soft); } dd { margin: 0; min-width: 0; }
ul { padding-left: 1.25rem; } li { margin: .35rem 0; }
.scroll { overflow-x: auto; margin: 0 0 1rem;
  border: 1px solid var(--line); border-radius: .4rem; }
.scroll:focus-visible, summary:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: .92rem; overflow-wrap: normal; }
caption { text-align: left; padding: .5rem .75rem; }
th, td { padding: .4rem .75rem; text-align: left; vertical-align: top;
  border-top: 1px solid var(--line); }
th { font-weight: 500; } thead th { color: var(--soft);
  background: var(--panel); white-space: nowrap; }
td { min-width: 4.5rem; } .number { text-align: right; white-space: nowrap; }
th[scope=row]:not(.number) { min-width: 7.5rem; }
th bdi { overflow-wrap: anywhere; }
code, pre { font: .85rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem;
  padding: .75rem; overflow-x: auto; white-space: pre-wrap; }
figure { margin: 0 0 1.5rem; } .plot { width: 100%; }
details { margin: .5rem 0 1rem; } summary { cursor: pointer; color: var(--accent); }
@media (max-width: 40rem) { main { padding: 1.25rem 1rem 3rem; } h1 { font-size: 1.25rem; }
  dl > div { grid-template-columns: 1fr; } }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --paper: #fff;
  --panel: #fff; } main { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; } .scroll { overflow: visible; border: 0; } }
"""

# Draws each figure from the JSON beside it, in the colours of the page.
SCRIPT = """
(function () {
  "use strict";
  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function dress(layout) {
    var clear = "rgba(0,0,0,0)", font = { color: colour("--ink"), family: "inherit" };
    return Object.assign({}, layout, { autosize: true, paper_bgcolor: clear, plot_bgcolor: clear,
      font: Object.assign({}, layout.font, font),
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: colour("--line"), font: font } });
  }
  function draw() {
    document.querySelectorAll(".plot").forEach(function (place) {
      var text = document.getElementById(place.dataset.figure).textContent;
      var figure = JSON.parse(text.replace(/#0072B2/gi, colour("--accent")));
      Plotly.react(place, figure.data, dress(figure.layout),
        { responsive: true, displayModeBar: false, displaylogo: false, showLink: false });
    });
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw);
})();
"""


def policy(*scripts: str) -> str:
    """A content security policy: only these scripts, inline styles, images inside the file.

    Nothing is fetched, nothing is sent, and a script that came with the data does not run even if
    it stood in the page.
    """
    allowed = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
