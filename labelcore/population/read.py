"""read_population: a file and what its columns mean -> a checked Population."""

import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from labelcore.errors import told
from labelcore.population.arguments import Arguments
from labelcore.population.classes import passed_over
from labelcore.population.dialect import PLAIN, Dialect
from labelcore.population.engines.engine import Engine, Tick, go_on
from labelcore.population.engines.sources import engine_of, is_address
from labelcore.population.engines.table import EngineTable
from labelcore.population.excel_file import ExcelFile
from labelcore.population.formats import open_table
from labelcore.population.places import fingerprint_of
from labelcore.population.population import FileState, Population
from labelcore.population.snapshots import (
    SUFFIX,
    SourceTable,
    cells_of,
    mapped,
    open_snapshot,
    write_snapshot,
)
from labelcore.population.table_file import TableFile
from labelcore.population.tables import UNNAMED, Written, written_foreign, written_table
from labelcore.population.values import Values, columns_in_memory, read_values

Source = Any
"""A path, or a table: whatever ``written_table`` takes."""


def read_population(
    source: Source,
    *,
    id: str | Sequence[str] | None = None,
    content: str | Sequence[str] | None = None,
    scores: str | Mapping[str, str] = {},
    predictions: str | Mapping[str, str] = {},
    thresholds: Mapping[str, float | Sequence[float]] = {},
    descending: str | Collection[str] = (),
    classes: Sequence[str] | None = None,
    positive: str | None = None,
    metadata: str | Sequence[str] = (),
    dialect: Dialect | Mapping[str, Any] | None = None,
    known: str | None = None,
    helpers: str | Mapping[str, str] = {},
    groups: str | Sequence[str] | Mapping[str, Sequence[float]] = (),
    prompt: str | None = None,
    passing: Mapping[str, Sequence[str]] = {},
    name: str | None = None,
    progress: Callable[[], None] | None = None,
) -> Population:
    """Read and check items: a file, a table in memory, a folder of Parquet parts, or a table in an
    engine.

    Parameters
    ----------
    source
        the path of delimited text (.csv, .tsv, .txt) or JSON (.json, .jsonl, .ndjson), each of them
        also gzipped (.csv.gz), of Excel (.xlsx) or Parquet (.parquet); of a folder of Parquet
        parts, or a pattern such as "parts/*.parquet", where folders such as "language=de" are
        columns that may be named; or a table: a DataFrame of pandas or polars, whatever hands out
        Arrow batches, or a list of dictionaries; or an address:
        "postgresql://user@host/database#schema.table", "s3://bucket/parts/*.parquet",
        "spark:folder" or "spark:#schema.table"; or a snapshot (.snapshot), which knows what its
        columns mean, so that nothing else need be given
    id
        the column of ids, unique and not empty; a list of columns that are unique together, such as
        the two ids of a pair: ["a", "b"] makes ids such as "12|7" (with a backslash before a sign
        "|" that is part of one); None: row numbers, with "1" for the first data row
    content
        the column or columns that a person judges; None only for a snapshot
    scores
        classifier -> column of finite numbers; the name of one column alone: a classifier called
        like it
    predictions
        classifier -> column of class names, or 0/1 for two classes, or one column as in scores. If
        a classifier has both, the prediction decides, whatever the score or a single threshold
        says. The column of known answers makes "found so far" a classifier: with two classes an
        item without an answer is not found
    thresholds
        classifier -> number: predicted positive if score >= threshold. A list makes a classifier of
        each threshold, with a name such as "lr>=0.3"
    descending
        classifiers whose low scores mean positive: score <= threshold, "lr<=0.3"
    classes
        the names in key order; default ("no", "yes") for 0/1 predictions or none, else the names
        found, sorted
    positive
        the class that counts as positive; default "yes" or "1", letter by letter, else the last
        class, with a warning where another is "yes" or "1" but for capitals or spaces
    metadata
        columns that may be looked up beside the content
    dialect
        fields of Dialect: encoding, delimiter, decimal, quote, header, sheet. Fields not given are
        detected. The population's arguments hold the dialect that was used, unless the file was
        found to be plain CSV
    known
        the column of answers that are there already: a class, or empty if the item has none.
        ``Plan(existing=...)`` says how they came about
    helpers
        name -> column of numbers on any scale, or of verdicts: what else is said of the items, such
        as by a judge, a rule or another model. It may help to choose items; it is never judged, and
        never shown while labelling. A missing value is a value of its own
    groups
        columns that figures may be told by, such as language and model: at most 1,000 different
        values each. Of more than 20 numbers the groups are four ranges, cut at the quartiles, or
        where ``{"length": [100, 500]}`` says; of more than 20 dates they are the months
    prompt
        the column that joins outputs of several systems on the same prompt
    passing
        classifier -> the values of its prediction column that count as the positive class, such as
        ``{"judge": ["pass"]}``; every other one counts as the other class, also an empty one or an
        answer such as "ERROR". For two classes, by default "no" and "yes"
    name
        what sentences, titles and reports call the source; default: the name of the file, "items"
        for a table in memory and for parts. Another name is no other population
    progress
        is called several times a second while an engine reads; what it raises ends the reading

    Returns
    -------
    Population
        The items as they were read. Only ids, scores and predictions are held in memory.

    Raises
    ------
    TypeError
        An argument has a wrong type.
    FileNotFoundError
        There is no such file.
    ValueError
        The file cannot be opened.
    PopulationError
        A ValueError whose ``faults`` are all that is wrong with the file and the arguments for it.

    Notes
    -----
    A table, and parts, are written as one Parquet file, which lives as long as the population. A
    session on a store in a file keeps it beside the store and is opened from there; with
    ``memory://`` it is kept nowhere, and ``Session.open`` needs its ``population``. Missing values
    of a table are empty cells; the index of a DataFrame is not read. The parts of a folder are
    taken in the order of their names; hidden ones are left out.

    Parquet files of five million rows or more, and tables behind an address, stay where they are:
    an engine reads ids, scores and predictions once, into a file that is mapped, and looks up the
    contents of drawn items one by one. DuckDB reads Parquet; PostgreSQL and Spark are extras of the
    package. A password belongs in ``PGPASSWORD`` or ``~/.pgpass``: one that stands in the address
    is not kept with the project.

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> len(population), population.classes, population.classifiers
    (1000, ('no', 'yes'), ('lr',))

    >>> rows = [{"text": "you won", "spam": 0.9}, {"text": "lunch?", "spam": 0.1}]
    >>> lc.read_population(rows, content=["text"], scores={"lr": "spam"})
    <Population 'items': 2 items, classes 'no', 'yes', classifiers 'lr'>
    """
    called: object = name
    if called is not None and not (isinstance(called, str) and called.strip()):
        raise TypeError(f"name must be text that is not empty, or None, got {told(name)}")
    population = _read(
        source,
        written_foreign,
        id=id,
        content=content,
        scores=scores,
        predictions=predictions,
        thresholds=thresholds,
        descending=descending,
        classes=classes,
        positive=positive,
        metadata=metadata,
        dialect=dialect,
        known=known,
        helpers=helpers,
        groups=groups,
        prompt=prompt,
        passing=passing,
        progress=progress,
        name=name,
    )
    near = passed_over(population.classes, population.positive)
    if near is not None and positive is None and population.arguments["positive"] is None:
        warnings.warn(
            f"{population.name}: {population.positive!r} counts as positive, as {near!r} is not "
            f"'yes' or '1' letter by letter; positive={near!r} takes that one",
            stacklevel=2,
        )
    return population if name is None else replace(population, name=name)


