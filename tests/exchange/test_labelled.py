"""The labels in the forms of other tools, read back as those tools write them."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.exchange import LABELLED_FORMS
from tests.answering import next_draw
from tests.columns import items
from tests.report.sessions import begun, session_on, write_items


@pytest.fixture
def session(tmp_path: Path) -> lc.Session:
    """Answers of every kind, and a note."""
    session, _ = begun(tmp_path, budget=30)
    for answer in ("yes", "no", "unsure", "broken", "later", "yes"):
        session.answer(next_draw(session, "ann"), answer)
    session.note(2, "=odd")
    return session


def answers(session: lc.Session) -> list[str]:
    return session.labels_table()["answer"].fillna("").tolist()


def read_back(session: lc.Session, path: Path, **arguments: object) -> list[str]:
    """The known answers of the file, read as items."""
    found = lc.read_population(path, classes=["no", "yes"], **arguments)  # type: ignore[arg-type]
    assert found.known is not None
    assert found.column("labelcore_id") == session.labels_table()["id"].tolist()
    return ["" if code < 0 else found.classes[code] for code in found.known]


@pytest.mark.parametrize("tool", ["doccano", "prodigy"])
def test_lines_come_back_as_they_went(tool: str, session: lc.Session, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(LABELLED_FORMS[tool](session))
    assert read_back(session, path, content="text", known="annotation") == answers(session)
    scored = lc.read_population(path, content="text", metadata="labelcore_weight",
                                scores={"lr": "score_lr"}, known="annotation",
                                classes=["no", "yes"])  # fmt: skip
    table = session.labels_table()
    assert scored.scores["lr"].tolist() == pytest.approx(table["score_lr"].tolist())
    weights = [float(text or "nan") for text in scored.column("labelcore_weight")]
    assert weights == pytest.approx(table["weight"].tolist(), nan_ok=True)


def test_doccano_has_a_list_of_labels_and_comments(session: lc.Session) -> None:
    rows = [json.loads(line) for line in LABELLED_FORMS["doccano"](session).splitlines()]
    assert [row["label"] for row in rows] == [["yes"], ["no"], [], [], [], ["yes"]]
    assert rows[1]["Comments"] == ["=odd"] and rows[0]["text"].startswith("message ")
    assert [row["labelcore_status"] for row in rows][2:5] == ["unsure", "broken", "later"]


def test_prodigy_keeps_skips_as_ignored(session: lc.Session) -> None:
    rows = [json.loads(line) for line in LABELLED_FORMS["prodigy"](session).splitlines()]
    assert [row["answer"] for row in rows] == ["accept"] * 2 + ["ignore"] * 3 + ["accept"]
    assert [row["accept"] for row in rows][:3] == [["yes"], ["no"], []]
    assert {row["_annotator_id"] for row in rows} == {"ann"}


def test_asreview_has_one_and_zero_and_no_formula(session: lc.Session, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(LABELLED_FORMS["asreview"](session))
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert [row["asreview_label"] for row in rows] == ["1", "0", "", "", "", "1"]
    assert rows[1]["asreview_note"] == "'=odd"
    assert read_back(session, path, content="text", known="asreview_label") == answers(session)


def test_asreview_has_two_classes_only() -> None:
    session = lc.Session(
        items(predictions={"m": [*"abc"] * 10}), lc.Plan("simple_random", ["accuracy"], budget=20)
    )
    with pytest.raises(ValueError, match="this project has 3 classes: choose another form"):
        LABELLED_FORMS["asreview"](session)


def test_hugging_face_has_the_names_of_the_classes(session: lc.Session, tmp_path: Path) -> None:
    path = tmp_path / "out.parquet"
    path.write_bytes(LABELLED_FORMS["hugging-face"](session))
    raw = pq.read_table(path)
    assert raw["label"].to_pylist() == [1, 0, None, None, None, 1]
    told = json.loads(raw.schema.metadata[b"huggingface"])["info"]["features"]
    assert told["label"] == {"names": ["no", "yes"], "_type": "ClassLabel"}
    assert set(told) == set(raw.schema.names)
    assert read_back(session, path, content="text", known="label") == answers(session)


def test_a_column_that_is_judged_is_no_output_whatever_its_name(tmp_path: Path) -> None:
    write_items(tmp_path / "items.csv")
    whole = (tmp_path / "items.csv").read_text()
    for name in ("prediction_text", "project", "outputs"):
        (tmp_path / "items.csv").write_text(whole.replace("text", name, 1))
        session = session_on(tmp_path / "items.csv", arguments={"content": [name]})
        session.answer(session.next(), True)
        raw = pq.read_table(io.BytesIO(LABELLED_FORMS["hugging-face"](session))).to_pylist()
        assert raw[0][name].startswith("message") and raw[0]["prediction_lr"] in (0, 1)
        (line,) = LABELLED_FORMS["prodigy"](session).splitlines()
        assert json.loads(line)[name] == raw[0][name] and name not in json.loads(line)["meta"]


def test_no_column_that_is_judged_is_lost_to_a_word_of_the_form(tmp_path: Path) -> None:
    write_items(tmp_path / "items.csv")
    session = session_on(tmp_path / "items.csv", arguments={"content": ["score", "text"]})
    session.answer(session.next(), True)
    for tool in ("doccano", "prodigy"):
        line = json.loads(LABELLED_FORMS[tool](session))
        assert line["content_text"].startswith("message") and float(line["text"]) >= 0


@pytest.mark.parametrize("tool", LABELLED_FORMS)
def test_before_the_first_answer_there_is_nothing_to_carry(tool: str, tmp_path: Path) -> None:
    write_items(tmp_path / "items.csv")
    items = (tmp_path / "items.csv").read_text().replace("id,", "trace_id,", 1)
    (tmp_path / "items.csv").write_text(items)
    own = {"id": ["trace_id", "text"] if tool == "splink" else "trace_id"}
    session = session_on(tmp_path / "items.csv", arguments=own)
    assert isinstance(LABELLED_FORMS[tool](session), bytes)
