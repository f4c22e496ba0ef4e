"""The sentences about a band along the ranks and about a cut."""

import math

from labelcore.promises import Promise, State
from labelcore.results.curves import Band, CheapestCut, Cut
from labelcore.results.told_values import is_early, known_ends, too_wide
from labelcore.words.sentences import (
    confidence_words,
    first_items,
    form_words,
    labels_words,
    percent,
    percent_range,
    range_text,
    scope_words,
    score_words,
    valid_words,
    value_percent,
)

BANDS = {
    State.NOTHING: "{scope}, nothing is known yet along the ranks: {missing}.",
    State.TOO_FEW: "{scope}, there are too few labels for the curve: {missing}.",
    State.PROVISIONAL: "{scope}, the curve is a first guess without a band: {missing}.",
    State.INTERVAL: "{scope}, the band holds for {together} ({confidence} confidence{form}, "
    "{when}), from {labels}.",
    State.STOPPED_EARLY: "{scope}, the band rests on {labels}; but labelling stopped before the "
    "planned {planned} labels, so {when}.",
    State.EXACT: "{scope}, the curve is exact: every item has a label.",
}
ASSUMED = (
    "{scope}, the true curve lies between the bounds at the end of each window if precision falls "
    "along the list as the method assumes; no confidence goes with them. From {labels}."
)
CUT = {
    "unknown": "{scope}, nothing is known yet about {head}.",
    "guess": "{scope}, about {value} of {head} {are} {positive!r}; this has no interval yet.",
    "band": "{scope}, of {head} between {low} and {high} {are} {positive!r}{recall} ({condition}).",
    "labelled": "{scope}, of {head} {value} {are} {positive!r}{recall} ({condition}).",
    "exact": "{scope}, of {head} exactly {value} {are} {positive!r}{recall}.",
    "crossed": "{scope}, nothing can be said of {head}: the two bounds contradict each other "
    "there, so precision does not fall along the list as the method assumes.",
}
CHEAPEST = (
    "{scope}, if a missed {positive!r} costs {miss} and a false alarm {alarm}, keeping {head} "
    "costs least; by the bounds it is somewhere from {first} to {last} items ({condition})."
)
CHEAPEST_OPEN = (
    "{scope}, if a missed {positive!r} costs {miss} and a false alarm {alarm}, these labels do not "
    "say yet where to cut: by the bounds keeping {first} to {last} items may cost least "
    "({condition})."
)
CHEAPEST_KNOWN = (
    "{scope}, if a missed {positive!r} costs {miss} and a false alarm {alarm}, keeping {head} "
    "costs least ({condition})."
)
KEEP_NOTHING = "nothing"
TOO_WIDE = "anything from {share} is possible"
RIGHT, CROSSED = "{share} right", "the two bounds contradict each other"
DOWN_TO = "score {score} and better"
TIED = "score {score} and better keeps {until:,}"
FOUND, FOUND_LEAST = "{found} of them right", "at least {found:,} of them right"
UNKNOWN, GUESSED = "nothing is known yet", "a first guess"
SURE_OF = "{confidence} sure{form}, {together}, {valid}"
ALL_CUTS, ONE_CUT = "all cuts together", "a cut chosen before labelling"
IF_FALLING = "if precision falls along the list; no confidence"
CUT_RECALL = ", and {held} between {low} and {high} of all {positive!r} items in the file"
CUT_TIED = (
    " Ranks {first} to {last} have this same score: a threshold on the score keeps all of them or "
    "none."
)


def band_sentence(band: Band, given: str = "") -> str:
    """What a curve's band promises."""
    pattern = BANDS[band.state]
    if band.state == State.INTERVAL and band.confidence is None:
        pattern = ASSUMED
    text = pattern.format(
        scope=scope_words(band.scope.file, band.scope.n_items, band.scope.target),
        together="all ranks together" if band.simultaneous else "each rank on its own",
        confidence="" if band.confidence is None else confidence_words(band.confidence),
        form=form_words(band.form),
        when=valid_words(band.promise, band.scope),
        labels=band_labels(band, given),
        planned=f"{band.scope.planned:,}",
        missing=band.missing or "no label yet",
    )
    return " ".join([text, *band.notes])


def band_labels(band: Band, given: str = "") -> str:
    """The labels that a band rests on: of the items drawn up to its look, where they are fewer, as
    while somebody still has one of these."""
    labels = labels_words(band.labels_used, band.scope, given)
    fewer = band.labels_used - band.scope.existing < band.draws_used
    return f"{labels}, of {first_items(band.draws_used)} drawn" if fewer else labels


def cut_sentence(cut: Cut) -> str:
    """What keeping the first items of a list means."""
    precision = cut.readings.get("precision")
    head = f"{first_items(cut.rank)} (score {score_words(cut.score)} and better)"
    if precision is None:
        return f"Nothing is known yet about {head}." + _tied_words(cut)
    value = float(precision.told[0])
    known = value == value
    state = "guess" if known else "unknown"
    if precision.has_interval:
        state = "exact" if precision.state == "exact" else "band"
        width = float(precision.high[0] - precision.low[0])
        if state == "band" and width < 1e-12:
            state = "labelled" if width > -1e-12 else "crossed"
    ends = float(precision.low[0]), float(precision.high[0])
    low, high = percent_range(*ends)
    scope = precision.scope
    text = CUT[state].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        head=head,
        are="is" if cut.rank == 1 else "are",
        low=low,
        high=high,
        value=value_percent(value, *ends) if known else "",
        positive=scope.positive,
        recall=_recall_words(cut),
        condition=_cut_condition(precision),
    )
    doubts = precision.notes if precision.has_interval and precision.confidence is None else ()
    return " ".join([text + _tied_words(cut), *doubts])


