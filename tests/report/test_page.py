"""The page says what must be said, and nothing in it can run."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.figures.confusion import cell_bounds
from labelcore.figures.scalars import headline_stage
from labelcore.report import report_html, report_json
from labelcore.report.labelling_account import thinned
from labelcore.report.markup import element, table
from labelcore.words.counts import cell_words
from labelcore.words.short_sentences import range_of, short_sentence, short_value
from tests.answering import answer_draws, next_draw
from tests.report.conftest import Made
from tests.report.sessions import WORDS, as_json, begun, label, session_on, write_items

VOID = {"meta", "br", "input"}
DRAWN = {"circle", "line", "path", "pattern", "polygon", "polyline", "rect", "text"}


class Outline(HTMLParser):
    """Tags, those inside of drawings apart, attributes and text, and whether all are closed."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.drawn: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self._open: list[str] = []
        self._text: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self._text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        (self.drawn if "svg" in self._open else self.tags).append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self._text.append(data)


def text_of(session: lc.Session) -> str:
    """What its report says, with plain spaces."""
    return Outline(report_html(session)).text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture(scope="module")
def html(made: Made) -> str:
    return report_html(made.session)


@pytest.fixture(scope="module")
def outline(html: str) -> Outline:
    return Outline(html)


def test_page_1_says_question_answer_picture_meaning_and_table(made: Made, html: str) -> None:
    first = html.partition("</header>")[0]
    text = Outline(first + "</header></main></body></html>").text.replace("\N{NO-BREAK SPACE}", " ")
    text = text.partition("Spam filter: report")[2]
    assert text.startswith("Is this spam? · items.csv, 300 items, ")
    precision = made.session.results()["precision"]
    assert isinstance(precision, lc.Estimate)
    places = [
        text.index(words)
        for words in (
            short_sentence(precision),
            f"Precision (lr){short_value(precision)}{range_of(precision.low, precision.high)}",
            f"From {precision.labels_used} labels of ",
            "What it means. Of 100 projects like this one, about 5 would give a false answer;",
            "What it does not mean. It does not speak for items that come later",
            "Precision (lr), %",
            "Each mark is a label; tall: lr was wrong.",
            "first items by score",
            "Confusion table",
        )
    ]
    assert places == sorted(places)
    table = made.session.confusion("lr")
    assert f"{table.loc['yes'].sum():,.0f}" in text
    low, high = cell_bounds(headline_stage(made.session.engine), "lr")[1, 1]
    assert low < table.loc["yes", "yes"] < high
    assert cell_words(table.loc["yes", "yes"], low, high) in text
    assert "each by itself." in text and "not yet" not in text, "what no cell says is not explained"


def test_fingerprint_and_seal_are_printed(made: Made, outline: Outline) -> None:
    assert made.session.population.fingerprint in outline.text
    assert made.session.events[-1].hash in outline.text


def test_every_figure_has_words_and_a_table(outline: Outline) -> None:
    figures = outline.tags.count("figure")
    assert figures == 5
    assert outline.tags.count("figcaption") == figures - 1, "page 1 has a curve without words"
    assert outline.text.count("The same as a table") == figures
    assert not re.search(r"\d{4}-\d\d-\d\dT", outline.text), "times are in words"
    labels = [value for name, value in outline.attributes if name == "aria-label"]
    assert all(labels)
    assert outline.tags.count("svg") == figures + 2


