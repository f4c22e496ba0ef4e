"""Files of other tools, recognised by their content and read as rows of a table.

Each row of TOOLS is a function that gives the rows of a file, or None for a file of something
else. Predictions become columns "NAME_prediction" and "NAME_score", answers the column "annotation"
(empty where there is none), so that a person is asked where these answers come from.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.errors import Fault, PopulationError
from labelcore.population import arrow_files
from labelcore.population.label_studio import MARKS, read_tasks, rows_of
from labelcore.population.limits import LARGEST_LIST, LONGEST_ROW, long_row, refusal
from labelcore.population.paths import decoded

Row = dict[str, Any]
Record = Mapping[str, Any]
Rows: TypeAlias = Any
"""A list of rows, or a reader of Arrow batches."""
PEEKED_LINES = 20
ROWS_AT_ONCE = 1 << 14
VERDICTS = ("accept", "reject", "ignore")


def label_studio(path: Path) -> list[Row] | None:
    """A JSON export of Label Studio; see ``labelcore.population.label_studio``."""
    tasks = read_tasks(path)
    return None if tasks is None else rows_of(tasks)


def doccano(path: Path) -> list[Row] | None:
    """A JSONL export of doccano for text classification: ``label`` is a list of names, of which one
    is the annotation and several, joined by commas, are refused where classes are checked."""
    return _of_lines(path, _is_doccano, _doccano_row)


def _is_doccano(row: Mapping[str, Any]) -> bool:
    label = row.get("label")
    named = isinstance(label, list) and all(isinstance(name, str) for name in label)
    return named and ("text" in row or "filename" in row or "data" in row)


def _doccano_row(row: Mapping[str, Any]) -> Row:
    cells: Row = {name: _cell(value) for name, value in row.items()}
    cells["annotation"] = ", ".join(found_label) if (found_label := row.get("label")) else ""
    cells.pop("label", None)
    comments = row.get("Comments", row.get("comments"))
    if isinstance(comments, list):
        cells.pop("Comments", None)
        cells["comments"] = " ".join(map(str, comments))
    return cells


def prodigy(path: Path) -> list[Row] | None:
    """A JSONL export of Prodigy for classification: a binary question answered accept or reject, or
    a choice of one option. ``ignore``, and a choice of none, are no annotation; what lies in
    ``meta`` becomes columns."""
    return _of_lines(path, _is_prodigy, _prodigy_row)


def _is_prodigy(row: Mapping[str, Any]) -> bool:
    marked = any(name in row for name in ("_task_hash", "_input_hash", "_view_id", "_session_id"))
    return marked and row.get("answer") in VERDICTS


def _prodigy_row(row: Mapping[str, Any]) -> Row:
    meta: Any = row.get("meta")
    cells: Row = {name: _cell(value) for name, value in meta.items()} if _is_object(meta) else {}
    left_out = ("meta", "options", "accept", "config", "answer", "spans", "tokens", "label")
    cells |= {
        name: _cell(value)
        for name, value in row.items()
        if name not in left_out and not name.startswith("_")
    }
    cells["annotation"] = _prodigy_answer(row)
    cells["annotator"] = str(row.get("_annotator_id") or row.get("_session_id") or "")
    return cells


def _prodigy_answer(row: Mapping[str, Any]) -> str:
    if row.get("answer") == "ignore":
        return ""
    if isinstance(row.get("accept"), list):
        return ", ".join(map(str, row["accept"])) if row.get("answer") == "accept" else ""
    label = str(row.get("label") or "yes")
    return label if row.get("answer") == "accept" else f"not {label}"


def hugging_face(path: Path) -> pa.RecordBatchReader | None:
    """A Parquet file of Hugging Face datasets with class labels: their numbers become names."""
    labels = class_labels(path)
    if not labels:
        return None
    kept = pq.read_schema(path).remove_metadata()
    fields = [pa.field(part.name, pa.string()) if part.name in labels else part for part in kept]
    schema = pa.schema(fields)

    def batches() -> Iterator[pa.RecordBatch]:
        row = 0
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(ROWS_AT_ONCE):
                columns = [
                    _named(path.name, name, batch.column(name), labels[name], row)
                    if name in labels
                    else batch.column(name)
                    for name in schema.names
                ]
                row += batch.num_rows
                yield pa.RecordBatch.from_arrays(columns, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())


def class_labels(path: Path) -> dict[str, list[str]]:
    """Column -> the names of its classes, for the columns of a Parquet file that hold numbers of
    classes."""
    if path.suffix.lower() != ".parquet":
        return {}
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, UnicodeDecodeError, OSError):
        return {}
    names = class_names(schema.metadata)
    whole = {field.name for field in schema if pa.types.is_integer(field.type)}
    return {name: kept for name, kept in names.items() if name in whole}


def class_names(metadata: Mapping[bytes, bytes] | None) -> dict[str, list[str]]:
    """Column -> the names of its classes, from the metadata of a schema."""
    try:
        meta = json.loads((metadata or {}).get(b"huggingface", b"{}"))
        features = meta.get("info", {}).get("features", {})
        return {
            str(name): [str(name) for name in feature["names"]]
            for name, feature in features.items()
            if _is_object(feature) and feature.get("_type") == "ClassLabel" and feature.get("names")
        }
    except (ValueError, AttributeError, TypeError):
        return {}


def _named(file: str, name: str, column: pa.Array, classes: Sequence[str], before: int) -> pa.Array:
    """-1 is no label, as a missing value is; ``before`` rows come before these."""
    codes = column.to_pylist()
    for row, code in enumerate(codes, before + 1):
        if code is not None and code >= len(classes):
            rule = f"a class label must be below {len(classes)}, the number of names in the file"
            raise PopulationError([Fault(file, name, row, str(code), rule)])
    texts = [None if code is None or code < 0 else classes[code] for code in codes]
    return pa.array(texts, pa.string())


def ris(path: Path) -> list[Row] | None:
    """References in RIS: title, abstract, authors, year, ... of each; a note of ASReview that says
    relevant or irrelevant is the annotation."""
    if path.suffix.lower() != ".ris":
        return None
    _check_size(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refusal(path.name, "a RIS file must be in UTF-8") from None
    rows: list[Row] = []
    fields: dict[str, list[str]] = {}
    last = ""
    for line in text.splitlines():
        tag = _RIS_LINE.fullmatch(line.rstrip())
        if tag is None:
            if last and line.strip():
                fields[last][-1] += f" {line.strip()}"
            continue
        last, value = tag[1], tag[2].strip()
        if last == "ER":
            rows.append(_ris_row(fields))
            fields, last = {}, ""
        else:
            fields.setdefault(last, []).append(value)
    if fields:
        rule = "the last record of a RIS file must end with a line ER"
        raise refusal(path.name, rule, len(rows) + 1)
    return rows


_RIS_LINE = re.compile(r"([A-Z][A-Z0-9])  -(.*)")
_RIS_COLUMNS = {
    "title": ("TI", "T1"),
    "abstract": ("AB", "N2"),
    "authors": ("AU", "A1"),
    "year": ("PY", "Y1"),
    "journal": ("JO", "JF", "T2"),
    "doi": ("DO",),
    "url": ("UR",),
    "keywords": ("KW",),
    "record_id": ("ID", "AN"),
    "type": ("TY",),
}
_RIS_ANSWERS = {"ASReview_relevant": "relevant", "ASReview_irrelevant": "irrelevant"}


def _ris_row(fields: Mapping[str, list[str]]) -> Row:
    row: Row = {
        name: "; ".join(next((fields[tag] for tag in tags if tag in fields), []))
        for name, tags in _RIS_COLUMNS.items()
    }
    notes = fields.get("N1", [])
    row["annotation"] = next((_RIS_ANSWERS[note] for note in notes if note in _RIS_ANSWERS), "")
    return row


def open_telemetry(path: Path) -> list[Row] | None:
    """Traces in OpenTelemetry's protocol as JSON, as its collector writes them to files:
    a row for each call of a model, by GenAI's names or OpenInference's. What events of the name
    gen_ai.evaluation.result say of the call becomes the list ``evaluations``."""
    if path.suffix.lower() not in (".json", ".jsonl", ".ndjson"):
        return None
    with path.open("rb") as stream:
        if b'"resourceSpans"' not in stream.read(PEEKED_BYTES):
            return None
    _check_size(path)
    try:
        read = json.loads(path.read_bytes())
        whole = read if isinstance(read, list) else [read]
    except (ValueError, RecursionError):
        whole = list(_records(path))
    try:
        rows = list(map(_span_row, _spans(whole)))
    except (AttributeError, TypeError, KeyError, ValueError) as error:
        raise refusal(
            path.name, f"traces must be as OpenTelemetry's protocol has them in JSON: {error}"
        ) from error
    calls = [row for row in rows if row["attributes"].keys() & MODEL_CALLS]
    if not calls:
        raise refusal(
            path.name,
            f"none of {len(rows):,} spans is a call of a model: none has {MODEL_CALLS[0]!r}",
        )
    return calls


def _spans(batches: Sequence[Any]) -> Iterator[Record]:
    for batch in filter(_is_object, batches):
        for resource in batch.get("resourceSpans") or ():
            about = resource.get("resource") or {}
            for scope in resource.get("scopeSpans") or ():
                for span in scope.get("spans") or ():
                    yield span | {"resource": _attributes(about.get("attributes"))}


PEEKED_BYTES = 1 << 16
MODEL_CALLS = ("gen_ai.output.messages", "gen_ai.completion", "llm.output_messages", "output.value")
EVALUATED = "gen_ai.evaluation."


def _span_row(span: Record) -> Row:
    attributes = _attributes(span.get("attributes"))
    judged = [_attributes(event.get("attributes")) for event in span.get("events") or ()]
    names = {"name": "name", "score.value": "value", "score.label": "label"}
    names["explanation"] = "explanation"
    evaluations = [
        {key: row[f"{EVALUATED}{name}"] for name, key in names.items() if EVALUATED + name in row}
        for row in judged
        if f"{EVALUATED}name" in row
    ]
    return {
        "span_id": span.get("spanId", ""),
        "trace_id": span.get("traceId", ""),
        "name": span.get("name", ""),
        "attributes": attributes,
        **({"evaluations": evaluations} if evaluations else {}),
        **({"resource": span["resource"]} if span["resource"] else {}),
    }


def _attributes(pairs: Sequence[Record] | None) -> Row:
    """Names -> values, texts that are JSON read, and numbered names of OpenInference as lists."""
    row: Row = {}
    for pair in pairs or ():
        _put(row, str(pair.get("key", "")), _any_value(pair.get("value") or {}))
    return row


def _any_value(value: Record) -> Any:
    kind: str
    held: Any
    kind, held = next(iter(value.items()), ("", None))
    if kind == "arrayValue":
        return [_any_value(element) for element in held.get("values") or ()]
    if kind == "kvlistValue":
        inner = held.get("values") or ()
        return {pair["key"]: _any_value(pair.get("value") or {}) for pair in inner}
    if kind == "intValue":
        return int(held)
    return decoded(held) if isinstance(held, str) else held


def _put(row: Row, name: str, value: Any) -> None:
    """``llm.input_messages.0.message.role`` lies in the first element of ``llm.input_messages``."""
    numbered = re.match(r"(.+?)\.(\d{1,4})\.(.+)", name)
    if numbered is None:
        row[name] = value
        return
    listed, place, rest = numbered.groups()
    elements = row.setdefault(listed, [])
    while len(elements) <= int(place):
        elements.append({})
    _put(elements[int(place)], rest, value)


def wrapped(path: Path) -> list[Row] | None:
    """The objects of the one list of objects that the only object of a file holds, such as a page
    of the answers of Langfuse or Phoenix: ``{"data": [...], "meta": {...}}``."""
    if path.suffix.lower() not in (".json", ".jsonl") or path.stat().st_size > LARGEST_LIST:
        return None
    with path.open("rb") as stream:
        first = stream.readline(LONGEST_ROW).strip()
        if not first.startswith(b"{") or (first.endswith(b"}") and stream.read(1)):
            return None  # A list, or an object a line.
    try:
        whole = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return None
    long = {k: v for k, v in whole.items() if isinstance(v, list) and len(v) >= FEWEST_WRAPPED}
    lists = {name: rows for name, rows in long.items() if all(map(_is_object, rows))}
    if len(lists) > 1:
        rule = f"the file holds one object, with {len(lists)} lists of objects: save one of them"
        raise PopulationError([Fault(path.name, next(iter(lists)), None, None, rule)])
    return next(iter(lists.values()), None)


FEWEST_WRAPPED = 10
"""A list of as many objects in the one object of a file is taken for its items."""

TOOLS: dict[str, Callable[[Path], Rows | None]] = {
    "Label Studio": label_studio,
    "doccano": doccano,
    "Prodigy": prodigy,
    "Hugging Face": hugging_face,
    "RIS": ris,
    "OpenTelemetry": open_telemetry,
    "one object around a list": wrapped,
    "Feather": arrow_files.arrow,
    "DuckDB": arrow_files.database,
}


SUFFIXES = (".json", ".jsonl", ".ndjson", ".parquet", ".ris", *arrow_files.SUFFIXES)
"""Those of the files that the tools write."""


def recognised(path: Path) -> Rows | None:
    """The rows of a file of another tool; None for any other file.

    Raises PopulationError for one that is recognised and cannot be read.
    """
    if path.suffix.lower() not in SUFFIXES:
        return None
    readings = (read(path) for read in TOOLS.values())
    return next((rows for rows in readings if rows is not None), None)


def needed(path: Path, wanted: Sequence[str]) -> Rows | None:
    """``recognised``, where ``wanted`` names a column that the file does not have as it is: a file
    whose own columns are enough is read as it is."""
    if path.suffix.lower() == ".parquet":
        return recognised(path) if set(wanted) & set(class_labels(path)) else None
    columns = _own_columns(path)
    return None if columns is not None and set(wanted) <= columns else recognised(path)


def _own_columns(path: Path) -> set[str] | None:
    """The columns of JSON records that are values, and those of Label Studio that are shown as
    JSON; None for what holds no records."""
    if path.suffix.lower() == ".json":
        return {*MARKS, "id", "data"}
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        return None
    try:
        first = next(_records(path), {})
    except PopulationError:
        return None
    return {name for name, value in first.items() if not isinstance(value, (list, Mapping))}


# --- shared --------------------------------------------------------------------------------------


def _of_lines(
    path: Path,
    fits: Callable[[Mapping[str, Any]], bool],
    row_of: Callable[[Mapping[str, Any]], Row],
) -> list[Row] | None:
    """The rows of a JSONL file whose first lines all fit; a later one that does not is a fault."""
    if path.suffix.lower() not in (".jsonl", ".ndjson"):
        return None
    try:
        first = [record for record, _ in zip(_records(path), range(PEEKED_LINES), strict=False)]
    except PopulationError:
        return None
    if not first or not all(map(fits, first)):
        return None
    _check_size(path)
    rows, faults = [], []
    for number, record in enumerate(_records(path), 1):
        if fits(record):
            rows.append(row_of(record))
        else:
            rule = "this row has another form than the first ones, which look like another tool's"
            faults.append(Fault(path.name, None, number, None, rule))
    if faults:
        raise PopulationError(faults)
    return rows


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    """The objects of a JSONL file, one to a line. PopulationError for a line that is none."""
    with path.open("rb") as stream:
        number = 0
        while line := stream.readline(LONGEST_ROW + 1):
            if not line.strip():
                continue
            number += 1
            if len(line) > LONGEST_ROW:
                raise long_row(path.name, number)
            try:
                record = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                record = None
            if not _is_object(record):
                rule = "a line must be a JSON object in UTF-8"
                raise refusal(path.name, rule, number)
            yield record


def _check_size(path: Path) -> None:
    if path.stat().st_size > LARGEST_LIST:
        raise refusal(
            path.name, f"a file of another tool may have at most {LARGEST_LIST / 1e6:,.0f} MB"
        )


def _is_object(value: Any) -> bool:
    return isinstance(value, Mapping)


def _cell(value: Any) -> Any:
    """A value that a column can hold: numbers as they are, lists and objects as JSON."""
    if isinstance(value, (list, Mapping)):
        return json.dumps(value, ensure_ascii=False)
    if value is None or isinstance(value, str):
        return value
    return str(value) if isinstance(value, bool) else value
