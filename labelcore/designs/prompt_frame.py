"""Prompts that several systems answered, drawn whole: all their outputs on a prompt are labelled.

The groups of the plan are the systems. A stratum of prompts holds those that the same systems
answered and whose outputs the judge judged alike, in pieces along the mean of its scores; the
outputs of each system in it are a stratum of the frame. Prompts come in one random order, so that
the labelled outputs of a stratum of prompts are those of the same prompts for each system: what
makes a prompt hard for all of them cancels in their difference
(``labelcore.figures.prompts``).

Each stratum of prompts gets as many as its systems would get in it by the rule of the plan, in the
mean. Measured in docs/judge.md.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray, Progress, Setup, extended, make_frame
from labelcore.designs.group_frame import LABELS_A_STRATUM, MOST
from labelcore.designs.helpers import HelpedFrame, evidence_of, helped
from labelcore.designs.neyman_batches import SMALLEST_BATCH, Shares
from labelcore.designs.rates import stratum_rates
from labelcore.designs.two_ended import first_labels
from labelcore.stats.agreement_patterns import agreement_patterns
from labelcore.stats.allocation import pieces_by_size, top_up
from labelcore.stats.orders import by_group, mid_rank_share
from labelcore.stats.profile import FloatArray
from labelcore.stats.strata import equal_size_edges

SAME, EACH = "same", "each"
FEWEST, BELIEVED = 2, 0.5


def outputs_of_prompts(setup: Setup) -> IntArray | None:
    """The item of each prompt and system, (n_prompts, n_systems), -1 where there is none.

    None where prompts cannot be drawn whole: no two systems answered the same one, one answered a
    prompt twice, or several systems are taken together.
    """
    groups, prompt = setup.groups, setup.population.prompt
    judge = setup.classifier in setup.population.predictions
    if groups is None or prompt is None or groups.joined or not judge:
        return None
    if len(setup.population.classes) > 2 or setup.claims or len(setup.classifiers) > 1:
        return None
    of_item = prompt.codes.astype(np.int64)
    alone = of_item < 0
    of_item[alone] = len(prompt.texts) + np.arange(int(alone.sum()))
    outputs = np.full((int(of_item.max()) + 1, len(groups.names)), -1, dtype=np.int64)
    outputs[of_item, groups.codes] = np.arange(len(of_item))
    answered = outputs >= 0
    twice = int(answered.sum()) < len(of_item)
    return None if twice or not (answered.sum(axis=1) > 1).any() else outputs


def prompt_frame(setup: Setup) -> HelpedFrame:
    """The strata and the order of draws of a plan whose prompts are drawn whole."""
    outputs = outputs_of_prompts(setup)
    assert outputs is not None and setup.groups is not None
    population, name = setup.population, str(setup.classifier)
    called = population.predictions[name] == population.classes.index(population.positive)
    score, others = population.ordering_score(name), evidence_of(setup)
    likely = mid_rank_share(called.astype(float) if score is None else score).astype(float)
    if others is not None:
        likely = likely + mid_rank_share(others.order)
    stratum = np.zeros(len(population), dtype=np.int64)
    group: list[int] = []
    block: list[int] = []
    most = int(np.clip(setup.planned // (LABELS_A_STRATUM * outputs.shape[1]), FEWEST, MOST))
    by_way = _by_way(outputs, most)
    pieces = pieces_by_size(np.array([len(items) for _, items in by_way]), most)
    for (systems, items), number in zip(by_way, pieces, strict=True):
        for members in _blocks(items, called, likely, number):
            first = len(group)
            stratum[members] = first + np.arange(len(systems))
            group += systems.tolist()
            block += [(block[-1] + 1) if block else 0] * len(systems)
    strata = len(group)
    rates, notes = stratum_rates(population, name, stratum, strata)
    predicted = 2 * np.bincount(stratum, called, strata) >= np.bincount(stratum, minlength=strata)
    base = make_frame(setup, stratum, rates, predicted, notes)
    base = replace(base, queue=by_group(_prompt_order(setup, outputs), base.stratum, strata))
    helped_frame = helped(setup, base, others)
    return extended(base, HelpedFrame, block=np.array(block), helpers=helped_frame.helpers,
                     evidence=helped_frame.evidence, group=np.array(group))  # fmt: skip


def _by_way(outputs: IntArray, most: int) -> list[tuple[IntArray, IntArray]]:
    """The systems that answered a prompt, and the outputs of all prompts that just these answered,
    (n_prompts, n_systems). Beyond the ``most`` frequent ways each output is a prompt of its own."""
    ways, of_prompt, sizes = np.unique(
        outputs >= 0, axis=0, return_inverse=True, return_counts=True
    )
    kept = np.argsort(-sizes, kind="stable")[:most]
    rare = outputs[~np.isin(of_prompt.reshape(-1), kept)]
    by_way = [(np.flatnonzero(ways[way]), outputs[of_prompt.reshape(-1) == way][:, ways[way]])
              for way in kept.tolist()]  # fmt: skip
    for system in range(outputs.shape[1]):
        mine = rare[rare[:, system] >= 0, system]
        by_way += [(np.array([system]), mine[:, None])] if len(mine) else []
    return by_way


def _blocks(items: IntArray, called: Any, likely: FloatArray, number: int) -> list[IntArray]:
    """The outputs of the prompts of each stratum of prompts, (n_prompts, n_systems) each."""
    ways, of_prompt = np.unique(called[items], axis=0, return_inverse=True)
    of_prompt = of_prompt.reshape(-1)
    alike = agreement_patterns(ways.T, np.bincount(of_prompt), max(number - 1, 1))
    pattern, order = alike.of_way[of_prompt], np.argsort(-likely[items].mean(axis=1), kind="stable")
    parts = []
    for code, pieces in enumerate(pieces_by_size(alike.sizes, number)):
        mine = order[pattern[order] == code]
        ends = equal_size_edges(len(mine), pieces)
        parts += [part for part in np.split(items[mine], ends[:-1]) if len(part)]
    return parts


def _prompt_order(setup: Setup, outputs: IntArray) -> IntArray:
    """All items by the place of the first output of their prompt in the random order of the file,
    (n_items,)."""
    order = setup.file_order("draw")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    first = np.where(outputs >= 0, place[outputs], len(order)).min(axis=1)
    of_item = np.empty(len(order), dtype=np.int64)
    prompt, system = np.nonzero(outputs >= 0)
    of_item[outputs[prompt, system]] = first[prompt]
    return np.asarray(order[np.argsort(of_item[order], kind="stable")])


def prompt_counts(setup: Setup, frame: HelpedFrame, progress: Progress, shares: Shares) -> IntArray:
    """How many outputs of each stratum come next, (n_strata,): those of whole prompts, but for the
    last labels where they do not make one."""
    assert frame.block is not None
    block, left = frame.block, progress.limit - int(progress.drawn.sum())
    systems = np.bincount(block)
    start = np.concatenate([[0], np.cumsum(systems)[:-1]])
    sizes, drawn = frame.sizes[start], np.maximum.reduceat(progress.drawn, start)
    if not drawn.any():
        more = np.minimum(sizes, first_labels(setup.planned, frame.n_strata))
    else:
        labels = int(progress.drawn.sum())
        batch = min(setup.params.n_step or max(SMALLEST_BATCH, labels // 10), left)
        wanted = np.bincount(block, shares(frame.sizes, labels, batch)) / systems
        prompts = max(round(batch / float(systems.mean())), 1)
        more = top_up(setup.portable_shares(wanted / wanted.sum()), drawn, prompts, sizes)
    counts = np.minimum((drawn + more)[block], frame.sizes) - progress.drawn
    return np.asarray(np.diff(np.minimum(np.cumsum(counts), left), prepend=0))


def prompts_together(population: Any, items: IntArray) -> IntArray:
    """The items of a batch with the outputs of a prompt one after another, in the order in which
    the first of each comes."""
    prompt = population.prompt.codes[items].astype(np.int64)
    prompt = np.where(prompt < 0, -1 - items, prompt)
    _, first, of_item = np.unique(prompt, return_index=True, return_inverse=True)
    return np.asarray(items[np.argsort(first[of_item.reshape(-1)], kind="stable")])


def alike_by_prompt(setup: Setup, outputs: IntArray) -> float:
    """How alike the judge finds the outputs on a prompt, beyond what systems have in common: the
    mean correlation of two systems over the prompts that both answered, 0 to 1."""
    population, name = setup.population, str(setup.classifier)
    score = population.ordering_score(name)
    opinion = population.predictions[name].astype(float) if score is None else mid_rank_share(score)
    correlations = []
    for a in range(outputs.shape[1]):
        for b in range(a):
            both = outputs[(outputs[:, a] >= 0) & (outputs[:, b] >= 0)][:, [a, b]]
            if len(both) > FEWEST and opinion[both].std(axis=0).all():
                correlations.append(float(np.corrcoef(opinion[both].T)[0, 1]))
    return max(float(np.mean(correlations)), 0.0) if correlations else 0.0


def cheaper(
    setup: Setup, outputs: IntArray, frames: tuple[Any, Any], counts: list[IntArray]
) -> str:
    """``SAME`` where the differences of systems are expected to be surer from whole prompts than
    from each system drawn by itself, else ``EACH``.

    Before the first label there is only the judge to go by, and it is believed half: strata lie
    half as far apart as its scores say, and the outputs on a prompt are right together half as
    often, beyond that, as it finds them alike. A guess; docs/judge.md says how it fared.

    frames, counts   of both, and the labels that their strata are expected to get
    """
    assert setup.groups is not None
    variances = []
    for frame, number in zip(frames, counts, strict=True):
        labels = np.maximum(number, FEWEST)
        group, size = frame.group, setup.groups.sizes
        mean = np.bincount(group, frame.sizes * frame.rates, len(size)) / size
        rate = mean[group] + BELIEVED * (frame.rates - mean[group])
        spread = frame.sizes**2 * rate * (1 - rate)
        spread = spread * np.maximum(1 / labels - 1 / np.maximum(frame.sizes, 1), 0)
        variances.append(float((np.bincount(group, spread, len(size)) / size**2).sum()))
    kept = 1 - BELIEVED * alike_by_prompt(setup, outputs)
    return SAME if variances[0] * kept <= variances[1] else EACH
