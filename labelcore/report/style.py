"""The page's own style, and the policy that lets nothing run."""

from __future__ import annotations

from pathlib import Path

from labelcore.charts.design import DARK, LIGHT, properties

STYLE = (
    f":root {{ color-scheme: light dark; {properties(LIGHT)} }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root {{ {properties(DARK)} }} }}\n"
    + Path(__file__).with_suffix(".css").read_text("utf-8")
    + f"@media print {{ :root {{ color-scheme: light; {properties(LIGHT)} }} }}\n"
)

# Nothing is fetched, nothing is sent, and no script runs, even if one that came with the data stood
# in the page.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
