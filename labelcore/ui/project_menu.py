"""A project's menu on the start page: its pages, other names and words, a second one, its end."""

import secrets
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import streamlit as st

from labelcore.access import NotAllowedError, Right
from labelcore.items import highlights_of
from labelcore.promises import Status
from labelcore.safe_text import one_line, plain
from labelcore.session import managing
from labelcore.session.session import Session
from labelcore.store import ProjectRecord
from labelcore.ui import actions, people, sessions, trail, visitor
from labelcore.ui.answers import classes_in_order
from labelcore.ui.more_labels import MORE, after_budget, chosen
from labelcore.ui.page_errors import guard
from labelcore.ui.panels import finish_warning
from labelcore.ui.params import within
from labelcore.ui.presses import PROBLEM, acting, button
from labelcore.ui.setup import PAGES
from labelcore.ui.status import shown_word
from labelcore.ui.summary import Summary

FORM, DONE, WAY = "life form", "life done", "chosen way"
RENAME, MEND, DUPLICATE = "Rename", "Correct the wording", "Duplicate"
EVERYTHING = "The plan already allows every item to be judged: there is nothing to add."
CHOICE_MADE = "The choice is made: no further item would be asked."
EXTEND, FINISH, ARCHIVE, BRING_BACK = "Go on longer", "Finish", "Archive", "Bring back"
ERASE = "Erase"
ITEM, TEXTS, LATER, PERSON, PROJECT = "item", "texts", "later", "person", "project"
ERASED_WHAT = {
    ITEM: "The text of one item",
    TEXTS: "The texts of all items",
    LATER: "The texts of all items, some days after the project's end",
    PERSON: "A person's name, in every project",
    PROJECT: "The whole project",
}
ERASE_WORDS = "It leaves the store, its backups and everything made here, and cannot come back."
ALSO = "It is erased from every project of the same file: {number:,} more."
NOT_ALONE = "Other projects use this file: only someone who runs them all may erase its items."
SEEDS = {"fresh": "Other items (a fresh seed)", "same": "The same items (the same seed)"}


def menu(number: int, summary: Summary) -> None:
    """What can be done with a project, and the form of what was chosen."""
    pages = [name for name in PAGES if name != "Label"]
    if summary.archived:
        options = [BRING_BACK, *pages, RENAME, DUPLICATE, ERASE]
    elif summary.status == Status.FINISHED:
        options = [*pages, RENAME, DUPLICATE, EXTEND, ARCHIVE, ERASE]
    else:
        options = [*pages, RENAME, MEND, DUPLICATE, EXTEND, FINISH, ARCHIVE, ERASE]
    if not visitor.runs_all():  # It would be a project in which they have no role.
        options.remove(DUPLICATE)
    key = f"menu-{number}"
    st.menu_button(
        "More", options, key=key, type="tertiary", on_click=choose, args=(key, summary.name)
    )


def go_where_chosen() -> None:
    """To the page of a project that its menu was asked for."""
    if WAY in st.session_state:
        what, project = st.session_state.pop(WAY)
        st.switch_page(PAGES[what], query_params={"project": project})


def open_form(project: str) -> str | None:
    """Which form is open on this project."""
    form = st.session_state.get(FORM)
    return form["what"] if form and form["project"] == project else None


def show_form(project: str) -> None:
    """The form that is open on this project, if one is; its errors stand in it."""
    what = open_form(project)
    if what is None:
        return
    token = str(st.session_state[FORM]["token"])
    with st.container(border=True, key="life"), guard("app"):
        st.markdown(f"**{plain(what)}**")
        FORMS[what](project, token)
        if PROBLEM in st.session_state:
            st.error(plain(st.session_state.pop(PROBLEM)))


def show_done() -> None:
    """What was done last."""
    if DONE in st.session_state:
        st.success(plain(st.session_state.pop(DONE)), icon=":material/check:")


@acting(Right.RUN)
def choose(key: str, project: str) -> None:
    what = str(st.session_state[key])
    if what in PAGES:
        st.session_state[WAY] = (what, project)
        return
    if what == BRING_BACK:
        archive(project, False)
        return
    st.session_state[FORM] = {"what": what, "project": project, "token": secrets.token_hex(8)}


@acting(Right.RUN)
def correct_wording(project: str) -> None:
    """Open the form of the wording."""
    st.session_state[FORM] = {"what": MEND, "project": project, "token": secrets.token_hex(8)}


@acting(Right.JUDGE)
def cancel() -> None:
    st.session_state.pop(FORM, None)


def done(sentence: str) -> None:
    st.session_state.pop(FORM, None)
    st.session_state[DONE] = sentence


