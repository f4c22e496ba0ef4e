"""Write docs/licences.md: every package that the product runs with, its licence and its size.

    python -m docs.make_licences

It reads what is installed in this environment, for the names of `requirements.lock`.
"""

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HEAVY = 20.0
"""Megabytes from which on a package needs a reason."""
REASONS = {
    "duckdb": "the one reader of text, JSON and Parquet",
    "numpy": "every array",
    "pandas": "the tables of results",
    "pillow": "pictures are decoded on the server",
    "plotly": "charts in notebooks and on pages",
    "pyarrow": "columns mapped from files; Streamlit needs it, too",
    "pydeck": "none of ours: Streamlit brings it",
    "scikit-learn": "what items say, as numbers; the trial",
    "scipy": "quantiles, root finding, optimisation behind the intervals",
    "sqlalchemy": "one set of statements for SQLite and PostgreSQL",
    "streamlit": "the app",
    "typst": "the PDF report, without a browser",
}


def licence(one: Distribution) -> str:
    """The licence as the package itself says it."""
    said = one.metadata
    for line in said.get_all("Classifier", []):
        if not said.get("License-Expression") and line.startswith("License ::"):
            return str(line.rpartition("::")[2].strip())
    return str(said.get("License-Expression") or said.get("License") or "not said").split("\n")[0]


def megabytes(one: Distribution, *, bytecode: bool = False) -> float:
    """What its files take, or the bytecode that Python makes of them."""
    files = [Path(str(path.locate())) for path in one.files or []]
    counted = [path for path in files if (path.suffix == ".pyc") is bytecode and path.is_file()]
    return sum(path.stat().st_size for path in counted) / 1e6


def page() -> str:
    """The table, the heaviest package first."""
    lock = (ROOT / "requirements.lock").read_text("utf-8")
    found = [distribution(name) for name in re.findall(r"^([\w.-]+)==", lock, flags=re.MULTILINE)]
    found.sort(key=megabytes, reverse=True)
    rows = []
    for one in found:
        name, size = one.metadata["Name"].lower(), megabytes(one)
        reason = REASONS[name] if size >= HEAVY else ""
        rows.append(f"| `{name}` | {one.version} | {licence(one)} | {size:.1f} | {reason} |")
    total = sum(map(megabytes, found))
    compiled = sum(megabytes(one, bytecode=True) for one in found)
    return (
        "<!-- made by python -m docs.make_licences -->\n\n# Licences and sizes\n\n"
        f"What the product runs with, PostgreSQL and the login too: {len(found)} packages, "
        f"{total:.0f} MB installed, without bytecode. `pip install` compiles {compiled:.0f} MB of "
        "it; with `--no-compile` Python compiles what is used: some 50 MB by the first page. "
        "Licences as the packages say them; why each is there stands in `CONTRIBUTING.md`.\n\n"
        "| package | version | licence | MB | from 20 MB on: why |\n|---|---|---|---|---|\n"
        + "\n".join(rows)
        + "\n"
    )


if __name__ == "__main__":
    (ROOT / "docs" / "licences.md").write_text(page(), "utf-8")
