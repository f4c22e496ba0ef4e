"""Every state that has a picture: where it is, how a person gets there, what to see."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page

from screenshots.camera import Scene, idle

ALL = ("light", "dark", "narrow")
# Nothing on it has a colour that another picture does not show dark.
PLAIN = ("light", "narrow")
ANSWERS, STATE = ".lc-answers button", ".st-key-state"
CURVE = ".explore .chart"


def menu(page: Page) -> None:
    page.locator(".st-key-menu-1 button").click()
    page.get_by_role("menuitem", name="Rename", exact=True).wait_for()


def rename(page: Page) -> None:
    menu(page)
    page.get_by_role("menuitem", name="Rename", exact=True).click()
    page.locator(".st-key-life").wait_for()


def archived(page: Page) -> None:
    page.get_by_text("Archived projects").click()
    page.wait_for_timeout(400)


START = [
    Scene("projects", "Start page with projects in several states.", "", wait=".st-key-project-1"),
    Scene("projects-menu", "The menu More of a project.", "", menu, ".st-key-project-1"),
    Scene("projects-rename", "The form of Rename inside the project's card.", "", rename,
          ".st-key-project-1"),
    Scene("projects-archived", "A project that was put away, at the end of the page.", "", archived,
          ".st-key-project-1"),
]  # fmt: skip


def press(key: str, wait: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.wait_for_timeout(500)
        page.keyboard.press(key)
        page.locator(wait).first.wait_for()

    return act


def click(selector: str, wait: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator(selector).first.click()
        page.locator(wait).first.wait_for()

    return act


def opened(page: Page) -> None:
    click("[data-act=history]", ".st-key-beside")(page)
    click(".st-key-history button", "[class*='st-key-change-']")(page)


def label(name: str, words: str, project: str, act: Callable[[Page], None] | None = None,
          wait: str = ANSWERS, views: tuple[str, ...] = ALL) -> Scene:  # fmt: skip
    path = f"label?project={quote(project)}"
    return Scene(f"label-{name}", words, path, act, wait, whole=False, views=views)


LABEL = [
    label("text", "A text; estimate, interval and band beside it.", "Short messages"),
    label("digits", "A small picture, enlarged by whole pixels.",
          "Handwritten digits"),
    label("start", "The first item: no figure yet, and what is missing.", "Not started",
          views=PLAIN),
    label("pair", "Two texts side by side, words that differ marked.", "List, nothing yet"),
    label("picture", "A picture from a file of the data folder.", "Picture files"),
    label("refused", "A picture whose path leads out of the data folder is not opened.",
          "Refused pictures"),
    label("table", "A list of JSON records, drawn as a table.", "Tables", views=PLAIN),
    label("json", "Nested JSON, indented.", "JSON", views=PLAIN),
    label("right-to-left", "Arabic or Hebrew, written from the right.", "Right to left",
          views=PLAIN),
    label("highlight", "Words and patterns of the project's choice are marked.", "Highlighted"),
    label("classes", "Five classes with the keys 1 to 5.", "Letters"),
    label("duel", "A or B: the race, what is still possible, and what decides it.",
          "A or B, half way"),
    label("ranked-first", "A ranked list before its first band.", "List, first labels"),
    label("ranked-band", "A ranked list, all labels there: band and headline.",
          "List with its band", wait=STATE),
    label("help", "Help, in the place of the answer buttons (key H).", "Short messages",
          press("h", ".st-key-beside")),
    label("note", "A note about the item (key M).", "Short messages",
          press("m", "[aria-label='Note about this item']:focus"), views=PLAIN),
    label("history", "The last answers, the newest first.", "Short messages",
          click("[data-act=history]", ".st-key-beside"), views=PLAIN),
    label("opened", "An earlier item opened from the history, its answer can be changed.",
          "Short messages", opened, views=PLAIN),
    label("finish", "What finishing now means, before it is done.", "Short messages",
          click("[data-act=finish]", ".st-key-beside"), views=PLAIN),
    label("goal", "The goal is reached: stop or go on.", "Messages at the goal", wait=STATE),
    label("claim", "A claim while it is open: what it needs, beside the figures.", "A claim"),
    label("claim-settled", "The claim is settled: stop or go on.", "A claim settled", wait=STATE),
    label("choice", "Which cut to take: the candidates that are left.", "Which cut?"),
    label("choice-made", "The choice is made.", "Which cut, chosen", wait=STATE, views=PLAIN),
    label("budget", "All planned labels are there.", "Digits at the end", wait=STATE, views=PLAIN),
    label("finished", "A finished trial: the known truth beside the interval.", "Digits finished",
          wait=STATE),
]  # fmt: skip


def live(page_name: str, name: str, words: str, project: str,
         act: Callable[[Page], None] | None = None,
         wait: str = ".st-key-line", views: tuple[str, ...] = ALL) -> Scene:  # fmt: skip
    path = f"{page_name}?project={quote(project)}"
    return Scene(f"{page_name}-{name}", words, path, act, wait, views=views)


def wrong(page: Page) -> None:
    """The errors in Review, the third one opened."""
    page.get_by_text("Classifier was wrong").click()
    idle(page)
    page.wait_for_timeout(1000)
    page.locator(".st-key-review-table .cards button").nth(2).click()
    page.locator(".lc-box").wait_for()
    idle(page)


def choose(name: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.get_by_text(name, exact=True).first.click()
        page.wait_for_timeout(600)

    return act


def other_reading(name: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator(".st-key-fold-readings summary").click()
        page.locator(".st-key-explore-reading").wait_for()
        choose(name)(page)

    return act


PROGRESS = [
    live("progress", "figures", "Three figures, their history with band, the curve, the strata.",
         "Short messages"),
    live("progress", "claim", "The evidence for and against a claim, and what decides it.",
         "A claim settled"),
    live("progress", "choice", "Candidates and how their bounds moved.", "Which cut, chosen",
         views=PLAIN),
    live("progress", "start", "Nothing labelled yet.", "Not started", views=PLAIN),
    live("progress", "several", "Several classifiers compared by the same labels.",
         "Handwritten digits"),
    live("progress", "classes", "Several classes: the confusion table.", "Letters"),
    live("progress", "ranked", "A ranked list: the curve first.", "List with its band"),
]  # fmt: skip
EXPLORE = [
    live("explore", "no-score", "A file without a score has no curve.", "Letters"),
    live("explore", "start", "Nothing labelled yet.", "List, nothing yet", views=PLAIN),
    live("explore", "first", "Before the first band: a first guess, marked as one.",
         "List, first labels"),
    live("explore", "band", "One sentence, two handles: a cut in its band, and what is sure.",
         "List with its band", wait=CURVE),
    live("explore", "roc", "Behind a line: every other reading, here the ROC curve.",
         "List with its band", other_reading("ROC"), CURVE, PLAIN),
    live("explore", "paula-part", "PAULA's bounds while labels are missing.", "PAULA, part of it",
         wait=CURVE),
    live("explore", "paula", "PAULA's bounds with all their labels.", "PAULA, all of it",
         wait=CURVE),
]  # fmt: skip


def report(name: str, words: str, project: str, wait: str = ".st-key-sentence") -> Scene:
    return Scene(f"report-{name}", words, f"report?project={quote(project)}", wait=wait)


REPORT = [
    live("review", "errors", "What the classifier got wrong, and one item of it.", "Short messages",
         wrong, ".st-key-review-table"),
    live("people", "settle", "Who judged what, and what they judge differently, settled by key.",
         "Three readers", wait=".st-key-quiet-left"),
    report("interim", "The report of a project that is not finished.", "Short messages"),
    report("final", "The final report of a trial.", "Digits finished"),
    report("claim", "The final report of a plan with a claim.", "A claim finished"),
    report("choice", "The report of a choice between cuts of a list.", "Which cut, chosen"),
    Scene("watch-alarm", "Twelve weeks of a classifier whose precision has fallen in the tenth.",
          "watch", wait=".st-key-watch-figures", views=PLAIN),
    report("ranked", "The final report of a ranked list.", "List finished"),
    Scene("unknown", "An address with a project that does not exist.", "label?project=Nobody",
          wait="[data-testid=stAlert]"),
    Scene("renamed", "The address of a project that has another name now.",
          "label?project=Old%20name", wait="[data-testid=stAlert]"),
    Scene("no-project", "A project page without a project in its address.", "progress",
          wait="[data-testid=stAlert]"),
]  # fmt: skip


TEAM = [
    live("people", "roles", "Who may do what in a project, and the roles that are given here.",
         "Shared", wait=".st-key-role-give"),
    Scene("audit", "Who came, saw, gave and took what: the audit trail.", "audit",
          wait=".st-key-trail-lines", views=ALL),
]  # fmt: skip


def upload(file: Path, wait: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator(".st-key-new-upload input[type=file]").set_input_files(file)
        page.locator(wait).first.wait_for()
        idle(page)

    return act


def ask(file: Path, *steps: Callable[[Page], None]) -> Callable[[Page], None]:
    """The file, the question, and then each step in turn."""

    def act(page: Page) -> None:
        questioned(file)(page)
        on(page)
        page.locator(".st-key-new-aim").wait_for()
        idle(page)
        for step in steps:
            step(page)
            idle(page)

    return act


def on(page: Page) -> None:
    """To New project's next screen."""
    page.locator(".st-key-new-next button").click()
    idle(page)


