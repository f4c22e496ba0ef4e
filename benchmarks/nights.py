"""Thirty nights of a PostgreSQL table of which 3 % of the rows change nightly.

    python -m benchmarks.nights [--quick] [--runs 8] [--rows FILE] [--write]

A run is one table watched by ``labelcore monitor plan.toml`` through all nights, as a schedule
would call it, with every label that is asked for given; on night 12 the table is gone.
"""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat
from benchmarks.harness import table as markdown
from labelcore.cli import main
from tests import postgres

N_ITEMS, CHANGED, NIGHTS, FEW_NIGHTS = 4_000, 0.03, 30, 6
LABELS, GONE = 150, 12
SLACK = 0.01
"""The requirement lies so far below what is true at launch."""
PLAN = """
[source]
file = "{address}#public.answers"
id = "id"
content = ["text"]
scores = {{ lr = "score" }}
predictions = {{ lr = "pred" }}

[plan]
estimands = ["precision", "recall"]
labels = {labels}
seed = {seed}

[monitor]
name = "nights"
requirements = ["precision >= {precision:.4f}", "recall >= {recall:.4f}"]
waves = {waves}
schedule = "each file"
"""


class Table:
    """What a pipeline would keep: rows of which some change and some are replaced every night."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng([37, seed])
        self.last = 0
        self.rows = self.new(N_ITEMS)

    def new(self, count: int) -> pd.DataFrame:
        score = self.random.beta(0.5, 1.2, count)
        truth = self.random.random(count) < 0.05 + 0.9 * score
        ids = [f"r{self.last + row}" for row in range(count)]
        self.last += count
        words = np.where(truth, "prize ", "lunch ")
        text = [f"{word}{self.random.integers(1 << 40)}" for word in words]
        made = {"id": ids, "text": text, "score": score, "pred": (score >= 0.5).astype(int)}
        return pd.DataFrame(made)

    def night(self) -> None:
        """Half of those that change keep their ids with other contents; the others are replaced."""
        count = round(CHANGED * len(self.rows))
        at = self.random.choice(len(self.rows), count, replace=False)
        fresh = self.new(count)
        fresh.loc[: count // 2, "id"] = self.rows["id"].to_numpy()[at[: count // 2 + 1]]
        self.rows.iloc[at] = fresh.to_numpy()

    def true(self) -> dict[str, float]:
        truth = self.rows["text"].str.startswith("prize").to_numpy()
        said = self.rows["pred"].to_numpy().astype(bool)
        hits = float((truth & said).sum())
        return {"precision": hits / said.sum(), "recall": hits / truth.sum()}


def run(seed: int, nights: int) -> list[Row]:
    """A row for each night."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.environ["LABELCORE_DATA"] = str(folder)
        server = stack.enter_context(postgres.running())
        engine = sqlalchemy.create_engine(
            server.url().replace("postgresql:", "postgresql+psycopg:")
        )
        stack.callback(engine.dispose)
        table, found = Table(seed), list[Row]()
        least = {name: value - SLACK for name, value in table.true().items()}
        plan = folder / "plan.toml"
        plan.write_text(
            PLAN.format(address=server.url(), labels=LABELS, seed=seed, waves=nights + 1, **least)
        )
        for night in range(1, nights + 1):
            table.night()
            if night == GONE:
                with engine.begin() as connection:
                    connection.execute(sqlalchemy.text("DROP TABLE answers"))
                code, told = asked(plan)
                found.append({"night": night, "began": code, "ended": code, "asked": 0})
                continue
            table.rows.to_sql("answers", engine, if_exists="replace", index=False)
            began, told = asked(plan)
            due = sum(told["due"].values())
            judged = 0
            if due:
                judged = label_all(
                    f"sqlite:///{folder / 'labels.db'}", f"nights: {told['waves'][-1]}"
                )
            ended, told = asked(plan)
            found.append({
                "night": night, "began": began, "ended": ended, "due": due, "asked": judged,
                "alarms": [f"{one['estimand']} {one['required']}" for one in told["alarms"]],
                **covered(f"sqlite:///{folder / 'labels.db'}", table.true(), least),
            })  # fmt: skip
        return [{"run": seed, **row} for row in found]


