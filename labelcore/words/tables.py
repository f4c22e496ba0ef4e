"""What a table of figures says in a sentence: how many there are, how surely, and the widest."""

from labelcore.promises import State
from labelcore.results.cells import Table, TableCell
from labelcore.words.differences import told_interval, told_words
from labelcore.words.quantities import key_parts, term_of
from labelcore.words.sentences import (
    confidence_words,
    count,
    group_words,
    span_words,
    value_percent,
)

STATES = {State.INTERVAL: "has an interval", State.WAITING: "items are open"}
NONE_YET = "{figures}, {guesses}; none of them has an interval yet."
FIGURES = "{figures}, {guesses}, {sure} sure {how}; the widest that is asked is {widest}."
EACH, TOGETHER, ASKED_TOGETHER = "each", "all together", "all that are asked together"
NO_GUESS, GUESS, TOO_EARLY = "no first guess", "{between}, first guess", "too early"
GUESSES = "A first guess is from labels that were drawn for other figures, and holds by itself."


def table_sentence(table: Table, given: str = "") -> str:
    """How many figures a table has, how sure they are, and which of those asked is the widest."""
    asked = sum(cell.asked for cell in table.cells)
    rest = len(table.cells) - asked
    figures = count(asked, "figure") + " asked"
    guesses = f"{rest:,} first {'guess' if rest == 1 else 'guesses'}" if rest else NO_GUESS
    widest = table.widest()
    if widest is None:
        return NONE_YET.format(figures=figures, guesses=guesses)
    alone = any(not cell.asked and cell.estimate.scope.together == 1 for cell in table.cells)
    together = ASKED_TOGETHER if alone else TOGETHER
    return FIGURES.format(
        figures=figures,
        guesses=guesses,
        sure=confidence_words(table.confidence),
        how=together if table.together else EACH,
        widest=cell_words(widest),
    )


def cell_words(cell: TableCell) -> str:
    """A cell in a few words.

    "the recall of 'nb' for language 'de', 79 %, between 68 % and 89 %"
    """
    estimate, (classifier, _) = cell.estimate, cell.row
    name = term_of(key_parts(cell.figure)[0], estimate.scope.audit)
    of = f" of {classifier!r}" if classifier else ""
    group = f" for {group_words(estimate.scope)}" if estimate.scope.by else ""
    told = estimate.told
    value = "" if told is None else f"{value_percent(told, estimate.low, estimate.high)}, "
    return f"the {name}{of}{group}, {value}{span_words(estimate)}"


def cell_said(cell: TableCell) -> str:
    """Value and interval, such as "91.2 % (87.0 to 94.1)"; of a first guess the interval."""
    estimate = cell.estimate
    if not estimate.has_interval or estimate.state == State.EXACT:
        return told_words(estimate) or "–"
    if estimate.says_little:
        return TOO_EARLY
    if not cell.asked:
        return GUESS.format(between=told_interval(estimate))
    if estimate.told is None:
        return span_words(estimate)
    return f"{told_words(estimate)} ({told_interval(estimate, unit='')})"


def guess_note(table: Table) -> str:
    """What a first guess is; "" for a table without one."""
    return "" if all(cell.asked for cell in table.cells) else GUESSES
