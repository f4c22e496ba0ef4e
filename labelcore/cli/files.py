"""Commands on a file alone: check it, plan on it, simulate on it."""

import json
import tempfile
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import click
import numpy as np

from labelcore.cli.guessed import command_of, filled, start_command
from labelcore.cli.options import (
    dialect,
    file_options,
    is_snapshot,
    plan_of,
    plan_options,
    population_of,
    say_large,
    source_of,
)
from labelcore.cli.output import check_suffix, json_option, say, write
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import preview, sized
from labelcore.planning.simulation import simulate as run_simulation
from labelcore.population import Population, read_population
from labelcore.population import snapshot as make_snapshot
from labelcore.population.classes import sought
from labelcore.population.head import Head, head_of, tree_in
from labelcore.population.joined_scores import join_scores
from labelcore.population.roles import Roles, passing, roles_of
from labelcore.population.tables import parts_of, recognised_as_table
from labelcore.population.tree import Tree
from labelcore.results.base import plain
from labelcore.words.claims import half_words
from labelcore.words.derived import derived_lines
from labelcore.words.quantities import spoken_key
from labelcore.words.savings import expected_words
from labelcore.words.sentences import count, points
from labelcore.words.stops import stop_words

LABELS = 200


def audit(path: Path, tree: Tree, roles: Roles) -> tuple[dict[str, Any], list[str]]:
    """The values, and the same as sentences, the last one with the command that starts it."""
    arguments = _arguments(roles, tree)
    population = read_population(path, **arguments)
    agreed, shared = _agreements(population), _shared(population, roles)
    buys = _buys(population)
    command = _command(path, arguments)
    values = {
        "rows": len(population), "roles": roles, "verdicts": tree.values,
        "pass_rates": _rates(population, roles), "agreement": agreed, "prompts": shared,
        "half_widths": buys, "command": command,
    }  # fmt: skip
    return values, [*_lines(path, population, roles, tree, values), f"Start: {command}"]


def _looked_at(path: Path, dialect: Mapping[str, Any]) -> tuple[Head, Tree, Roles | None]:
    if (parts := parts_of(str(path))) is not None:
        return head_of(parts, dialect), tree_in(parts[0], dialect, ()), None
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    with tempfile.TemporaryDirectory() as folder:
        table = recognised_as_table(path.name, path.read_bytes())
        if table is not None:
            path = Path(folder) / f"{path.name}{table[0]}"
            path.write_bytes(table[1])
        head = head_of([path], dialect)
        roles = roles_of({name: [row[name] for row in head.sample] for name in head.columns})
        wanted = [judge.verdict for judge in roles.judges if judge.verdict] if roles else []
        human = [roles.human] if roles and roles.human else []
        return head, tree_in(path, dialect, [*wanted, *human]), roles


def _arguments(roles: Roles, tree: Tree) -> dict[str, Any]:
    """Those of ``read_population``."""
    judges = {judge.name: judge for judge in roles.judges}
    verdicts = {name: judge.verdict for name, judge in judges.items() if judge.verdict}
    scores = {n: judge.score for n, judge in judges.items() if judge.score and not judge.verdict}
    passes = passing({name: list(tree.values[column]) for name, column in verdicts.items()})
    return {
        "id": roles.key, "content": list(roles.content), "predictions": verdicts, "scores": scores,
        "passing": passes, "groups": [roles.system] if roles.system else [], "prompt": roles.prompt,
    }  # fmt: skip


def _rates(population: Population, roles: Roles) -> dict[str, dict[str, float]]:
    """Judge -> system -> the share that it passes."""
    index = population.classes.index(population.positive)
    group = population.groups.get(roles.system or "")
    names = group.names if group else ()
    return {
        judge: {name: float(np.mean(codes[group.codes == n] == index))
                for n, name in enumerate(names) if group}
        for judge, codes in population.predictions.items()
    }  # fmt: skip


def _agreements(population: Population) -> dict[str, dict[str, float | None]]:
    """Of each two judges; a scale passes what lies above its middle. No kappa where both pass all,
    or none: chance alone would agree as well."""
    index = population.classes.index(population.positive)
    calls = {name: codes == index for name, codes in population.predictions.items()}
    for name, score in population.scores.items():
        middle = float(score.min() + score.max()) / 2
        calls[f"{name} over {middle:g}"] = score > middle
    agreements: dict[str, dict[str, float | None]] = {}
    for a, b in combinations(calls, 2):
        share, (p, q) = float(np.mean(calls[a] == calls[b])), (calls[a].mean(), calls[b].mean())
        chance = float(p * q + (1 - p) * (1 - q))
        kappa = (share - chance) / (1 - chance) if chance < 1 else None
        agreements[f"{a} and {b}"] = {"share": share, "kappa": kappa}
    return agreements


