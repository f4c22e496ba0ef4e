"""The labels of a classifier that are a random sample of something, by what they are one of."""

from typing import Any

from labelcore.designs.base import IntArray
from labelcore.designs.samples import Samples, SharesDraws
from labelcore.log.engine import Engine
from labelcore.tallies import Question, Tally, tally_of


def samples_of(engine: Engine, classifier: str | None) -> Samples | None:
    """Which labels are a random sample of what, for what is told of ``classifier``; None: the
    labels of each stratum are one of it."""
    design = engine.design
    if not isinstance(design, SharesDraws):
        return None
    return engine.of_frame(
        ("samples", classifier), lambda: design.samples(engine.frame, classifier)
    )


def drawn_evenly(engine: Engine) -> bool:
    """Whether the labels are a plain random sample of the whole file: it is one stratum, of which
    no item is left out, and labels from before were drawn at random, too. Every method draws at
    random from each stratum."""
    whole = engine.frame.sizes.tolist() == [len(engine.population)]
    asked = bool(engine.frame.asked.all())
    return whole and asked and all(samples_of(engine, name) is None for name in engine.classifiers)


def sampled_tally(engine: Engine, classifier: str | None) -> Tally:
    """The labels that are random samples, by part and prediction of ``classifier``.

    What a table or a picture tells of the file comes from here: in each of its cells the labels
    are, given their number, a random sample of the items.
    """
    samples = samples_of(engine, classifier)
    if samples is None:
        return engine.tallies[classifier]
    part: Any = samples.part
    tally = engine.of_frame(
        ("sampled cells", classifier), lambda: tally_of(engine.population, part, classifier)
    ).emptied()
    positions = sampled_labels(engine, classifier)
    tally.add_all(positions, engine.codes[positions])
    return tally


def counted_tally(engine: Engine, question: Question) -> Tally:
    """``sampled_tally`` of the items that a question is about; of a difference, whose labels are a
    sample of each stratum, by what both classifiers say."""
    if question.group is not None or question.versus is not None:
        return engine.tallies[question.subject]
    return sampled_tally(engine, question.classifier)


def sampled_labels(engine: Engine, classifier: str | None) -> IntArray:
    """The labelled items that ``sampled_tally`` counts, (n_counted,)."""
    samples, labelled = samples_of(engine, classifier), engine.codes.labelled
    return labelled if samples is None else labelled[samples.counting(labelled)]