def keep_words(cut: Cut) -> str:
    """What share of the first items is right, as the end of "Keep the first 151:".

    >>> from types import SimpleNamespace
    >>> def said(low, high):
    ...     band = SimpleNamespace(told=[0.5], has_interval=True, low=[low], high=[high])
    ...     return keep_words(SimpleNamespace(readings={"precision": band}))
    >>> said(0.61, 0.9), said(0.35, 1.0), said(0.01, 1.0)
    ('61 to 90 % right', '35 to 100 % right', 'nothing is known yet')
    >>> said(0.1, 0.95), said(0.04, 1.0)
    ('anything from 10 to 95 % is possible', 'anything from 4 to 100 % is possible')
    """
    precision = cut.readings.get("precision")
    value = math.nan if precision is None else float(precision.told[0])
    if precision is None or (not precision.has_interval and math.isnan(value)):
        return UNKNOWN
    low, high = _ends(precision)
    if not precision.has_interval:
        return f"{RIGHT.format(share=f'about {percent(value)}')}, {GUESSED}"
    if high - low < -1e-12:
        return CROSSED
    if not any(known_ends(low, high)):
        return UNKNOWN
    if is_early(low, high) or (all(known_ends(low, high)) and too_wide(low, high)):
        return TOO_WIDE.format(share=range_text(low, high))
    exact = high - low < 1e-12
    return RIGHT.format(share=percent(low) if exact else range_text(low, high))


def cut_facts(cut: Cut, *, least: bool = False) -> str:
    """Where a cut lies in the score, and how many of what it keeps are right, ``least`` of all."""
    score, (_, until) = score_words(cut.score), cut.tied
    parts = [(TIED if until > cut.rank else DOWN_TO).format(score=score, until=until)]
    ends = found_by(cut)
    if ends is not None:
        low, high = ends
        between = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        parts.append(FOUND_LEAST.format(found=low) if least else FOUND.format(found=between))
    return " · ".join(parts)


def found_by(cut: Cut) -> tuple[int, int] | None:
    """The least and the most right items that a cut keeps; None while nothing is known of them.

    >>> from types import SimpleNamespace as Told
    >>> hits = Told(has_interval=True, low=[6.0], high=[732.0])
    >>> found_by(Told(readings={"yield": hits}, rank=732)) is None  # "1 to 100 % right".
    True
    """
    hits = cut.readings.get("yield")
    if hits is None or not hits.has_interval or hits.low[0] > hits.high[0]:
        return None
    least, most = _ends(hits)
    if not any(known_ends(least / cut.rank, most / cut.rank)):  # As ``keep_words`` says.
        return None
    return math.ceil(least - 1e-6), math.floor(most + 1e-6)


def _ends(band: Band) -> tuple[float, float]:
    """Both bounds of a band of one point."""
    return float(band.low[0]), float(band.high[0])


def band_terms(band: Band) -> str:
    """How sure a band is, for which cuts and when, in a few words; "" before there is one."""
    if not band.has_interval:
        return ""
    if band.confidence is None:
        return IF_FALLING
    return SURE_OF.format(
        confidence=confidence_words(band.confidence),
        form=form_words(band.form),
        together=ALL_CUTS if band.simultaneous else ONE_CUT,
        valid=valid_words(band.promise, band.scope),
    )


def cheapest_sentence(cut: CheapestCut) -> str:
    """Where mistakes cost least, and how surely."""
    scope, head = cut.band.scope, KEEP_NOTHING
    if cut.score is not None:
        head = f"{first_items(cut.rank)} (score {score_words(cut.score)} and better)"
    known = cut.first == cut.rank == cut.last
    leaves_open = too_wide(cut.first, cut.last, scope.n_items)
    pattern = CHEAPEST_KNOWN if known else CHEAPEST_OPEN if leaves_open else CHEAPEST
    return pattern.format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        positive=scope.positive,
        miss=f"{cut.miss:g}",
        alarm=f"{cut.false_alarm:g}",
        head=head,
        first=f"{cut.first:,}",
        last=f"{cut.last:,}",
        condition=_cut_condition(cut.band),
    )


def _recall_words(cut: Cut) -> str:
    recall = cut.readings.get("recall")
    if recall is None or recall.value[0] != recall.value[0]:
        return ""
    low, high = percent_range(float(recall.low[0]), float(recall.high[0]))
    held = "it contains" if cut.rank == 1 else "they contain"
    return CUT_RECALL.format(held=held, low=low, high=high, positive=recall.scope.positive)


def _cut_condition(band: Band) -> str:
    if band.confidence is None:
        return "if precision falls along the list as the method assumes; no confidence goes with it"
    if band.promise == Promise.NONE:
        nothing = valid_words(band.promise, band.scope)
        return f"labelling stopped before the planned labels, so {nothing}"
    together = "all ranks together" if band.simultaneous else "for a rank chosen before labelling"
    valid = valid_words(band.promise, band.scope)
    form = form_words(band.form)
    return f"{confidence_words(band.confidence)} confidence{form}, {together}, {valid}"


def _tied_words(cut: Cut) -> str:
    first, last = cut.tied
    return CUT_TIED.format(first=f"{first:,}", last=f"{last:,}") if last > cut.rank else ""
