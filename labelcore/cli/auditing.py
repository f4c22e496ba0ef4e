"""What a log of model calls supports, in ten lines: systems, judges, agreement, what labels buy."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from labelcore.plan.plan import Plan
from labelcore.planning.forecast import preview
from labelcore.population import Population, read_population
from labelcore.population.head import Head, head_of, tree_in
from labelcore.population.roles import Roles, passing, roles_of
from labelcore.population.tables import recognised_as_table
from labelcore.population.tree import Tree
from labelcore.words.sentences import count, points

LABELS = 200
WHAT = (
    "{file}: {rows}, {columns}; no verdicts of a judge on answers: name --content yourself, or put "
    "Langfuse's scores beside its traces by `labelcore join`."
)


def audit(file: str) -> tuple[dict[str, Any], list[str]]:
    """The values, and the same as sentences, the last one with the command that starts it."""
    path = Path(file)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    head, tree, roles = _looked_at(path)
    if roles is None or not roles.judges:
        rows, columns = count(head.rows, "row"), count(len(head.columns), "column")
        raise ValueError(WHAT.format(file=path.name, rows=rows, columns=columns))
    arguments = _arguments(roles, tree)
    population = read_population(path, **arguments)
    agreed, shared = _agreements(population), _shared(population, roles)
    buys = _buys(population)
    command = _command(file, arguments)
    values = {
        "rows": len(population), "roles": asdict(roles), "verdicts": tree.values,
        "pass_rates": _rates(population, roles), "agreement": agreed, "prompts": shared,
        "half_widths": buys, "command": command,
    }  # fmt: skip
    return values, [*_lines(path, population, roles, tree, values), f"Start: {command}"]


def _looked_at(path: Path) -> tuple[Head, Tree, Roles | None]:
    with tempfile.TemporaryDirectory() as folder:
        found = recognised_as_table(path.name, path.read_bytes())
        if found is not None:
            path = Path(folder) / f"{path.name}{found[0]}"
            path.write_bytes(found[1])
        head = head_of([path], {})
        roles = roles_of({name: [row[name] for row in head.sample] for name in head.columns})
        wanted = [one.verdict for one in roles.judges if one.verdict] if roles else []
        human = [roles.human] if roles and roles.human else []
        return head, tree_in(path, {}, [*wanted, *human]), roles


def _arguments(roles: Roles, tree: Tree) -> dict[str, Any]:
    """Those of ``read_population``."""
    judges = {one.name: one for one in roles.judges}
    verdicts = {name: one.verdict for name, one in judges.items() if one.verdict}
    scores = {n: one.score for n, one in judges.items() if one.score and not one.verdict}
    told = passing({name: list(tree.values[column]) for name, column in verdicts.items()})
    return {
        "id": roles.key, "content": list(roles.content), "predictions": verdicts, "scores": scores,
        "passing": told, "groups": [roles.system] if roles.system else [], "prompt": roles.prompt,
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


def _agreements(population: Population) -> dict[str, dict[str, float]]:
    """Of each two judges; a scale passes what lies above its middle."""
    from sklearn.metrics import cohen_kappa_score

    index = population.classes.index(population.positive)
    calls = {name: codes == index for name, codes in population.predictions.items()}
    for name, score in population.scores.items():
        middle = float(score.min() + score.max()) / 2
        calls[f"{name} over {middle:g}"] = score > middle
    return {
        f"{a} and {b}": {
            "share": float(np.mean(calls[a] == calls[b])),
            "kappa": float(cohen_kappa_score(calls[a], calls[b])),
        }
        for a, b in combinations(calls, 2)
    }


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
    path: Path, population: Population, roles: Roles, tree: Tree, found: Mapping[str, Any]
) -> Iterator[str]:
    yield f"{path.name}: {count(len(population), 'answer')}; judged: {' and '.join(roles.content)}."
    if roles.system:
        names = population.groups[roles.system].names
        yield f"{count(len(names), 'system')} ({roles.system}): {', '.join(names)}."
    for judge, rates in found["pass_rates"].items():
        told = ", ".join(f"{name} {100 * rate:.0f} %" for name, rate in rates.items())
        column = population.arguments["predictions"][judge]
        said = ", ".join(f"{v.strip() or 'empty'} {n:,}" for v, n in tree.values[column].items())
        yield f"Judge {judge}: {said}." + (f" Passes {told}." if told else "")
    for judge in population.arguments["scores"]:
        low, high = population.scores[judge].min(), population.scores[judge].max()
        yield f"Judge {judge}: {low:g} to {high:g}; --threshold {judge}=NUMBER says what passes."
    twice = [one for one in tree.branches if one.twice]
    yield from (
        f"{one.path}: twice in {count(one.twice, 'answer')}; the first counts." for one in twice
    )
    for pair, one in found["agreement"].items():
        yield f"{pair} agree on {100 * one['share']:.0f} %, kappa {one['kappa']:.2f}."
    if (shared := found["prompts"]) is None:
        yield "No prompt ids: systems can be compared on different prompts alone."
    else:
        yield (
            f"{shared['prompts']:,} prompts ({roles.prompt}): {shared['all_systems']:,} answered "
            f"by all systems, {shared['one_system']:,} by one."
        )
    human = tree.values.get(roles.human or "", {})
    known = sum(number for value, number in human.items() if value.strip())
    yield f"Answers by people: {known:,}." if roles.human else "No answers by people yet."
    best, plain = found["half_widths"].values()
    yield (
        f"{min(LABELS, len(population))} labels tell how often people pass to about "
        f"±{points(best)}; a plain sample to ±{points(plain)}."
    )


def _command(file: str, arguments: Mapping[str, Any]) -> str:
    options = [("--id", arguments["id"]), *(("--content", one) for one in arguments["content"])]
    options += [("--prediction", f"{n}={c}") for n, c in arguments["predictions"].items()]
    options += [("--score", f"{n}={c}") for n, c in arguments["scores"].items()]
    options += [("--passing", f"{n}={v}") for n, some in arguments["passing"].items() for v in some]
    options += [("--groups", one) for one in arguments["groups"]]
    options += [("--prompt", arguments["prompt"])]
    judge = next(iter({**arguments["predictions"], **arguments["scores"]}))
    options += [("--classifier", judge), ("--estimand", "prevalence"), ("--budget", str(LABELS))]
    said = (f"{name} {shlex.quote(value)}" for name, value in options if value)
    return f"labelcore import {shlex.quote(file)} {' '.join(said)} --store sqlite:///labels.db"
