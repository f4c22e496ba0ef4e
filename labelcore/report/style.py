"""The page's own style, and the policy that lets nothing run."""

from __future__ import annotations

from labelcore.charts.design import DARK, LIGHT, properties

STYLE = (
    f":root {{ color-scheme: light dark; {properties(LIGHT)} }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root {{ {properties(DARK)} }} }}"
    + """
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; line-height: 1.4; margin: 0 0 .75rem; font-weight: 600; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem;
  padding-top: 1rem; border-top: 1px solid var(--border); }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
.interim { display: inline-block; font-style: italic; color: var(--warn);
  border: 1px solid currentColor; border-radius: .3rem; padding: 0 .5rem; margin-right: .25rem; }
.about, .note, figcaption, caption { color: var(--quiet); font-size: 0.875rem; }
.lines { white-space: pre-wrap; margin: 0; }
.quote { user-select: all; color: var(--quiet); font-size: 0.875rem; }
.meaning p { margin: .6rem 0; }
dl { margin: 0 0 1rem; }
dl > div { display: grid; grid-template-columns: minmax(9rem, 14rem) 1fr; gap: .25rem 1rem;
  padding: .35rem 0; border-bottom: 1px solid var(--border); }
dt { color: var(--quiet); } dd { margin: 0; min-width: 0; }
ul { padding-left: 1.25rem; } li { margin: .35rem 0; }
.scroll { overflow-x: auto; margin: 0 0 1rem;
  border: 1px solid var(--border); border-radius: .4rem; }
.scroll:focus-visible, summary:focus-visible {
  outline: 2px solid var(--data); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums;
  font-size: 0.875rem; overflow-wrap: normal; }
caption { text-align: left; padding: .5rem .75rem; }
th, td { padding: .4rem .75rem; text-align: left; vertical-align: top;
  border-top: 1px solid var(--border); }
th { font-weight: 500; } thead th { color: var(--quiet);
  background: var(--panel); white-space: nowrap; }
td { min-width: 4.5rem; } .number { text-align: right; white-space: nowrap; }
th[scope=row]:not(.number) { min-width: 7.5rem; }
th bdi { overflow-wrap: anywhere; }
code, pre { font: 0.875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--panel); border: 1px solid var(--border); border-radius: .4rem;
  padding: .75rem; overflow-x: auto; white-space: pre-wrap; }
figure { margin: 0 0 1.5rem; } .plot { overflow-x: auto; }
svg { display: block; width: 100%; min-width: 30rem; max-width: 48rem; height: auto;
  font-variant-numeric: tabular-nums; }
details { margin: .5rem 0 1rem; } summary { cursor: pointer; color: var(--data); }
@media (max-width: 40rem) { main { padding: 1.25rem 1rem 3rem; } h1 { font-size: 1.25rem; }
  dl > div { grid-template-columns: 1fr; } }
@media print { main { max-width: none; padding: 0; } h2 { break-after: avoid; }
  figure, tr { break-inside: avoid; } .scroll { overflow: visible; border: 0; } }
"""
    + f"@media print {{ :root {{ color-scheme: light; {properties(LIGHT)} }} }}\n"
)

# Nothing is fetched, nothing is sent, and no script runs, even if one that came with the data stood
# in the page.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
