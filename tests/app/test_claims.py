"""Claims, stop rules and shared confidence: from the form to the labelling and progress pages."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.plan.stop_rules import RULES
from labelcore.ui import draft, forecasts, new_claims
from labelcore.ui.new_cards import ACCURACY, BOTH
from tests.answering import answer_draws
from tests.app.conftest import button, created, error, store, texts, to_aim, whole_way, with_upload
from tests.cases import sampled
from tests.plan.test_stop_rules import LABELS

pytestmark = pytest.mark.usefixtures("price_alone")

LOW = "accuracy >= 0.4"
CLAIMED = forecasts.claimed  # As it is shipped; other tests try claims out in their own process.


def field(page, kind: str, end: str):
    """The widget of this kind whose key ends so."""
    return next(one for one in getattr(page, kind) if (one.key or "").endswith(end))


def with_claim(app, items: Path, percent: float = 70.0):
    page = whole_way(app, items, way=draft.CLAIMS)
    field(page, "number_input", "-percent").set_value(percent).run()
    return page


def test_claims_are_tried_out_once_and_waited_for(
    app, items: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[Path] = []
    write = forecasts.write_snapshot
    monkeypatch.setattr(forecasts, "claimed", CLAIMED)
    monkeypatch.setattr(
        forecasts, "write_snapshot", lambda path, file: (written.append(path), write(path, file))
    )
    page = with_claim(app, items)
    assert "until every claim is settled" in texts(page.run()).replace("\\", "")
    assert len(written) == 1 and not written[0].exists()
    assert created(page, data_folder).plan.claims == ("accuracy >= 0.7",)


def test_a_claim_reaches_the_plan(app, items: Path, data_folder: Path) -> None:
    """Without a percentage it waits, and one out of bounds is told."""
    page = whole_way(app, items, way=draft.CLAIMS)
    assert new_claims.OPEN in [one.value for one in page.info]
    assert not [one for one in page.button if one.key == "new-create"]
    field(page, "number_input", "-percent").set_value(100.0).run()
    assert "from 0.1 to 99.9 is needed here" in error(page)
    assert not [one for one in page.button if one.key == "new-create"]
    field(page, "number_input", "-percent").set_value(70.0)
    field(page, "selectbox", "-figure").set_value("precision").run()
    assert not page.error
    shown = texts(page).replace("\\", "")
    assert "until every claim is settled" in shown
    assert "Evidence of 20 times decides." in shown or "meant to ever call it likely" in shown
    plan = created(page, data_folder).plan
    assert plan.claims == ("precision >= 0.7",) and plan.stop == ("claims",)
    assert plan.budget is None and plan.margin is None and plan.promise == "watched"
    assert 1 <= plan.planned <= 200


@pytest.mark.full
@pytest.mark.parametrize("form", sampled(["strict", "approximate"], 1, seed=1))
def test_claims_say_how_far_their_intervals_hold(
    app, items: Path, data_folder: Path, form: str
) -> None:
    """So many times the size planned, or no further than the cap; as the plan has it."""
    page = with_claim(app, items)
    choose_form(page, form)
    times = {"strict": "four", "approximate": "16"}[form]
    until = f"{times} times the planned number of labels, at most all items"
    assert f"valid at every look up to {until}." in texts(page)
    page.number_input(key="new-most").set_value(80).run()
    choose_form(page, form)
    shown = texts(page)
    assert "intervals are valid at every look up to 80 labels." in shown
    assert ("evidence is valid at every look" in shown) == (form == "strict")
    assert ("Evidence of 20 times decides." in shown) == (form == "strict")
    assert ("meant to ever call it likely" in shown) == (form == "approximate")
    plan = created(page, data_folder).plan
    assert plan.horizon == 1 and plan.planned == 80 and plan.claim_form == form


def choose_form(page, form: str) -> None:
    radio = next(one for one in page.radio if (one.key or "").startswith("new-claim-form-"))
    radio.set_value(form).run()


def test_the_form_that_settles_a_claim_is_chosen_beside_its_labels(
    app, items: Path, data_folder: Path
) -> None:
    """The approximate one first only where it saves a third of the labels."""
    page = with_claim(app, items)
    radio = next(one for one in page.radio if (one.key or "").startswith("new-claim-form"))
    numbers = [
        int(label.split(" about ")[1].split()[0].replace(",", "")) for label in radio.options
    ]
    likely_first = radio.options[0].startswith("Likely")
    likely, strict = numbers if likely_first else numbers[::-1]
    assert likely_first == (likely <= 2 / 3 * strict)
    radio.set_value("approximate").run()
    assert not page.error
    plan = created(page, data_folder).plan
    assert plan.claim_form == "approximate" and plan.horizon == 16
    made = store(data_folder)
    session = lc.Session.open(made, made.projects()[0].name)
    answer_draws(session, True)
    (claim,) = (one for one in session.results().values() if isinstance(one, lc.Claim))
    assert claim.status != "undecided"
    shown = texts(app("progress", project=session.project)).replace("\\", "")
    assert "it is likely" in shown and "would prove" in shown and "decides" not in shown


def test_the_approximate_form_stands_first_where_it_saves_a_third() -> None:
    def first(labels: dict[str, int]) -> str:
        page = AppTest.from_function(_form, kwargs={"labels": labels}).run()
        return page.radio[0].value

    assert first({"strict": 300, "approximate": 200}) == "approximate"
    assert first({"strict": 300, "approximate": 201}) == "strict"


def _form(labels: dict[str, int]) -> None:
    from labelcore.ui.new_claims import claim_form_input

    claim_form_input(labels)


def test_one_classifier_against_another(app, data_folder: Path) -> None:
    rows = "".join(f"{n},text {n},{n % 2},{n % 3 == 0:d}\n" for n in range(100))
    page = with_upload(app, "two.csv", f"id,text,pred_a,pred_b\n{rows}".encode())
    to_aim(page, "Spam?", ACCURACY.title, way=draft.CLAIMS)
    field(page, "segmented_control", "-kind").set_value(new_claims.BETTER).run()
    assert not page.error
    (claim,) = created(page, data_folder).plan.claims
    assert claim == "accuracy[a] > accuracy[b]"


def test_several_classes_are_compared_in_accuracy(app, data_folder: Path) -> None:
    said = "xyz"
    rows = "".join(f"{n},text {n},{said[n % 3]},{said[n % 2]}\n" for n in range(90))
    page = with_upload(app, "three.csv", f"id,text,pred_a,pred_b\n{rows}".encode())
    to_aim(page, "Which?")
    page.segmented_control(key="new-way").set_value(draft.CLAIMS).run()
    field(page, "segmented_control", "-kind").set_value(new_claims.BETTER).run()
    assert not page.error
    assert field(page, "selectbox", "-compared").options == ["Accuracy"]
    assert new_claims.FEWEST.strip() in texts(page)
    assert created(page, data_folder).plan.claims == ("accuracy[a] > accuracy[b]",)


def test_deadline_alone_and_with_a_margin(
    app, items: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a rule that the form has never seen."""
    monkeypatch.setitem(RULES, "labels", LABELS)
    page = whole_way(app, items, way=draft.MARGIN)
    page.checkbox(key="new-stop-labels").set_value(True).run()
    page.text_input(key="new-stop-value-labels").set_value("30").run()
    assert page.checkbox(key="new-stop-margin").value
    page.checkbox(key="new-stop-deadline").set_value(True).run()
    day = datetime.now(UTC).date() + timedelta(days=30)
    page.date_input(key="new-deadline-day").set_value(day)
    page.time_input(key="new-deadline-hour").set_value(time(9, 30))
    deadline = f"deadline {day}T09:30:00+00:00"
    assert created(page, data_folder).plan.stop == ("margin", deadline, "labels 30")