def snapshot(source: Source, file: str | os.PathLike[str], **arguments: Any) -> Population:
    """Read items once and write what a project rests on of them to a file, such as where the table
    is, for another machine.

    Parameters
    ----------
    source, arguments
        as ``read_population`` takes them
    file
        where to write it; its name ends in .snapshot. Contents stay where they are

    Returns
    -------
    Population
        As ``read_population(file)`` opens it.

    Raises
    ------
    ValueError
        ``file`` has another ending, or cannot be written; and what ``read_population`` raises.

    Examples
    --------
    >>> import labelcore as lc
    >>> found = lc.snapshot("items.csv", "items.snapshot", id="id", content="text",
    ...                     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> found.snapshot.name, lc.read_population("items.snapshot").fingerprint == found.fingerprint
    ('items.snapshot', True)
    """
    path = _as_path(file)
    if path.suffix.lower() != SUFFIX:
        raise ValueError(f"file must have a name that ends in {SUFFIX}, got {path.name!r}")
    population = read_population(source, **arguments)
    if population.is_table:
        raise ValueError(
            "source must be a file or a table with an address, whose contents can be looked up "
            "later; a table in memory becomes a project as it is"
        )
    try:
        write_snapshot(path, population)
    except OSError as error:
        raise ValueError(f"{path}: it cannot be written: {error.strerror or error}") from error
    return open_snapshot(path)


def read_as_it_is(source: Source, **given: Any) -> Population:
    """``read_population`` without a look at which tool wrote a file: as versions read it that did
    not recognise any."""
    return _read(source, lambda path, wanted: None, **{"dialect": None, **given})


Recognise = Callable[[Path, Sequence[str]], Written | None]


def _read(
    source: Source,
    recognise: Recognise,
    progress: Callable[[], None] | None = None,
    name: str | None = None,
    **given: Any,
) -> Population:
    path = os.fsdecode(source) if isinstance(source, (str, os.PathLike)) else ""
    if path.lower().endswith(SUFFIX):
        return _of_snapshot(_as_path(path), given)
    if given["content"] is None:
        raise TypeError("content must name the column or columns that a person judges, got None")
    arguments = Arguments.checked(**given)
    _refuse_index(source, arguments)
    if isinstance(source, (str, os.PathLike)):
        place = os.fsdecode(source)
        source = place if is_address(place) else _as_path(source)
    file = source
    try:
        if isinstance(source, (str, Path)):
            engine = engine_of(str(source), arguments.id_columns)
            if engine is not None:
                return _read_by_engine(source, engine, arguments, progress or go_on)
        wanted = [column for _, column in arguments.named_columns()]
        table: Written | None = written_table(source, wanted)
        called = name or (source.name if table is None else UNNAMED)
        if table is None:
            table = recognise(source, wanted)
        file = source if table is None else table.path
        return replace(_read_unchanged(file, arguments, called), _written=table)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise ValueError(f"{file}: the file cannot be read: {error.strerror or error}") from error


