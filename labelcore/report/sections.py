"""The sections of the report that say what was asked, of which items, and how."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from labelcore.charts.readings import READINGS, reading_of
from labelcore.log.events import Event, answer_word
from labelcore.promises import Promise
from labelcore.report.along_ranks import AlongRanks
from labelcore.report.dates import moment_words
from labelcore.report.facts import Facts, value_text
from labelcore.report.figure_table import figure_label, table_numbers
from labelcore.report.judged import BETTER, PAIRS, SYSTEM, Judged
from labelcore.report.markup import (
    Child,
    Markup,
    element,
    facts_list,
    joined,
    lines,
    table,
    theirs,
    tied,
)
from labelcore.results.agreement import PeopleAgree
from labelcore.results.base import Finding
from labelcore.results.curves import Band, Cut
from labelcore.results.label_error import LabelError
from labelcore.results.types import Claim, Estimate
from labelcore.words.agreement import (
    COEFFICIENT_HEAD,
    PAIR_HEAD,
    PERSON_HEAD,
    coefficient_rows,
    pair_words,
    person_row,
)
from labelcore.words.differences import range_cells, told_words
from labelcore.words.found_so_far import own_name
from labelcore.words.label_error import figure_words, read_again_words, second_words
from labelcore.words.quantities import SETTLED, is_settled, label_of, model_word, names_another
from labelcore.words.sentences import (
    ASSUMED,
    FORMS_NOTE,
    TARGETS,
    confidence_words,
    count,
    due_words,
    goal_points,
    group_words,
    percent,
    score_words,
    valid_words,
)
from labelcore.words.stops import planned_words, stop_words
from labelcore.words.unsure import EITHER_WAY_TITLE, either_way_words

NOTHING_FOUND = "Tail share"
CALLS = "Items that it gives each class"
ESTIMATES, OTHERS = "Estimates", "Differences, and summaries of a list"
MOST_NAMED = 4
"""More quantities than so many are counted, not listed."""
QUESTION_KEYS = (
    ("question", "Question"),
    ("instructions", "Instructions"),
    ("positive_words", "What counts"),
    ("negative_words", "What does not"),
)
WORDING_NAMES = {
    "question": "Question",
    "instructions": "Instructions",
    "answer_words": "What each answer means",
    "highlight": "Highlighting",
    "title": "Title",
    "dots": "Dots tell what the classifier says",
}


def section(name: str, title: str, *children: Child) -> Markup:
    """A section with a heading that can be linked to."""
    return element("section", element("h2", title, id=name), *children, aria_labelledby=name)


def appendix(facts: Facts) -> Markup:
    """Where the answers end and the account of them begins."""
    project = f"Project {facts.project!r} as of {moment_words(facts.as_of)}, by Labelcore "
    what = "What was asked, of which items, by which plan; how it went, and how to recompute it."
    return section("appendix", "Appendix", element("p", f"{what} {project}{facts.version}."))


def question(facts: Facts) -> Markup:
    """What the person was asked, in the words they saw."""
    pairs = [(label, lines(facts.text(key))) for key, label in QUESTION_KEYS if facts.text(key)]
    classes = facts.population.classes
    one = f" (positive: {facts.population.positive})" if len(classes) == 2 else ""
    pairs.append(("Classes", theirs(f"{', '.join(classes)}{one}")))
    if facts.text("highlight"):
        pairs.append(("Highlighting was on", theirs(facts.text("highlight"))))
    return section("question", "Question", facts_list(pairs), _rewordings(facts))


def _rewordings(facts: Facts) -> Markup | None:
    """Each wording that was changed, old and new: it may have changed what a label means."""
    if not facts.rewordings:
        return None
    rows = [
        (
            moment_words(at),
            WORDING_NAMES.get(name, name),
            theirs(before or "–"),
            theirs(after or "–"),
        )
        for at, name, before, after in facts.rewordings
    ]
    said = (
        f"The wording was changed {count(facts.reworded, 'time')} after the start; labels from "
        "before were given under the old words."
    )
    return joined(
        element("p", said) if facts.reworded else None,
        table("Changed wording", ("When", "What", "Before", "After"), rows),
    )


def population(facts: Facts) -> Markup:
    """The items, and what makes them these and no others."""
    file = facts.population
    arguments, trained = file.arguments, theirs(training_words(facts.settings))
    items = facts_list(
        [
            ("File", theirs(file.name)),
            ("Items", f"{len(file):,}"),
            ("Ids", theirs(id_words(arguments.get("id")))),
            ("Shown to the person", theirs(", ".join(file.content_columns))),
            ("Used for training", trained if file.classifiers else ""),
            *([("Labels from before", facts.existing_words)] if facts.existing_words else []),
            ("Fingerprint", element("code", file.fingerprint)),
        ]
    )
    if not file.classifiers:
        return section("population", "Items", items)
    model = model_word(file.has_judge).capitalize()
    if len(file.classes) > 2:
        given = [(theirs(name), theirs(calls(facts, name))) for name in file.classifiers]
        return section("population", "Items", items, table(f"{model}s", (model, CALLS), given))
    rows = [
        (
            theirs(name),
            theirs(decides(facts, name)),
            f"{number:,}" if (number := called(facts, name)) is not None else "–",
        )
        for name in file.classifiers
    ]
    head = (model, f"Calls an item {file.positive!r} when", "Items called so")
    return section("population", "Items", items, table(f"{model}s", head, rows))


def training_words(settings: Mapping[str, Any]) -> str:
    """The answer to "were these items used for training?"."""
    given = settings.get("used_for_training")
    if isinstance(given, bool):
        return "yes" if given else "no"
    return value_text(given) or "not stated"


def decides(facts: Facts, name: str) -> str:
    """When a classifier calls an item positive."""
    file = facts.population
    if name in file.thresholds:
        sign = "at most" if name in file.descending else "at least"
        return f"its score is {sign} {file.thresholds[name]:g}"
    if name in file.predictions:
        return "the file's prediction says so"
    return "no threshold: it only ranks the items"


def calls(facts: Facts, name: str) -> str:
    """How many items a classifier gives each class; a dash where it predicts nothing."""
    if name not in facts.population.predictions:
        return "–"
    items = facts.population.called(name)
    return ", ".join(f"{called} {items.get((called,), 0):,}" for called in facts.population.classes)


def called(facts: Facts, name: str) -> int | None:
    """How many items a classifier calls positive; None where it predicts nothing."""
    if name not in facts.population.predictions:
        return None
    return facts.population.called(name).get((facts.population.positive,), 0)


def plan(facts: Facts) -> Markup:
    """What was decided before the first label."""
    frozen, first = facts.plan, facts.primary
    chosen = frozen.design_params.in_words()
    claims = [element("li", theirs(text)) for text in frozen.claims or ()]
    nothing = facts.without_confidence
    asked = ", ".join(label_of(name, facts.population.has_judge) for name in frozen.estimands)
    primary = "; the first is the primary one" if len(frozen.estimands) > 1 else ""
    pairs: list[tuple[str, Child]] = [
        ("Quantities", asked + primary),
        ("Classes that matter", ", ".join(frozen.classes or ())),
        ("Method", f"{frozen.method.label} ({frozen.design}): {frozen.method.summary}"),
        ("Parameters", _parameters(chosen)),
        ("About", TARGETS[frozen.target]),
        ("Confidence", "" if nothing else confidence_words(facts.confidence) + _of_each(facts)),
        ("Promise", ASSUMED if nothing else valid_words(first.promise, first.scope)),
        ("Planned size", planned_words(frozen)),
        ("Budget", "" if frozen.budget is None else count(frozen.budget)),
        ("Goal", "" if frozen.margin is None else f"plus or minus {goal_points(frozen.margin)}"),
        ("Claims", element("ul", *claims) if claims else None),
        ("Stops by itself", stop_words(frozen.stop or (), frozen.margin) or "no"),
        ("Judged more than once", read_again_words(frozen)),
        ("Seed", str(frozen.seed)),
        ("Frozen", moment_words(facts.record.created_at)),
        ("Notes", " ".join(facts.notes)),
    ]
    intro = element("p", "Decided before the first label, and not changed since.")
    return section("plan", "Plan", intro, facts_list(pairs))


def id_words(columns: str | list[str] | None) -> str:
    """
    >>> id_words("id"), id_words(["left", "right"]), id_words(None)
    ('id', 'left, right', 'row numbers: the rows must not have moved')
    """
    if columns is None:
        return "row numbers: the rows must not have moved"
    return columns if isinstance(columns, str) else ", ".join(columns)


def _of_each(facts: Facts) -> str:
    """Whether the confidence is that of each number or of all together; "" for one alone."""
    if len(facts.numbers) < 2:
        return ""
    if facts.plan.together:
        return f" for all {len(facts.numbers)} numbers together"
    return " for each number on its own"


def _parameters(chosen: Mapping[str, str | None]) -> str:
    return ", ".join(
        f"{name} = {'chosen by the method' if value is None else value}"
        for name, value in chosen.items()
    )


def judged(found: Judged) -> Markup:
    """Pass rates of the systems as people judge, pairs of them, and the judge."""
    parts = [element("p", tied(text)) for text in found.sentences()]
    for caption, frame in found.tables().items():
        names = [place for place, head in enumerate(frame) if head in (SYSTEM, BETTER)]
        rows: list[list[Child]] = [
            [theirs(cell) if place in names else tied(cell) for place, cell in enumerate(row)]
            for row in frame.to_numpy().tolist()
        ]
        heads = [theirs(str(head)) if caption == PAIRS else str(head) for head in frame]
        note = element("p", found.legend(), class_="note") if caption == PAIRS else None
        parts.append(joined(table(caption, heads, rows), note))
    return element("div", *parts)


def estimates(facts: Facts) -> Markup:
    """Every number with its interval, promise, method, assumptions and source."""
    results = [result for result in facts.results.values() if not isinstance(result, Claim)]
    scalars = facts.numbers
    stated = assumptions(facts)
    numbers = {text: str(number) for number, text in enumerate(stated, start=1)}
    ways: dict[tuple[str, ...], list[Finding]] = {}
    for result in results:
        listed = ", ".join(numbers[text] for text in result.assumptions)
        way = result.method, result.form or "–", result.source, listed
        ways.setdefault(way, []).append(result)
    rows: list[list[Child]] = [
        [_names(those, results), way[0], way[1], tail_cell(those), *way[2:]]
        for way, those in ways.items()
    ]
    head = ("Quantity", "Method", "Form", NOTHING_FOUND, "Source", "Assumptions")
    return section(
        "estimates",
        "Answers",
        quote(facts),
        *map(table_numbers, facts.tables),
        estimate_table(OTHERS if facts.tables else ESTIMATES, facts.apart) if facts.apart else None,
        _in_sentences([one for one in results if not names_another(one.estimand)], bool(scalars)),
        _either_way(scalars),
        table("How the intervals were made", head, rows),
        element("p", FORMS_NOTE, class_="note"),
        element("h3", "Assumptions"),
        element("ol", *(element("li", sentence(text)) for text in stated)),
    )


def quote(facts: Facts) -> Markup:
    """The sentence to quote: the primary result, how sure it is, from whose labels."""
    return element("p", tied(facts.sentence), class_="quote")


def _either_way(scalars: list[Estimate]) -> Markup | None:
    """What the figures are whatever the items called unsure are, folded; None without any."""
    texts = [
        either_way_words(scalar, name_of(scalar))
        for scalar in scalars
        if scalar.either_way is not None
    ]
    if not texts:
        return None
    listed = element("ul", *(element("li", theirs(text)) for text in texts))
    return element("details", element("summary", EITHER_WAY_TITLE), listed)


def _in_sentences(results: list[Finding], folded: bool) -> Markup:
    """Every result in a sentence of its own, folded where a table says the same."""
    # The warning of parts in which nothing was found stands once, under what could be wrong.
    bare = (
        replace(result, tail_share=None) if isinstance(result, Estimate) else result
        for result in results
    )
    listed = element("ul", *(element("li", tied(result.sentence())) for result in bare))
    if not folded:
        return listed
    return element("details", element("summary", "The same in sentences, to quote"), listed)


def _names(those: Sequence[Finding], results: Sequence[Finding]) -> Markup:
    """Whose intervals were made in the same way; many that are all of them are only counted."""
    if len(those) == len(results) > MOST_NAMED:
        return element("span", f"all {len(those)}")
    return theirs(", ".join(map(name_of, those)))


def tail_cell(those: Sequence[Finding]) -> str:
    """The share of the uncertainty owed to parts of the file in which nothing was found."""
    shares = [
        result.tail_share if isinstance(result, Estimate) and result.has_interval else None
        for result in those
    ]
    known = [share for share in shares if share is not None]
    if not known:
        return "–"
    if len(those) > MOST_NAMED:
        low, high = percent(min(known), 0), percent(max(known), 0)
        return low if low == high else f"{low} to {high}"
    return ", ".join("–" if share is None else percent(share, 0) for share in shares)


def assumptions(facts: Facts) -> list[str]:
    """Each assumption of any result once, in order."""
    return list(
        dict.fromkeys(text for result in facts.results.values() for text in result.assumptions)
    )


def sentence(text: str) -> str:
    """
    >>> sentence("items were drawn at random")
    'Items were drawn at random.'
    """
    return text[:1].upper() + text[1:].rstrip(".") + "."


def estimate_table(caption: str, estimates: Sequence[Estimate]) -> Markup:
    """Value, interval and promise of each estimate."""
    frame = estimate_frame(estimates)
    rows = [[theirs(name), *texts] for name, *texts in frame.to_numpy().tolist()]
    return table(caption, map(str, frame), rows)


def estimate_frame(estimates: Sequence[Estimate]) -> pd.DataFrame:
    """The same as text, with a row for each."""
    columns = ("Quantity", "Value", "Low", "High", "Confidence", "Promise", "Labels")
    rows = [
        (
            name_of(estimate),
            told_words(estimate) or "–",
            *(
                range_cells(estimate.estimand, estimate.low, estimate.high)
                if estimate.shows_interval and not estimate.says_little
                else ("–", "–")
            ),
            "–"
            if estimate.promise == Promise.NONE or estimate.confidence is None
            else confidence_words(estimate.confidence),
            valid_words(estimate.promise, estimate.scope),
            f"{estimate.labels_used:,}",
        )
        for estimate in estimates
    ]
    return pd.DataFrame(rows, columns=list(columns))


def name_of(result: Finding) -> str:
    """A result's name as a person reads it: "Precision (lr)"."""
    if isinstance(result, Estimate) and own_name(result):
        return own_name(result)
    name = figure_label(result.estimand, result.scope.audit)
    name += f", {SETTLED}" if is_settled(result.estimand) else ""
    classifier, versus = result.scope.classifier, result.scope.versus
    if versus:
        return f"{name} ({classifier} minus {versus})"
    whose = ", ".join(filter(None, (classifier, group_words(result.scope))))
    return f"{name} ({whose})" if whose else name


