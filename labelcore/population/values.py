"""The columns of a file that stay in memory, checked against each other and the arguments."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from labelcore.errors import Fault, PopulationError, did_you_mean
from labelcore.population.arguments import Arguments, Classifier
from labelcore.population.checks import FaultList, check_columns, check_ids, check_scores
from labelcore.population.classes import (
    Codes,
    PredictionColumn,
    broken_class_rules,
    choose_positive,
    find_classes,
)
from labelcore.population.groups import Group, broken_group, cut_group, read_group
from labelcore.population.guess import guess
from labelcore.population.helpers import Helper, read_helper
from labelcore.population.ids import Ids, RowNumbers
from labelcore.population.roles import FEW, FEWEST_LEVELS
from labelcore.population.table_file import TableFile
from labelcore.population.text import listing
from labelcore.stats.arrays import BoolArray, FloatArray


@dataclass(frozen=True, slots=True)
class Values:
    """What is held of a file, by column: scores (n_items,), predictions and known answers
    (n_items,) of classes, -1 for an answer that is not known; helpers, groups and prompts."""

    ids: Ids
    scores: Mapping[str, FloatArray]
    predictions: Mapping[str, Codes]
    classes: tuple[str, ...]
    positive: str
    known: Codes | None = None
    helpers: Mapping[str, Helper] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    prompt: Group | None = None

    def predicted(self, classifier: Classifier) -> Codes | None:
        """(n_items,) index into classes, by prediction column or else threshold; or None."""
        if classifier.prediction is not None:
            return self.predictions[classifier.prediction]
        if classifier.score is None or classifier.threshold is None:
            return None
        score = self.scores[classifier.score]
        low_is_positive = classifier.descending
        above = score <= classifier.threshold if low_is_positive else score >= classifier.threshold
        index = self.classes.index(self.positive)
        return _read_only(np.where(above, np.int8(index), np.int8(1 - index)))


def read_values(name: str, table: TableFile, arguments: Arguments) -> Values:
    """Read and check them. PopulationError, raised only after every check, holds every fault."""
    general = FaultList(name)
    for rule in arguments.broken_rules():
        general.add_rule(rule)
    named = {column for _, column in arguments.named_columns()}
    near = table.reach(sorted(named - {*table.columns}))
    check_columns(table.columns, arguments.named_columns(), general, near)
    wanted = [column for column in columns_in_memory(arguments) if column in table.columns]
    named_once = len(set(table.columns)) == len(table.columns)
    columns = table.load(wanted) if named_once else {}
    structure = list(table.faults())
    if not len(table) and not structure:
        general.add_rule("the file has columns but no rows")
    values = FaultList(name, table.broken_rows())
    checked = _check_values(table, columns, arguments, values, general)
    faults = structure + _with_lines(values.faults, table, named)
    if general.faults or faults:
        raise PopulationError([*general.faults, *sorted(faults, key=_row)])
    return checked


NO_EDGES: Mapping[str, Sequence[float]] = {}
NESTED = (
    "a prediction must be one class, and these are lists or objects: name the part that is the "
    "class by its path, such as {column}[0].value or {column}[name=verdict].value"
)


def columns_in_memory(arguments: Arguments) -> dict[str, bool]:
    """The columns that are loaded, and whether only as numbers."""
    known = [] if arguments.known is None else [arguments.known]
    belonging = [*arguments.groups, *([] if arguments.prompt is None else [arguments.prompt])]
    texts = [
        *(*arguments.id_columns, *arguments.predictions.values(), *known),
        *(*arguments.helpers.values(), *belonging),
    ]
    return dict.fromkeys(arguments.scores.values(), True) | dict.fromkeys(texts, False)


def _row(fault: Fault) -> int:
    return fault.row or 0


def _likelier(table: TableFile, taken: Collection[str]) -> str | None:
    """Another column that holds scores by its name or its first rows."""
    guessed = guess(table.columns, table.first(60))
    scores = [*(one.score for one in guessed.classifiers if one.score), *guessed.perhaps]
    return next((name for name in scores if name not in taken), None)


def _with_lines(faults: Sequence[Fault], table: TableFile, taken: Collection[str]) -> list[Fault]:
    """The same faults with the line of the file on which each one's row starts; those of a column
    of scores with the likelier one that is not ``taken``."""
    positions = np.array([_row(fault) - 1 for fault in faults if fault.row], dtype=np.int64)
    lines = iter(table.lines(positions) if len(positions) else ())
    other = None if all(fault.row for fault in faults) else _likelier(table, taken)
    return [
        replace(one, line=next(lines)) if one.row else replace(one, instead=other) for one in faults
    ]


def _check_values(
    table: TableFile,
    columns: Mapping[str, pa.ChunkedArray],
    arguments: Arguments,
    values: FaultList,
    general: FaultList,
) -> Values:
    ids: Ids = RowNumbers(len(table))
    if arguments.id is not None and all(name in columns for name in arguments.id_columns):
        ids = check_ids({name: columns[name] for name in arguments.id_columns}, values)

    def there(names: Iterable[str]) -> Iterator[tuple[str, pa.ChunkedArray]]:
        return ((name, columns[name]) for name in dict.fromkeys(names) if name in columns)

    decimal = table.dialect.decimal
    scores = {
        name: check_scores(name, column, values, decimal)
        for name, column in there(arguments.scores.values())
    }
    for classifier, numbers in arguments.thresholds.items():
        if (found_scores := scores.get(arguments.scores.get(classifier, ""))) is not None:
            for rule in broken_cuts(classifier, numbers, found_scores):
                general.add_rule(rule)
    called = there(arguments.predictions.values())
    coded = {name: PredictionColumn.from_column(column) for name, column in called}
    passing = arguments.passing_columns
    for name, words in passing.items():
        if name in coded:
            if missed := coded[name].nearly(words):
                rule = "differing from a value that passes by capitals or spaces only; name all"
                general.add_rule(f"passing leaves out {listing(missed)}, {rule}", name)
            absent = words if not missed and coded[name].names.isdisjoint(words) else ()
            for word in absent:
                if near := did_you_mean(word, coded[name].names):
                    general.add_rule(f"passing names {word!r}, which no row holds{near}", name)
            coded[name] = coded[name].passing(words)
    classes: tuple[str, ...] = ()
    positive = ""
    nested = [column for column, codes in coded.items() if _holds_parts(codes)]
    for column in nested:
        general.add_rule(NESTED.format(column=column), column)
    if not nested and coded.keys() == set(arguments.predictions.values()):
        answers = columns.get(arguments.known or "")
        found = arguments.classes is None and answers is not None
        known_column = PredictionColumn.from_column(answers) if found else None
        classes, positive = check_classes(arguments, list(coded.values()), general, known_column)
    predictions = {}
    if positive in classes:
        for column, prediction in coded.items():
            indices = prediction.indices(classes, positive)
            rule = f"a prediction must be one of {allowed(classes)}"
            if column == arguments.known and len(classes) == 2:
                indices = np.where(_blank(prediction), 1 - classes.index(positive), indices)
            values.add_rows(np.flatnonzero(indices < 0), column, columns[column], rule)
            predictions[column] = _read_only(indices)
    known = None
    if positive in classes and arguments.known is not None and arguments.known in columns:
        passes = {word for some in passing.values() for word in some}
        column = columns[arguments.known]
        known = _check_known(arguments.known, column, classes, positive, values, passes)
    further = there(arguments.helpers.values())
    helpers = {name: read_helper(column, decimal) for name, column in further}
    groups = {
        name: _check_group("groups", name, column, general, arguments.edges, decimal)
        for name, column in there(arguments.groups)
    }
    prompt = None
    if arguments.prompt is not None and arguments.prompt in columns:
        prompt = _check_group("prompt", arguments.prompt, columns[arguments.prompt], general)
    return Values(ids, scores, predictions, classes, positive, known, helpers, groups, prompt)


def _check_group(
    argument: str,
    name: str,
    column: pa.ChunkedArray,
    general: FaultList,
    edges: Mapping[str, Sequence[float]] = NO_EDGES,
    decimal: str = ".",
) -> Group:
    group = read_group(column)
    if argument == "groups":
        try:
            group = cut_group(group, edges.get(name, ()), decimal)
        except ValueError as error:
            general.add_rule(
                f"groups cuts {name!r} at numbers, so that its values must be numbers, got {error}",
                name,
            )
    if len(column) and (rule := broken_group(argument, name, group, len(column))):
        general.add_rule(rule, name)
    return group


def _check_known(
    name: str,
    column: pa.ChunkedArray,
    classes: tuple[str, ...],
    positive: str,
    faults: FaultList,
    passing: Collection[str],
) -> Codes:
    """The class of each answer that is known, -1 where the value is empty, (n_items,). Words that
    are no class are read as the judges' are, of which some are ``passing``."""
    answers = PredictionColumn.from_column(column)
    if passing and not answers.names <= {*classes}:
        answers = answers.passing(list(passing), blank=False)
    codes = answers.indices(classes, positive)
    rule = f"a known answer must be one of {allowed(classes)}, or empty where it is not known"
    faults.add_rows(np.flatnonzero((codes < 0) & ~_blank(answers)), name, column, rule)
    return _read_only(codes)


