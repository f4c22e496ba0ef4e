"""The sections that give an account of the labelling: every look, every doubt, why it ended."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from labelcore.figures.with_classifier import SHARES
from labelcore.log.events import Event
from labelcore.log.people import browsers
from labelcore.population.revealing import HIDDEN
from labelcore.promises import CandidateState, Promise, State, Status
from labelcore.report.claims import claims_text
from labelcore.report.dates import moment_words, people_words, span_words
from labelcore.report.facts import Facts, Told
from labelcore.report.markup import Child, Markup, element, facts_list, joined, table, theirs, tied
from labelcore.report.references import references
from labelcore.report.sections import assumptions, name_of, section, training_words
from labelcore.results.curves import Band
from labelcore.results.told_values import kept_back
from labelcore.results.types import Choice, Claim
from labelcore.words.differences import MINUS, is_difference, number_words, range_cells
from labelcore.words.pilots import record_words
from labelcore.words.promises import MEANING
from labelcore.words.quantities import model_word, spoken_key
from labelcore.words.recuts import cut_words
from labelcore.words.savings import FORMULA, each_words, learned_words, saved_words
from labelcore.words.sentences import (
    TAIL_WARNING_OF,
    confidence_words,
    count,
    exact_percent,
    goal_points,
    percent,
    promise_kind,
    valid_words,
    warns_of_tail,
)
from labelcore.words.statuses import IN_REPORT
from labelcore.words.stops import planned_words, stopped_short, stopped_words

LOOKS_SHOWN = 40
TOLD = {
    Told.ALWAYS: "After each answer, dots told the labeller whether the {model} says the same.",
    Told.PARTLY: "For a part of the time, dots told the labeller after each answer whether the "
    "{model} says the same; Changed wording has the times.",
    Told.NEVER: "No dots told labellers what the {model} says.",
}
SWAYED = (
    "That may have drawn answers towards it. The table has how many points each figure would move "
    "if 1, 5 or 10 % of the labels that agree with the {model} had gone against it, in "
    "every stratum alike; it is computed from the counts of labels in each stratum."
)


def looks(facts: Facts) -> Markup:
    """The looks at the primary result, thinned to what a page can hold."""
    if not facts.looks:
        return section("looks", "Looks", element("p", "Nobody has looked at a result yet."))
    key, choice = next(iter(facts.results)), isinstance(facts.primary, Choice)
    shown = thinned(len(facts.looks), LOOKS_SHOWN)
    make = _choice_row if choice else _look_row
    rows = [make(facts.looks[place], place, key) for place in shown]
    left_out = len(facts.looks) - len(rows)
    note = f"{count(len(facts.looks), 'look')} in all, each one recorded when it was taken."
    if isinstance(facts.primary, Band):
        note += " For a curve, a look keeps the mean over the ranks."
    figures = ("State", "Chosen", "Left") if choice else ("Value", "Low", "High")
    head = ("Labels", *figures, "Look", "When")
    others = f"{count(left_out, 'look')} left out here; report.json and the log have every one."
    folded = element(
        "details",
        element("summary", "The looks as a table"),
        element("p", others) if left_out else None,
        table(f"Looks at {spoken_key(key, facts.population.has_judge)}", head, rows),
    )
    return section("looks", "Looks", element("p", note), folded)


def thinned(number: int, most: int) -> list[int]:
    """Up to ``most`` places out of 0 .. number - 1, evenly spread, the first and last among them.

    >>> thinned(3, 40), thinned(9, 3)
    ([0, 1, 2], [0, 4, 8])
    """
    if number <= most:
        return list(range(number))
    return sorted({round(step * (number - 1) / (most - 1)) for step in range(most)})


def _look_row(look: Mapping[str, Any], place: int, key: str) -> list[Child]:
    figures = look.get("results", {}).get(key, {})
    value, low, high = (figures.get(name) for name in ("value", "low", "high"))
    spoken = low is not None and State(figures["state"]).has_interval
    withheld = "state" in figures and kept_back(figures, 2.0 if is_difference(key) else 1.0)
    ends = (low, high) if spoken else (0.0, 1.0)
    return [
        f"{look['labels']:,}",
        "–" if value is None or withheld else number_words(key, value, ends),
        *(range_cells(key, low, high) if spoken else ("–", "–")),
        *_look_place(look, place),
    ]


def _choice_row(look: Mapping[str, Any], place: int, key: str) -> list[Child]:
    """The state of a choice, and how many of its candidates were left."""
    choice = look.get("results", {}).get(key, {})
    candidates = choice.get("candidates", {})
    left = sum(not CandidateState(candidate["state"]).out for candidate in candidates.values())
    return [
        f"{look['labels']:,}",
        choice.get("state", "–"),
        theirs(choice.get("chosen") or "–"),
        f"{left:,} of {len(candidates):,}",
        *_look_place(look, place),
    ]


def _look_place(look: Mapping[str, Any], place: int) -> list[Child]:
    """Which look it was, and when."""
    return [f"{place + 1:,}", moment_words(look["at"]).replace(" ", "\N{NO-BREAK SPACE}")]


def labelling(facts: Facts) -> Markup:
    """How many answers of each kind there are, and what happened on the way."""
    counts = facts.counts
    pairs = [
        ("Items drawn", f"{counts['drawn']:,}"),
        ("With a class", f"{counts['labelled']:,}"),
        ("Not sure", f"{counts['unsure']:,}"),
        ("Broken", f"{counts['broken']:,}"),
        ("Put off for later, still open", f"{counts['later']:,}"),
        ("Shown and not answered", f"{counts['unanswered']:,}"),
        ("Judged a second time", f"{len(facts.label_error.readings):,}"),
        ("Answers taken back", f"{counts['undone']:,}"),
        ("Answers changed", f"{counts['changed']:,}"),
        ("Flagged", f"{counts['flagged']:,}"),
        ("With a note", f"{counts['noted']:,}"),
        ("Given back unanswered", f"{counts['released']:,}"),
        ("Came after another person's, not counted", f"{counts['late']:,}"),
        (
            "People, by their first answers" if facts.label_error.readings else "People",
            _people(facts),
        ),
        ("Days", span_words(*facts.span) + " (UTC)" if facts.span else ""),
    ]
    return section("labelling", "Labelling", facts_list(pairs), *_saved(facts))


def _saved(facts: Facts) -> list[Markup]:
    """What helpers saved, and how that is worked out."""
    if facts.saved is None:
        return []
    how = element(
        "details",
        element("summary", "How the labels saved are worked out"),
        element("p", each_words(facts.saved)),
        element("p", FORMULA),
    )
    sentences = [saved_words(facts.saved), learned_words(facts.saved)]
    return [*(element("p", theirs(text)) for text in sentences if text), how]


def _people(facts: Facts) -> str:
    """How many people gave the labels."""
    if facts.people_count is None:
        number = browsers(facts.people)
        if number > 1:
            return f"not known: labels came from {number:,} browsers, perhaps all the same person's"
        return "not known: some labels were given without a name"
    return people_words(facts.people_count) if facts.people else "nobody yet"


def ending(facts: Facts) -> Markup:
    """Why labelling stopped; of what is not finished, how far it is."""
    ends = [element("li", *_end_words(facts, event)) for event in facts.ends()]
    if facts.interim:
        ends.append(element("li", f"Not finished: {_state_words(facts)}."))
    title = "Where labelling stands" if facts.interim else "Why labelling stopped"
    return section("ending", title, element("ul", *ends))


def _state_words(facts: Facts) -> str:
    if facts.status == Status.GOAL_REACHED:
        return stopped_short(facts.stop_reason)
    return IN_REPORT.get(facts.status, facts.status)


def _end_words(facts: Facts, event: Event) -> list[Child]:
    when = moment_words(event.at)
    if event.kind == "stopped":
        text = stopped_words(event.text or "", facts.plan.margin)
        return [f"{text[:1].upper()}{text[1:]} ({when}): the plan's stop rule ended the labelling."]
    if event.kind == "extended":
        budget = event.detail.get("budget")
        kept = "evidence and intervals stay" if facts.plan.claims else "the watched interval stays"
        forecasts = _reforecasts(facts)
        planned = int(forecasts[-1]["planned"] if forecasts else facts.plan.planned or 0)
        until = (facts.plan.horizon or 0) * planned
        staged = facts.plan.promise == Promise.FIXED or 0 < until < (budget or 0)
        after = "the first stage stays the result" if staged else f"{kept} valid"
        named = [str(event.detail[key]) for key in ("estimand", "group") if key in event.detail]
        toward: list[Child] = [" for ", theirs(" of ".join(named))] if named else []
        return [f"Extended to {budget:,} items", *toward, f" ({when}); {after}."]
    if event.kind == "sought":
        wanted = exact_percent(float(event.detail["precision"]))
        return [f"Labelled on until the choice at a precision of {wanted} is made ({when})."]
    if not event.text:
        return [f"Finished by hand ({when}), no reason given."]
    return [f"Finished by hand ({when}), for this reason: ", theirs(event.text)]


def caveats(facts: Facts) -> Markup:
    """What could be wrong, besides the assumptions."""
    number = len(assumptions(facts))
    intro = (
        f"The figures rest on the {count(number, 'assumption')} listed with the answers. Besides:"
    )
    doubts = (element("li", doubt) for doubt in _doubts(facts))
    return section("caveats", "What could be wrong", element("p", intro), element("ul", *doubts))


def _doubts(facts: Facts) -> list[Child]:
    texts: list[Child] = []
    training = training_words(facts.settings) if facts.population.classifiers else "no"
    model = model_word(facts.population.has_judge)
    if facts.population.classifiers:
        given = theirs(training)
        texts.append(joined(f"Were these items used to train the {model}? Answer: ", given, "."))
    if facts.revealing:
        texts.append(
            joined(
                "Not blind: the person saw ",
                theirs(", ".join(facts.revealing)),
                ", which may show a model's output, and may have followed it.",
            )
        )
    if hidden := facts.settings.get(HIDDEN):
        texts.append(joined("Hidden until an item was judged: ", theirs(", ".join(hidden)), "."))
    if training.lower() not in ("no", "not stated"):
        texts.append(f"A {model} looks better on items it was trained on than on new ones.")
    if training.lower() != "no" and facts.existing.use == "random":
        texts.append("The intervals assume that the labels from before were not used for training.")
    if facts.population.arguments.get("id") is None:
        texts.append("Items are known by their row: the statement is about the file in this order.")
    if sum(not isinstance(result, Claim) for result in facts.results.values()) > 1 and not (
        facts.plan.together
    ):
        texts.append(
            "Each interval keeps its promise on its own; that all hold at once is less sure."
        )
    undecided = facts.counts["unsure"] + facts.counts["broken"]
    if undecided:
        share = tied(percent(undecided / (facts.counts["labelled"] + undecided)))
        texts.append(f"{count(undecided, 'item')} got no class ({share} of the answers).")
    texts += [tied(note) for note in curve_notes(facts)]
    if facts.reworded:
        texts.append("The wording was changed after the start (listed under Question).")
    rare = [name_of(number) for number in facts.numbers if warns_of_tail(number)]
    if rare:
        texts.append(theirs(TAIL_WARNING_OF.format(names=", ".join(rare))))
    return texts


def curve_notes(facts: Facts) -> list[str]:
    """What a reader of the curves must know, each sentence once."""
    bands = [result for result in facts.results.values() if isinstance(result, Band)]
    notes = (note for band in (*bands, *(facts.curves or ())) for note in band.notes)
    return list(dict.fromkeys(notes))


def methods(facts: Facts) -> Markup:
    """A paragraph to copy into a paper, and its references."""
    plan, design = facts.plan, facts.plan.method
    documented = design.__doc__ or ""
    text = methods_text(facts)
    notes = [
        element("p", " ".join(paragraph.split()))
        for paragraph in documented.replace("``", "").split("\n\n")[1:]
    ]
    sources = [documented, *(result.source for result in facts.results.values())]
    listed = [element("li", entry) for entry in references(sources)]
    details = element(
        "details", element("summary", f"More about {design.label} ({plan.design})"), *notes
    )
    heading = element("h3", "References") if listed else None
    parts = element("p", tied(text)), told(facts), details, heading, element("ul", *listed)
    return section("methods", "Methods", *parts)


def told(facts: Facts) -> Markup:
    """Whether labellers were told what the classifier says, and what figures would be if that had
    swayed some of them."""
    model = model_word(facts.population.has_judge)
    blinding = element("p", TOLD[facts.dots].format(model=model))
    if not facts.swayed:
        return blinding
    names = {number.estimand: name_of(number) for number in facts.numbers}
    rows: list[list[Child]] = [
        [theirs(names.get(key, key)), *(points_moved(move) for move in moved)]
        for key, moved in facts.swayed.items()
    ]
    head = ("Figure", *(f"{percent(share)} swayed" for share in SHARES))
    return joined(
        blinding,
        element("p", SWAYED.format(model=model)),
        table("If labels had been swayed", head, rows),
    )


def points_moved(share: float) -> str:
    """
    >>> points_moved(-0.0123), points_moved(0.0)
    ('−1.2', '0.0')
    """
    points = f"{100 * share:+.1f}".replace("-", MINUS)
    return points[1:] if points[1:] == "0.0" else points


def _promise_text(facts: Facts, made_of: str) -> str:
    """When the first result holds, and what that means for somebody who watched."""
    first = facts.primary
    if first.promise == Promise.NONE:
        return f"No promise goes with the {made_of.lower()}."
    more = MEANING.get(promise_kind(first.promise, first.scope), "")
    return f"The {made_of.lower()} are {valid_words(first.promise, first.scope)}{more}."


def methods_text(facts: Facts) -> str:
    """The methods in one paragraph."""
    plan, design, counts = facts.plan, facts.plan.method, facts.counts
    together = " for all numbers together" if plan.together else ""
    sure = confidence_words(facts.confidence) + " confidence" + together
    sure = "" if facts.without_confidence else f" at {sure}"
    intervals = [result for result in facts.results.values() if not isinstance(result, Claim)]
    ways = list(dict.fromkeys(f"{result.method} ({result.source})" for result in intervals))
    choice = isinstance(facts.primary, Choice)
    made_of = "Bounds" if facts.without_confidence or choice else "Intervals"
    promise = (
        "No confidence goes with the bounds: they hold if the assumption does."
        if facts.without_confidence
        else _promise_text(facts, made_of)
    )
    scope = (
        "the statement is about this file"
        if choice
        else "the finite-population factor is used, because the statement is about this file"
        if plan.target == "file"
        else "no finite-population factor is used, because the statement is about items like these"
    )
    number = facts.people_count
    from_people = "" if number is None else f" from {people_words(number)}"
    labelled = "No item got a class"
    if counts["labelled"]:
        labelled = f"{count(counts['labelled'], 'item')} got a class{from_people}"
    summary = design.summary.removeprefix("Recommended: ")
    summary = summary[:1].lower() + summary[1:]
    before = f"There were {facts.existing_words}. " if facts.existing_words else ""
    forecasts = _reforecasts(facts)
    sizes = int(plan.planned or 0), facts.before
    anew = f"{record_words(forecasts, *sizes)} " if forecasts else ""
    cut = [cut_words(event.detail) for event in facts.events if event.kind == "recut"]
    anew += "".join(f"{text} " for text in cut if text)
    return (
        f"From the {count(len(facts.population), 'item')} of {facts.population.name}, "
        f"{_were(counts['drawn'])} drawn with the design “{design.label}” "
        f"(seed {plan.seed}). In short: {summary} The plan was frozen before the first label "
        f"with {_wanted(facts)}{sure}, planned size "
        f"{planned_words(plan)}. {anew}{labelled}; {_were(counts['unsure'])} called not sure and "
        f"{counts['broken']:,} broken. {before}{made_of}: {'; '.join(ways)}; {scope}. {promise}"
        f"{claims_text(facts)} "
        f"Results were looked at {count(len(facts.looks), 'time')}, and every look is recorded. "
        "The log of draws, answers and looks is a chain of hashes, from which every figure can be "
        "computed again."
    )


def _were(number: int) -> str:
    """A number with its verb, such as "1 was"."""
    return f"{number:,} {'was' if number == 1 else 'were'}"


def _reforecasts(facts: Facts) -> list[Mapping[str, Any]]:
    """What the log holds of the sizes that were forecast anew."""
    return [event.detail for event in facts.events if event.kind == "reforecast"]


def _wanted(facts: Facts) -> str:
    """What the plan was made for."""
    plan = facts.plan
    goals = [
        "" if plan.margin is None else f"a half-width of {goal_points(plan.margin)}",
        f"{count(len(plan.claims), 'claim')} to settle" if plan.claims else "",
        "" if plan.budget is None else f"a budget of {count(plan.budget)}",
    ]
    return " and ".join(filter(None, goals)) or f"a budget of {count(int(plan.planned or 0))}"


def others(facts: Facts) -> Markup:
    """Other projects on the same items: many tries are many chances."""
    title = "Other projects on the same file"
    if not facts.others:
        text = "No other project in this store uses this file."
        return section("others", title, element("p", text))
    rows: Sequence[Sequence[Child]] = [
        (
            theirs(other.name),
            moment_words(other.created_at),
            "read the same way" if other.same_reading else "read in another way",
        )
        for other in facts.others
    ]
    warning = (
        f"{count(len(facts.others), 'other project')} in this store on the same file. Whoever "
        f"tries often enough finds a good figure by chance."
    )
    return section(
        "others",
        title,
        element("p", warning),
        table("Other projects", ("Project", "Created", "Reading"), rows),
    )


def recompute(facts: Facts) -> Markup:
    """How anyone can check all of this."""
    command = (
        f"python -m labelcore replay BUNDLE.zip --file {shlex.quote(facts.population.file_name)}"
    )
    return section(
        "recompute",
        "Recompute",
        element(
            "p",
            "With the bundle of this project and the file that was labelled, this draws every item "
            "again, checks each draw, answer and look against the log, and says whether all agree:",
        ),
        element("pre", command),
        element(
            "p",
            f"The log has {count(len(facts.events), 'event')}. Its seal is the hash of the last "
            "one and depends on every byte of the file, the plan and the log; give it with --seal "
            "to be sure that it is this log and no other.",
        ),
        element("p", " ".join(facts.held.sentences())),
        facts_list(
            [
                ("Seal", element("code", facts.seal)),
                *([("Key", element("code", facts.held.key))] if facts.held.key else []),
            ]
        ),
    )