def asked(plan: Path) -> tuple[int, dict[str, Any]]:
    """What the command ends with and says."""
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(io.StringIO()):
        code = main(["monitor", str(plan), "--json"])
    return code, json.loads(said.getvalue())


def label_all(store: str, project: str) -> int:
    """Label what people are asked; how many items that was."""
    session, number = lc.Session.open(store, project), 0
    while (draw := session.next()) is not None:
        session.answer(draw, "1" if session.item(draw)["text"].startswith("prize") else "0")
        number += 1
    return number


def covered(store: str, true: Mapping[str, float], least: Mapping[str, float]) -> Row:
    """Whether the night's intervals hold what is true, and whether what is required is."""
    rows = lc.Monitor.open(store, "nights").table()
    last = rows[rows["wave"] == rows["wave"].iloc[-1]].drop_duplicates("estimand")
    return {
        "holds": {one.estimand: bool(one.low <= true[one.estimand] <= one.high)
                  for one in last.itertuples()},
        "true": {name: true[name] >= least[name] for name in least},
    }  # fmt: skip


def jobs(options: Options) -> Mapping[str, Job]:
    nights = FEW_NIGHTS if options.quick else NIGHTS
    return {f"table {seed}": partial(run, seed, nights) for seed in range(options.runs)}


def tables(rows: Rows, options: Options) -> str:
    found = flat(rows)
    parts = {
        "the first": [one for one in found if one["night"] == 1],
        "the table gone": [one for one in found if one["night"] == GONE],
        "the next": [one for one in found if one["night"] == GONE + 1],
        "all others": [one for one in found if one["night"] not in (1, GONE, GONE + 1)],
    }
    codes = [[name, _codes(some, "began"), _codes(some, "ended")] for name, some in parts.items()]
    return (
        markdown(
            ["tables", "labels on the first night", "after it, median", "most",
             "foretold, mean error", "nights whose interval held: precision", "recall",
             "tables with a false alarm"],
            [_line(found)],
        )
        + "\n"
        + markdown(["night", "exit codes: when it began", "when its labels were there"], codes)
    )  # fmt: skip


def _line(rows: Sequence[Row]) -> list[object]:
    seen = [one for one in rows if "holds" in one]
    later = [one["asked"] for one in seen if one["night"] > 1]
    shares = [np.mean([one["holds"][key] for one in seen]) for key in ("precision", "recall")]
    n_tables = len({one["run"] for one in rows})
    wrong = {one["run"] for one in seen if any(_false(one, alarm) for alarm in one["alarms"])}
    off = [abs(one["due"] - one["asked"]) for one in seen if one["night"] > 1]
    return [
        n_tables, int(np.median([one["asked"] for one in seen if one["night"] == 1])),
        f"{np.median(later):.0f}", max(later), f"{np.mean(off):.1f}",
        *(f"{share:.3f}" for share in shares), f"{len(wrong)} of {n_tables}",
    ]  # fmt: skip


def _false(row: Row, alarm: str) -> bool:
    """An alarm of a figure that is no point lower than it was at launch."""
    return bool(row["true"][alarm.partition(" ")[0]])


def _codes(rows: Sequence[Row], key: str) -> str:
    return ", ".join(f"{code}: {n}" for code, n in sorted(Counter(r[key] for r in rows).items()))


HEAD = f"""# Thirty nights of a table

{MADE}

{N_ITEMS:,} rows in PostgreSQL; every night {CHANGED:.0%} of them change: half keep their ids with
other contents, half are replaced. `labelcore monitor plan.toml` is called before and after the
labels of each night, {LABELS} a wave; what is required lies {100 * SLACK:.0f} point below what was
true at launch, and an alarm is false while the figure is no lower than that. On night {GONE} the
table is gone. The labels of one night are nearly those of the night before: a table whose first
sample was unlucky stays outside its intervals for many nights, so that nights are right or wrong
together, table by table. Too few tables for a rate of false alarms: [monitoring](monitoring.md) has
it, with labels carried and not.

"""
BENCHMARK = Benchmark(
    name="nights", about=__doc__, jobs=jobs, tables=tables, runs=8, quick_runs=1,
    page="nights.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