def _holds_parts(column: PredictionColumn) -> bool:
    """Whether most values that are not empty are lists or objects, as JSON or Arrow writes them."""
    names = [name.strip() for name in column.names]
    parts = [name for name in names if name[:1] + name[-1:] in ("[]", "{}")]
    return len(parts) > len(names) / 2


def broken_cuts(classifier: str, thresholds: Sequence[float], scores: FloatArray) -> Iterator[str]:
    """Sentences for cuts beyond a scale of few whole numbers, such as grades of 1 to 5, and for
    those of shares in percent, 50 for 0.5: they would say the same of every item, which of shares
    -1 and 2 may be meant to. On other scales none may reach a cut in one file that many do in
    another.

    >>> list(broken_cuts("judge", [4, 7], np.array([1.0, 3, 5])))
    ["thresholds['judge'] must lie within the scores, which are 1 to 5, got 7"]
    >>> list(broken_cuts("lr", [-1, 2, 50], np.linspace(0.01, 0.99, 99)))
    ["thresholds['lr'] must lie between 0 and 1, as the scores do, got 50"]
    """
    levels = np.unique(scores[np.isfinite(scores)])
    low, high = (levels[0], levels[-1]) if len(levels) else (0, 0)
    graded = FEWEST_LEVELS <= len(levels) <= FEW and not (levels % 1).any()
    shares = len(levels) > FEW and low >= 0 and 0.5 < high <= 1
    for value in thresholds:
        rule = ""
        if graded and not low <= value <= high:
            rule = f"within the scores, which are {low:g} to {high:g}"
        elif shares and value > 2:
            rule = "between 0 and 1, as the scores do"
        if rule:
            yield f"thresholds[{classifier!r}] must lie {rule}, got {value:g}"