def questioned(file: Path) -> Callable[[Page], None]:
    """The second screen, with a question."""

    def act(page: Page) -> None:
        upload(file, ".st-key-new-next")(page)
        on(page)
        type_into(".st-key-new-question input", "Is this a complaint?")(page)

    return act


def type_into(selector: str, text: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        field = page.locator(selector).first
        field.fill(text)
        field.press("Tab")
        page.evaluate("document.activeElement.blur()")
        idle(page)

    return act


def card(title: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        question = page.locator(".st-key-new-aim").get_by_text(title, exact=True)
        if not question.count():
            page.locator(".st-key-new-press-more-aims button").click()
        question.click()

    return act


def claim(page: Page) -> None:
    page.get_by_text("A claim", exact=True).click()
    page.get_by_text("Enter the percentage to continue.").wait_for()
    type_into(".st-key-new-claim-percent-0-percent input", "60")(page)


def created(page: Page) -> None:
    page.locator(".st-key-new-create button").wait_for()


def method(name: str) -> Callable[[Page], None]:
    def act(page: Page) -> None:
        page.locator(".st-key-new-advanced summary").first.click()
        field = page.locator("[class*='st-key-new-design-'] input").first
        field.click()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.wait_for_timeout(500)

    return act


def new_project(files: dict[str, Path]) -> list[Scene]:
    def new(name: str, words: str, act: Callable[[Page], None],
            part: tuple[str, str | None] | None = None,
            views: tuple[str, ...] = ALL) -> Scene:  # fmt: skip
        return Scene(f"new-{name}", words, "new_project", act, ".st-key-new-upload", part=part,
                     views=views)  # fmt: skip

    faults, long = "[data-testid=stAlert]", files["long"]
    ranked = card("Where does the list turn bad?")
    cuts = type_into("[class*='st-key-new-thresholds-'] input", "0.3 0.5 0.7")
    return [
        new("items", "A German file: Windows-1252, semicolons, decimal commas, all detected.",
            upload(files["german"], ".st-key-new-next")),
        new("faults", "A file with faults, each with column, row, value and rule.",
            upload(files["faulty"], faults)),
        new("unsure", "What cannot be guessed is asked.",
            upload(files["unsure"], ".st-key-new-next")),
        new("repeated", "Items with the same content are told, and stay.",
            upload(files["repeated"], ".st-key-new-next"), views=PLAIN),
        new("headless", "A first row that looks like data.",
            upload(files["headless"], faults), views=PLAIN),
        new("question", "The question for two classes, and which two keys answer.",
            questioned(long)),
        new("classes", "The question for five classes, with their keys.",
            questioned(files["letters"])),
        new("aim", "What can be known: the cards, and the threshold on the scores.",
            ask(long, created)),
        new("thresholds", "Several thresholds of one score, compared by the same labels.",
            ask(long, card("Several classifiers at once"), cuts, created)),
        new("sure", "How sure, and what it costs, for precision and recall.",
            ask(long, card("Precision and recall"), created)),
        new("sure-claim", "A claim to be shown, what it needs, and when the session ends.",
            ask(long, card("Precision and recall"), claim, created)),
        new("sure-ranked", "How sure for a ranked list.", ask(long, ranked, created)),
        new("sure-paula", "The same by PAULA: its parameters say how many labels.",
            ask(long, ranked, created, method("PAULA"), created)),
    ]  # fmt: skip
