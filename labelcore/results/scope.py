"""What a result is about."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """What a result is about: the file, its size, the classifier, the target of inference.

    together   how many results share the confidence; 1: each has it on its own
    by, group  the column and the name of the group whose items it is about; "": all items
    versus     the classifier whose figure is subtracted from the first one's in a difference
    judged     where it is about the items that a person can judge: their share, estimated; 0 where
               nothing tells it
    at_odds    whether it rests on the odds of the items that nobody can judge
    existing, existing_use   labels that were there before, and how they are used
    found      positive items known before, where the classifier is what was found so far
    until      the labels up to which a watched promise is; 0: without end
    earlier    whether an earlier rule made it, and the log alone tells it
    audit      whether it is about answers that a model judged, whose words are those of that field
    """

    file: str = ""
    n_items: int = 0
    classifier: str | None = None
    target: str = "file"
    positive: str = ""
    margin: float | None = None
    first_figure: int = 0
    planned: int = 0
    together: int = 1
    judged: float | None = None
    at_odds: bool = False
    versus: str | None = None
    existing: int = 0
    existing_use: str = ""
    until: int = 0
    found: int | None = None
    earlier: bool = False
    by: str = ""
    group: str = ""
    audit: bool = False