def _blank(column: PredictionColumn) -> BoolArray:
    """Which values are empty, (n_items,)."""
    return np.array([*(not text.strip() for text in column.values), True])[column.places]


def check_classes(
    arguments: Arguments,
    columns: Sequence[PredictionColumn],
    faults: FaultList,
    known: PredictionColumn | None = None,
) -> tuple[tuple[str, ...], str]:
    """The classes and the positive one; none if there is a fault. ``known`` answers may have more
    of them than the predictions."""
    found = arguments.classes is None
    classes = find_classes(columns, known) if arguments.classes is None else arguments.classes
    rules = broken_class_rules(classes, arguments.positive, found)
    if len(classes) > 2:
        for argument in ("thresholds", "descending"):
            if getattr(arguments, argument):
                rules.append(
                    f"{argument} needs two classes, and there are {len(classes):,}; with more a "
                    "score is the probability of the predicted class"
                )
    for rule in rules:
        faults.add_rule(rule)
    return (classes, choose_positive(classes, arguments.positive)) if not rules else ((), "")


def _read_only(indices: Codes) -> Codes:
    indices.flags.writeable = False
    return indices


def allowed(classes: Sequence[str]) -> str:
    codes = " or 0/1" if len(classes) == 2 else ""
    return f"the classes {listing(classes)}{codes}"
