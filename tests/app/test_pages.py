import shutil
from itertools import product
from pathlib import Path

import pytest
import streamlit as st

import labelcore as lc
from labelcore.access import PAGES, Right
from labelcore.exchange import LABELLED_FORMS
from labelcore.report import REPORT_FORMS, report_html
from labelcore.report.style import POLICY
from labelcore.ui import page_errors, progress, sessions, visitor, whole_pages
from labelcore.ui.share_page import share_page
from labelcore.ui.start import NO_PROJECTS
from labelcore.ui.watching import NONE_YET
from tests.answering import answer_draws
from tests.app.conftest import HOSTILE, button, folds, store, texts
from tests.cases import sampled
from tests.designs.paired_files import paired

PROJECT_PAGES = ("label", "progress", "report")


def test_empty_start_offers_trials_and_the_own_file(app) -> None:
    page = app()
    assert "bring your own file" in page.header[0].value
    said = texts(page) + "".join(one.value for one in page.caption)
    assert "Real handwriting" in said and "Invented messages" in said
    assert button(page, "start-own").label == "New project"
    assert "Items" in button(page, "start-own").click().run().title[0].value


def test_start_lists_projects(app, make) -> None:
    make(labels=50)
    make(HOSTILE[:60].replace("/", ""), labels=0)
    page = app()
    assert "50 of 60 judged" in texts(page) and "1 person" in texts(page)
    assert "0 of 60 judged\nnot started\n–" in texts(page)


@pytest.mark.parametrize("name", ["digits", "messages", "judged"])
def test_trial_is_one_click(app, name: str, data_folder: Path) -> None:
    page = app()
    button(page, f"trial-{name}").click().run()
    assert len(store(data_folder).projects()) == 1


def test_progress_counts_what_others_have_labelled_since(app, make) -> None:
    session = make(labels=1)
    assert "1 of 60" in texts(app("progress", project="demo"))
    session.answer(session.next(), "yes")
    session.results()  # Its look is recorded, so that the page has no reason to draw itself twice.
    page = app("progress", project="demo")
    assert "2 of 60" in texts(page) and "Along the scores, in full" in folds(page)


def test_nothing_is_offered_along_scores_that_are_not_there(app, items, data_folder) -> None:
    population = lc.read_population(items, id="id", content="text", predictions={"lr": "pred_lr"})
    plan = lc.Plan("simple_random", ["accuracy"], budget=30)
    session = lc.Session(population, plan, f"sqlite:///{data_folder}/labelcore.db", "demo")
    answer_draws(session, True, 20)
    shown = folds(app("progress", project="demo"))
    assert "Label by label" in shown and "Along the scores, in full" not in shown


def test_what_a_closed_fold_hides_is_not_computed(app, make, monkeypatch) -> None:
    """And the page writes nothing, and offers nothing that would."""
    session = make(labels=50)
    before = session.store.last_sequence("demo")
    monkeypatch.setattr("labelcore.ui.lines.OPEN_AT_FIRST", False)
    monkeypatch.setattr(progress, "_strata", lambda session: st.text("drawn"))
    page = app("progress", project="demo")
    assert "Where the labels went" in folds(page) and "drawn" not in texts(page)
    page.session_state["fold-strata"] = True
    assert "drawn" in texts(page.run()) and not page.button
    assert session.store.last_sequence("demo") == before


def test_a_page_asks_for_the_right_of_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PAGES, "all_notes", Right.RUN)
    asked: list[object] = []
    monkeypatch.setattr(page_errors, "may", lambda person, right: asked.append(right) or True)
    for drawing in ("setup", "project_in_url", "no_project"):
        monkeypatch.setattr(whole_pages, drawing, lambda *given, **named: None)
    whole_pages.project_page("All notes", lambda project: None)
    assert asked == [Right.RUN]


@pytest.mark.parametrize("page", PROJECT_PAGES)
def test_no_such_project_and_none_in_the_address(app, make, page: str) -> None:
    make()
    shown = app(page, project=HOSTILE)
    assert "There is no project" in shown.error[0].value.replace("\\", "")
    assert "No project is named" in app(page).info[0].value


