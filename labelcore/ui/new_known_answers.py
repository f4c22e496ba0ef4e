"""New project, step 1: where the answers come from that the file holds already."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from labelcore.errors import NotRandomError
from labelcore.plan.existing import check_random, share_words
from labelcore.population import Population
from labelcore.safe_text import plain
from labelcore.ui import files
from labelcore.ui.asking import ask
from labelcore.ui.draft import Draft
from labelcore.ui.fields import same
from labelcore.ui.forecasts import remembered
from labelcore.ui.new_columns import NO_COLUMN
from labelcore.words.existing import OTHER_WAY, SOURCES

NOT_RANDOM = (
    "You said the known answers are a random sample, but they do not look like one: {found} of the "
    "{labels} {place}, against {expected} of all items. Choose {other!r} above: it is right "
    "however they were chosen."
)
NOT_SAID = (
    "To continue, say where the known answers come from: that decides what they may be used for."
)


@dataclass(frozen=True)
class Known:
    """The known answers of a file, and what they are taken for.

    candidates        columns that may hold some, each with its rows that have one
    column, existing  what is used of them; None: nothing
    lacking           what is still to be said; fault: why the choice cannot be right
    """

    candidates: Mapping[str, int]
    shown: str = NO_COLUMN
    options: Sequence[str] = ()
    column: str | None = None
    existing: str | None = None
    lacking: str = ""
    fault: str = ""


def known_answers(
    now: Draft, population: Population, columns: Sequence[str], filled: Mapping[str, int]
) -> Known:
    """What is chosen of the known answers. Raises ValueError, OSError where the file cannot be
    read.

    columns   those that look like answers; one that is full, or empty, leaves nothing to ask
    filled    rows with a value, of these and of further ones that mean nothing else: any with few
              different values may hold answers
    """
    partly = {name: n for name, n in filled.items() if 0 < n < len(population)}
    called = [name for name in partly if name in columns]
    options = [*partly, NO_COLUMN] if called else [NO_COLUMN, *partly]
    column = now.value("known", options[0], options)
    known = Known(partly, column, options if len(partly) > 1 or not called else ())
    if not partly or column == NO_COLUMN:
        return known
    use = now.value("existing", None, SOURCES)
    if use is None:
        return replace(known, lacking=NOT_SAID)
    if use == "random" and (fault := not_random(population, column)):
        return replace(known, lacking=NOT_SAID, fault=fault)
    return known if use == "ignored" else replace(known, column=column, existing=use)


def show_known(known: Known, population: Population) -> None:
    """The known answers as they are chosen."""
    if not known.candidates:
        return
    if known.options:
        first = known.options[0]
        ask("known", options=same(known.options), first=first)
    if known.shown == NO_COLUMN:
        return
    number = known.candidates[known.shown]
    st.markdown(
        plain(
            f"{known.shown}: {number:,} of {len(population):,} items have an answer already; empty "
            "means not known."
        )
    )
    ask("existing")
    if known.fault:
        st.error(plain(known.fault))
    elif known.lacking:
        st.info(known.lacking)


@remembered(40)
def not_random(population: Population, column: str) -> str:
    """Why the answers in a column cannot be a random sample: by the scores, or predictions, of any
    classifier, whichever the question is about; "" where they may be one."""
    known = files.told_rows(population, column)
    for classifier in population.classifiers:
        try:
            check_random(population, classifier, known)
        except NotRandomError as error:
            return NOT_RANDOM.format(
                found=share_words(error.found),
                labels=f"{error.labels:,}",
                place=error.place,
                expected=share_words(error.expected),
                other=OTHER_WAY,
            )
    return ""


def known_number(population: Population) -> int:
    """Items that have an answer already and are not asked."""
    return 0 if population.known is None else int((population.known >= 0).sum())