def _shared(population: Population, roles: Roles) -> dict[str, int] | None:
    """How many prompts there are, those that all systems answered, and those that one did."""
    group, prompt = population.groups.get(roles.system or ""), population.prompt
    if group is None or prompt is None:
        return None
    pairs = {(int(p), int(g)) for p, g in zip(prompt.codes, group.codes, strict=True)}
    each = np.bincount([p for p, _ in pairs if p >= 0], minlength=len(prompt.names))
    whole = int((each == len(group.names)).sum())
    return {"prompts": len(each), "all_systems": whole, "one_system": int((each == 1).sum())}


def _buys(population: Population) -> dict[str, float]:
    """How exactly so many labels would tell how often people pass, by method."""
    judge = next(iter(population.predictions), None) or population.classifiers[0]
    budget = min(LABELS, len(population))
    return {
        design: preview(
            population, Plan(design, ["prevalence"], classifier=judge, budget=budget)
        ).expected_half_width["prevalence"]
        for design in ("recalibrated_neyman", "simple_random")
    }


def _lines(
    path: Path, population: Population, roles: Roles, tree: Tree, values: Mapping[str, Any]
) -> Iterator[str]:
    yield f"{path.name}: {count(len(population), 'answer')}; judged: {' and '.join(roles.content)}."
    if roles.system:
        names = population.groups[roles.system].names
        yield f"{count(len(names), 'system')} ({roles.system}): {', '.join(names)}."
    for judge, rates in values["pass_rates"].items():
        shares = ", ".join(f"{name} {100 * rate:.0f} %" for name, rate in rates.items())
        column = population.arguments["predictions"][judge]
        counts = ", ".join(f"{v.strip() or 'empty'} {n:,}" for v, n in tree.values[column].items())
        yield f"Judge {judge}: {counts}." + (f" Passes {shares}." if shares else "")
    for judge in population.arguments["scores"]:
        low, high = population.scores[judge].min(), population.scores[judge].max()
        yield f"Judge {judge}: {low:g} to {high:g}; --threshold {judge}=NUMBER says what passes."
    for branch in tree.branches:
        if branch.twice:
            yield f"{branch.path}: twice in {count(branch.twice, 'answer')}; the first counts."
    for pair, agreement in values["agreement"].items():
        kappa = "no kappa" if agreement["kappa"] is None else f"kappa {agreement['kappa']:.2f}"
        yield f"{pair} agree on {100 * agreement['share']:.0f} %, {kappa}."
    if (shared := values["prompts"]) is None:
        yield "No prompt ids: systems can be compared on different prompts alone."
    else:
        yield (
            f"{shared['prompts']:,} prompts ({roles.prompt}): {shared['all_systems']:,} answered "
            f"by all systems, {shared['one_system']:,} by one."
        )
    human = tree.values.get(roles.human or "", {})
    known = sum(number for value, number in human.items() if value.strip())
    yield f"Answers by people: {known:,}." if roles.human else "No answers by people yet."
    best, plain = values["half_widths"].values()
    yield (
        f"{min(LABELS, len(population))} labels tell how often people pass to about "
        f"±{points(best)}; a plain sample to ±{points(plain)}."
    )


def _command(path: Path, arguments: Mapping[str, Any]) -> str:
    options = [("--id", arguments["id"]), *(("--content", name) for name in arguments["content"])]
    options += [("--prediction", f"{n}={c}") for n, c in arguments["predictions"].items()]
    options += [("--score", f"{n}={c}") for n, c in arguments["scores"].items()]
    options += [("--passing", f"{n}={v}") for n, some in arguments["passing"].items() for v in some]
    options += [("--groups", name) for name in arguments["groups"]]
    options += [("--prompt", arguments["prompt"])]
    judge = next(iter({**arguments["predictions"], **arguments["scores"]}))
    return start_command(str(path), [*options, ("--classifier", judge)], ["prevalence"], LABELS)


