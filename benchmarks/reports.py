"""Reports of several kinds of project: how large they are, how many pages, how long they take.

    python -m benchmarks.reports [--quick] [--write]

Invented messages with a fixed seed, labelled with the truth. Every report is written in every form;
the PDF is read back by pypdf, and each of its percentages is compared with those of the HTML page,
the workbook by openpyxl, which says whether a cell is a formula.
"""

from __future__ import annotations

import csv
import re
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from openpyxl import load_workbook
from pypdf import PdfReader

import labelcore as lc
from benchmarks.harness import MADE, MARK, Benchmark, Job, Options, Row, Rows, command
from benchmarks.harness import table as markdown
from labelcore.report import REPORT_FORMS

ITEMS, QUICK_ITEMS = 3_000, 600
NOISE = {"forest": 0.05, "logistic": 0.12, "rules": 0.2, "network": 0.3}
SHARE = re.compile(r"\d[\d,]*(?:\.\d+)? %")
FOUR = ("accuracy", "precision", "recall", "f1")
CANDIDATES = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
WANTED = {"candidates": CANDIDATES, "precision_threshold": 0.8, "precision_slack": 0.15}
# What is asked: classifiers, whether they have a threshold, the plan.
KINDS: dict[str, tuple[tuple[str, ...], bool, dict[str, Any]]] = {
    "precision and recall": (
        ("forest",), True,
        {"design": "recalibrated_neyman", "estimands": ["precision", "recall"], "budget": 150},
    ),
    "sixteen figures": (
        tuple(NOISE), True,
        {"design": "agreement_patterns", "estimands": list(FOUR), "classifier": list(NOISE),
         "budget": 300},
    ),
    "a choice of seven cuts": (
        ("forest",), False,
        {"design": "reach_selection", "estimands": "selection", "params": WANTED, "budget": 400},
    ),
    "a ranked list": (
        ("forest",), False,
        {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 200},
    ),
    "a claim": (
        ("forest",), True,
        {"design": "recalibrated_neyman", "estimands": ["precision"], "budget": 300,
         "claims": ["precision >= 0.6"], "stop": ["claims"]},
    ),
    "is A better": (
        ("forest", "network"), True,
        {"design": "paired_comparison", "estimands": ["accuracy_difference"],
         "classifier": ["forest", "network"], "budget": 150},
    ),
}  # fmt: skip


def write_items(path: Path, items: int) -> dict[str, bool]:
    """A CSV file with a score for each classifier; returns {id: truth}."""
    random = np.random.default_rng(3)
    share = random.beta(0.5, 1.1, items)
    truth = random.random(items) < share**1.1
    scores = {
        name: np.clip(share + random.normal(0, noise, items), 0, 1) for name, noise in NOISE.items()
    }
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", *scores])
        for n in range(items):
            mine = (round(float(one[n]), 4) for one in scores.values())
            writer.writerow([f"m{n}", f"Message {n}", *mine])
    return {f"m{n}": bool(one) for n, one in enumerate(truth)}


def labelled(
    folder: Path, items: int, names: tuple[str, ...], threshold: bool, plan: Mapping[str, Any]
) -> lc.Session:
    truth = write_items(folder / "messages.csv", items)
    population = lc.read_population(
        folder / "messages.csv",
        id="id",
        content=["text"],
        scores={name: name for name in names},
        thresholds=dict.fromkeys(names, 0.5) if threshold else {},
    )
    asked = {"question": "Is this message a complaint?"}
    session = lc.Session(population, lc.Plan(**plan, seed=7), settings=asked)
    number = 0
    while (draw := session.next()) is not None:
        session.answer(draw, truth[draw.item_id])
        number += 1
        if number % 10 == 0:
            session.results()
    session.finish("enough is known")
    return session


def run(kind: str, items: int) -> list[Row]:
    names, threshold, plan = KINDS[kind]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        session = labelled(folder, items, names, threshold, plan)
        row: Row = {"labels": session.labels, "figures": len(session.results())}
        for form in REPORT_FORMS:
            start = time.perf_counter()
            path = lc.write_report(session, folder / f"report{form}")
            row[form] = path.stat().st_size
            row[f"{form} seconds"] = time.perf_counter() - start
        pdf = PdfReader(folder / "report.pdf")
        row["pages"] = len(pdf.pages)
        text = re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pdf.pages))
        said = Counter(SHARE.findall(text))
        shown = shares((folder / "report.html").read_text("utf-8"))
        row["percentages"], row["unequal"] = (
            sum(shown.values()),
            sum(((said - shown) + (shown - said)).values()),
        )
        book = load_workbook(folder / "report.xlsx")
        cells = [cell for sheet in book.worksheets for line in sheet.iter_rows() for cell in line]
        row["cells"], row["formulas"] = len(cells), sum(cell.data_type == "f" for cell in cells)
    return [row]


def shares(html: str) -> Counter[str]:
    """Every percentage of the page that is not folded."""
    shown = re.sub(r"<details>.*?</details>", "", html.partition("<main>")[2], flags=re.DOTALL)
    text = unescape(re.sub("<[^>]+>", " ", shown))
    return Counter(SHARE.findall(text.replace("\N{NO-BREAK SPACE}", " ")))


def jobs(options: Options) -> dict[str, Job]:
    items = QUICK_ITEMS if options.quick else ITEMS
    return {kind: partial(run, kind, items) for kind in KINDS}


def tables(rows: Rows, options: Options) -> str:
    names = ("report of", "labels", "figures", "HTML", "PDF", "pages", "picture", "Excel",
             "PDF takes", "percentages in HTML", "not the same in the PDF", "cells in Excel",
             "formulas")  # fmt: skip
    lines = []
    for kind, (row,) in rows.items():
        sizes = {form: f"{row[form] / 1000:.0f} KB" for form in REPORT_FORMS}
        lines.append(
            (kind, row["labels"], row["figures"], sizes[".html"], sizes[".pdf"], row["pages"],
             sizes[".png"], sizes[".xlsx"], f"{row['.pdf seconds']:.2f} s", row["percentages"],
             row["unequal"], f"{row['cells']:,}", row["formulas"])
        )  # fmt: skip
    return markdown(names, lines)


def faults(rows: Rows, options: Options) -> list[str]:
    """What must not be: other numbers in the PDF, a formula, an HTML file of 2 MB."""
    found = [(kind, row) for kind, (row,) in rows.items()]
    return [
        *(f"{kind}: the PDF says other percentages" for kind, row in found if row["unequal"]),
        *(f"{kind}: a formula in Excel" for kind, row in found if row["formulas"]),
        *(f"{kind}: HTML of 2 MB or more" for kind, row in found if row[".html"] >= 2_000_000),
    ]


HEAD = f"""# Reports of several kinds

{MARK}
{MADE}

"""
BENCHMARK = Benchmark(
    name="reports", about=__doc__, jobs=jobs, tables=tables, faults=faults, page="reports.md",
    head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
