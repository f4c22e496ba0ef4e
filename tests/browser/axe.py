"""What axe finds on a page: the rules of WCAG 2.2, A and AA, and its own good practice."""

from dataclasses import dataclass
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
TOOLKIT = {
    "presentation-role-conflict": (
        "stFileUploaderDropzone",
        "The field for files calls itself a presentation; what is in it, the button *Upload*, "
        "has its name and its keys.",
    ),
    "region": (
        'role="menu"',
        "A menu is drawn beside all landmarks, as its kind is; it opens with the focus in it, and "
        "Escape leads back.",
    ),
    "target-size": (
        "segmented_control",
        "At 200 % the foot of *New project* covers a part of whatever lies at its edge; what has "
        "the focus is scrolled clear of it.",
    ),
}
"""What the toolkit breaks, or a foot covers for now: a rule, a part of the element, the reason."""
OPTIONS = {"resultTypes": ["violations", "incomplete"], "runOnly": STANDARDS}


@dataclass(frozen=True)
class Finding:
    """One element that breaks a rule.

    impact   minor, moderate, serious or critical
    where    its selector, those of the roots that it lies in before it
    """

    rule: str
    impact: str
    where: str
    markup: str
    said: str

    @property
    def reason(self) -> str:
        """Why it stays; "" for what is ours to mend."""
        part, reason = TOOLKIT.get(self.rule, ("", ""))
        return reason if part in self.markup else ""


def look(page: Page) -> tuple[list[Finding], int]:
    """What breaks a rule, and how many elements axe leaves to a person."""
    found: dict[str, Any] = Axe().run(page, options=OPTIONS).response
    broken = [
        Finding(rule["id"], rule["impact"], _selector(one["target"]), one["html"][:300],
                one.get("failureSummary", ""))
        for rule in found["violations"]
        for one in rule["nodes"]
    ]  # fmt: skip
    return broken, sum(len(rule["nodes"]) for rule in found["incomplete"])


def _selector(target: list[str | list[str]]) -> str:
    return " >> ".join(" > ".join(one) if isinstance(one, list) else one for one in target)
