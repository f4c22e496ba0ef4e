"""Tasks of Label Studio (JSON export): what they hold, and the same as rows of a table.

A task has ``data`` (what is shown), ``predictions`` (one per model) and ``annotations`` (one per
person; a skipped one has ``was_cancelled``). Of each the single choice is read, and the text of an
answer in words. Regions, boxes and ratings are left out.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labelcore.population.limits import LARGEST_LIST, refusal

Task = Mapping[str, Any]
MARKS = ("annotations", "predictions", "completions")
SKIPPED = "\0skipped"
"""What an answer reads where the task was skipped: no class is called so."""
PEEKED = 1 << 16


def read_tasks(path: Path) -> list[Task] | None:
    """The tasks of a file; None for a file that holds something else.

    Raises PopulationError for a list of tasks that is over the limit or breaks off.
    """
    if path.suffix.lower() != ".json" or not _may_be_tasks(path):
        return None
    if path.stat().st_size > LARGEST_LIST:
        raise refusal(
            path.name, f"an export of Label Studio may have at most {LARGEST_LIST / 1e6:,.0f} MB"
        )
    try:
        tasks = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise refusal(
            path.name, f"this looks like an export of Label Studio, and is no whole JSON: {error}"
        ) from error
    return tasks if isinstance(tasks, list) and all(map(is_task, tasks)) and tasks else None


def _may_be_tasks(path: Path) -> bool:
    with path.open("rb") as stream:
        start = stream.read(PEEKED).lstrip(b"\xef\xbb\xbf \t\r\n")
    return start[:1] == b"[" and b'"data"' in start


def is_task(record: object) -> bool:
    """Whether a JSON value has the form of a task."""
    if not isinstance(record, Mapping) or not isinstance(record.get("data"), Mapping):
        return False
    listed = [record[name] for name in MARKS if name in record]
    return all(isinstance(part, list) for part in listed) and ("id" in record or bool(listed))


def choice_of(result: object) -> tuple[str, str]:
    """The single choice of a prediction or annotation, and its words; "" for each that is missing.

    Several choices are joined by a comma, so that a check for classes refuses them.
    """
    choice, words = "", ""
    for part in result if isinstance(result, list) else []:
        value = part.get("value") if isinstance(part, Mapping) else None
        if not isinstance(value, Mapping):
            continue
        if isinstance(value.get("choices"), list) and not choice:
            choice = ", ".join(map(str, value["choices"]))
        if "text" in value and not words:
            text = value["text"]
            words = " ".join(map(str, text)) if isinstance(text, list) else str(text)
    return choice, words


def annotation_of(task: Task) -> tuple[str, str]:
    """The answer that counts and its words: of the annotations the one changed last; SKIPPED for
    a task that everybody skipped, "" for one that nobody answered."""
    given = [
        answer
        for answer in task.get("annotations") or task.get("completions") or []
        if isinstance(answer, Mapping)
    ]
    whole = [answer for answer in given if not answer.get("was_cancelled")]
    if not whole:
        return (SKIPPED if given else ""), ""
    newest = max(whole, key=lambda one: str(one.get("updated_at") or one.get("created_at") or ""))
    return choice_of(newest.get("result"))


def rows_of(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Each task as a row: task_id; "MODEL_prediction" and "MODEL_score" for each model; annotation
    (empty where it was skipped), annotation_note; its data, which come before where a name is
    taken."""
    return [_row(task) for task in tasks]


def _row(task: Task) -> dict[str, Any]:
    answer, note = annotation_of(task)
    row: dict[str, Any] = {"task_id": str(task.get("id", ""))}
    for place, prediction in enumerate(task.get("predictions") or [], 1):
        if not isinstance(prediction, Mapping):
            continue
        model = str(prediction.get("model_version") or f"model {place}")
        row[f"{model}_prediction"] = choice_of(prediction.get("result"))[0]
        score = prediction.get("score")
        row[f"{model}_score"] = float(score) if isinstance(score, (int, float)) else None
    row |= {"annotation": "" if answer == SKIPPED else answer, "annotation_note": note}
    return row | {str(name): _plain(value) for name, value in task["data"].items()}


def _plain(value: Any) -> Any:
    """A value that a cell can hold: lists and objects as JSON."""
    if isinstance(value, (list, Mapping)):
        return json.dumps(value, ensure_ascii=False)
    return None if value is None else str(value)