@click.command()
@file_options
@json_option
def check(**given: Any) -> None:
    """Read a file and list everything that is wrong with it. Without --content, columns are
    guessed, and the command that starts it is said; of a log of model calls and judges' verdicts
    what it supports and what labels would buy, too."""
    path, guesses = Path(given["file"]), list[str]()
    if whole := not given["content"] and not is_snapshot(given["file"]):
        say_large("Looking at", path)
        head, tree, roles = _looked_at(path, dialect(given["dialect"]) or {})
        if roles is not None and roles.judges:
            say(*audit(path, tree, roles))
            return
        given, guesses = filled(given, head)
    options = dict(given)
    population = population_of(given)
    positive = sought(population.classes, population.positive)
    if whole and not options["positive"] and positive != population.positive:
        options["positive"] = positive
        population = population_of({**options})
    called = dict.fromkeys(population.classifiers) | {
        name: population.called(name).get((population.positive,), 0)
        for name in population.predictions
    }
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
        *guesses,
        f"Classes: {', '.join(population.classes)} (positive: {population.positive}).",
        *(
            f"Classifier {name!r} calls {number:,} items {population.positive!r}."
            if number is not None
            else f"Classifier {name!r} has scores and no threshold."
            for name, number in called.items()
        ),
    ]
    if whole:
        values["command"] = command_of(options, population, LABELS)
        sentences.append(f"Start: {values['command']}")
    say(values, sentences)


@click.command()
@file_options
@click.option("--output", "-o", required=True, metavar="PATH", help="Ends in .snapshot.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@json_option
def snapshot(output: str, force: bool, **given: Any) -> None:
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
    say(values, [f"{count(len(population), 'item')} of {population.name}: {output}."])


@click.command()
@click.argument("traces", type=click.Path())
@click.argument("scores", type=click.Path())
@click.option("--output", "-o", required=True, metavar="PATH", help="Ends in .jsonl.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@json_option
def join(traces: str, scores: str, output: str, force: bool) -> None:
    """Put Langfuse's scores, a file of their own, beside the traces or observations that they are
    about: one file for *New project*, `check` and `import`."""
    check_suffix(output, (".jsonl",), "the file")
    joined = join_scores(Path(traces), Path(scores))
    lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in joined.rows)
    where = write(output, lines.encode(), force=force)
    values = {"path": where, "judges": joined.coverage}
    counts = {"rows": len(joined.rows), "scores": joined.given, "placed": joined.placed}
    if output != "-":
        head = f"{where}: {count(len(joined.rows), 'line')}."
        say({**values, **counts}, [head, *joined.sentences()])


@click.command()
@file_options
@plan_options
@json_option
def plan(**given: Any) -> None:
    """What a plan will cost and give, before the first label."""
    population, chosen = population_of(given), plan_of(given)
    ahead = preview(population, chosen)
    made = frozen(population, sized(population, chosen), ahead.planned)
    values = {**plain(ahead), "plan": made.to_dict()}
    sentences = [
        f"{population.name}: {count(len(population), 'item')}; design {chosen.design}, promise "
        f"{chosen.promise}.",
        f"About {count(ahead.expected_labels)}, at most {ahead.labels:,} "
        f"({ahead.derived['assumption']}).",
        *(f"Claim: {claim}." for claim in chosen.claims),
        *([half_words(ahead.derived["claims_half"])] if chosen.claims else []),
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
    say(values, sentences)


@click.command()
@file_options
@plan_options
@click.option("--truth", required=True, metavar="COLUMN", help="The column with the answers.")
@click.option("--runs", type=int, default=200, show_default=True)
@click.option("--simulation-seed", type=int, default=0, show_default=True)
@json_option
def simulate(truth: str, runs: int, simulation_seed: int, **given: Any) -> None:
    """Label a file with known answers many times: does the plan keep its promise?"""
    population, chosen = population_of(given), plan_of(given)
    done = run_simulation(population, chosen, truth=truth, runs=runs, seed=simulation_seed)
    summary = done.summary()
    keys, audit = set(map(str, summary.index)) - set(chosen.claims), population.has_judge
    table = summary.rename(index={key: spoken_key(key, audit) for key in keys})
    rows = summary.to_dict("index")
    values = {"plan": done.plan.to_dict(), "seed": simulation_seed, "summary": rows}
    say(values, [table.to_string(float_format="{:.4f}".format)])