def second_stage(facts: Facts) -> Markup | None:
    """What the labels after a fixed promise's planned size say, apart from the result."""
    if not facts.second_stage:
        return None
    due = next(due_words(estimate.scope) for estimate in facts.second_stage.values())
    return section(
        "second-stage",
        "Second stage",
        element(
            "p",
            f"The promise was for {due}, and the result above rests on the labels up to that "
            f"point. The figures from all labels together, including those that came later, are "
            f"reported apart and carry no promise.",
        ),
        estimate_table("All labels together, without a promise", list(facts.second_stage.values())),
    )


LISTED = 40
RESTS = (
    "Each interval has {confidence} confidence, for one look when labelling was over. They assume "
    "that two answers to an item are independent and that each is right more often than wrong. A "
    "second answer of not sure or broken counts as a different one. Mistakes made both times stay "
    "unseen. Alike everywhere: Rogan and Gladen (1978). Wherever they are: the share of wrong "
    "labels is at most the share of items answered differently, among the items called positive "
    "and among the others on their own; the figure is moved as far as that many wrong labels can "
    "move it."
)


def second_readings(facts: Facts) -> Markup:
    """The rate of other answers, agreement, the figures for the truth, the items concerned."""
    error = facts.label_error
    parts = [element("p", tied(error.sentence()))]
    if facts.agreement is None:
        parts += [element("p", tied(agreement.sentence())) for agreement in error.agreements]
    else:
        parts += _agreement(facts.agreement)
    if error.figures:
        head = ("Figure", "If mistakes are alike everywhere", "Wherever the mistakes are")
        words = [figure_words(figure) for figure in error.figures]
        columns = 3 if any(anywhere for _, anywhere in words) else 2
        rows: list[list[Child]] = [
            [*[name_of(figure.observed), *texts][:columns]]
            for figure, texts in zip(error.figures, words, strict=True)
        ]
        parts.append(table("Figures for the truth", head[:columns], rows))
        parts.append(element("p", RESTS.format(confidence=confidence_words(error.confidence))))
    return section(
        "trust",
        "How far the labels can be trusted",
        *parts,
        _listed(error, facts.settings.get("names", {})),
    )


