"""Answers that the file holds already: asked about, never guessed, used as said."""

import random
from pathlib import Path

import pytest

from labelcore.ui import forecasts
from labelcore.ui.asking import DRAFT
from labelcore.ui.draft import BUDGET, MARGIN
from labelcore.ui.fields import FIELDS
from labelcore.ui.new_cards import ACCURACY, BOTH, FOUND, PREVALENCE, RANKED, SHIP
from labelcore.ui.new_project import NO_ITEMS
from tests import rooms
from tests.answering import answer_draws, next_draw
from tests.app.conftest import button, created, error, on, pictures, texts, to_aim, with_upload

pytestmark = pytest.mark.usefixtures("price_alone")

LEFT, EVERY_METHOD = 120, forecasts.lines


def screened(known: str = "top") -> bytes:
    """300 items with a score, of which 180 have an answer in the column "included"."""
    rng, rows = random.Random(3), []
    for number in range(300):
        score = round(1 - number / 300, 4)
        told = number < 300 - LEFT if known == "top" else number % 5 < 3
        included = int(rng.random() < score) if told else ""
        rows.append(f"{number},paper {number},{score},{included}\n")
    return ("id,title,score,included\n" + "".join(rows)).encode()


def source(page):
    (found,) = [one for one in page.radio if one.label == "Where do the known answers come from?"]
    return found


def test_nothing_goes_on_before_the_source_is_said(app) -> None:
    page = with_upload(app, "papers.csv", screened())
    assert "included: 180 of 300 items have an answer already" in texts(page).replace("\\", "")
    assert source(page).value is None
    assert "To continue, say where the known answers come from" in texts(page)
    assert on(page).title[0].value == "Items · 1 of 3" and NO_ITEMS in texts(page)


@pytest.mark.full
@pytest.mark.parametrize(
    ("known", "use", "how"),
    [("top", "certainty", "counted as they are"), ("all over", "random", "taken as a plain")],
)
def test_a_project_uses_them_as_said(
    app, data_folder: Path, known: str, use: str, how: str
) -> None:
    page = with_upload(app, "papers.csv", screened(known))
    source(page).set_value(use).run()
    to_aim(page, "Does it belong?", PREVALENCE.title, budget=60)
    assert f"Beside 180 existing labels, {how}" in texts(page)
    session = created(page, data_folder)
    assert session.plan.existing == use and session.plan.budget == 60
    asked = set()
    for _ in range(60):
        draw = next_draw(session)
        asked.add(int(draw.item_id))
        session.answer(draw, True)
    assert not [n for n in asked if (session.population.known[n] >= 0)]
    shown = app("progress", project=session.project)
    assert f"180 existing labels, {how}" in texts(shown)


def test_a_size_that_is_learned_is_told_without_the_labels_from_before(app) -> None:
    rows = "".join(f"{n},item {n},{n % 2},{n % 3 % 2 if n % 19 == 0 else ''}\n" for n in range(400))
    page = with_upload(app, "items.csv", f"id,text,pred,included\n{rows}".encode())
    source(page).set_value("random").run()
    to_aim(page, "Does it belong?", PREVALENCE.title, way=MARGIN)
    assert "Beside 22 existing labels" in texts(page)
    assert "we know more after 38 labels." in " ".join(one.value for one in page.caption)


def test_labels_that_are_no_random_sample_are_refused_beside_the_question(app) -> None:
    page = with_upload(app, "papers.csv", screened())
    source(page).set_value("random").run()
    (told,) = (one.value.replace("\\", "") for one in page.error)
    assert told == (
        "You said the known answers are a random sample, but they do not look like one: 0.0 % "
        "of the 180 lie in the seventh tenth of the scores, against 10 % of all items. "
        "Choose 'Any other way' above: it is right however they were chosen."
    )
    assert on(page).title[0].value == "Items · 1 of 3"
    source(page).set_value("certainty").run()
    assert not page.error
    assert on(page).title[0].value == "Question · 2 of 3"


