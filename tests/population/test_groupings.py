"""Which groups of a column a plan asks, and which stand together as others."""

import numpy as np
import pytest

import labelcore as lc
from labelcore.population.groupings import FEWEST, LABELS_EACH, grouping_of
from tests.columns import items


def population(languages: dict[str, int], **more: list[str]) -> lc.Population:
    column = [name for name, number in languages.items() for _ in range(number)]
    score, groups = [0.5] * len(column), {"language": column, **more}
    return items(scores={"m": score}, thresholds={"m": 0.4}, groups=groups)


SIZES = {"de": 60, "en": 500, "fr": 200, "": 70, "pl": 49, "tr": 3}


def test_groups_stand_by_size_and_an_empty_cell_is_one_of_its_own() -> None:
    found = grouping_of(population(SIZES), ["language"])
    assert found.names == ("en", "fr", "(empty)", "de", "pl", "tr") and not found.joined
    assert found.sizes.tolist() == [500, 200, 70, 60, 49, 3]
    assert np.bincount(found.codes).tolist() == found.sizes.tolist()


def test_a_group_called_empty_is_not_the_empty_cell() -> None:
    found = grouping_of(population({"(empty)": 300, "": 200, "en": 100}), ["language"])
    assert found.names == ("(empty)", "(no value)", "en")
    assert found.sizes.tolist() == [300, 200, 100] == np.bincount(found.codes).tolist()


@pytest.mark.parametrize(
    ("planned", "asked"),
    [
        (1_000, ("en", "fr", "(empty)", "de")),  # two have fewer than 50 items
        (4 * LABELS_EACH, ("en", "fr", "(empty)", "de")),
        (3 * LABELS_EACH, ("en", "fr", "(empty)")),
        (2 * LABELS_EACH - 1, ("en",)), (1, ("en",)),
    ],
)  # fmt: skip
def test_as_many_are_asked_as_the_labels_can_serve(planned: int, asked: tuple[str, ...]) -> None:
    found = grouping_of(population(SIZES), ["language"], planned=planned)
    assert found.asked == asked and found.names == (*asked, "other")
    assert found.joined == len(SIZES) - len(asked)
    assert found.sizes[-1] == sum(SIZES.values()) - sum(
        SIZES[one if one != "(empty)" else ""] for one in asked
    )


def test_one_small_group_keeps_its_name() -> None:
    found = grouping_of(population({"en": 500, "de": FEWEST - 1}), ["language"], planned=400)
    assert found.names == ("en", "de") and not found.joined


def test_two_columns_are_crossed() -> None:
    months = ["2026-01", "2026-02"] * 441
    found = grouping_of(population(SIZES, month=months), ["language", "month"])
    assert found.label == "language × month" and "en × 2026-01" in found.names
    assert found.sizes.sum() == sum(SIZES.values())


def test_named_groups_are_asked_and_the_rest_is_joined() -> None:
    found = grouping_of(population(SIZES), ["language"], asked=["tr", "de"])
    assert found.names == ("de", "tr", "other") and found.joined == 4


def test_items_read_without_groups_say_what_would_name_them() -> None:
    with pytest.raises(
        ValueError, match="no column of groups; the items were read without any, as"
    ):
        grouping_of(lc.read_population([{"text": "x"}], content="text"), ["language"])


@pytest.mark.parametrize(
    ("by", "asked", "message"),
    [
        (["laguage"], None, "by names 'laguage', which is no column of groups; the columns that "
         "figures may be told by are language; did you mean 'language'?"),
        (["language"], ["dee"], "groups names 'dee', which 'language' lacks; did you mean 'de'?"),
    ],
)  # fmt: skip
def test_what_the_file_lacks_is_refused(
    by: list[str], asked: list[str] | None, message: str
) -> None:
    with pytest.raises(ValueError, match="names") as error:
        grouping_of(population(SIZES), by, asked=asked)
    assert str(error.value) == message