def test_nothing_points_outside_and_no_handler_is_there(html: str, outline: Outline) -> None:
    assert {"a", "img", "link", "iframe", "object", "form", "base"}.isdisjoint(outline.tags)
    names = {name for name, _ in outline.attributes}
    assert not {name for name in names if name.startswith("on")}
    assert {"src", "href", "style"}.isdisjoint(names)
    policy = re.search(r'content="(default-src [^"]+)"', html)
    assert policy is not None
    assert unescape(policy[1]).startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1] and "http" not in policy[1]
    data, script = re.findall(r"<script([^>]*)>(.*?)</script>", html, re.DOTALL)
    assert data[0] == ' type="application/json" id="replay"' and script[0] == ""
    digest = b64encode(sha256(script[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in unescape(policy[1])


def test_it_is_small(html: str) -> None:
    assert len(html.encode()) < 200_000


@pytest.mark.full
def test_where_the_uncertainty_comes_from_is_said_once_there_is_an_interval(tmp_path: Path) -> None:
    session, _ = begun(tmp_path)
    said = "and more than half of the uncertainty comes from there: "
    assert said not in report_html(session)
    label(session, dict.fromkeys(session.population.ids(), False), 30, looks=30)
    dry = [one for one in session.results().values() if (one.tail_share or 0) > 0.5]
    assert any(one.has_interval for one in dry)
    assert report_html(session).count(said) == 1


@pytest.mark.full
def test_stop_rule_is_named_as_the_reason(tmp_path: Path) -> None:
    session, truth = begun(tmp_path, 600, margin=0.2)
    label(session, truth, 600, eventful=False)
    assert session.status == "goal reached"
    session.finish()
    assert "The goal of plus or minus 20.0 points was reached" in Outline(report_html(session)).text


def test_other_projects_on_the_same_file_are_listed(tmp_path: Path) -> None:
    write_items(tmp_path / "items.csv")
    store = f"sqlite:///{tmp_path}/labels.db"
    session = session_on(tmp_path / "items.csv", store=store, project="one")
    session_on(tmp_path / "items.csv", store=store, project="two <b>")
    session_on(
        tmp_path / "items.csv", store=store, project="three", arguments={"thresholds": {"lr": 0.3}}
    )
    for name, seed in (("four", 1), ("five", 2)):  # A copy, and another file.
        write_items(tmp_path / f"{name}.csv", seed=seed)
        session_on(tmp_path / f"{name}.csv", store=store, project=name)
    text = Outline(report_html(session)).text
    assert re.search(r"two <b>\d.*read the same way", text)
    assert re.search(r"three\d.*read in another way", text)
    listed = as_json(report_json(session))["other_projects"]
    assert {one["name"]: one["same_reading"] for one in listed} == {
        "two <b>": True, "three": False, "four": True
    }  # fmt: skip


def test_without_ids_or_classifier_and_with_many_classes(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("text,guess\n" + "".join(f"t{k},{'abc'[k % 3]}\n" for k in range(90)), "utf-8")
    arguments = {"id": None, "scores": {}, "thresholds": {}, "predictions": {"g": "guess"}}
    session = session_on(
        path, design="simple_random", estimands=["accuracy", "precision"], arguments=arguments
    )
    answer_draws(session, lambda draw: "abc"[draw.index % 3], 50)
    text = Outline(report_html(session)).text
    assert "row numbers: the rows must not have moved" in text
    assert "Items that it gives each classga 30, b 30, c 30" in text
    assert "prediction says so" not in text and "(positive:" not in text  # No class is it.
    assert "Precision of 'a' (g)" in text


def hostile_session(tmp_path: Path, word: str) -> tuple[str, object]:
    """A session in which everything that a stranger can write is this word."""
    session, truth = begun(
        tmp_path, 120, names=lambda k: f"{word}{k}", project=word,
        arguments={"classes": [f"no {word}", word], "positive": word, "scores": {word: "score"},
                   "thresholds": {word: 0.5}},
        settings=dict.fromkeys(
            ("title", "question", "instructions", "positive_words", "negative_words",
             "used_for_training"), word,
        ),
    )  # fmt: skip
    for number in range(60):
        draw = next_draw(session, word)
        session.answer(draw, truth[draw.item_id], annotator=word)
        if number == 5:
            session.note(draw.index, word, word)
    session.finish(word, word)
    return report_html(session), session


@pytest.mark.parametrize("word", WORDS)
def test_hostile_words_are_shown_and_do_nothing(
    tmp_path: Path, calm_tags: list[str], word: str
) -> None:
    html, _ = hostile_session(tmp_path, word)
    outline = Outline(html)
    assert {"img", "a", "b"}.isdisjoint(outline.tags)
    assert not [name for name, _ in outline.attributes if name.startswith("on")]
    assert f"Question{word}" in outline.text
    assert f"for this reason: {word}" in outline.text
    assert outline.tags == calm_tags
    assert DRAWN.issuperset(outline.drawn)


@pytest.fixture(scope="module")
def calm_tags(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The tags of the same session with a harmless word."""
    return Outline(hostile_session(tmp_path_factory.mktemp("calm"), "calm")[0]).tags


def test_json_is_complete_and_strict(made: Made) -> None:
    def refuse(name: str) -> None:
        raise ValueError(name)

    values = json.loads(report_json(made.session), parse_constant=refuse)
    assert (values["schema"], values["schema_version"]) == ("labelcore-report", 1)
    assert len(values["looks"]) == len(made.session.looks())
    assert values["log"]["seal"] == made.session.events[-1].hash
    assert values["results"].keys() == made.session.results().keys()
    assert values["plan"]["planned"] == 60
    assert [curve["estimand"] for curve in values["curves"]] == ["precision_curve", "recall_curve"]


def test_attributes_and_children_are_escaped() -> None:
    made = element("p", "<b>", element("i", "&"), None, 3, title='"><script>', aria_label="x")
    assert made.html == (
        '<p title="&quot;&gt;&lt;script&gt;" aria-label="x">&lt;b&gt;<i>&amp;</i>3</p>'
    )
    cells = table("c", ["a", "b", "c"], [["x", "=1+1", "1.5 %"], ["y", "-", "–"]]).html
    assert '<td>=1+1</td><td class="number">1.5 %</td>' in cells


@pytest.mark.parametrize(("number", "most"), [(0, 5), (1, 5), (5, 5), (6, 5), (1000, 40)])
def test_thinning_keeps_both_ends(number: int, most: int) -> None:
    chosen = thinned(number, most)
    assert len(chosen) == min(number, most)
    assert not number or (chosen[0], chosen[-1]) == (0, number - 1)


def test_a_name_and_dots_before_the_first_label_are_no_change_of_words(tmp_path: Path) -> None:
    session, _ = begun(tmp_path, settings={"question": "Spam?", "dots": True})
    session.reword(dots=False)
    session.answer(session.next(), True)
    session.introduce("Ann Lee")
    text = Outline(report_html(session)).text
    assert "The wording was changed" not in text and "Ann Lee" not in text
    assert "No dots told labellers" in text
    session.reword(dots=True, question="Is it spam?")
    text = Outline(report_html(session)).text
    assert "For a part of the time, dots told" in text
    assert "The wording was changed 1 time after the start" in text


def test_a_content_column_of_a_model_is_not_blind(tmp_path: Path) -> None:
    """Whoever made the project: by the column's name, and where it is a classifier's own."""
    rows = [f"{n},message {n},because {n},{n / 300}" for n in range(300)]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["id,text,judge_reason,score", *rows]) + "\n", encoding="utf-8")
    blind = session_on(path, project="blind")
    assert "Not blind" not in report_html(blind)
    for content in (["text", "judge_reason"], ["text", "score"]):
        session = session_on(path, project=content[1], arguments={"content": content})
        told = Outline(report_html(session)).text
        assert f"Not blind: the person saw {content[1]}," in told


def test_what_was_hidden_from_the_person_is_named(tmp_path: Path) -> None:
    rows = [f"{n},message {n},yes,{n / 300}" for n in range(300)]
    path = tmp_path / "items.csv"
    path.write_text("\n".join(["id,text,verdict,score", *rows]) + "\n", encoding="utf-8")
    for hidden in ({}, {"verdict": "verdict"}):
        session = session_on(path, project=f"{len(hidden)} hidden", settings={"hidden": hidden})
        told = Outline(report_html(session)).text
        assert ("Hidden until an item was judged: verdict." in told) == bool(hidden)


def test_one_error_is_told_in_the_singular(tmp_path: Path) -> None:
    session, _ = begun(tmp_path, 60)
    population = session.population
    for number in range(10):
        draw = next_draw(session)
        called = int(population.predictions["lr"][population.position(str(draw.item_id))])
        session.answer(draw, population.classes[called if number else 1 - called])
    assert "The 1 error among these labels" in report_html(session, errors=True)


def test_one_item_is_told_in_the_singular(tmp_path: Path) -> None:
    plan = {"design": "geometric_strata", "estimands": "precision_curve", "budget": 1}
    session, _ = begun(tmp_path, 1, **plan)
    answer_draws(session, lambda draw: "yes")
    text = text_of(session)
    assert "From the 1 item of items.csv" in text and "for the 1 range of scores" in text
    assert not re.search(r"\b(?<!of )1 (items|labels|ranges)\b|first 1 item", text)
    assert re.search(r"of the first item \(score [^)]*\) exactly 100 % is 'yes'", text)
