"""What helpers saved, in words."""

from labelcore.designs.base import Expected, Saved
from labelcore.words.quantities import term_of
from labelcore.words.sentences import count

SAVED = (
    "{helpers} helped to choose the items: {labels} say about {figure} what about {without:,} "
    "would have said without, so about {saved} were saved."
)
NOT_SAVED = (
    "{helpers} helped to choose the items, and saved no labels here: without, about {without:,} "
    "labels in place of {labels:,} would have said as much about {figure}."
)
ALL_FIGURES = "Labels without: {each}."
FORMULA = (
    "The variance of a figure is the sum over the strata of g² N² θ (1 − θ) (1 / n − 1 / N), with "
    "N items and n labels in the stratum, θ the rate of positives that the method fitted to the "
    "labels, and g how much the figure gains by one more positive. With helpers it is taken at the "
    "labels that there are. Without, at strata by scores and predictions alone, whose rates are "
    "the means of those of their items, and at the shares that the method would have aimed at "
    "there; the number of labels is the smallest with which that variance is no larger. Where a "
    "figure is asked of several classifiers, the widest of these counts. With several classes a "
    "positive is an item judged rightly. It is an estimate from these labels, without an interval."
)

EXPECTED = (
    "{helper!r} may save about {saved} of the labels: it agrees with {classifier!r} in {agrees} of "
    "the items."
)
EXPECTED_OF_SEVERAL = (
    "{helper!r} and {others:,} more may save about {saved} of the labels: {helper!r} agrees with "
    "{classifier!r} in {agrees}."
)
EXPECTED_OF_CONTENT = (
    "What the items say may save about {saved} of the labels: {without:,} → {labels:,}."
)
LEARNED = (
    "'content' is what a model says that learned the predictions from {columns}, each item by a "
    "model that had not seen it; it moves labels, and no interval assumes that it is right."
)
EXPECTED_FORMULA = (
    "As if the scores were right, and each helper erred independently of them. Then the share of "
    "items that a helper calls positive is a straight line in the rate of positives that the "
    "scores suggest, and the line says how often it is right; its verdict changes the rate θ of "
    "each item by Bayes' rule. The variance of a figure is the sum over the strata of "
    "g² N² θ (1 − θ) (1 / n − 1 / N), with N items and n labels in the stratum, and g how much the "
    "figure gains by one more positive: with helpers at these labels, without at as many as give "
    "no larger variance. What is learned from the content of items changes the odds by less, since "
    "the classifier has mostly read the same, and what noise would seem to save is taken off. "
    "Helpers that err where the classifier errs save less. They never change "
    'what an interval promises. With several classes read "positive" as "judged rightly", and '
    '"calls positive" as "names the class that the classifier names".'
)


def expected_words(expected: Expected) -> str:
    """One sentence, before the first label.

    >>> expected_words(Expected("lr", "judge", 0, 0.91, 0.42))
    "'judge' may save about 40 % of the labels: it agrees with 'lr' in 91 % of the items."
    >>> expected_words(Expected("lr", "content", 0, 0.91, 0.1, 300, learned=True))
    'What the items say may save about 10 % of the labels: 333 → 300.'
    """
    if expected.learned:
        return EXPECTED_OF_CONTENT.format(
            saved=f"{100 * expected.saved:.0f} %",
            without=round(expected.labels / (1 - expected.saved)),
            labels=expected.labels,
        )
    names = {
        "helper": expected.helper,
        "classifier": expected.classifier,
        "agrees": f"{100 * expected.agrees:.0f} %",
        "saved": f"{5 * round(20 * expected.saved)} %",
    }
    if not expected.others:
        return EXPECTED.format(**names)
    return EXPECTED_OF_SEVERAL.format(**names, others=expected.others)


def saved_words(saved: Saved) -> str:
    """One sentence, about the first figure.

    >>> saved_words(Saved(("judge",), 300, {"recall": 420}))[:58]
    "'judge' helped to choose the items: 300 labels say about r"
    """
    helpers = ", ".join(map(repr, saved.helpers))
    name, without = next(iter(saved.without.items()))
    more = without - saved.labels
    if more <= 0:
        return NOT_SAVED.format(
            helpers=helpers, without=without, labels=saved.labels, figure=term_of(name)
        )
    return SAVED.format(
        helpers=helpers,
        labels=count(saved.labels, "label"),
        figure=term_of(name),
        without=without,
        saved=count(more, "label"),
    )


def learned_words(saved: Saved) -> str:
    """What the helper from the content of the items is; "" where there is none.

    >>> learned_words(Saved(("content",), 300, {}, ("text",)))[:62]
    "'content' is what a model says that learned the predictions fr"
    """
    columns = ", ".join(map(repr, saved.learned))
    return LEARNED.format(columns=columns) if columns else ""


def each_words(saved: Saved) -> str:
    """The labels for each figure.

    >>> each_words(Saved(("judge",), 300, {"recall": 420, "f1": 1410}))
    'Labels without: recall 420, F1 1,410.'
    """
    each = ", ".join(f"{term_of(name)} {labels:,}" for name, labels in saved.without.items())
    return ALL_FIGURES.format(each=each)
