"""Judged items as cards: what is in them, what was said, and why; one of them is open beside."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from datetime import tzinfo
from typing import Any

import pandas as pd

from labelcore.charts.nodes import Node, node
from labelcore.items.glimpses import pieces
from labelcore.safe_text import one_line
from labelcore.ui.reviewed import CAUSE_WORDS, Reviewed
from labelcore.ui.status import shown_word
from labelcore.ui.thumbnails import Small
from labelcore.ui.times import clock
from labelcore.words.sentences import score_words

NOT_YET, WRONG, FLAGGED = "not yet", "wrong", "flagged"


def cards_node(
    review: Reviewed,
    part: pd.DataFrame,
    where: tzinfo,
    opened: int,
    words: Sequence[str],
    pictures: Mapping[str, Small],
) -> Node:
    """The rows of a page as cards; ``words`` are marked in them, ``pictures`` are those of ids."""
    several = review.table["who"].nunique() > 1

    def card(row: Mapping[Hashable, Any]) -> Node:
        facts: list[Node | str] = [_fact("judged", shown_word(row["answer"]) or NOT_YET)]
        if row["called"] is not None and row["called"] == row["called"]:
            model = str(review.classifier) if review.several else review.model
            facts.append(_fact(one_line(model, 40), shown_word(row["called"])))
        if row["score"] == row["score"]:
            facts.append(_fact("score", score_words(row["score"])))
        facts += [node("span", WRONG, klass="wrong")] if row["wrong"] else []
        then = f"then {shown_word(row['second'])}" if row["second"] else ""
        marks = (FLAGGED if row["flagged"] else "", CAUSE_WORDS.get(row["cause"], ""), then)
        facts += [node("span", mark) for mark in marks if mark]
        who = f" · {one_line(row['who'], 60)}" if several else ""
        facts.append(node("span", f"{clock(row['at'], where)}{who}"))
        notes = [node("span", one_line(text, 200), klass="reason")
                for text in (row["reason"], row["note"]) if text]  # fmt: skip
        *picture, text = pictures.get(row["id"], (row["item"],))
        return node(
            "button",
            *picture,
            *([node("span", *marked(text, words), klass="text")] if text else []),
            node("span", *facts, klass="about"),
            *notes,
            aria_pressed=str(row["index"] == opened).lower(),
            data_figure=row["index"],
        )

    return node("div", *map(card, part.to_dict("records")), klass="cards")


def _fact(name: str, value: str) -> Node:
    return node("span", f"{name} ", node("strong", value))


def marked(text: str, words: Sequence[str]) -> Iterator[Node | str]:
    """The text with these whole words marked."""
    return (node("mark", piece) if hit else piece for piece, hit in pieces(text, words))
