"""Drawn items as tasks of Label Studio, and the answers of its JSON export."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

from labelcore.errors import Fault, PopulationError
from labelcore.exchange.rows import Answered, Row, labelled_rows
from labelcore.population.label_studio import SKIPPED, Task, annotation_of
from labelcore.session.session import Session

ITEM, TOKEN = "labelcore_id", "labelcore_token"
VERDICT, NOTE = "verdict", "note"
RESERVED = {"unsure": "not sure", "broken": "broken item"}
"""How the answers without a class are called beside the classes."""


def task_of(item_id: str, shown: Mapping[str, str], token: str = "") -> dict[str, Any]:
    """A task without predictions: whoever judges must not see them."""
    marks = {ITEM: item_id, **({TOKEN: token} if token else {})}
    return {"data": {**shown, **marks}}


def labelling_config(session: Session) -> str:
    """The labelling interface to set up in Label Studio: the columns as texts, the classes as
    choices with the keys 1, 2, ..., not sure and broken, and a note."""
    texts = [
        f"  <Text name={quoteattr(f'text{place}')} value={quoteattr(f'${name}')}/>"
        for place, name in enumerate(session.population.content_columns)
    ]
    answers = [*dict.fromkeys((*session.population.classes, *RESERVED.values()))]
    keys = [f' hotkey="{place}"' if place <= 9 else "" for place in range(1, len(answers) + 1)]
    choices = [
        f"    <Choice value={quoteattr(name)}{key}/>"
        for name, key in zip(answers, keys, strict=True)
    ]
    head = f'  <Choices name="{VERDICT}" toName="text0" choice="single-radio">'
    note = f'  <TextArea name="{NOTE}" toName="text0"/>'
    return "\n".join(["<View>", *texts, head, *choices, "  </Choices>", note, "</View>", ""])


def answers_of_tasks(
    file: str, tasks: Sequence[Task], classes: Collection[str] = ()
) -> list[Answered]:
    """The answers of an export: a skipped task is "unsure", a class is itself.

    Raises PopulationError where a task does not say which item it is about.
    """
    words = {shown: answer for answer, shown in RESERVED.items() if shown not in classes}
    words[SKIPPED] = "unsure"
    given, faults = [], []
    for row, task in enumerate(tasks, 1):
        data = task["data"]
        if ITEM not in data:
            rule = f"a task must have {ITEM} in its data, as `labelcore draw` writes it"
            faults.append(Fault(file, None, row, None, rule))
            continue
        answer, note = annotation_of(task)
        token, item_id = str(data.get(TOKEN) or "") or None, str(data[ITEM])
        given.append(Answered(row, token, item_id, words.get(answer, answer), note))
    if faults:
        raise PopulationError(faults)
    return given


def labelled_tasks(session: Session) -> list[dict[str, Any]]:
    """Every item judged as a task with one annotation, in the form of an export.

    Kept: what was shown, the class, skips ("unsure", "later", "broken" are cancelled annotations,
    told apart by a text), note, seconds, time, person, scores and predictions as predictions. Left
    out, for which there is no place: strata, and the log. The weight stands in the data.
    """
    rows = labelled_rows(session)
    return [_labelled(session, row, item, number) for number, (row, item) in enumerate(rows, 1)]


def _labelled(session: Session, row: Row, item: Row, number: int) -> dict[str, Any]:
    task = task_of(row["id"], item)
    if row["weight"] is not None:
        task["data"]["labelcore_weight"] = row["weight"]
    at = None if row["time"] is None else row["time"].isoformat()
    annotation = {
        "id": number,
        "completed_by": {"email": row["annotator"] or ""},
        "was_cancelled": row["answer"] is None,
        "ground_truth": False,
        "lead_time": row["seconds"],
        "created_at": at,
        "updated_at": at,
        "result": _result(row),
    }
    return {
        "id": number,
        **task,
        "predictions": _predictions(session, row),
        "annotations": [annotation],
    }


def _result(row: Row) -> list[dict[str, Any]]:
    results = []
    if row["answer"] is not None:
        results.append(_choice(row["answer"]))
    note = row["notes"] or ("" if row["answer"] is not None else row["status"])
    if note:
        control = {"from_name": NOTE, "to_name": "text0", "type": "textarea", "origin": "manual"}
        results.append({**control, "value": {"text": [note]}})
    return results


def _choice(name: str) -> dict[str, Any]:
    control = {"from_name": VERDICT, "to_name": "text0", "type": "choices", "origin": "manual"}
    return {**control, "value": {"choices": [name]}}


def _predictions(session: Session, row: Row) -> list[dict[str, Any]]:
    predictions = []
    for name in session.population.classifiers:
        called, score = row.get(f"prediction_{name}"), row.get(f"score_{name}")
        prediction: dict[str, Any] = {"model_version": name}
        prediction["result"] = [] if called is None else [_choice(called)]
        if score is not None:
            prediction["score"] = score
        predictions.append(prediction)
    return predictions