@rooms.needs("papers")
def test_a_question_that_cannot_use_them_says_which_can(app) -> None:
    page = with_upload(app, "papers.csv", screened("all over"))
    source(page).set_value("random").run()
    to_aim(page, "Does it belong?", SHIP.title)
    (told,) = (one.value.replace("\\", "") for one in page.error)
    assert told == "No method for this question can use the known answers."
    ways = [one.label for one in page.button if str(one.key).startswith("new-way-out")]
    assert BOTH.title in ways and SHIP.title not in ways
    assert ways[-1] == "Do not use the known answers"
    assert not [one for one in page.button if one.key == "new-create"]


def test_a_ranked_list_beside_them_promises_no_width(
    app, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecasts, "lines", EVERY_METHOD)
    page = with_upload(app, "papers.csv", screened("all over"))
    source(page).set_value("random").run()
    to_aim(page, "Does it belong?", RANKED.title)
    shown = texts(page).replace("\\", "")
    assert "50.0 points" not in shown
    assert "This method does not forecast how wide the result will be" in shown
    assert "Geometric strata" in shown.partition("Not offered here: ")[2]
    assert "(cannot use known answers)" in shown
    assert "simple_random" not in shown
    page.segmented_control(key="new-way").set_value(MARGIN).run()
    assert "start from the number of items that you can label" in page.error[0].value
    assert not [one for one in page.button if one.key == "new-create"]
    page.segmented_control(key="new-way").set_value(BUDGET).run()
    session = created(page, data_folder)
    answer_draws(session, True, 20)
    assert session.results()["precision_curve"].scope.existing == 180


def test_a_file_that_is_gone_and_an_answer_that_is_shown_are_told(app, items: Path) -> None:
    page = with_upload(app, "items.csv", items.read_bytes())
    page.session_state[DRAFT].content = ["text", "true_label"]
    assert "true_label looks like the answer" in page.run().warning[0].value.replace("\\", "")
    page.session_state[DRAFT].path = str(items.with_name("gone.csv"))
    page.session_state[DRAFT].step = 3
    assert "gone.csv is not there any more. Choose it again." in error(page.run())
    assert button(page, "new-another").click().run().file_uploader


def test_they_can_be_left_out(app, data_folder: Path) -> None:
    page = with_upload(app, "papers.csv", screened())
    source(page).set_value("ignored").run()
    to_aim(page, "Does it belong?", PREVALENCE.title)
    session = created(page, data_folder)
    assert session.population.known is None and session.plan.existing is None


def test_a_full_column_leaves_nothing_to_ask(app, items: Path) -> None:
    page = with_upload(app, "papers.csv", items.read_bytes())
    assert not [one for one in page.radio if one.label.startswith("Where do the known")]


def coded(values: tuple[str, str] = ("relevant", "not relevant"), header: str = "marks") -> bytes:
    """300 items with a score and a prediction, of which the last 60 have a known answer in a
    column that is not called like one; another is filled with many different texts."""
    rng, rows = random.Random(4), []
    for number in range(300):
        score = round(1 - number / 300, 4)
        said = values[0] if score >= 0.5 else values[1]
        code = values[0 if rng.random() < score else 1] if number >= 240 else ""
        note = f"note {number}" if number % 2 else ""
        rows.append(f"{number},paper {number},{score},{said},{code},{note}\n")
    head = f"id,title,score,prediction,{header},remark\n"
    return (head + "".join(rows)).encode()


def chooser(page):
    (found,) = [one for one in page.selectbox if one.label == "Which column holds known answers?"]
    return found


def test_any_column_with_few_values_can_be_named(app, data_folder: Path) -> None:
    page = with_upload(app, "papers.csv", coded())
    assert chooser(page).options == ["(none)", "marks"] and chooser(page).value == "(none)"
    chooser(page).set_value("marks").run()
    assert "marks: 60 of 300 items" in texts(page).replace("\\", "")
    source(page).set_value("certainty").run()
    to_aim(page, "Is it relevant?", PREVALENCE.title)
    session = created(page, data_folder)
    assert session.population.arguments["known"] == "marks"
    assert (session.population.known >= 0).sum() == 60


def test_no_column_need_be_named(app) -> None:
    page = with_upload(app, "papers.csv", coded())
    assert on(page).title[0].value == "Question · 2 of 3"


