"""Commands on a file alone: check it, plan on it, simulate on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from labelcore.cli.auditing import audit
from labelcore.cli.options import (
    file_options,
    is_snapshot,
    plan_of,
    plan_options,
    population_of,
    source_of,
)
from labelcore.cli.output import check_suffix, json_option, say, write
from labelcore.plan.against_file import frozen
from labelcore.planning.forecast import preview, sized
from labelcore.planning.simulation import simulate as run_simulation
from labelcore.population import Population
from labelcore.population import snapshot as make_snapshot
from labelcore.population.joined_scores import join_scores
from labelcore.report.data import finite
from labelcore.words.derived import derived_lines
from labelcore.words.quantities import spoken_key
from labelcore.words.savings import expected_words
from labelcore.words.sentences import count, points
from labelcore.words.stops import stop_words


@click.command()
@file_options
@json_option
def check(as_json: bool, **given: Any) -> None:
    """Read a file and list everything that is wrong with it. Without --content: what a log of model
    calls and judges' verdicts supports, what labels would buy, and the command that starts it."""
    if not given["content"] and not is_snapshot(given["file"]):
        say(*audit(given["file"]), as_json)
        return
    population = population_of(given)
    called = {name: _called(population, name) for name in population.classifiers}
    values = {
        "file": population.name,
        "items": len(population),
        "fingerprint": population.fingerprint,
        "classes": list(population.classes),
        "positive": population.positive,
        "classifiers": called,
        "faults": [],
    }
    sentences = [
        f"{population.name}: {count(len(population), 'item')}, no fault.",
        f"Classes: {', '.join(population.classes)} (positive: {population.positive}).",
        *(
            f"Classifier {name!r} calls {number:,} items {population.positive!r}."
            if number is not None
            else f"Classifier {name!r} has scores and no threshold."
            for name, number in called.items()
        ),
    ]
    say(values, sentences, as_json)


@click.command()
@file_options
@click.option("--output", "-o", required=True, metavar="PATH", help="Ends in .snapshot.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@json_option
def snapshot(output: str, force: bool, as_json: bool, **given: Any) -> None:
    """Read items once, and keep of them what a project rests on: where FILE is a snapshot, nothing
    else needs to be said of the columns."""
    if Path(output).exists() and not force:
        raise ValueError(f"{output} exists; write over it with --force")
    source, arguments = source_of(given)
    population = make_snapshot(source, output, **arguments)
    values = {
        "file": str(population.snapshot),
        "items": len(population),
        "fingerprint": population.fingerprint,
    }
    say(values, [f"{count(len(population), 'item')} of {population.name}: {output}."], as_json)


@click.command()
@click.argument("traces", type=click.Path())
@click.argument("scores", type=click.Path())
@click.option("--output", "-o", required=True, metavar="PATH", help="Ends in .jsonl.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@json_option
def join(traces: str, scores: str, output: str, force: bool, as_json: bool) -> None:
    """Put Langfuse's scores, a file of their own, beside the traces or observations that they are
    about: one file for *New project*, `check` and `import`."""
    check_suffix(output, (".jsonl",), "the file")
    found = join_scores(Path(traces), Path(scores))
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in found.rows)
    where = write(output, lines.encode(), force=force)
    values = {"path": where, "judges": [asdict(one) for one in found.coverage]}
    counts = {"rows": len(found.rows), "scores": found.given, "placed": found.placed}
    if output != "-":
        said = f"{where}: {count(len(found.rows), 'line')}."
        say({**values, **counts}, [said, *found.sentences()], as_json)


def _called(population: Population, name: str) -> int | None:
    if name not in population.predictions:
        return None
    return population.called(name).get((population.positive,), 0)


@click.command()
@file_options
@plan_options
@json_option
def plan(as_json: bool, **given: Any) -> None:
    """What a plan will cost and give, before the first label."""
    population, chosen = population_of(given), plan_of(given)
    ahead = preview(population, chosen)
    values = {
        **asdict(ahead),
        "plan": frozen(population, sized(population, chosen), ahead.planned).to_dict(),
    }
    sentences = [
        f"{population.name}: {count(len(population), 'item')}; design {chosen.design}, promise "
        f"{chosen.promise}.",
        f"About {count(ahead.expected_labels)}, at most {ahead.labels:,} "
        f"({ahead.derived['assumption']}).",
        *(f"Claim: {claim}." for claim in chosen.claims),
        *(
            [f"It ends {ending}."]
            if (ending := stop_words(chosen.stop or (), chosen.margin))
            else []
        ),
        *(
            f"{spoken_key(name, population.has_judge)}: plus or minus {points(width)}."
            for name, width in ahead.expected_half_width.items()
        ),
        *(f"{line}." for line in derived_lines(chosen.design, ahead.derived)),
        *ahead.derived["notes"],
        *([expected_words(expected)] if (expected := ahead.derived["expected_saving"]) else []),
    ]
    say(finite(values), sentences, as_json)


@click.command()
@file_options
@plan_options
@click.option("--truth", required=True, metavar="COLUMN", help="The column with the answers.")
@click.option("--runs", type=int, default=200, show_default=True)
@click.option("--simulation-seed", type=int, default=0, show_default=True)
@json_option
def simulate(truth: str, runs: int, simulation_seed: int, as_json: bool, **given: Any) -> None:
    """Label a file with known answers many times: does the plan keep its promise?"""
    population, chosen = population_of(given), plan_of(given)
    done = run_simulation(population, chosen, truth=truth, runs=runs, seed=simulation_seed)
    summary = done.summary()
    keys, audit = set(map(str, summary.index)) - set(chosen.claims), population.has_judge
    said = summary.rename(index={key: spoken_key(key, audit) for key in keys})
    rows: dict[str, Mapping[str, Any]] = finite(summary.to_dict("index"))
    values = {"plan": done.plan.to_dict(), "seed": simulation_seed, "summary": rows}
    say(values, [said.to_string(float_format="{:.4f}".format)], as_json)