def ways(label: str, act: Callable[..., None], *arguments: Any) -> None:
    with st.container(horizontal=True):
        button(label, "life-do", act, *arguments, type="primary")
        button("Cancel", "life-cancel", cancel)


def rename_form(project: str, token: str) -> None:
    st.text(
        "Labels, plan and draws stay as they are. A link with the old name says what the new one "
        "is."
    )
    key = f"life-name-{token}"
    st.text_input("New name", project, key=key, max_chars=managing.LONGEST_NAME)
    ways("Rename", rename, project, key)


@acting(Right.RUN)
def rename(project: str, key: str) -> None:
    name = sessions.registry().rename(project, str(st.session_state[key]))
    done(f"{project!r} is called {name!r} now." if name != project else "The name stays.")


def duplicate_form(project: str, token: str) -> None:
    st.text(
        "A new project of the same file, with the same plan and wording. No label is copied: it "
        "starts from zero."
    )
    wanted = managing.free_name(sessions.store(), f"{project[:70]} copy")
    name, seed = f"life-name-{token}", f"life-seed-{token}"
    st.text_input("Its name", wanted, key=name, max_chars=managing.LONGEST_NAME)
    st.radio(
        "Which items are drawn?",
        list(SEEDS),
        format_func=SEEDS.get,
        captions=(
            "A second, independent sample.",
            "To judge the same sample again, by another person or later.",
        ),
        key=seed,
    )
    ways("Duplicate", duplicate, project, name, seed)


@acting(Right.RUN)
def duplicate(project: str, name: str, seed: str) -> None:
    visitor.require(Right.RUN)
    fresh = secrets.randbelow(1_000_000) if st.session_state[seed] == "fresh" else None
    wanted = str(st.session_state[name])
    copy = managing.duplicate(sessions.store(), project, wanted, seed=fresh)
    done(f"{copy.name!r} was made: the file and plan of {project!r}, and no labels.")


def archive_form(project: str, token: str) -> None:
    st.text(
        "It moves to the end of this page. Nothing is deleted, its links keep working, and you "
        "can bring it back."
    )
    ways("Archive", archive, project, True)


@acting(Right.RUN)
def archive(project: str, archived: bool) -> None:
    managing.set_archived(sessions.store(), project, archived)
    done(f"{project!r} is {'moved to the end of this page' if archived else 'back'}.")


def erase_form(project: str, token: str) -> None:
    st.text(ERASE_WORDS)
    others = others_of_file(project)
    refused = {PERSON} if not visitor.runs_all() else set()
    refused |= {ITEM} if not runs(others) else set()
    offered = [choice for choice in ERASED_WHAT if choice not in refused]
    what = st.radio("What?", offered, format_func=ERASED_WHAT.get, key=f"life-what-{token}")
    if what in (ITEM, PERSON):
        label = "Its id" if what == ITEM else "The name"
        st.text_input(label, key=f"life-id-{token}")
    if what == ITEM and others:
        st.text(ALSO.format(number=len(others)))
    if what == LATER:
        st.number_input("Days", 1, 36_500, 90, key=f"life-days-{token}")
    else:
        st.text_input("Why? (the log keeps it)", key=f"life-why-{token}", max_chars=300)
    ways("Keep so" if what == LATER else "Erase", erase, project, token)


def others_of_file(project: str) -> list[ProjectRecord]:
    from labelcore.session.erasing import of_same_file

    return of_same_file(sessions.store(), project)


def runs(records: Iterable[ProjectRecord]) -> bool:
    """Whether whoever is at the page runs all of these projects."""
    return all(visitor.allowed(Right.RUN, record.name) for record in records)


@acting(Right.RUN)
def erase(project: str, token: str) -> None:
    from labelcore.session import erasing, retention

    def typed(name: str) -> Any:
        return st.session_state[f"life-{name}-{token}"]

    store, what = sessions.store(), typed("what")
    if what == LATER:
        days = int(typed("days"))
        retention.set_retention(store, project, days, trail.who())
        done(f"The texts of {project!r} go {days:,} days after its end.")
        return
    reason = {"who": trail.who(), "why": str(typed("why"))}
    if what == PROJECT:
        outcome = erasing.erase_project(store, project, **reason)
    elif what == PERSON:
        visitor.require(Right.RUN)
        outcome = erasing.erase_person(store, str(typed("id")).strip(), **reason)
    else:
        if what == ITEM and not runs(others_of_file(project)):
            raise NotAllowedError(NOT_ALONE)
        wanted = [str(typed("id")).strip()] if what == ITEM else None
        outcome = erasing.erase_items(store, project, wanted, **reason)
    hidden = [repr(record.name) for record in store.projects() if not visitor.visible(record)]
    left = [place for place in outcome.left if not any(name in place for name in hidden)]
    done(f"Erased. Out of reach: {'; '.join(left)}.")


