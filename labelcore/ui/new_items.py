"""New project, step 1: the file, and what its columns mean."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from labelcore import sandbox
from labelcore.errors import Fault, PopulationError, alike
from labelcore.population import Dialect, Duplicates, Form, Population
from labelcore.population.classes import grades_of
from labelcore.population.dialect import DECIMALS, DELIMITERS, ENCODINGS, KNOWN, QUOTES
from labelcore.population.groups import may_be_cut
from labelcore.population.guess import FEW_VALUES, Guess, guess
from labelcore.population.head import Head
from labelcore.population.roles import Roles, passing
from labelcore.population.trace_ids import LANGFUSE
from labelcore.population.tree import Tree
from labelcore.safe_text import one_line, plain, shortened
from labelcore.ui import files, visitor
from labelcore.ui.asking import ask, ask_number, current
from labelcore.ui.draft import Draft
from labelcore.ui.fields import FIELDS, Field, Rules, same
from labelcore.ui.files import Checked
from labelcore.ui.hidden import hidden_columns
from labelcore.ui.lines import fold
from labelcore.ui.new_classifiers import strays
from labelcore.ui.new_columns import NO_COLUMN, ROW_NUMBERS, SEVERAL_COLUMNS, Columns, Meanings
from labelcore.ui.new_known_answers import Known, known_answers, show_known
from labelcore.ui.new_tree import TAKE, passing_words, pick, take_for, verdict_words
from labelcore.ui.presses import button, sentence
from labelcore.ui.reading import is_there
from labelcore.words.sentences import count

MOST_LOOKED_AT, MOST_GROUPED = 100, 4
KINDS = "CSV, TSV, text, JSON, JSON Lines (gzipped or not), Excel, Parquet, Feather or DuckDB"
HOLDS = "One row for each item: what a person judges, and your classifier's score or verdict."
FIELD_LABELS = {
    "encoding": "Encoding",
    "delimiter": "Columns are separated by",
    "decimal": "Decimal mark",
    "quote": "Quotes",
    "header": "The first row",
    "sheet": "Sheet",
}
REVEALING = (
    "{names} may show a model's output: whoever sees it does not judge blind. The report says so."
)
EQUAL = "{classifier}: all scores are equal, so they put the items in no order."
MARKS = ("decimal", "quote")
PLACES = 5
"""How many rows of equal faults are named."""
STRAYS = (
    "{classifier}: {some} are not from 0 to 1, such as {which}. If these are probabilities, "
    "mend the file: as it is, only the order of the scores is used."
)
WITHOUT_CLASSIFIER = "No classifier was found: its column can be named under '{where}'."
MEANINGS = "Change what a column means"
WRONG, ANOTHER = "Change how the file is read", "Another file"
SCORES, TRACED = "Verdicts in another file", {"trace_id", "traceId", *LANGFUSE}
DROP = "Drop a table, a folder or a zip of pictures anywhere, or paste a table"
PATH = "or a path on this machine"
PATH_INSIDE = "or a path in the data folder"
OTHERS = f"Choose other columns under '{MEANINGS}', or mend the file."
NO_ROLE = "not used"
FIRST = "the first counts"
MANY_REPEATED = 0.5
ALIKE = (
    "{count} of {items} items look the same as an earlier one. Should another column be shown? "
    "Choose it under '{where}'."
)


def begin_with(path: Path) -> None:
    """Let *New project* open with this file of the data folder."""
    now = current()
    now.open(str(path))
    now.step, now.uploaded = 1, None


@dataclass(frozen=True)
class Items(Rules):
    """The file of a draft as it is read, as far as that is asked for. Whatever has to read the file
    raises ValueError, OSError where that cannot be done."""

    def offered(self, name: str, part: str) -> Mapping[str, Any]:
        match name:
            case "prompt":
                first = self.roles.prompt if self.roles else None
                return {"options": same([NO_COLUMN, *self.names]), "first": first or NO_COLUMN}
            case "groups":
                able = [*self.groupable, *self.cuttable]
                return {"options": same(able), "first": self.groupable}
            case "helpers":
                return {"options": same(self.helpers)}
            case "passes":
                judge = self.meanings.classifier(part).name
                words = verdict_words(self.verdicts.get(judge, {}))
                passes = list(self.preset.get(judge, ()))
                label = f"Which verdicts of {one_line(judge, 40)} pass?"
                return {"label": label, "options": words, "first": passes}
        return {}

    @cached_property
    def path(self) -> Path:
        return Path(self.now.path or "")

    @cached_property
    def form(self) -> Form:
        return files.read_form(self.path)

    @cached_property
    def dialect(self) -> dict[str, Any]:
        """How the file is read where the person chose otherwise than detected, else {}."""
        given = {name: row.shown(self.now) for name, row in dialect_rows(self).items()}
        detected = all(value == getattr(self.form.dialect, name) for name, value in given.items())
        return {} if detected else given

    @cached_property
    def head(self) -> Head:
        return files.read_head(self.path, self.dialect, self.now.paths)

    @cached_property
    def guess(self) -> Guess:
        return guess(self.head.columns, self.head.sample)

    @cached_property
    def names(self) -> list[str]:
        return list(dict.fromkeys(self.head.columns))

    @cached_property
    def meanings(self) -> Meanings:
        return Meanings(self.now, self.names, self.guess)

    @cached_property
    def reasons(self) -> dict[str, str]:
        """Why something is asked or was left out, until a person has said what it is."""
        said, guess = self.meanings, self.guess
        open_still = {"id": self.now.id is None, "content": not said.shown("content")}
        open_still["classifiers"] = said.classifiers == guess.classifiers
        return {part: reason for part, reason in guess.reasons.items() if open_still[part]}

    @cached_property
    def bare(self) -> Columns:
        """What the columns mean, known answers, helpers and groups left out."""
        columns = self.meanings.columns(self.head.sample, self.dialect)
        passing = {
            row.name: tuple(self.shown("passes", part))
            for part, row in (self.meanings.placed or {}).items()
            if row.prediction and (row.name in self.preset or part in self.now.passes)
        }
        prompt, hidden = self.shown("prompt"), hidden_columns(self.roles, columns.content)
        prompt, metadata = None if prompt == NO_COLUMN else prompt, tuple(hidden)
        return replace(columns, passing=passing, prompt=prompt, hidden=hidden, metadata=metadata)

    @cached_property
    def roles(self) -> Roles | None:
        """What the columns of a log of model calls are."""
        return self.guess.roles

    @cached_property
    def judged(self) -> Mapping[str, str]:
        """Judge -> its column of verdicts, of such a log."""
        rows = self.meanings.classifiers or () if self.roles else ()
        return {judge.name: judge.prediction for judge in rows if judge.prediction}

    @cached_property
    def tree(self) -> Tree:
        """What lies in the records, and the verdicts of the judges."""
        return files.read_tree(self.path, self.dialect, [*self.judged.values()])

    @cached_property
    def verdicts(self) -> dict[str, Mapping[str, int]]:
        """The different verdicts of each judge, and how often each is given."""
        return {name: self.tree.values[column] for name, column in self.judged.items()}

    @cached_property
    def preset(self) -> dict[str, tuple[str, ...]]:
        """Which of them pass, where that must be told."""
        return passing({name: list(counts) for name, counts in self.verdicts.items()})

    @cached_property
    def values(self) -> dict[str, set[str]]:
        """The different values of each column in the first rows, no value left out."""
        sample = self.head.sample
        return {name: {row.get(name, "").strip() for row in sample} - {""} for name in self.names}

    @cached_property
    def grades(self) -> Mapping[str, str]:
        """Place of a classifier -> its only column, where that was read as a score and holds few
        whole numbers, such as 1 to 5."""
        found = {}
        for part, row in (self.meanings.placed or {}).items():
            column, guessed = row.score or row.prediction or "", self.meanings.guessed(part)
            as_score = (guessed.score, guessed.prediction) == (column, None)
            numbers = grades_of([*self.values.get(column, ())])
            few = numbers is not None and len(numbers) <= FEW_VALUES and not (numbers % 1).any()
            if as_score and few and None in (row.score, row.prediction):
                found[part] = column
        return found

    @property
    def graded(self) -> bool:
        """Whether one of these is what people are to say, too."""
        return any((self.meanings.placed or {})[part].prediction for part in self.grades)

    @cached_property
    def groupable(self) -> list[str]:
        """The columns that hold groups, as far as the first rows tell: few values that come again,
        and no answers."""
        taken = self.roles.taken if self.roles else ()
        unused = [name for name in self.bare.unused(self.head.columns) if name not in taken]
        names = [name for name in unused if name not in self.guess.answers]
        few = min(FEW_VALUES, len(self.head.sample) // 4)
        first = [self.roles.system] if self.roles and self.roles.system in unused else []
        grouping = [name for name in names if 2 <= len(self.values[name]) <= few]
        return list(
            dict.fromkeys([*first, *grouping, *(path for path in self.now.paths if path in names)])
        )[:MOST_GROUPED]

    @cached_property
    def cuttable(self) -> list[str]:
        """The columns of numbers or dates, whose ranges or months may be groups."""
        names = [name for name in self.bare.unused(self.head.columns) if name not in self.groupable]
        decimal = self.head.dialect.decimal
        return [name for name in names if may_be_cut(self.values[name], decimal)]

    @cached_property
    def columns(self) -> Columns:
        """What the columns mean, known answers and helpers left out."""
        return replace(self.bare, groups=tuple(self.shown("groups")))

    @cached_property
    def nested(self) -> bool:
        """Whether something lies within the records."""
        inside = (set(name) & set(".[") for name in self.head.columns)
        values = (value for row in self.head.sample[:1] for value in row.values())
        return any(inside) or any(value[:1] in ("[", "{") for value in values)

    @cached_property
    def answers(self) -> list[str]:
        """The columns that look like answers."""
        return self.columns.unused(self.guess.answers)

    @cached_property
    def others(self) -> list[str]:
        """The columns that mean nothing and do not look like answers."""
        names = self.columns.unused(self.head.columns)
        taken = (*self.guess.answers, *(self.roles.taken if self.roles else ()))
        return [name for name in names if name not in taken]

    @cached_property
    def whole(self) -> Checked:
        few = [name for name in self.others if len(self.values[name]) <= FEW_VALUES]
        known = few[:MOST_LOOKED_AT]
        self.meanings.check_names()
        try:
            arguments = self.columns.to_json()
            return files.read_and_compare(self.path, arguments, self.answers, known)
        except PopulationError:
            if self.now.groups is not None or not self.columns.groups:
                raise
        # Nobody asked for these groups: what was taken for groups is none in the whole file.
        vars(self)["columns"] = replace(self.columns, groups=())
        return files.read_and_compare(self.path, self.columns.to_json(), self.answers, known)

    @cached_property
    def known(self) -> Known:
        return known_answers(self.now, self.whole.population, self.answers, self.whole.filled)

    @cached_property
    def helpers(self) -> list[str]:
        """Those of the other columns that may help to choose items."""
        columns = self.columns_with_known
        taken = {columns.known, *columns.named}
        offered = [name for name in self.others if name not in taken][:MOST_LOOKED_AT]
        return offered if columns.named else []

    @cached_property
    def columns_with_known(self) -> Columns:
        """The columns with the known answers that are used; these name the classes where no
        classifier does."""
        known, existing = self.known.column, self.known.existing
        columns = replace(self.columns, known=known, existing=existing)
        if existing != "certainty" or columns.predictions:
            return columns
        finding = columns.finding()
        try:
            two = len(files.read(self.path, finding.to_json()).classes) == 2
        except (ValueError, OSError):
            return columns
        return finding if two else columns

    @cached_property
    def settled(self) -> Columns:
        """What all columns mean."""
        helpers = {name: name for name in self.shown("helpers")}
        return replace(self.columns_with_known, helpers=helpers)

    @cached_property
    def population(self) -> Population:
        return files.read(self.path, self.settled.to_json())


def items_of(now: Draft) -> Items | None:
    """What screen 1 has settled; None while something is missing or wrong."""
    items = Items(now)
    if now.path is None or not is_there(items.path):
        return None
    try:
        open_still = items.meanings.lacking or items.known.lacking
        return None if open_still or not len(items.population) else items
    except (ValueError, OSError):
        return None


def items_step() -> tuple[Path, Columns, Population] | None:
    """The file, its columns and the population; None while something is missing or wrong."""
    now = current()
    if not choose_file(now):
        return None
    items, then = Items(now), ""
    preview, below = st.container(), None
    links = st.container(horizontal=True, key="new-links", vertical_alignment="center")
    try:
        with links:
            button(ANOTHER, "new-another", now.close, type="tertiary")
            if items.form.options:
                fold(WRONG, "new-wrong", lambda: choose_dialect(items))
            doubts = any(items.guess.asks(part) for part in items.guess.confidence)
            below = fold(MEANINGS, "new-meanings", lambda: choose_columns(items), opened=doubts)
            if items.nested:
                fold(TAKE, "new-take", lambda: pick_from(items))
            if TRACED & {*items.names} and not items.judged:
                fold(SCORES, "new-scores", lambda: add_scores(items))
        with preview:
            show_head(items)
            say_what_matters(items)
        if items.meanings.lacking:
            st.text(items.meanings.lacking)
            return None
        then = OTHERS
        population = items.whole.population
        show_known(items.known, population)
        with preview:
            say_what_was_read(items, population)
            show_strays(population)
        if population.prompt is None:  # Several systems may well answer a prompt alike.
            show_duplicates(items.whole.repeated, len(population))
        if items.known.lacking:
            return None
        if below is not None:
            with below:
                if items.helpers:
                    ask(items.row("helpers"))
                if (groups := items.row("groups")).options:
                    ask(groups, first=[*items.columns.groups])
        return items.path, items.settled, population
    except (ValueError, OSError) as error:
        show_faults(error, then)
        offer_instead(items, getattr(error, "faults", ()))
        return None


def offer_instead(items: Items, faults: Sequence[Fault]) -> None:
    """Buttons that take the likelier column of scores, or none."""
    scores = {row.score: part for part, row in (items.meanings.placed or {}).items()}
    for column in {fault.column: scores for fault in faults if fault.column in scores}:
        words, part = f"Go on without {plain(column or '', 60)}", scores[column]
        button(words, f"new-without-{part}", items.now.take, "score", NO_COLUMN, part)
    for fault in faults:
        if fault.instead and fault.column in scores:
            words, part = f"Take {plain(fault.instead, 60)} as the score", scores[fault.column]
            button(words, f"new-instead-{part}", items.now.take, "score", fault.instead, part)


def pick_from(items: Items) -> None:
    """A record as a tree, of which a value can be taken for a column."""
    now, rows = items.now, items.meanings.shown("number")
    content, groups = items.bare.content, items.columns.groups
    use = partial(take_for, now, items.names, content, groups, rows)
    pick(items.tree, use)


def add_scores(items: Items) -> None:
    """A file of scores, joined to the traces that they are about."""
    given = st.file_uploader("Langfuse's scores", key="new-scores-file")
    if given is not None:
        items.now.open(str(files.with_scores(items.path, given.name, given.getvalue())))
        st.rerun()


def say_what_was_read(items: Items, population: Population) -> None:
    """How many items and columns, once nothing of the file is left that cannot be read."""
    named = len(population.arguments["predictions"])
    parts = ((len(population.scores), "score"), (named, "prediction column"))
    read = [count(len(population), "item"), *(count(*part) for part in parts if part[0])]
    several = len(population.classes) > 2
    read.append(f"{len(population.classes)} classes" if several else "no fault")
    without = not population.classifiers and not items.guess.perhaps
    then = f". {WITHOUT_CLASSIFIER.format(where=MEANINGS)}" if without else ""
    st.markdown(f":material/check: {plain(', '.join(read) + then)}")


def roles(items: Items) -> dict[str, str]:
    """What each column that means something is, in a word or two."""
    columns, guessed = items.columns, items.guess
    meanings = dict.fromkeys(guessed.answers, "answer, hidden")
    if guessed.roles is not None:
        meanings |= {row.reason: "reason, hidden" for row in guessed.roles.judges if row.reason}
        meanings |= {guessed.roles.system: "system, hidden"} if guessed.roles.system else {}
    meanings |= {columns.prompt: "same prompt"} if columns.prompt else {}
    meanings |= dict.fromkeys(columns.groups, "groups") | dict.fromkeys(columns.content, "shown")
    for row in items.meanings.classifiers or ():
        meanings |= {row.score: f"score of {row.name}"} if row.score else {}
        meanings |= {row.prediction: f"prediction of {row.name}"} if row.prediction else {}
    return meanings | dict.fromkeys(columns.id_columns, "id")


def say_what_matters(items: Items) -> None:
    """What must be known of the meanings, whether or not they are changed."""
    if items.meanings.id == ROW_NUMBERS:
        st.caption("No id column: row numbers are the ids, so the order of the rows must stay.")
    for part, reason in items.reasons.items():
        say = st.warning if part == "id" else st.caption
        say(plain(f"{'Not sure: ' if items.guess.asks(part) else ''}{reason}"))
    if items.guess.perhaps and "classifiers" in items.reasons:
        every = "number", len(items.meanings.likely)
        button("Take as scores", "new-take-scores", items.now.take, *every)
    for branch in items.tree.branches if items.judged else ():
        if twice := branch.twice:
            st.caption(plain(f"{branch.path} is there twice in {count(twice, 'line')}: {FIRST}."))
    for name, passes in items.bare.passing.items():
        st.caption(plain(passing_words(name, items.verdicts[name], passes)))
    answers = [name for name in items.columns.content if name in items.guess.answers]
    if answers:
        st.warning(
            plain(f"{', '.join(answers)} looks like the answer; showing it would decide for you.")
        )
    if revealing := items.columns.revealing:
        st.warning(plain(REVEALING.format(names=", ".join(revealing))))


def show_strays(population: Population) -> None:
    """Scores that are all equal, and the few outside 0 to 1 where the others lie within."""
    for name, scores in population.scores.items():
        if scores.min() == scores.max() and len(scores) > 1:
            st.warning(plain(EQUAL.format(classifier=name)))
        if len(rows := strays(scores)):
            some = f"{len(rows):,} of {count(len(scores), 'score')}"
            which = " and ".join(f"{scores[row]:g} in row {row + 1:,}" for row in rows[:2])
            st.warning(plain(STRAYS.format(classifier=name, some=some, which=which)))


def show_duplicates(repeated: Duplicates, items: int) -> None:
    """How many of the ``items`` look like an earlier one: a few, or so many that what is shown
    cannot be what is judged."""
    if not repeated.count:
        return
    if repeated.count > MANY_REPEATED * items:
        st.warning(ALIKE.format(count=f"{repeated.count:,}", items=f"{items:,}", where=MEANINGS))
        return
    row, first = repeated.examples[0]
    single = repeated.count == 1
    st.caption(
        f"{repeated.count:,} item{' has' if single else 's have'} the same content as an earlier "
        f"one; the first: row {row:,} repeats row {first:,}. That does no harm."
    )


def choose_file(now: Draft) -> bool:
    """Whether there is a file; while there is none, it is asked for."""
    if now.path is None:
        bring(now)
        if now.path is not None:
            st.rerun()
        return False
    if not is_there(Path(now.path)):
        st.error(plain(f"{now.path} is not there any more. Choose it again."))
        button(ANOTHER, "new-another", now.close, type="tertiary")
        return False
    return True


def bring(now: Draft) -> None:
    """A file, a folder, a zip, a pasted table, a path, or a file that came before."""
    st.caption(HOLDS if sandbox.version() else f"{HOLDS} {sandbox.NOT_HERE}")
    given = st.file_uploader(DROP, key="new-upload", help=KINDS)
    left, right = st.columns(2)
    here, listed = visitor.sits_here(), files.listed()
    with left:
        typed = ask("typed", label=PATH if here else PATH_INSIDE)
    with right:
        chosen = ask("listed", options=same(listed)) if listed else None
    try:
        if given is not None and now.uploaded != given.file_id:
            now.uploaded = given.file_id
            now.open(str(files.keep_upload(given.name, given.getvalue())))
        elif typed or chosen:
            now.open(str(files.named(typed or chosen or "", anywhere=here)))
    except (ValueError, OSError) as error:
        show_faults(error)


def dialect_rows(items: Items) -> dict[str, Field]:
    """The input of each field of the dialect, which begins as it was detected: what the marks in
    numbers and around texts are is detected anew once the rest is chosen."""

    def row(name: str, form: Form) -> Field:
        options, first = dict(field_words(form, name)), getattr(form.dialect, name)
        return replace(
            FIELDS["read"], label=FIELD_LABELS[name], options=options, first=first, part=name
        )

    form = items.form
    rows = {name: row(name, form) for name in form.options if name not in MARKS}
    chosen = {name: one.shown(items.now) for name, one in rows.items()}
    changed = {name: value for name, value in chosen.items() if value != rows[name].first}
    again = files.read_form(items.path, changed) if changed else form
    return rows | {name: row(name, again) for name in MARKS if name in form.options}


def choose_dialect(items: Items) -> None:
    """Selectors for how the file is read."""
    for row in dialect_rows(items).values():
        ask(row)


def field_words(form: Form, name: str) -> list[tuple[str | bool | None, str]]:
    """What a field of the dialect may be, each value with its words."""
    if name == "header":
        return [(True, "names the columns"), (False, "is data")]
    if name == "sheet":
        first = form.sheets[0] if form.sheets else ""
        return [(None, first), *((sheet, sheet) for sheet in form.sheets[1:])]
    return list(KNOWN[name].items())


def dialect_words(form: Form, dialect: Dialect) -> str:
    """How a file was read, in words; empty for a format that leaves no choice."""
    has = form.options
    words = [ENCODINGS[dialect.encoding]] if "encoding" in has else []
    if "delimiter" in has:
        words += [f"separated by {DELIMITERS[dialect.delimiter]}", DECIMALS[dialect.decimal]]
        words += [] if dialect.quote else [QUOTES[""]]
    if "sheet" in has:
        words.append(f"sheet {dialect.sheet or form.sheets[0]!r}, one of {len(form.sheets)}")
    if "header" in has and not dialect.header:
        words.append("the first row is data")
    return f"Read as {', '.join(words)}." if words else ""


def show_head(items: Items) -> None:
    """The file in a line, how it was read, and its first rows, each column with what it is; those
    that mean something stand first, where they are in sight."""
    head, meant = items.head, roles(items)
    size = f"{count(head.rows, 'row')} · {count(len(head.columns), 'column')}"
    line = f"{files.dropped_as(items.path)} · {size}."
    st.text(f"{line} {dialect_words(items.form, head.dialect)}".strip())
    if head.headless:
        names = " | ".join(one_line(name, 40) for name in head.columns)
        st.warning(
            plain(
                f"The first row looks like data, not like names of columns: {names}. If so, "
                f"say so under '{WRONG}'."
            )
        )
    shown = sorted(head.columns, key=lambda name: name not in meant)[: files.PREVIEW_COLUMNS]
    rows = [
        {name: one_line(row[name], files.LONGEST_CELL) for name in shown}
        for row in head.sample[: files.PREVIEW_ROWS]
    ]
    heads = {
        name: f"{one_line(name, 60)} · {one_line(meant.get(name, NO_ROLE), 60)}" for name in shown
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="new-preview", column_config=heads)


def choose_columns(items: Items) -> None:
    """Selectors for what the columns mean, preset with the guess."""
    meanings = items.meanings
    if ask(meanings.row("id")) == SEVERAL_COLUMNS:
        ask(meanings.row("ids"))
    ask(meanings.row("content"))
    st.markdown("**Classifiers** — a score, a prediction, or both")
    number, sound = ask_number(meanings.row("number"))
    for place in range(number if sound else 0):
        part = str(place)
        for column, kind in zip(st.columns(3), ("name", "score", "prediction"), strict=True):
            with column:
                ask(meanings.row(kind, part))
        if meanings.classifier(part).name in items.verdicts:
            ask(items.row("passes", part))
    if items.roles is not None:
        ask(items.row("prompt"))


def show_faults(error: Exception, then: str = "") -> None:
    """Every fault of a file as a table, and what to do then."""
    if not isinstance(error, PopulationError):
        st.error(plain(sentence(error)))
        return
    number, fault = len(error.faults), error.faults[0]
    named = replace(fault, column=fault.column and shortened(fault.column))
    first = f"{'' if number == 1 else 'The first: '}{named}"
    ends = "" if first.endswith("?") else "."
    st.error(
        f"The file cannot be used as it is: {count(number, 'fault')}. "
        + plain(f"{first}{ends} {then}" if then else first)
    )
    if number > 1:
        fault_table(error.faults)


def places(numbers: Iterable[int | str | None]) -> str:
    """
    >>> places([3, 7]), places([None]), places(range(1, 13))
    ('3, 7', '', '1, 2, 3, 4, 5 and 7 more')
    """
    known = [f"{number}" for number in numbers if number is not None]
    more = len(known) - PLACES
    return ", ".join(known[:PLACES]) + (f" and {more:,} more" if more > 0 else "")


def fault_table(faults: Sequence[Fault]) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "file": fault.file,
                    "column": fault.column or "",
                    "row": places(fault.row for fault in same),
                    "line": places(fault.line for fault in same),
                    "value": "(empty)" if fault.value == "" else fault.value or "",
                    "rule": fault.rule,
                }
                for same in alike(faults)[:1000]
                for fault in same[:1]
            ]
        ),
        hide_index=True,
        key="new-faults",
    )
