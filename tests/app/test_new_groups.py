"""New project where a column holds groups: figures by it, and labels for each of its groups."""

from pathlib import Path

import pytest

from labelcore.planning.race import may_race
from labelcore.ui import new_race, waiting
from labelcore.ui.asking import DRAFT
from labelcore.ui.draft import CLAIMS
from labelcore.ui.new_cards import BETTER
from labelcore.ui.reporting import planned_line
from tests.app.conftest import created, opened, texts, to_aim
from tests.cases import sampled
from tests.grouped import grouped_frame

pytestmark = pytest.mark.usefixtures("price_alone")


def named(data_folder: Path, **columns: object) -> str:
    """A file in the data folder with these columns beside those of ``grouped_frame``."""
    (data_folder / "files").mkdir(parents=True, exist_ok=True)
    frame = grouped_frame(1_200, shares=(0.5, 0.3, 0.2)).drop(columns=["other", "truth"])
    words = [
        f"message number {n} says something about the weather of day {n % 97}" for n in frame.index
    ]
    frame["prediction"] = (frame["score"] >= 0.5).map({True: "yes", False: "no"})
    frame.assign(text=words, **columns).to_csv(data_folder / "files" / "items.csv", index=False)
    return "files/items.csv"


def test_a_column_of_groups_is_found_and_its_groups_get_labels_of_their_own(
    app, data_folder: Path
) -> None:
    page = to_aim(opened(app, named(data_folder)), "Is this right?")
    assert page.segmented_control(key="new-by").value == ""
    assert "language" in page.segmented_control(key="new-by").options
    page.segmented_control(key="new-by").set_value("language").run()
    assert "± " in texts(page)
    session = created(page, data_folder)
    assert [*session.population.groups] == ["language"] and len(session.table("language").rows) == 4
    assert session.plan.by == ("language",) and session.plan.groups == ("l0", "l1", "l2")
    assert planned_line(session) == "200 labels planned; groups may get more, up to 800."


def test_a_question_whose_figures_have_no_groups_counts_none(app, data_folder: Path) -> None:
    page = opened(app, named(data_folder, prediction_b=["yes", "no", "no"] * 400))
    page.session_state[DRAFT].by = "language"
    to_aim(page, "Is this right?", BETTER.title, design="recalibrated_neyman")
    assert not page.error and "new-by" not in [one.key for one in page.segmented_control]
    assert created(page, data_folder).plan.by is None


def test_the_price_is_that_of_the_groups_also_once_methods_were_simulated(
    app, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(new_race, "may_race", may_race)
    page = to_aim(opened(app, named(data_folder)), "Is this right?")
    assert waiting.works()._found["race"], "the methods were simulated for all items"
    page.segmented_control(key="new-by").set_value("language").run()
    (price,) = (one.value for one in page.markdown if one.value.startswith("With 200 labels"))
    assert price.endswith("(accuracy, l1)") or price.endswith("(accuracy, l2)"), price


def test_a_claim_may_be_about_every_group(app, data_folder: Path) -> None:
    page = to_aim(opened(app, named(data_folder)), "Is this right?", way=CLAIMS)
    of = next(one for one in page.selectbox if (one.key or "").endswith("-group"))
    of.set_value("[every language]")
    percent = next(one for one in page.number_input if (one.key or "").endswith("-percent"))
    percent.set_value(20.0).run()
    assert not page.error
    assert created(page, data_folder).plan.claims == ("accuracy[every language] >= 0.2",)


@pytest.mark.parametrize(
    "values",
    sampled([[f"{n}" for n in range(1_200)], ["same"] * 1_200, ["[1]", "[2]"] * 600], 1, seed=1),
)
def test_what_holds_no_groups_is_none(app, data_folder: Path, values: list[str]) -> None:
    page = to_aim(opened(app, named(data_folder, language=values)), "Is this right?")
    assert "new-by" not in [one.key for one in page.selectbox]
    assert not created(page, data_folder).population.groups


def test_groups_that_only_the_first_rows_have_do_not_keep_the_file_out(
    app, data_folder: Path
) -> None:
    late = [*["a", "b"] * 100, *(f"v{n}" for n in range(1_001))][:1_200]
    opened(app, named(data_folder, language=late))


def test_groups_that_are_too_small_are_not_offered_labels_of_their_own(app, data_folder) -> None:
    """Of one language with 40 items and one with all others only one can be asked by itself."""
    kinds = ["de" if n % 30 == 0 else "en" for n in range(1_200)]
    page = to_aim(opened(app, named(data_folder, language=kinds)), "Is this right?")
    assert not page.error and "new-by" not in [one.key for one in page.segmented_control]
    assert [*created(page, data_folder).population.groups] == ["language"]
