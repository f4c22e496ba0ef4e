"""New project, step 1: where the answers come from that the file holds already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from labelcore.errors import NotRandomError
from labelcore.plan.existing import check_random, share_words
from labelcore.population import Population
from labelcore.ui import draft, files
from labelcore.ui.plain import plain
from labelcore.words.existing import OTHER_WAY, SOURCES

CAPTIONS = (
    "Every item had the same chance. New labels extend them, so fewer are needed. Refused if "
    "they are not spread over the scores like a random sample.",
    "They count as known and are not asked again; only the other items are sampled. Right however "
    "the items were chosen, as long as the answers themselves are right.",
    "All items may be asked, including these. Their answers are neither shown nor counted.",
)
NOT_RANDOM = (
    "You said the known answers are a random sample, but they do not look like one: {found} of the "
    "{labels} {place}, against {expected} of all items. Choose {other!r} {where}: it is right "
    "however they came."
)
NO_COLUMN = "(none)"
NOT_SAID = (
    "To continue, say where the known answers come from: that decides what they may be used for."
)


def known_answers(
    population: Population, columns: Sequence[str], filled: Mapping[str, int]
) -> tuple[str | None, str | None] | None:
    """The column of known answers that is used, and what they are taken for, both None where none
    are; None while that is not said.

    columns   those that look like answers; one that is full, or empty, leaves nothing to ask
    filled    rows with a value, of these and of further ones that mean nothing else: any with few
              different values may hold answers
    """
    partly = {name: n for name, n in filled.items() if 0 < n < len(population)}
    called = [name for name in partly if name in columns]
    if not partly:
        return None, None
    column = called[0] if called else NO_COLUMN
    if len(partly) > 1 or not called:
        column = st.selectbox(
            "Which column holds known answers?",
            [*partly, NO_COLUMN] if called else [NO_COLUMN, *partly],
            key=f"new-known-column-{population.fingerprint}",
            persist_state="session",
        )
    if column == NO_COLUMN:
        return None, None
    number = partly[column]
    st.markdown(
        plain(
            f"{column}: {number:,} of {len(population):,} items have an answer already; empty "
            "means not known."
        )
    )
    file = population.fingerprint
    key = f"new-known-{file}-{column}"
    draft.fill(key, file, "existing", draft.waiting(file).existing)
    use = st.radio(
        "Where do the known answers come from?",
        list(SOURCES),
        index=None,
        format_func=SOURCES.__getitem__,
        captions=CAPTIONS,
        key=key,
        persist_state="session",
    )
    if use is None:
        st.info(NOT_SAID)
        return None
    fault = not_random(population, column) if use == "random" else ""
    if fault:
        st.error(plain(fault))
        return None
    return (None, None) if use == "ignored" else (column, str(use))


def not_random(population: Population, column: str) -> str:
    """Why the answers in a column cannot be a random sample: by the scores, or predictions, of any
    classifier, whichever the question is about; "" where they may be one."""
    return _not_random(population, population.fingerprint, column)


@st.cache_data(show_spinner=False, max_entries=40)
def _not_random(_population: Population, fingerprint: str, column: str) -> str:
    told = files.told_rows(_population, column)
    for classifier in _population.classifiers:
        try:
            check_random(_population, classifier, told)
        except NotRandomError as error:
            return not_random_words(error, "above")
    return ""


def not_random_words(error: NotRandomError, where: str) -> str:
    """The refusal in the words of the page; ``where`` the way to say otherwise stands."""
    return NOT_RANDOM.format(
        found=share_words(error.found),
        labels=f"{error.labels:,}",
        place=error.place,
        expected=share_words(error.expected),
        other=OTHER_WAY,
        where=where,
    )


def known_number(population: Population) -> int:
    """Items that have an answer already and are not asked."""
    return 0 if population.known is None else int((population.known >= 0).sum())
