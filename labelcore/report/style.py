"""The page's own style and script, and the policy that lets nothing else run."""

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from labelcore.charts.design import DARK, LIGHT, SCROLLS, properties

HERE = Path(__file__).parent


def _allowed(text: str) -> str:
    """How a policy names the one style or script that it lets in."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


STYLE = (
    f":root {{ color-scheme: light dark; {properties(LIGHT)} }}\n"
    f"@media (prefers-color-scheme: dark) {{ :root {{ {properties(DARK)} }} }}\n"
    + (HERE / "style.css").read_text("utf-8")
    + f".scroll {{ {SCROLLS} }}\n"
    + f"@media print {{ :root {{ color-scheme: light; {properties(LIGHT)} }} }}\n"
)
SCRIPT = (HERE / "replay.js").read_text("utf-8")

# Nothing is fetched, nothing is sent, and no other script runs, even if one that came with the data
# stood in the page.
POLICY = (
    f"default-src 'none'; style-src {_allowed(STYLE)}; script-src {_allowed(SCRIPT)}; "
    "base-uri 'none'; form-action 'none'"
)
