"""More than two classes, other keys, several classifiers and thresholds: forms and pages."""

import csv
import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.figures.confusion import cell_bounds, confusion, labelled_cells
from labelcore.report import report_html, report_json, table_file
from labelcore.ui.answers import classes_in_order
from labelcore.ui.confusion import for_file, readable
from labelcore.ui.draft import MARGIN
from labelcore.ui.new_cards import BETTER, BOTH, SEVERAL
from tests import rooms
from tests.answering import answer_draws
from tests.app.conftest import (
    HOSTILE,
    back,
    button,
    created,
    error,
    every_question,
    on,
    store,
    surface_buttons,
    table_rows,
    texts,
    to_aim,
    with_upload,
)
from tests.columns import items

pytestmark = pytest.mark.usefixtures("price_alone")

NAMES = ["ads", "bills", "chat", "family", "work"]


def text_of(names: list[str], rows: int = 200) -> bytes:
    lines = [f"{n},text {n},{names[n % len(names)]}" for n in range(rows)]
    return ("id,text,prediction\n" + "\n".join(lines) + "\n").encode()


def asked(
    app: Callable[..., AppTest], content: bytes, aim: str | None = None, **chosen: object
) -> AppTest:
    return to_aim(with_upload(app, "c.csv", content), "What is it?", aim, **chosen)


Classes = Callable[[int], lc.Session]


@pytest.fixture
def classes(data_folder: Path) -> Classes:
    """``classes(12)``: a project of 240 items with that many classes, hostile names among them."""

    def build(number: int) -> lc.Session:
        names = [f"{n:02d} {HOSTILE if n == 1 else 'class'}" for n in range(number)]
        population = items(predictions={"m": [names[n % number] for n in range(240)]})
        plan = lc.Plan("recalibrated_neyman", ["accuracy", "precision"], budget=120, seed=1)
        return lc.Session(population, plan, store(data_folder), "many")

    return build


def keys_of(page: AppTest) -> list[tuple[str, str]]:
    """Each key and its class, in the order in which they stand."""
    shown = next(one.proto.body for one in page.get("html") if "lc-caps" in one.proto.body)
    return re.findall(r"<kbd>(\w+)</kbd> ([^<]+)</span>", shown)


def test_explore_says_that_several_classes_have_no_cut(app, classes: Classes) -> None:
    classes(3)
    assert "cut here: the file has more than two classes." in texts(app("explore", project="many"))


def test_a_project_of_five_classes(app, data_folder: Path) -> None:
    page = on(with_upload(app, "c.csv", text_of(NAMES)))
    assert [*zip("12345", NAMES, strict=True)] == keys_of(page)
    page.text_input(key="new-question").set_value("What is it?").run()
    on(page)
    assert page.radio(key="new-aim").options == ["Precision and recall", "How accurate is it?"]
    assert page.radio(key="new-aim").value == "How accurate is it?"
    page.radio(key="new-aim").set_value("Precision and recall").run()
    session = created(page, data_folder)
    assert session.population.classes == tuple(NAMES)
    assert session.plan.estimands == ("accuracy", "precision", "recall")


SKEWED = ["invoice"] * 31 + ["letter"] * 12 + ["offer"] * 5 + ["order"] * 2


@pytest.mark.full
def test_the_price_says_which_class_it_is_paid_for(app, data_folder: Path) -> None:
    """Before the first label; and one press leaves that class to the confusion table."""
    page = asked(app, text_of(SKEWED, 4000))
    page.radio(key="new-aim").set_value(BOTH.title).run()
    page.segmented_control(key="new-way").set_value(MARGIN).run()
    page.number_input(key="new-margin").set_value(10.0).run()
    (said,) = (one.value for one in page.caption if "without it" in one.value)
    share, part = re.fullmatch(
        r"\*order\* takes (\d+) % of the labels; without it the others need (\d+) % as many.", said
    ).groups()
    assert 4 < int(share) < 60 and 10 < int(part) < 90
    needed = labels_said(page)
    matter = next(one for one in page.multiselect if one.label == "Which classes matter?")
    matter.set_value(["invoice", "letter", "offer"]).run()
    assert labels_said(page) == pytest.approx(needed * int(part) / 100, rel=0.03)
    session = created(page, data_folder)
    assert session.plan.classes == ("invoice", "letter", "offer")
    assert not [key for key in session.results() if "order" in key]


