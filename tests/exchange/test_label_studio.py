"""Label Studio: drawn items there, answers back, and labels home in the form of its export."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import PopulationError
from labelcore.exchange import BATCH_FORMS, CONFIGS, LABELLED_FORMS, read_answers, store_answers
from labelcore.exchange.label_studio import labelling_config
from labelcore.population.label_studio import read_tasks
from tests.columns import items
from tests.report.sessions import HOSTILE, session_on, write_items


def annotation(number: int, said: str | None, note: str) -> dict[str, Any]:
    """As the tool writes it; None is a skip."""
    choice = {"id": "a1", "from_name": "verdict", "to_name": "text0", "type": "choices"}
    words = {"from_name": "note", "to_name": "text0", "type": "textarea"}
    result = [{**choice, "value": {"choices": [said]}}, {**words, "value": {"text": [note]}}]
    return {
        "id": number,
        "completed_by": 7,
        "was_cancelled": said is None,
        "lead_time": 2.5,
        "updated_at": "2026-01-02T00:00:00Z",
        "result": [] if said is None else result,
    }


def exported(tasks: list[dict[str, Any]], answers: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks as the tool gives them back; one without an answer has no annotation."""
    found = []
    for number, task in enumerate(tasks, 1):
        item = task["data"]["labelcore_id"]
        given = [annotation(number, answers[item], f"about {item}")] if item in answers else []
        found.append({"id": number, **task, "annotations": given, "predictions": []})
    return found


@pytest.fixture
def session(tmp_path: Path) -> lc.Session:
    write_items(tmp_path / "items.csv")
    return session_on(tmp_path / "items.csv", budget=40)


def test_a_round_trip_keeps_classes_skips_and_notes(session: lc.Session, tmp_path: Path) -> None:
    draws = session.take(6, "ann")
    tasks = json.loads(BATCH_FORMS["label-studio"](session, draws, ".json"))
    assert [set(task) for task in tasks] == [{"data"}] * 6
    assert set(tasks[0]["data"]) == {"text", "labelcore_id", "labelcore_token"}
    ids = [draw.item_id for draw in draws]
    answers = dict(zip(ids[:5], ["yes", "no", None, "not sure", "broken item"], strict=True))
    back = tmp_path / "export.json"
    back.write_text(json.dumps(exported(tasks, answers)), "utf-8")
    outcomes = store_answers(session, read_answers(back))
    assert list(outcomes.values()) == ["stored"] * 5 + ["empty"]
    table = session.labels_table().set_index("id").loc[ids[:5]]
    assert table["status"].tolist() == ["labelled", "labelled", "unsure", "unsure", "broken"]
    assert table["answer"].fillna("").tolist() == ["yes", "no", "", "", ""]
    assert table["notes"].tolist()[:2] == [f"about {ids[0]}", f"about {ids[1]}"]
    assert set(store_answers(session, read_answers(back)).values()) == {"same", "empty"}

    home = json.loads(LABELLED_FORMS["label-studio"](session))
    assert [task["data"]["labelcore_id"] for task in home] == ids[:5]
    annotations = [task["annotations"][0] for task in home]
    assert [one["was_cancelled"] for one in annotations] == [False, False, True, True, True]
    assert annotations[0]["result"][0]["value"] == {"choices": ["yes"]}
    assert annotations[0]["result"][1]["value"] == {"text": [f"about {ids[0]}"]}
    assert annotations[2]["result"][0]["value"] == {"text": ["unsure"]}
    assert [one["completed_by"]["email"] for one in annotations] == ["ann"] * 5
    model = home[0]["predictions"][0]
    assert model["model_version"] == "lr"
    assert model["score"] == pytest.approx(table["score_lr"].iloc[0])
    assert home[0]["data"]["labelcore_weight"] == pytest.approx(table["weight"].iloc[0])


def test_the_labels_come_back_as_items(session: lc.Session, tmp_path: Path) -> None:
    while (draw := session.next()) is not None:
        session.answer(draw, "unsure" if draw.index % 9 == 0 else draw.index % 2)
    path = tmp_path / "home.json"
    path.write_bytes(LABELLED_FORMS["label-studio"](session))
    found = lc.read_population(
        path, id="labelcore_id", content=["text"], scores={"lr": "lr_score"},
        predictions={"lr": "lr_prediction"}, known="annotation",
    )  # fmt: skip
    table = session.labels_table(content=True).set_index("id")
    assert found.ids() == table.index.tolist() and found.is_table
    assert found.scores["lr"].tolist() == table["score_lr"].tolist()
    said = [found.classes[code] for code in found.predictions["lr"]]
    assert said == table["prediction_lr"].tolist()
    assert found.known is not None
    known = ["" if code < 0 else found.classes[code] for code in found.known]
    assert known == table["answer"].fillna("").tolist()
    assert found.content(found.id_at(3))["text"] == table["text"].iloc[3]


