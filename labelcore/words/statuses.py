"""Where a session stands, in words: on its page, and in its report."""

from labelcore.promises import Status

ALL_ASKED = "all asked"
"""Used up before the file is: the method has all its labels."""
ELSEWHERE = "Items still open are on other screens: other people's, or other windows of yours."
COMES_BACK = "They come back in {time}: reload then."
TAKE_OVER = "That is me in other windows: take them over"
FOR_OTHERS = "for others"
"""Open, and only for people who have not judged the items that are left."""
TITLES: dict[str, str] = {
    FOR_OTHERS: "The rest is for another person",
    Status.BUDGET_USED: "All the labels asked for are there",
    Status.EXHAUSTED: "Everything there was to judge has been judged",
    ALL_ASKED: "All the labels asked for are there",
    Status.FINISHED: "This project is finished",
    Status.SUPERSEDED: "Measured by an earlier rule",
    Status.WAITING: "Nothing to judge at the moment",
    Status.OPEN: "Nothing to judge at the moment",
}
MORE_WORDS: dict[str, str] = {
    FOR_OTHERS: "What is left are items to be judged by several people, and you have judged them. "
    "Another person opens this project in another browser.",
    Status.EXHAUSTED: "There is nothing more to draw.",
    ALL_ASKED: "This method asks for no more labels.",
    Status.SUPERSEDED: "Nothing more is labelled here. A new project can take these labels as "
    "existing ones.",
    Status.WAITING: ELSEWHERE,
    Status.OPEN: ELSEWHERE,
}
TOO_EARLY = (
    "The promised interval is not due yet: continue to get it, or finish with one that has no "
    "promise."
)
CHOSEN = "Further labels would not change it: finish, and open the report."
IN_REPORT: dict[str, str] = {
    Status.OPEN: "labelling is going on",
    Status.WAITING: "the last items are being judged",
    Status.BUDGET_USED: "all the labels asked for are there",
    Status.EXHAUSTED: "all the labels that the method asks for are there",
}