def finish_form(project: str, token: str) -> None:
    st.text(finish_warning(sessions.session(project)))
    key = f"life-reason-{token}"
    st.text_input("Why now? (printed in the report)", key=key, max_chars=300)
    ways("Finish", finish, project, key)


@acting(Right.RUN)
def finish(project: str, key: str) -> None:
    session = sessions.session(project)
    session.finish(str(st.session_state[key]), people.name(session))
    done(f"{project!r} is finished. Its report is final.")


def extend_form(project: str, token: str) -> None:
    session = sessions.session(project)
    session.sync()
    items, answered = session.engine.most, session.engine.answers_given
    least = actions.allowed(session)
    if least >= items or chosen(session):
        st.text(CHOICE_MADE if chosen(session) else EVERYTHING)
        button("Close", "life-cancel", cancel)
        return
    st.text(
        f"{answered:,} of {items:,} items are judged, {least:,} may be. {after_budget(session)}"
    )
    key = f"life-budget-{token}"
    wanted = st.number_input("How many in all?", value=min(least + MORE, items), step=1, key=key)
    if within(wanted, least + 1, items):
        ways("Go on", extend, project, key)


@acting(Right.RUN)
def extend(project: str, key: str) -> None:
    budget = int(st.session_state[key])
    session = sessions.session(project)
    session.extend(budget=budget, annotator=people.name(session))
    done(f"{project!r} continues to {budget:,} labels.")


def mend_form(project: str, token: str) -> None:
    session = sessions.session(project)
    session.sync()
    now = session.settings
    st.text(
        "For a typing error or a clearer sentence. No label changes; old and new words are kept, "
        "and the report says that they were changed. For a different question, make a new project."
    )
    st.text_input("Question", now.get("question", ""), key=f"life-question-{token}", max_chars=300)
    st.text_area(
        "What counts, and what does not?",
        now.get("instructions", ""),
        key=f"life-instructions-{token}",
        max_chars=5000,
    )
    meant = answer_words(session)
    for number, name in enumerate(keyed_classes(session)):
        st.text_input(
            plain(f"What {shown_word(name)!r} means"),
            meant[number],
            key=f"life-meaning-{number}-{token}",
            max_chars=300,
        )
    highlight = now.get("highlight") or {}
    for part, label in (("words", "Words"), ("patterns", "Patterns (regular expressions)")):
        st.text_area(
            f"{label} to highlight in the item, one per line",
            "\n".join(highlight.get(part, [])),
            key=f"life-{part}-{token}",
            height=80,
        )
    ways("Save the wording", mend, project, token)


def keyed_classes(session: Session) -> list[str]:
    return [name for name, key, _ in classes_in_order(session) if key is not None]


def answer_words(session: Session) -> list[str]:
    """What each answer with a key means, in the order of the buttons; empty where not said."""
    known = [str(words) for words in session.settings.get("answer_words") or []]
    number = len(keyed_classes(session))
    return [*known, *[""] * number][:number]


@acting(Right.RUN)
def mend(project: str, token: str) -> None:
    session = sessions.session(project)
    session.sync()

    def typed(name: str) -> str:
        return str(st.session_state[f"life-{name}-{token}"])

    words = [typed(f"meaning-{n}").strip() for n in range(len(keyed_classes(session)))]
    wanted = {
        "question": one_line(typed("question"), 300),
        "instructions": typed("instructions").strip(),
        "answer_words": words,
        "highlight": {part: lines_of(typed(part)) for part in ("words", "patterns")},
    }
    check_wording(wanted)
    before = {
        "question": session.settings.get("question", ""),
        "instructions": session.settings.get("instructions", ""),
        "answer_words": answer_words(session),
        "highlight": {"words": [], "patterns": [], **(session.settings.get("highlight") or {})},
    }
    changes = {name: value for name, value in wanted.items() if value != before[name]}
    if changes:
        session.reword(people.name(session), **changes)
    done(f"The wording of {project!r} is corrected." if changes else "Nothing was changed.")


def lines_of(text: str) -> list[str]:
    r"""The lines that say something, each once.

    >>> lines_of(" free \n\nwin\nfree")
    ['free', 'win']
    """
    return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


def check_wording(wanted: Mapping[str, Any]) -> None:
    """Raises ValueError with a sentence for words that cannot be used."""
    if not wanted["question"]:
        raise ValueError("The question must not be empty.")
    highlights_of(wanted)


FORMS: dict[str, Callable[[str, str], None]] = {
    RENAME: rename_form,
    MEND: mend_form,
    DUPLICATE: duplicate_form,
    EXTEND: extend_form,
    FINISH: finish_form,
    ARCHIVE: archive_form,
    ERASE: erase_form,
}