def test_what_the_tasks_have_themselves_is_read_as_before(tmp_path: Path) -> None:
    """Projects made before tasks were recognised open their files as they did."""
    path = tmp_path / "tasks.json"
    tasks = [{"id": n, "data": {"text": f"t{n}"}, "annotations": []} for n in range(3)]
    path.write_text(json.dumps(tasks))
    found = lc.read_population(path, id="id", content=["data"])
    assert not found.is_table and found.content("1")["data"] == '{"text": "t1"}'


def test_what_is_no_export_of_ours_is_refused_by_row(session: lc.Session, tmp_path: Path) -> None:
    path = tmp_path / "export.json"
    task = {"id": 1, "data": {"text": "x"}, "annotations": []}
    path.write_text(json.dumps([task]))
    with pytest.raises(PopulationError, match="row 1: a task must have labelcore_id in its data"):
        read_answers(path)
    path.write_text(json.dumps([task, {"id": 2}]))
    assert read_tasks(path) is None
    path.write_text('[{"id": 1, "data": {"text": "x"}, "annotations": [')
    with pytest.raises(PopulationError, match="looks like an export of Label Studio, and is no"):
        read_answers(path)
    draws = session.take(2)
    tasks = json.loads(BATCH_FORMS["label-studio"](session, draws, ".json"))
    several = exported(tasks, {draw.item_id: "yes" for draw in draws})
    several[1]["data"]["labelcore_token"] = [1]
    several[0]["annotations"][0]["result"][0]["value"]["choices"] = ["yes", "no"]
    path.write_text(json.dumps(several))
    with pytest.raises(PopulationError, match="(?s)answer must be one of no, yes.*has this token"):
        store_answers(session, read_answers(path))
    assert session.labels == 0


def test_the_interface_is_xml_whatever_the_classes_are_called(tmp_path: Path) -> None:
    names = [one.replace('"', "").replace(",", "") for one in HOSTILE[:4]]
    rows = [f'i{n},x,"{names[n % 4]}"' for n in range(40)]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["id,te<xt,said", *rows]) + "\n", "utf-8")
    population = lc.read_population(path, id="id", content="te<xt", predictions={"lr": "said"})
    session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=20))
    root = ET.fromstring(CONFIGS["label-studio"](session).decode())
    found = [one.get("value") for one in root.iter("Choice")]
    assert found == [*population.classes, "not sure", "broken item"]
    assert [one.get("value") for one in root.iter("Text")] == ["$te<xt"]


def test_the_commands_write_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_items(tmp_path / "items.csv")
    url = f"sqlite:///{tmp_path}/labels.db"
    session_on(tmp_path / "items.csv", store=url, budget=10).store.close()
    place = ["--store", url, "--project", "spam", "-o"]
    batch, home = tmp_path / "batch.json", tmp_path / "home.json"
    assert main(["draw", *place, str(batch), "--batch", "4", "--as", "label-studio"]) == 0
    answers = {task["data"]["labelcore_id"]: "yes" for task in json.loads(batch.read_text())}
    back = tmp_path / "back.json"
    back.write_text(json.dumps(exported(json.loads(batch.read_text()), answers)))
    assert main(["answer", str(back), *place[:4]]) == 0
    assert main(["export", "labels", *place, str(home), "--as", "label-studio"]) == 0
    assert len(json.loads(home.read_text())) == 4
    assert main(["export", "config", *place, str(tmp_path / "view.xml")]) == 0
    assert (tmp_path / "view.xml").read_text().startswith("<View>")
    capsys.readouterr()


def test_a_class_called_as_an_answer_without_one_is_itself(tmp_path: Path) -> None:
    classes = ["not sure", "skipped", "broken item"]
    session = lc.Session(
        items(predictions={"m": classes * 3}), lc.Plan("simple_random", ["accuracy"], budget=8)
    )
    draws = session.take(4, "ann")
    given = dict(zip([draw.item_id for draw in draws], [*classes, None], strict=True))
    tasks = json.loads(BATCH_FORMS["label-studio"](session, draws, ".json"))
    (tmp_path / "export.json").write_text(json.dumps(exported(tasks, given)), "utf-8")
    store_answers(session, read_answers(tmp_path / "export.json", session.population.classes))
    table = session.labels_table().set_index("id").loc[list(given)]
    assert table["answer"].fillna("").tolist() == [*classes, ""]
    assert table["status"].tolist()[-1] == "unsure"
    assert labelling_config(session).count('"not sure"') == 1