def _agreement(people: PeopleAgree) -> list[Markup]:
    """How far people agree, and what each of them did."""
    parts = [element("p", tied(people.sentence()))]
    if people.items:
        parts.append(table("Agreement beyond chance", COEFFICIENT_HEAD, coefficient_rows(people)))
    if len(people.pairs) > 1:
        pairs: list[list[Child]] = [
            [theirs(f"{pair.first}, {pair.second}"), *map(theirs, pair_words(pair))]
            for pair in people.pairs
        ]
        parts.append(table("Two people each", PAIR_HEAD, pairs))
    rows: list[list[Child]] = [
        [*map(theirs, (person.name, *person_row(person)))] for person in people.people
    ]
    return [*parts, table("Each person", PERSON_HEAD, rows)]


def _called(first: Event, second: Event, names: Mapping[str, str]) -> list[str]:
    return [names.get(event.annotator, event.annotator) for event in (first, second)]


def _listed(error: LabelError, names: Mapping[str, str]) -> Markup | None:
    if not error.differing:
        return None
    rows: list[list[Child]] = [
        [
            theirs(str(pair.first.item_id)),
            theirs(answer_word(pair.first)),
            theirs(answer_word(pair.second)),
            theirs(", then ".join(dict.fromkeys(_called(pair.first, pair.second, names)))),
        ]
        for pair in error.differing[:LISTED]
    ]
    left = len(error.differing) - len(rows)
    return joined(
        table(f"A different answer {second_words(error)}", ("Item", "First", "Second", "By"), rows),
        element("p", f"{count(left, 'item')} left out here; report.json has each.") if left else "",
    )