def _refuse_index(source: Source, arguments: Arguments) -> None:
    """Raise ValueError where the id, or another column, is the index of a DataFrame."""
    index = getattr(getattr(source, "index", None), "names", ())
    for argument, name in arguments.named_columns():
        if name in index and name not in getattr(source, "columns", ()):
            raise ValueError(
                f"{argument} names {name!r}, which is the index of the table and no column: give "
                "table.reset_index()"
            )


def _of_snapshot(file: Path, given: Mapping[str, Any]) -> Population:
    population = open_snapshot(file)
    if given["content"] is not None:
        asked = Arguments.checked(**given).to_json()
        if asked != population.arguments:
            raise ValueError(
                f"{file.name}: a snapshot knows what its columns mean, and was made otherwise: "
                f"{population.arguments}; leave out what stands beside it"
            )
    return population


def _as_path(path: str | os.PathLike[str]) -> Path:
    text = os.fsdecode(path)
    if "\0" in text:
        raise ValueError(f"source must not hold a NUL character, got {text!r}")
    return Path(text).absolute()


def _read_unchanged(file: Path, arguments: Arguments, called: str) -> Population:
    state = FileState.of(file)
    if not file.is_file():
        raise ValueError(f"{file}: source must name a file, and this is a device")
    try:
        table = open_table(file, arguments.dialect, columns_in_memory(arguments))
        arguments = replace(arguments, dialect=_needed_dialect(table))
        if isinstance(table, ExcelFile):
            table.check_computed({name for _, name in arguments.named_columns()})
        values = read_values(called, table, arguments)
        fingerprint = fingerprint_of([file], arguments.to_json())
    except Exception as error:
        if FileState.of(file) != state:  # Whatever went wrong in half a row.
            raise _changed(file) from error
        raise
    if FileState.of(file) != state:
        raise _changed(file)
    return replace(_population(file, state, fingerprint, table, arguments, values), name=called)


def _changed(file: Path) -> ValueError:
    return ValueError(f"{file}: the file was changed while it was read; read it again")


def _read_by_engine(
    source: Path | str, engine: Engine, arguments: Arguments, tick: Tick
) -> Population:
    """A table whose contents stay where they are; scores and predictions are mapped."""
    state = FileState.of(*engine.files)
    table = EngineTable(engine, tick)
    values = read_values(engine.name, table, arguments)
    digests = () if engine.files else (table.digest(),)
    fingerprint = fingerprint_of(engine.files, arguments.to_json(), digests)
    if FileState.of(*engine.files) != state:
        raise ValueError(f"{source}: the parts were changed while they were read; read them again")
    population = _population(Path(source), state, fingerprint, table, arguments, values)
    population = replace(population, name=engine.name, address=engine.address, _files=engine.files)
    del values
    population = mapped(population)
    table.map_anew()
    pa.default_memory_pool().release_unused()
    return population


def source_now(items: Population) -> str:
    """What became of the source of a snapshot, as words; "" where it is as it was. A table at an
    address, which has no time of its last change, is read again."""
    change = items._table.now() if isinstance(items._table, SourceTable) else ""
    if change or items.address is None:
        return change
    try:
        again = read_population(items.address, **items.arguments)
    except (OSError, ValueError) as error:
        return f"the source of its items cannot be read: {error}"
    same = cells_of(again) == cells_of(items)
    return "" if same else "the source of its items has other ids, scores or predictions now"


def _needed_dialect(table: TableFile) -> Mapping[str, Any]:
    """What must be given to read the file in the same way again."""
    return {} if table.dialect == table.detected == PLAIN else table.dialect.to_json()


def _population(
    file: Path,
    state: FileState,
    fingerprint: str,
    table: TableFile,
    arguments: Arguments,
    values: Values,
) -> Population:
    classifiers = tuple(arguments.classifiers())
    predicted = {classifier.name: values.predicted(classifier) for classifier in classifiers}
    return Population(
        name=file.name,
        path=file,
        fingerprint=fingerprint,
        arguments=arguments.to_json(),
        classes=values.classes,
        positive=values.positive,
        content_columns=arguments.content,
        metadata_columns=arguments.metadata,
        classifiers=tuple(predicted),
        scores={c.name: values.scores[c.score] for c in classifiers if c.score is not None},
        predictions={name: array for name, array in predicted.items() if array is not None},
        thresholds={c.name: c.threshold for c in classifiers if c.threshold is not None},
        descending=frozenset(c.name for c in classifiers if c.descending),
        _ids=values.ids,
        _table=table,
        _state=state,
        known=values.known,
        helpers={name: values.helpers[column] for name, column in arguments.helpers.items()},
        groups=values.groups,
        prompt=values.prompt,
    )
