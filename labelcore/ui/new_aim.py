"""New project, step 3: what is to be known, and of which classifiers."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from labelcore.estimands import DIFFERENCES, ESTIMANDS, SCALARS
from labelcore.population import Population
from labelcore.ui import draft, files
from labelcore.ui.draft import Aim, Columns, ProjectDraft, Question
from labelcore.ui.new_cards import (
    BETTER,
    BOTH,
    CARDS,
    FOUND,
    PREVALENCE,
    RANKED,
    RARER,
    SEVERAL,
    SHIP,
    Card,
    first_card,
    flags,
    found_so_far,
    possible_cards,
    short_words,
    titled,
    uses,
)
from labelcore.ui.new_classifiers import (
    choose_one,
    choose_several,
    compared,
    cut,
    decided,
    show_called,
    show_thresholds,
    usable,
)
from labelcore.ui.new_items import show_faults
from labelcore.ui.new_places import Places
from labelcore.ui.new_screens import go
from labelcore.ui.plain import plain
from labelcore.ui.remedies import WayOut, refuse
from labelcore.words.arguments import TARGETS
from labelcore.words.existing import SOURCES

PRESET_FOR = "new-preset-for"
EVERY, MORE_QUESTIONS, FEW = "new-every-aim", "new-press-more-aims", 5
QUESTION, TARGET = "new-aim", "new-target"
WHICH = {BOTH: "new-figures", SEVERAL: "new-numbers", BETTER: "new-differences"}
"""The questions of which a person says which numbers they mean, and where that is kept."""
TWO = "Choose exactly two classifiers to continue; the first is the one that may be better."
NO_KNOWN = (
    "No method for this question can use the known answers. Choose another question above "
    "({able}), or {ignored!r} on the first screen."
)
ONLY_SHARE = (
    "No column is read as a classifier, so only the share of positive items can be measured, and "
    "not how good a classifier is."
)
TO_COLUMNS = "Name the classifier's column"
ORDERS = "Which score says what is likely?"
MATTER = "new-classes-that-matter"
NO_CLASS = "Choose at least one class to continue."
TRAINED = {"no": "No", "yes": "Yes, some were", "unknown": "I do not know"}
CARD_STYLE = """<style>
.st-key-new-aim [role="radiogroup"] { gap: 0.35rem; width: 100%; }
.st-key-new-aim [role="radiogroup"] > div {
  position: relative; width: 100%; box-sizing: border-box; padding: 0.35rem 0.7rem;
  border: 1px solid var(--border); border-radius: 0.5rem;
}
.st-key-new-aim [role="radiogroup"] > div[data-selected] {
  border-color: var(--data); box-shadow: inset 0 0 0 1px var(--data);
}
.st-key-new-aim [role="radiogroup"] label::after { content: ""; position: absolute; inset: 0; }
.st-key-new-aim [role="radiogroup"] label > div { position: relative; z-index: 1; }
</style>"""


def aim_step(
    path: Path, columns: Columns, question: Question, base: Population, places: Places
) -> tuple[Aim, Population] | None:
    """What is to be known; None while something is open, which is then said with a way out."""
    with places.aim:
        return aimed(path, columns, question, base, places)


def aimed(
    path: Path, columns: Columns, question: Question, base: Population, places: Places
) -> tuple[Aim, Population] | None:
    names = usable(base)
    told = found_so_far(columns, base, question)
    possible = possible_cards(base, names, told)
    file = base.fingerprint
    card = choose_card(possible, base, question, told)
    if columns.existing and not uses(card, columns.existing):
        refuse_known(possible, columns.existing, file)
        return None
    if card is FOUND and told:
        return with_known(path, columns, question, base, names, places)
    chosen = choose_classifiers(card, names, base)
    if chosen is None:
        every = WayOut("take all of them", ProjectDraft(file, classifiers=names))
        refuse("Choose at least one classifier to continue.", [every], asks=True)
        return None
    if card is BETTER and len(chosen) != 2:
        two = tuple(dict.fromkeys((*chosen, *names)))[:2]
        pair = WayOut(f"compare {two[0]} with {two[1]}", ProjectDraft(file, classifiers=two))
        refuse(TWO, [pair], asks=True)
        return None
    read = columns.without_found().asked(question.classes, question.positive)
    number = card.thresholds
    if number == "each one":
        number = "one" if len(chosen) > 1 else "none"
    show_thresholds(file)
    for name in chosen:
        with places.more if decided(base, name, number) else places.aim:
            found = cut(read, base, question, name, number)
        if found is None:
            return None
        read = found
    try:
        population = files.read(path, read.arguments())
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    compared = tuple(made for name in chosen for made in read.made_of(name))
    if compared:
        show_called(population, question, compared, places.more)
    with places.more:
        trained, target = about_the_items(file, classified=bool(chosen))
    estimands = card.many if len(question.classes) > 2 else card.estimands
    if card in WHICH and len(question.classes) == 2:
        figures = (*SCALARS, *(DIFFERENCES if card is SEVERAL and len(compared) == 2 else ()))
        first, figures = estimands, tuple(DIFFERENCES) if card is BETTER else figures
        with places.more:
            estimands = which_numbers(first, figures, file, key=WHICH[card])
        if not estimands:
            every = WayOut("take those of the question", ProjectDraft(file, estimands=first))
            refuse("Choose at least one number to continue.", [every], asks=True)
            return None
    matter = None
    if len(question.classes) > 2 and any(SCALARS[name].per_class for name in estimands):
        matter = which_classes(question.classes, file)
        if matter == ():
            refuse(NO_CLASS, [], asks=True)
            return None
    draft.taken(file, "estimands", "classifiers")
    classifier = compared if len(compared) > 1 else next(iter(compared), None)
    existing = columns.existing
    aim = Aim(estimands, classifier, trained, target, existing, base.fingerprint, matter)
    return aim, population


def with_known(
    path: Path,
    columns: Columns,
    question: Question,
    base: Population,
    names: tuple[str, ...],
    places: Places,
) -> tuple[Aim, Population] | None:
    """What share the known answers have found; a score says which of the others are likely."""
    file = base.fingerprint
    scored = tuple(name for name in names if name in base.scores)
    orders = choose_one(scored, file, ORDERS)
    read = columns.without_found().asked(question.classes, question.positive)
    for name in orders:
        cut_none = cut(read, base, question, name, "none")
        assert cut_none is not None  # Nothing is cut.
        read = cut_none
    order = next(iter(orders), None)
    columns_of = {one.name: one.score for one in read.classifiers}
    read = read.finding(columns_of.get(order or ""), descending=order in read.descending)
    try:
        population = files.read(path, read.arguments())
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    with places.more:
        _, target = about_the_items(file, classified=False)
    draft.taken(file, "estimands", "classifiers")
    aim = Aim(FOUND.estimands, population.found, "", target, columns.existing, file)
    return aim, population


def refuse_known(possible: list[Card], existing: str, file: str) -> None:
    """No method for the question can use the known answers: the questions that can."""
    able = [one for one in possible if uses(one, existing)]
    fault = NO_KNOWN.format(able="; ".join(one.title for one in able), ignored=SOURCES["ignored"])
    ways = [WayOut(one.title, ProjectDraft(file, question=one.title)) for one in able]
    unused = WayOut("do not use the known answers", ProjectDraft(file, existing="ignored"))
    refuse(fault, [*ways, unused])


def choose_card(possible: list[Card], base: Population, question: Question, told: int) -> Card:
    titles, file = [card.title for card in possible], base.fingerprint
    place = st.container()
    begun = draft.waiting(file).question
    kept = st.session_state.get(QUESTION)
    if st.session_state.get(PRESET_FOR) != file or kept not in titles:
        st.session_state[QUESTION] = first_card(base, usable(base), possible, told).title
        st.session_state[PRESET_FOR] = file
    draft.fill(QUESTION, file, "question", begun if begun in titles else None)
    titles = shown_titles(titles)
    possible = [CARDS[title] for title in titles]
    st.html(CARD_STYLE)
    if possible == [PREVALENCE]:
        st.info(ONLY_SHARE)
        st.button(TO_COLUMNS, key="new-to-columns", on_click=go, args=(1,))

    pair = compared(usable(base), file)

    def said_of(card: Card) -> str:
        chosen = card.title == st.session_state[QUESTION]
        return short_words(card, base, question, told, pair) if chosen or card is BETTER else ""

    captions = [
        plain(
            " ".join(
                (
                    *filter(None, [said_of(card)]),
                    *([card.words] if card.title == st.session_state[QUESTION] else []),
                )
            )
        )
        for card in possible
    ]
    chosen = place.radio(
        "What do you want to know?",
        titles,
        key=QUESTION,
        persist_state="session",
        format_func=lambda title: titled(CARDS[title], pair),
        captions=captions,
        width="stretch",
        label_visibility="collapsed",
    )
    return CARDS[str(chosen)]


def shown_titles(titles: list[str]) -> list[str]:
    """The questions that stand there; the rarer ones once one of them is chosen, or asked for."""
    rare = [title for title in titles if CARDS[title] in RARER]
    if len(titles) <= FEW or st.session_state[QUESTION] in rare or st.session_state.get(EVERY):
        return titles
    st.button("More questions", key=MORE_QUESTIONS, type="tertiary", on_click=_every)
    return [title for title in titles if title not in rare]


def _every() -> None:
    st.session_state[EVERY] = True


def choose_classifiers(
    card: Card, names: tuple[str, ...], base: Population
) -> tuple[str, ...] | None:
    """The classifiers that the question is about: () if the file has none, None until enough are
    chosen."""
    if card is RANKED:
        names = tuple(name for name in names if name in base.scores)
    if card is FOUND:
        first = flags(base, names)
        names = (*first, *(name for name in names if name not in first))
    if card in (SEVERAL, BETTER, SHIP):
        chosen = choose_several(names, base.fingerprint, pair=card is BETTER)
    else:
        chosen = choose_one(names, base.fingerprint)
    return chosen if chosen or not names else None


def which_numbers(
    first: tuple[str, ...], possible: tuple[str, ...], file: str, *, key: str
) -> tuple[str, ...]:
    """Which of the ``possible`` numbers are to be known; some methods give only some of them."""
    begun = draft.waiting(file).estimands
    draft.fill(key, file, "estimands", begun and list(begun))
    kept = st.session_state.get(key, [])
    if not {*kept} <= {*possible}:
        # A third classifier was added: there is no difference any more.
        st.session_state[key] = [one for one in kept if one in possible]
    chosen = st.multiselect(
        "Which numbers?",
        possible,
        default=list(first),
        format_func=ESTIMANDS.__getitem__,
        key=key,
        persist_state="session",
    )
    return tuple(chosen)


def which_classes(classes: tuple[str, ...], file: str) -> tuple[str, ...] | None:
    """The classes that have figures of their own; None: all."""
    key = f"{MATTER}-{file}-{'-'.join(classes)}"
    chosen = st.multiselect(
        "Which classes matter?",
        classes,
        default=list(classes),
        format_func=plain,
        key=key,
        persist_state="session",
    )
    return None if {*chosen} == {*classes} else tuple(chosen)


def about_the_items(file: str, *, classified: bool) -> tuple[str, str]:
    """Whether they were used for training, "" without a classifier, and what they stand for."""
    draft.fill(TARGET, file, "target", draft.waiting(file).target)
    trained = (
        st.segmented_control(
            "Were these items used to train the classifier?",
            list(TRAINED),
            default="unknown",
            required=True,
            format_func=TRAINED.__getitem__,
            key="new-trained",
            persist_state="session",
        )
        if classified
        else ""
    )
    target = st.segmented_control(
        "What is the statement about?",
        list(TARGETS),
        default="file",
        required=True,
        format_func=TARGETS.__getitem__,
        key=TARGET,
        persist_state="session",
    )
    return str(trained), str(target)