FOR_SURE = "as far as the bounds promise"
NO_CUT = "no head of the list, " + FOR_SURE


def along_the_ranks(facts: Facts) -> Markup | None:
    """What the first items of the list are worth; None where the plan asks for no curve."""
    along = facts.along
    if along is None or not along.landmarks:
        return None
    return section(
        "ranks",
        "Along the ranks",
        element("p", tied(along.bands[0].sentence())),
        _readings(along.landmarks),
        element("h3", "Where a required precision ends"),
        *_cuts(along),
        _packages(along),
    )


def _readings(landmarks: Sequence[Cut]) -> Markup:
    names = list(landmarks[0].readings)
    rows: list[list[Child]] = [
        [f"{mark.rank:,}", score_words(mark.score), *(_bounds(mark.readings[n]) for n in names)]
        for mark in landmarks
    ]
    head = ["First items", "Score there", *(READINGS[name].label for name in names)]
    return table("What the first items are worth", head, rows)


def _bounds(band: Band) -> str:
    """The bounds of one point; a value only where confidence goes with it and it may be told."""
    reading = reading_of(band)
    value, low, high = (float(numbers[0]) for numbers in (band.told, band.low, band.high))
    if not band.has_interval or low != low:
        return "–"
    span = reading.range(low, high)
    if high - low < 1e-12 or band.confidence is None or value != value:
        return tied(span)
    return tied(f"{reading.number(value)} ({span})")


def _cuts(along: AlongRanks) -> list[Markup]:
    if along.refused:
        return [element("p", sentence(along.refused))]
    cuts = [
        element(
            "li",
            tied(f"At least {100 * precision:g} %: "),
            tied(cut.sentence() if cut is not None else f"{NO_CUT}."),
        )
        for precision, cut in along.deepest
    ]
    return [element("ul", *cuts)]


def _packages(along: AlongRanks) -> Markup | None:
    if along.packages is None or along.packages.empty:
        return None
    rows = [
        [
            tied(f"{100 * package['precision']:g} %"),
            f"{int(package['first']):,} to {int(package['last']):,}",
            f"{int(package['items']):,}",
            score_words(package["score"]),
            tied(READINGS["precision"].range(package["own_low"], package["own_high"])),
        ]
        for package in along.packages.to_dict("records")
        if package["items"] > 0
    ]
    if not rows:
        return None
    head = ("Keeps at least", "Ranks", "Items", "Down to score", "Positive in the package")
    return table("The list in packages", head, rows)
