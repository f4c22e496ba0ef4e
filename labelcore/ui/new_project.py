"""New project: three screens, each of which settles a part and hands it to the next."""

import json
import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import config

from labelcore.access import Right
from labelcore.plan.plan import Plan
from labelcore.plan.recut import without_unfit_recut
from labelcore.population import FORMATS, Population
from labelcore.population.pictures import SUFFIXES
from labelcore.safe_text import one_line, plain
from labelcore.session.managing import checked_name, free_name
from labelcore.settings import data_folder
from labelcore.ui import files, sessions, visitor
from labelcore.ui.asking import DRAFT, ask, current, put
from labelcore.ui.draft import Draft, Question
from labelcore.ui.new_aim import aim_step
from labelcore.ui.new_columns import settings
from labelcore.ui.new_confidence import sure_step
from labelcore.ui.new_items import Items, items_of, items_step
from labelcore.ui.new_question import NO_QUESTION, question_of, question_step
from labelcore.ui.new_repeats import with_overlap, with_repeats
from labelcore.ui.new_screens import Places, back_button, bar, head, next_button
from labelcore.ui.presses import sentence
from labelcore.ui.scripts import component, constants, text_of
from labelcore.version import __version__
from labelcore.whole_file import whole_file
from labelcore.words.sentences import count

MOST_FILES = 60_000
"""Files of a folder that are dropped at once; a zip of 32 bits has no more."""
REFUSED = {
    "nothing": "The folder holds neither a picture nor a table.",
    "zip": "A zip comes alone. Pack its table into it, or drop what is in it.",
    "much": "The folder is too large to be dropped: at most {files:,} files and {size:,} MB.",
}


def watch_for_files() -> None:
    """Listen on every screen; what a folder cannot be taken for is said."""
    most = int(config.get_option("server.maxUploadSize"))
    taken = "|".join(suffix.replace(".", r"\.") for suffix in (*SUFFIXES, *FORMATS))
    names = constants(TAKEN=f"({taken})$", MOST_FILES=MOST_FILES, MOST_BYTES=most * 1_000_000)
    listening = component("bring", js=names + text_of("bring.js"))
    with st.container(key="keys"):
        heard = listening(key="labelcore-bring", height=1, on_said_change=lambda: None)
    if refusal := heard.get("said"):
        words = REFUSED.get(str(refusal.get("refused")), "")
        st.error(words.format(files=MOST_FILES, size=most))


NAME, TOKEN, WRITTEN = "draft", "draft token", "draft written"
FORM = re.compile(r"[0-9a-f]{24}")
LARGEST, OLDEST_SECONDS = 100_000, 30 * 24 * 3600


def folder() -> Path:
    return data_folder() / "drafts"


def restore_draft() -> None:
    """Go on with the draft that the address names, where this visitor has none yet."""
    token = st.query_params.get(NAME, "")
    if TOKEN in st.session_state or not FORM.fullmatch(token):
        return
    st.session_state[TOKEN] = token
    if (draft := read(folder() / f"{token}.json")) is not None:
        put(draft)


def keep_draft() -> None:
    """Write the draft where it has changed, and name it in the address."""
    if current().path is None:
        return
    text = written(current())
    token = str(st.session_state.setdefault(TOKEN, secrets.token_hex(12)))
    if st.query_params.get(NAME) != token:
        st.query_params[NAME] = token
    if st.session_state.get(WRITTEN) == text or len(text) > LARGEST:
        return
    try:
        folder().mkdir(parents=True, exist_ok=True)
        if WRITTEN not in st.session_state:
            clear_old()
        with whole_file(folder() / f"{token}.json") as stream:
            stream.write(text.encode())
    except OSError:
        return  # A reload then begins anew; nothing else depends on it.
    st.session_state[WRITTEN] = text


def drop_draft() -> None:
    """The project is made: nothing is left of its draft."""
    token = str(st.session_state.pop(TOKEN, ""))
    for name in (WRITTEN, DRAFT):
        st.session_state.pop(name, None)
    if FORM.fullmatch(token):
        (folder() / f"{token}.json").unlink(missing_ok=True)


def clear_old() -> None:
    """Remove drafts that nobody has touched for a month."""
    for path in folder().glob("*.json"):
        if path.stat().st_mtime < time.time() - OLDEST_SECONDS:
            path.unlink(missing_ok=True)


def written(draft: Draft) -> str:
    """A draft as its file holds it.

    >>> json.loads(written(Draft(path="a.csv", step=2)))["draft"]["path"]
    'a.csv'
    """
    values = {"version": __version__, "draft": draft.to_json()}
    return json.dumps(values, ensure_ascii=False)


