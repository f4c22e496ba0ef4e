"""Labels that were there before the project, in words."""

TAKEN = {
    "random": "taken as a plain random sample of the file, which the new labels extend",
    "certainty": "counted as they are and never asked; the rest is sampled",
    "ignored": "not used",
}
# Where they come from, as a person chooses.
OTHER_WAY = "Any other way"
SOURCES = {
    "random": "A random sample of this file",
    "certainty": f"{OTHER_WAY}: screening, active learning, corrections, a person's choice",
    "ignored": "I do not want to use them",
}
KNOWN_EXACTLY = (
    "known exactly: counted from the items that were known before the first label",
    "Cochran (1977), chapter 5: a stratum that is taken whole adds no variance",
)
ASSUMED = {
    "random": "the {number} that were there before are a plain random sample of the file: every "
    "item had the same chance, and neither when the sampling ended nor which of its items lack an "
    "answer depended on the answers, which neither trained the classifier nor chose its threshold; "
    "how many new labels were asked was decided without looking at them, and they were judged as "
    "the new ones are; "
    "an item of that sample without an answer cannot be told from "
    "the rest of the file",
    "certainty": "the {number} that were there before are right and were judged as the new ones "
    "are: these items are counted as they are, not estimated",
}


def count(number: int, noun: str = "label") -> str:
    """
    >>> count(1), count(1204)
    ('1 label', '1,204 labels')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def taken_words(number: int, use: str) -> str:
    """How many labels there were and what they are taken for.

    >>> taken_words(300, "ignored")
    '300 existing labels, not used'
    """
    return f"{number:,} existing label{'' if number == 1 else 's'}, {TAKEN[use]}"


def from_labels(labels: int, existing: int, use: str, given: str = "") -> str:
    """What a figure rests on, after "from"; ``given``: by whom and when the new labels were given.

    >>> from_labels(420, 300, "random"), from_labels(120, 1, "certainty", "by one person")
    ('420 labels (300 of them from before)', '120 labels by one person and 1 known item')
    """
    words = count(labels)
    if use == "random":
        before = "all" if existing == labels else f"{existing:,}"
        new = f", the new ones {given}" if given else ""
        return f"{words} ({before} of them from before{new})"
    words += f" {given}" if given else ""
    if use == "certainty":
        return f"{words} and {existing:,} known item{'' if existing == 1 else 's'}"
    return words


def assumed(number: int, use: str) -> tuple[str, ...]:
    """What taking the labels for that assumes."""
    return (ASSUMED[use].format(number=count(number)),) if use in ASSUMED else ()