def labels_said(page: AppTest) -> int:
    (found,) = (re.match(r"About ([\d,]+) labels", one.value) for one in page.markdown
                if one.value.startswith("About"))  # fmt: skip
    return int(found[1].replace(",", ""))


def test_at_least_one_class_must_matter(app) -> None:
    page = asked(app, text_of(SKEWED, 400), BOTH.title)
    next(one for one in page.multiselect if one.label == "Which classes matter?").set_value(
        []
    ).run()
    assert "Choose at least one class" in texts(page)


def test_an_answer_that_no_classifier_gives_can_be_given(app, data_folder: Path) -> None:
    page = with_upload(app, "c.csv", text_of(NAMES))
    on(page).text_input(key="new-question").set_value("What is it?").run()
    page.text_input(key="new-other-answers").set_value("spam, bills").run()
    assert "The answer 'bills' is there twice" in error(page)
    page.text_input(key="new-other-answers").set_value(" spam , holiday,").run()
    assert not page.error
    on(page)
    session = created(page, data_folder)
    assert session.population.classes == (*NAMES, "spam", "holiday")
    session.answer(session.next(), "holiday")
    assert session.labels == 1


def test_frequent_classes_first(app, data_folder: Path) -> None:
    page = asked(app, text_of([*NAMES, "work", "work", "chat"]))
    back(page).segmented_control(key="new-order").set_value("The most frequent first").run()
    on(page)
    assert created(page, data_folder).population.classes == (
        "work",
        "chat",
        "ads",
        "bills",
        "family",
    )


@pytest.mark.parametrize(("number", "told"), [(50, ""), (51, "name 51 classes")])
def test_number_of_classes(app, number: int, told: str) -> None:
    page = on(with_upload(app, "c.csv", text_of([f"class {n}" for n in range(number)], 510)))
    assert told in error(page) if told else not page.error
    examples = [one.placeholder for one in page.text_input if one.key == "new-question"]
    assert examples == ([] if told else ["What is this about?"])


def test_numbers_are_classes_and_a_rare_one_is_told(app) -> None:
    page = back(asked(app, text_of(["-1", "0", "1"]) + b"999,last,2\n"))
    assert not page.error
    assert "fewer than 5 rows: 2" in page.warning[0].value.replace("\\", "")


def replies(first: int, last: int) -> bytes:
    """Answers that a judge gave numbers of this range."""
    numbers = [first + n % (last - first + 1) for n in range(200)]
    lines = [f"r{n},Question {n}?,This is answer {n}.,{grade}" for n, grade in enumerate(numbers)]
    return "\n".join(["id,question,answer,judge_score", *lines]).encode()


def test_people_may_grade_as_a_score_does(app, data_folder: Path) -> None:
    """Each grade has a key, in the order of their numbers."""
    page = on(with_upload(app, "replies.csv", replies(1, 10)))
    graded = page.segmented_control(key="new-graded")
    assert not graded.value and "new-yes" in [one.key for one in page.text_input]
    graded.set_value(True).run()
    assert page.segmented_control(key="new-graded").value is True
    page.text_input(key="new-question").set_value("How good is it?").run()
    captions = on(page).radio(key="new-aim").proto.captions
    assert "The share of equal grades; the mean score stands beside it." in captions
    session = created(page, data_folder)
    assert session.population.classes == tuple(map(str, range(1, 11)))
    assert session.population.arguments["predictions"] == {"judge": "judge_score"}
    assert [key for _, key, _ in classes_in_order(session)] == [*"1234567890"]


def test_a_digit_has_its_own_key_and_grades_can_be_left_again(app) -> None:
    page = on(with_upload(app, "replies.csv", replies(0, 4)))
    page.segmented_control(key="new-graded").set_value(True).run()
    shown = next(one.proto.body for one in page.get("html") if "lc-caps" in one.proto.body)
    assert "<kbd>0</kbd> 0" in shown and "<kbd>4</kbd> 4" in shown
    page.segmented_control(key="new-graded").set_value(False).run()
    assert "new-yes" in [one.key for one in page.text_input] and not page.error


def test_presets_of_two_keys(app, items: Path, data_folder: Path) -> None:
    page = on(with_upload(app, "items.csv", items.read_bytes()))
    page.text_input(key="new-question").set_value("Spam?").run()
    page.segmented_control(key="new-keys").set_value("J / F").run()
    assert "Flag then has the key G" in texts(page)
    on(page)
    session = created(page, data_folder)
    assert session.settings["keys"] == "J / F"
    keys = shortcuts(app("label", project=session.project))
    assert (keys["Yes"], keys["No"], keys["Flag"], keys["Broken"]) == ("j", "f", "g", "b")