def test_all_rules_together(app, items: Path, data_folder: Path) -> None:
    page = with_claim(app, items)
    page.checkbox(key="new-stop-deadline").set_value(True).run()
    field(page, "segmented_control", "new-stop-how-any").set_value("all").run()
    stop = created(page, data_folder).plan.stop
    assert stop[:2] == ("all", "claims") and stop[2].startswith("deadline ")


def test_a_deadline_that_has_passed_is_told(app, items: Path) -> None:
    page = whole_way(app, items)
    assert not [one for one in page.radio if one.key == "new-together"]
    page.checkbox(key="new-stop-deadline").set_value(True).run()
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    page.date_input(key="new-deadline-day").set_value(yesterday).run()
    assert "has passed" in error(page)
    assert not [one for one in page.button if one.key == "new-create"]


def test_all_numbers_together_is_offered_for_several(app, items: Path, data_folder: Path) -> None:
    page = whole_way(app, items, BOTH.title)
    page.radio(key="new-together").set_value(True)
    plan = created(page, data_folder).plan
    assert plan.together and plan.confidence == 0.95
    assert "for all 2 numbers together" in texts(page)


def test_a_settled_claim_ends_the_session_in_its_own_words(app, make) -> None:
    session = make(budget=None, claims=[LOW])
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 5 == 0)
    assert session.status == "goal reached" and session.labels < 200
    for shown in ("label", "progress"):
        page = texts(app(shown, project="demo"))
        assert "The claims are settled" in page and "claims settled" in page
        assert "The goal is reached" not in page and "goal reached" not in page
        assert session.results()[LOW].sentence() in page
    start = texts(app())
    assert "claims settled" in start


def test_a_passed_deadline_is_told(app, make, monkeypatch) -> None:
    monkeypatch.setattr("labelcore.session.projects.now", lambda: "2020-01-01T00:00:00+00:00")
    session = make(stop="deadline 2020-01-31T18:00")
    assert session.next() is None
    page = app("label", project="demo")
    assert "The deadline has passed" in texts(page)
    assert "The deadline 31 January 2020, 18:00 UTC had passed: the plan ends" in texts(page)
    button(page, "go-on").click().run()
    assert button(page, "positive")


def test_items_waiting_are_said(app, make) -> None:
    session = make(labels=40)
    answer_draws(session, "later", 6)
    draw = session.next()
    session.answer(draw, True)
    found = session.results()["accuracy"]
    assert found.state == "waiting"
    assert "waiting for 6 items" in texts(app("progress", project="demo"))