@pytest.mark.parametrize("page", PROJECT_PAGES)
def test_missing_file(app, make, items: Path, page: str) -> None:
    session = make(labels=3, here=True)
    items.unlink()
    without_copies(session)
    shown = app(page, project="demo")
    assert "no longer there" in shown.error[0].value.replace("\\", "")


def without_copies(session: lc.Session) -> None:
    """As a project of an earlier version is: nothing is kept beside its store."""
    assert session.store.items_folder is not None
    shutil.rmtree(session.store.items_folder)


def test_a_file_that_moved_is_found_again_by_its_content(app, make, items: Path) -> None:
    session = make(labels=9, here=True)
    moved = items.with_name("items of last year.csv")
    items.rename(moved)
    without_copies(session)
    other = items.with_name("other.csv")
    other.write_text(moved.read_text("utf-8").replace("item 2\n", "item two\n"), "utf-8")
    shown = app("report", project="demo")
    assert "From the log alone: 9 of 60 judged" in texts(shown)
    (choice,) = shown.selectbox
    choice.set_value("files/other.csv")
    button(shown, "relink-do").click().run()
    said = "\n".join(one.value.replace("\\", "") for one in shown.error)
    assert "is not the file whose items are labelled in project 'demo'" in said
    (choice,) = shown.selectbox
    choice.set_value("files/items of last year.csv")
    button(shown, "relink-do").click().run()
    assert not shown.error and shown.get("download_button")
    assert not app("label", project="demo").error


def test_changed_file(app, make, items: Path) -> None:
    session = make(labels=3, here=True)
    items.write_text(items.read_text("utf-8").replace("item 2\n", "item two\n"), "utf-8")
    shown = app("label", project="demo")
    assert not shown.error
    without_copies(session)
    sessions.forget()
    shown = app("label", project="demo")
    assert shown.error


def test_data_folder_that_is_a_file(app, data_folder: Path) -> None:
    data_folder.parent.mkdir(parents=True, exist_ok=True)
    data_folder.write_text("in the way")
    shown = app()
    assert shown.error


@pytest.fixture
def two(items: Path, data_folder: Path) -> lc.Session:
    """Two thresholds of one score, compared by the same labels; nothing labelled yet."""
    population = lc.read_population(
        items, id="id", content="text", scores={"lr": "score_lr"}, thresholds={"lr": [0.4, 0.7]}
    )
    plan = lc.Plan(
        "recalibrated_neyman", ["accuracy", "precision"], budget=60, seed=1,
        classifier=tuple(population.classifiers),
    )  # fmt: skip
    return lc.Session(population, plan, store(data_folder), "two")


def test_report_has_the_labels_to_take_away(
    app, two: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REPORT_FORMS, ".rst", lambda session: b"of somebody else")
    page = app("report", project="two")
    labels = [one.proto.label for one in page.get("download_button")]
    tools = [form.tool for form in LABELLED_FORMS.values() if form.fits(two.population)]
    offered = [label for label in labels if label.startswith("As ")]
    assert offered == [f"As {kind}" for kind in ["CSV", "JSON Lines", "Parquet", "Excel", *tools]]
    assert "ASReview" in tools and "Splink" not in tools
    assert labels[:3] == ["Share file", "Report (PDF)", "Picture for slides"]
    assert labels[-4:] == [".rst", "Events CSV", "Estimates CSV", "Replay bundle"]
    weights = f"No label stands for {len(two.population)} items"
    assert any(weights in one.value for one in page.caption)
    two.finish("enough")
    taken = {}
    monkeypatch.setattr(st, "download_button", lambda _, **one: taken.update({one["key"]: one}))
    app("report", project="two")
    assert taken["download-labels.csv"]["data"]().splitlines()[0].endswith(b",text")