def read(path: Path) -> Draft | None:
    """The draft that a file holds; None for one that is missing, foreign, or names a file of items
    outside the data folder."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        fields = json.loads(path.read_text("utf-8"))
        if fields["version"] != __version__:
            return None
        draft = Draft.from_json(fields["draft"])
        files.inside(str(draft.path))
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return draft


NO_FILE = "To continue, choose a file."
NO_ITEMS = "To continue, settle what is asked above."
FIXED_SHORT = "What is final?"
FIXED = (
    "From now on the file, what its columns mean, the classes, the classifiers and thresholds, "
    "the method, its seed, the planned size, the share shown again, the confidence, the promise, "
    "the claims and what ends the session are fixed: an interval keeps its promise only if "
    "nothing was chosen after seeing labels. The question and the instructions are only words: "
    "they can be corrected later, and the report says so. Labels may be added at the end."
)
MORE = "More choices"


def new_project_page() -> None:
    """The screen of the draft, or the first one before it that is not settled."""
    restore_draft()
    watch_for_files()
    now = current()
    items = items_of(now) if now.step > 1 else None
    question = NO_ITEMS if items is None else question_of(now, items.population)
    if items is None:
        now.step = 1
    elif isinstance(question, str):
        now.step = 2
    head(now.step, settled_answers(now, items))
    if items is None:
        settled = items_step() is not None
        leave(settled, NO_FILE if now.path is None else NO_ITEMS)
    elif isinstance(question, str) or now.step == 2:
        question = question_step(items)
        leave(isinstance(question, Question), question if isinstance(question, str) else "")
    else:
        aim_screen(items, question)


def settled_answers(now: Draft, items: Items | None) -> Mapping[int, str]:
    """The answer of each screen that is settled and left, in a line."""
    answers = {}
    if items is not None:
        answers[1] = f"{files.dropped_as(items.path)}, {count(len(items.population), 'item')}"
    if now.step > 2:
        answers[2] = one_line(now.question or "", 300)
    return answers


def leave(settled: bool, lacking: str) -> None:
    """The end of a screen: the draft is kept, and the way on offered."""
    next_button(settled, lacking, says=lacking == NO_QUESTION)
    keep_draft()


def aim_screen(items: Items, question: Question) -> None:
    """What is asked on the left, beside it the price from above to below."""
    left, right = st.columns([38, 62], gap="large")
    with right:
        price, axis, slide, methods = (st.container() for _ in range(4))
        people = st.container(horizontal=True, key="new-people")
        more = st.expander(MORE, key="new-advanced")
    places = Places(left, price, axis, slide, methods, people, more, end=st.container())
    columns = items.settled
    aimed = aim_step(items.path, columns, question, items.population, places)
    settled = sure_step(*aimed, places) if aimed is not None else None
    if aimed is None or settled is None:
        with places.end, bar():
            back_button()
        keep_draft()
        return
    aim, population = aimed
    plan, race = settled
    with places.people:
        plan = with_overlap(plan, population)
    with places.more:
        plan = without_unfit_recut(population, with_repeats(plan))
        called = files.dropped_as(items.path)
        called = called.split(".")[0] if called.endswith(items.path.suffix) else called
        first = free_name(sessions.store(), one_line(called, 60) or "project")
        name = ask("project_name", first=first)
    with places.end:
        create_button(settings(question, aim, columns), plan, population, name)
    keep_draft()
    race.run()


def create_button(words: Mapping[str, Any], plan: Plan, population: Population, name: str) -> None:
    """The last press, always in reach; what is wrong with it stands above it."""
    above = st.container()
    with bar():
        back_button()
        pressed = st.button(
            "Start labelling", type="primary", key="new-create", shortcut="Ctrl+Enter"
        )
        st.caption(FIXED_SHORT, help=FIXED)
    if not pressed:
        return
    try:
        with above:
            name = create(name, words, population, plan)
    except (ValueError, TypeError, OSError) as error:
        above.error(plain(sentence(error)))
        return
    drop_draft()
    st.switch_page("pages/label.py", query_params={"project": name})


def create(name: str, words: Mapping[str, Any], population: Population, plan: Plan) -> str:
    """Everything is valid by now; a name that is taken is told before anything is stored."""
    visitor.require(Right.RUN)
    checked = checked_name(sessions.store(), name)
    sessions.registry().create(checked, population, plan, words)
    return checked