def shortcuts(page: AppTest) -> dict[str, str]:
    return {one.label: one.shortcut.lower() for one in surface_buttons(page) if one.shortcut}


@pytest.mark.parametrize("preset", ["Y / N", "1 / 0", "A / X", "V / X", "J / F", "unheard of"])
def test_no_key_means_two_things(app, make, preset: str) -> None:
    session = make(labels=1)
    session.store.update("demo", settings_json=f'{{"keys": "{preset}"}}')
    page = app("label", project="demo")
    found = [one.shortcut for one in surface_buttons(page) if one.shortcut]
    assert not [one.key for one in page.button if one.proto.shortcut]
    assert len(found) == len(set(found)) == 10, "the grid has one, too"


def scored(rows: int = 200) -> bytes:
    lines = [f"{n},text {n},{n / rows},{(n * 7 % rows) / rows}" for n in range(rows)]
    return ("id,text,score_a,score_b\n" + "\n".join(lines) + "\n").encode()


def test_two_classifiers_with_thresholds(app, data_folder: Path) -> None:
    page = asked(app, scored(), SEVERAL.title, estimands=("accuracy",))
    chosen = next(one.key for one in page.multiselect if "classifiers" in one.key)
    page.multiselect(key=chosen).set_value([]).run()
    assert "Choose at least one classifier" in texts(page)
    page.multiselect(key=chosen).set_value(["a", "b"]).run()
    fields = {one.key.split("-")[2]: one.key for one in page.text_input if "thresholds" in one.key}
    for typed, told in (("0.5 many", "this is 'many'"), ("", "this is ''")):
        page.text_input(key=fields["a"]).set_value(typed).run()
        assert told in error(page)
        assert not [one for one in page.button if one.key == "new-create"]
    page.text_input(key=fields["a"]).set_value("0,3 0.6").run()
    assert "a>=0.3: 140 of 200 would be called 'Yes'." in texts(page)
    session = created(page, data_folder)
    assert session.plan.classifiers == ("a>=0.3", "a>=0.6", "b")
    assert session.plan.estimands == ("accuracy",)
    assert session.population.thresholds == {"a>=0.3": 0.3, "a>=0.6": 0.6, "b": 0.5}


@rooms.needs("papers")
def test_a_scored_file_has_every_question(app) -> None:
    page = asked(app, scored())
    assert "Several classifiers at once" not in page.radio(key="new-aim").options
    assert every_question(page).radio(key="new-aim").options == [
        "Precision and recall", "How accurate is it?", "Is a better than b?",
        "Several classifiers at once", "Which cut should I ship?", "Where does the list turn bad?",
        "Which list is better?", "How common is it?", "Have I found enough?",
    ]  # fmt: skip


def test_is_a_better_than_b(app, data_folder: Path) -> None:
    page = asked(app, scored(), BETTER.title)
    session = created(page, data_folder)
    assert session.plan.design == "paired_comparison" and session.plan.classifiers == ("a", "b")
    assert session.plan.estimands == (
        "accuracy_difference", "precision_difference", "recall_difference",
    )  # fmt: skip


def test_a_third_classifier_ends_the_difference(app) -> None:
    rows = [f"i{n},item {n},{n % 2},{n % 3 // 2},{n % 5 // 4}" for n in range(60)]
    content = "\n".join(["id,text,pred_a,pred_b,pred_c", *rows]).encode()
    page = asked(app, content)
    every_question(page).radio(key="new-aim").set_value("Several classifiers at once").run()
    several = next(one for one in page.multiselect if "classifiers" in str(one.key)).key
    page.multiselect(key=several).set_value(["a", "b"]).run()
    numbers = page.multiselect(key=f"new-numbers-{SEVERAL.title}")
    numbers.set_value(["accuracy", "recall_difference"]).run()
    page.multiselect(key=several).set_value(["a", "b", "c"]).run()
    assert page.multiselect(key=f"new-numbers-{SEVERAL.title}").value == ["accuracy"]