def test_a_share_asks_each_time_whether_items_go_with_it(app, make) -> None:
    """The page by link has none; whoever is no owner is not asked."""
    session = make(labels=50)
    page = app("report", project="demo")
    labels = [one.proto.label for one in page.get("download_button")]
    assert labels[:2] == ["Share file", "With the errors"]
    shared = share_page("demo")
    text, cards = bytes(shared.body).decode(), 'class="errors"'
    assert shared.status_code == 200 and cards not in text
    assert cards in report_html(session, errors=True)
    assert shared.headers["content-security-policy"] == f"{POLICY}; frame-ancestors 'self'"
    assert (share_page("other").status_code, share_page("").status_code) == (404, 404)


def test_truth_is_revealed_after_a_trial_only_at_the_end(app, data_folder: Path) -> None:
    for _ in range(2):  # Nobody has begun it: it is opened again.
        button(app(), "trial-messages").click().run()
        (name,) = (project.name for project in store(data_folder).projects())
    session = lc.Session.open(store(data_folder), name)
    truth = dict(
        zip(session.population.ids(), session.population.column("true_label"), strict=True)
    )
    answer_draws(session, lambda draw: truth[draw.item_id] == "1", 12)
    assert "In truth" not in texts(app("report", project=name)).replace("\\", "")
    session.finish("")
    said = texts(app("report", project=name)).replace("\\", "")
    assert "In truth" in said and "stated by the person" not in said
    page = app("label", project=name)
    assert " of 20 simulated sessions of 40 labels hit the truth" in texts(page)
    steps = {one.key: one.proto.type for one in page.button}
    assert (steps["own-file"], steps["to-report"]) == ("primary", "secondary")
    assert "same-file" not in steps
    assert "Items" in button(page, "own-file").click().run().title[0].value


@pytest.mark.full
@pytest.mark.parametrize(
    ("page", "labels"), sampled(product(PROJECT_PAGES, (0, 45)), 2, seed=1, keep=[("label", 45)])
)
def test_a_difference_on_every_page(app, data_folder: Path, labels: int, page: str) -> None:
    known = paired(data_folder / "files", 400, seed=3, shift=1.2)
    names = ["accuracy_difference", "recall_difference"]
    plan = lc.Plan("paired_comparison", names, classifier=["a", "b"], budget=60, seed=1)
    session = lc.Session(known.population, plan, store(data_folder), "pair")
    answer_draws(session, known, labels)
    session.results()
    shown = app(page, project="pair")
    if labels == 45:
        assert "points" in texts(shown) and "of the two" not in texts(shown)


@pytest.mark.parametrize("trained", [True, False])
def test_page_and_report_say_the_same_of_training(app, make, trained: bool) -> None:
    """In Python it is answered by yes, no, True or False."""
    plan, settings = lc.Plan("simple_random", "accuracy", budget=40), {"used_for_training": trained}
    session = lc.Session(make().population, plan, sessions.store(), "trained", settings=settings)
    said = "was not trained on" if not trained else "were used for training: the figures may"
    assert said in texts(app("report", project="trained"))
    answer = f"Used for training</dt><dd><bdi>{'yes' if trained else 'no'}</bdi>"
    assert answer in report_html(session)


@pytest.mark.parametrize(
    ("key", "lands"),
    [("start-new", "Items"), ("same-file", "Items"), ("to-report", "items right")],
)
def test_a_button_leads_to_another_page(app, make, key: str, lands: str) -> None:
    make(labels=60).finish()
    page = app() if key == "start-new" else app("label", project="demo")
    assert lands in button(page, key).click().run().title[0].value
    assert ("no fault" in texts(page)) == (key == "same-file"), "the file is there already"


def test_who_may_not_run_finds_nothing_to_begin_or_end(
    app, make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitor, "allowed", lambda right, *more: right is not Right.RUN)
    assert NO_PROJECTS in texts(app()) and NONE_YET in texts(app("watch"))
    make(labels=60)
    keys = {one.key for one in app("label", project="demo").button}
    assert "to-report" not in keys and not keys & {"state-finish", "second-pass", "go-on"}
