"""Histories of up to four people on one project, each step held against a simple model.

    python -m benchmarks.histories [--quick] [--runs 20000] [--only WORD] [--rows FILE] [--write]

The model and what people do are in ``tests/session/histories.py``. It ends with an error where one
history disagrees. ``--runs`` is the number in memory; each other store gets a fortieth of it.
"""

import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.harness import table as markdown
from labelcore.store import STORES
from tests import postgres
from tests.contracts.test_stores import ADDRESSES
from tests.session.histories import BUDGET, run

FOLD = 40
JOBS = 10


def histories(number: int, seed: int, scheme: str) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        if scheme == "memory":
            return [run(number, seed)]
        if "{postgres_url}" in ADDRESSES[scheme]:
            with postgres.running() as server:
                return [run(number, seed, server.url())]
        return [run(number, seed, ADDRESSES[scheme].format(folder=Path(folder)))]


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {}
    for scheme in STORES:
        if scheme == "memory":
            each = -(-options.runs // JOBS)
            for seed in range(1, JOBS + 1):
                found[f"memory {seed:02d}"] = partial(histories, each, seed, scheme)
        elif "{postgres_url}" not in ADDRESSES[scheme] or not postgres.why_not():
            each = max(options.runs // FOLD, 1)
            found[f"{scheme} 01"] = partial(histories, each, 1, scheme)
    return found


def tables(rows: Rows, options: Options) -> str:
    found: dict[str, Counter[str]] = {}
    for job, (told,) in rows.items():
        found.setdefault(job.split()[0], Counter()).update({k: int(v) for k, v in told.items()})
    names = list(dict.fromkeys(what for told in found.values() for what in sorted(told)))
    names.sort(key=lambda what: what != "histories")
    lines = [(what, *[f"{told[what]:,}" for told in found.values()]) for what in names]
    said = " and ".join(f"{told['histories']:,} in {name}" for name, told in found.items())
    return f"Histories that disagree with the model: **0** of {said}.\n\n" + markdown(
        ("what happened", *found), lines
    )


HEAD = f"""# Histories of several people against a model

Up to four people, with and without an overlap, on a project of {BUDGET} items: they ask for items,
take two for five minutes, answer, answer again and too late, take answers back, give items back,
take over what is on another screen, settle, end the project and go on; time passes, and the project
is opened anew from its store. A model that knows who has which item since when, and who said what
last, says what must come of each step; at the end the log is read again from the store and folded
anew. What is compared: every item shown (nobody gets one that another person has, or that they have
judged), every answer (stored once, under the right person and item; counted, kept as a second
reading, or refused with a sentence), the answers in force, those of the overlap, what is to be
settled, and that nobody waits while there is something to do.

"""

BENCHMARK = Benchmark(
    name="histories",
    about=__doc__ or "",
    jobs=jobs,
    tables=tables,
    runs=20_000,
    quick_runs=400,
    page="histories.md",
    head=HEAD + MADE + "\n\n",
    workers=1,
)

if __name__ == "__main__":
    command(BENCHMARK)()