@pytest.mark.parametrize("told", [True, False])
def test_a_column_may_help_to_choose_and_is_never_shown(app, data_folder: Path, told: bool) -> None:
    """What it may save is told before the first label, where it goes with the scores."""
    rng, rows = random.Random(4), ["id,title,score,opinion"]
    for number in range(300):
        score = round(1 - number / 300, 4)
        good = rng.random() < (score if told else 0.5)
        rows.append(f"{number},paper {number},{score},{'good' if good else 'bad'}")
    page = with_upload(app, "papers.csv", "\n".join(rows).encode())
    (field,) = [one for one in page.multiselect if one.label == FIELDS["helpers"].label]
    assert field.value == [] and "opinion" in field.options and "score" not in field.options
    field.set_value(["opinion"]).run()
    to_aim(page, "Does it belong?", ACCURACY.title)
    assert "Items are chosen with the help of 'opinion'" in texts(page).replace("\\", "")
    assert ("'opinion' may save about" in texts(page)) == told
    session = created(page, data_folder)
    assert session.plan.params["helpers"] == ("opinion",)
    assert session.population.arguments["helpers"] == {"opinion": "opinion"}
    draw = session.next()
    assert draw is not None and set(session.item(draw)) == {"title"}
    shown = app("label", project=session.project)
    assert "opinion" not in texts(shown) and "good" not in texts(shown)


def without_score(content: bytes) -> bytes:
    """The same file without its score, as a tool for screening writes it."""
    rows = [line.split(",") for line in content.decode().splitlines()]
    return "".join(f"{one[0]},{one[1]},{one[3]}\n" for one in rows).encode()


@pytest.mark.parametrize("scored", [True, False])
def test_what_was_found_so_far_asks_whether_it_is_enough(
    app, data_folder: Path, scored: bool
) -> None:
    """The aim stands there by itself, and its project says how many are missing."""
    content = screened() if scored else without_score(screened())
    found = sum(line.endswith(",1") for line in content.decode().splitlines())
    page = with_upload(app, "papers.csv", content)
    source(page).set_value("certainty").run()
    to_aim(page, "Does it belong?")
    cards = page.radio(key="new-aim")
    assert cards.value == FOUND.title
    assert any(f"{found} found in 180 read" in one for one in cards.proto.captions)
    assert scored or cards.options == [FOUND.title, PREVALENCE.title]
    session = created(page, data_folder)
    assert session.plan.classifiers == (session.population.found,) == ("found",)
    assert ("found" in session.population.scores) == scored
    answer_draws(session, lambda draw: int(draw.item_id) % 9 == 0, 60)
    recall = session.results()["recall"]
    missed = sum(int(n) % 9 == 0 for n in range(300 - LEFT, 300))
    assert recall.low <= found / (found + missed) <= recall.high
    for name in ("label", "progress", "report"):
        shown = app(name, project=session.project)
        said = texts(shown) + str(pictures(shown))
        assert "are missing" in said and (name == "report" or "Found so far" in said), name
    assert f"Found: {found}. Still to be found: " in texts(shown)


def test_a_column_that_says_what_was_found_asks_the_same(app, data_folder: Path) -> None:
    rows = "".join(f"i{n},item {n},{int(n % 4 == 0)}\n" for n in range(200))
    page = with_upload(app, "papers.csv", f"id,text,retrieved\n{rows}".encode())
    to_aim(page, "Does it belong?")
    assert page.radio(key="new-aim").value == FOUND.title
    assert "50 of 200 found." in page.radio(key="new-aim").proto.captions
    plan = created(page, data_folder).plan
    assert (plan.estimands, plan.classifiers, plan.existing) == (("recall",), ("retrieved",), None)


def test_where_no_column_says_what_was_found_the_card_says_what_counts(app) -> None:
    rows = "".join(f"i{n},item {n},{n / 200},{n % 2}\n" for n in range(200))
    page = with_upload(app, "papers.csv", f"id,text,score,seen\n{rows}".encode())
    to_aim(page, "Does it belong?", FOUND.title)
    words = "Found is what the classifier calls positive."
    assert words in page.radio(key="new-aim").proto.captions


def test_another_question_leaves_what_was_found_out(app, data_folder: Path) -> None:
    page = with_upload(app, "papers.csv", without_score(screened()))
    source(page).set_value("certainty").run()
    to_aim(page, "Does it belong?", PREVALENCE.title)
    population = created(page, data_folder).population
    assert population.classifiers == () and population.known is not None