def test_an_answer_is_changed_to_any_class(app, classes: Classes) -> None:
    session = answer_draws(classes(11), "00 class", 2)
    page = app("label", project="many")
    button(page, "history").click().run()
    assert "**The last 2 answers**" in [one.value for one in page.markdown]
    button(page, "open-1").click().run()
    button(page, "change-class-3").click().run()
    button(page, "open-1").click().run()
    assert page.selectbox[0].label == "1 more class"
    page.selectbox[0].set_value("10 class").run()
    session.sync()
    said = [(one.index, one.label) for one in session.events if one.kind == "labelled"]
    assert said[2:] == [(1, "03 class"), (1, "10 class")] and session.labels == 2


def test_help_lists_every_class_with_its_key(app, classes: Classes) -> None:
    classes(12)
    page = app("label", project="many")
    button(page, "help").click().run()
    assert "1  00 class" in texts(page) and "0  09 class" in texts(page)
    assert "T  11 class" in texts(page)


def test_confusion_table_as_people_read_it_and_as_a_file(classes: Classes) -> None:
    session = classes(3)
    names = session.population.classes
    answer_draws(session, lambda draw: names[int(draw.item_id[1:]) % 4 % 3], 60)
    table = confusion(session.engine)
    shown = readable(table, cell_bounds(session.engine), labelled_cells(session.engine))
    assert list(shown["in all"]) == ["80"] * 3 and len(shown.columns) == 4
    lines = list(csv.reader(table_file(for_file(table), ".csv").decode("utf-8-sig").splitlines()))
    assert [sum(map(float, line[1:])) for line in lines[1:]] == pytest.approx([80] * 3, abs=0.01)


def panels() -> None:
    from labelcore.ui import sessions
    from labelcore.ui.compare import compare_panel
    from labelcore.ui.confusion import confusion_panel

    session = sessions.session("many")
    compare_panel(session)
    confusion_panel(session)


@pytest.mark.parametrize(("labels", "tables"), [(0, 0), (1, 1)])
def test_confusion_panel_comes_with_the_first_figure(
    classes: Classes, labels: int, tables: int
) -> None:
    session = classes(3)
    answer_draws(session, session.population.classes[0], labels)
    page = AppTest.from_function(panels, default_timeout=30).run()
    assert len(page.dataframe) == tables
    assert ("This table comes with the first figure." in texts(page)) == (not tables)


def test_panels_and_report_of_two_classifiers(
    items: Path, data_folder: Path, app: Callable[..., AppTest]
) -> None:
    population = lc.read_population(
        items, id="id", content="text", scores={"lr": "score_lr"}, thresholds={"lr": [0.25, 0.5]}
    )
    plan = lc.Plan(
        "recalibrated_neyman", ["accuracy"], classifier=["lr>=0.5", "lr>=0.25"], budget=60
    )
    session = lc.Session(population, plan, store(data_folder), "many")
    answer_draws(session, lambda draw: int(draw.item_id[1:]) % 5 == 0)
    page = AppTest.from_function(panels, default_timeout=30).run()
    assert len(page.dataframe) == 1 and len(table_rows(page)) == 2
    assert page.selectbox[0].options == ["lr>=0.5", "lr>=0.25"]
    first = page.dataframe[0].value.to_numpy().tolist()
    page.selectbox[0].set_value("lr>=0.25").run()
    assert page.dataframe[0].value.to_numpy().tolist() != first
    shown = [one.value.replace("\\", "") for one in app("report", project="many").header]
    names = ["lr>=0.5", "lr>=0.25"]
    assert {f"Confusion table of {name}" for name in names} <= {*shown}
    told, page_1 = json.loads(report_json(session)), unescape(report_html(session))
    assert [one["classifier"] for one in told["confusions"]] == names
    assert told["confusion"] == told["confusions"][0]
    assert all(f"{name} says" in page_1 for name in names)


@pytest.mark.parametrize(
    "name", ["=1+1", "predicted", "in all", "strata without a label", "called \\ judged"]
)
def test_confusion_table_with_names_that_are_in_the_way(name: str) -> None:
    population = items(predictions={"m": [name, "b", "c"] * 30})
    session = lc.Session(population, lc.Plan("recalibrated_neyman", ["accuracy"], budget=60))
    session.answer(session.next(), name)
    table = confusion(session.engine)
    assert len(readable(table, cell_bounds(session.engine), labelled_cells(session.engine))) == 3
    for suffix in (".csv", ".parquet", ".xlsx"):
        assert table_file(for_file(table), suffix)
    lines = list(csv.reader(table_file(for_file(table), ".csv").decode("utf-8-sig").splitlines()))
    assert {len(line) for line in lines} == {5} and len(set(lines[0])) == 5
    assert not any(one.startswith("=") for line in lines for one in line)
