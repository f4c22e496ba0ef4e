"""A conversation with a model: who says what, tools that are called and what they give.

Messages in the forms of OpenAI and Anthropic, OpenTelemetry, OpenInference and data sets for
training. What is no part of what is said, such as the name of a model, is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from labelcore.items.forms import Block, BlockKind, Folders, Rich, Text
from labelcore.items.json_text import Object, compact, fields, looks_like_json, parse, parts
from labelcore.items.text import one_line, visible

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode


LONGEST = 50_000
"""Longer texts are shown as they are, and from there on behind a line: a browser needs ten seconds
to lay out a megabyte."""
NOT_FETCHED = "[picture, not fetched: {words}]"
KINDS: dict[str, BlockKind] = {
    "paragraph": "paragraph",
    "heading": "heading",
    "strong": "bold",
    "em": "italic",
    "s": "struck",
    "code_inline": "code",
    "fence": "lines",
    "code_block": "lines",
    "blockquote": "quote",
    "bullet_list": "points",
    "ordered_list": "steps",
    "list_item": "point",
    "table": "table",
    "tr": "row",
    "th": "head",
    "td": "cell",
}


@lru_cache(maxsize=64)
def prose(text: str) -> tuple[Block | Text, ...]:
    """A text as the blocks that its marks make.

    >>> prose("a **b**")
    (Block(kind='paragraph', parts=(Text(text='a ', marks=(), note=''), Block(kind='bold', \
parts=(Text(text='b', marks=(), note=''),), said='')), said=''),)
    """
    if len(text) > LONGEST:
        rest = f"{len(text) - LONGEST:,} more characters"
        return Text(visible(text[:LONGEST])), Block("fold", (Text(visible(text[LONGEST:])),), rest)
    from markdown_it.tree import SyntaxTreeNode

    return tuple(_blocks(SyntaxTreeNode(_parser().parse(visible(text)))))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    # Markup within it is text, no address is looked at, and nothing stands for something else.
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return parser.disable(["reference", "text_join"])


def _blocks(tree: SyntaxTreeNode) -> Iterator[Block | Text]:
    for node in tree.children:
        kind: BlockKind | None = KINDS.get(node.type)
        if node.type in ("softbreak", "hardbreak"):
            yield Text("\n")
        elif node.type == "image":
            words = " ".join(filter(None, (node.content, str(node.attrs.get("src", "")))))
            yield Text(NOT_FETCHED.format(words=words))
        elif node.type == "text_special":
            yield Text(node.markup)
        elif kind is None and not node.children:
            yield from [Text(node.content)] if node.content else []
        elif kind is None:
            yield from _blocks(node)
            address = str(node.attrs.get("href", ""))
            if address and address != "".join(inner.content for inner in node.children):
                yield Text(f" ({address})")
        elif node.children or kind == "point":
            yield Block(kind, tuple(_blocks(node)), node.info)
        else:
            yield Block(kind, (Text(node.content.removesuffix("\n")),) if node.content else ())


ROLES = ("role", "from", "message.role")
SAID = ("content", "value", "message.content", "text", "parts", "refusal")
CALLS = ("tool_calls", "message.tool_calls", "function_call")
NAMES = ("name", "tool_call.function.name", "function.name")
GIVEN = ("arguments", "input", "tool_call.function.arguments", "function.arguments")
RESULTS = ("response", "result", "output", "content")
LISTS = ("messages", "choices")
"""Fields of a request to a model, or of its answer, that hold messages."""
WITHIN = ("message", "tool_call", "function")
"""Fields of a message, or of a call, that hold what others have in it."""
SPEAKERS = {
    **{"human": "user", "gpt": "assistant", "model": "assistant", "ai": "assistant"},
    **{"function": "tool", "developer": "system"},
}
UNSEEN = ("system", "tool", "function", "developer")
"""Who does not speak in a glimpse."""
LONG, SUMMARY = 1_500, 90
"""Characters of a turn beyond which it is folded, and of the line that opens it."""
PROMPT = re.compile(r"(^|[._])(prompt|question|query|instruction|input|user)s?$", re.IGNORECASE)
ANSWER = re.compile(
    r"(^|[._])(answer|response|completion|output|reply|generation|generated(_text)?"
    r"|(output|response|completion|answer)s?[._](content|text|value|message|answer))s?$",
    re.IGNORECASE,
)
Parts: TypeAlias = tuple[Block | Text, ...]
Held: TypeAlias = Mapping[str, Any]


def read(value: str, folders: Folders) -> Rich | None:
    """A list of messages, of which the last one is framed if an assistant says it."""
    messages = _messages(value)
    turns = [turn for message in messages for turn in _turns(message)]
    if not turns:
        return None
    if not any(_turns(messages[-1])):
        turns.append((Block("turn", (), _role(messages[-1])), ""))
    before, last = turns[:-1], turns[-1][0]
    judged = last.kind == "turn" and last.said == "assistant"
    earlier = _earlier(before if judged else turns)
    return Rich((*earlier, *([replace(last, kind="judged")] if judged else [])), talk=True)


def _messages(value: str) -> list[Held]:
    """Those of a list where each says who speaks, also within a request or an answer of a model;
    else none."""
    data: Any = parse(value) if looks_like_json(value) else None
    if isinstance(data, Object):
        held = dict(data.pairs)
        lists = [some for name in LISTS if isinstance(some := held.get(name), list)]
        if lists and any(map(ANSWER.search, held)):
            return []  # What is judged lies in another field.
        data = [message for some in lists for message in some] or [data]
    messages = [_held(message) for message in data] if isinstance(data, list) else []
    every = all(isinstance(_first(message, ROLES), str) for message in messages)
    return messages if every else []


def without_frame(talk: Rich) -> Rich:
    """Where something that follows is judged."""
    parts = (
        replace(part, kind="turn") if isinstance(part, Block) and part.kind == "judged" else part
        for part in talk.parts
    )
    return replace(talk, parts=tuple(parts))


def answered(text: str) -> Rich:
    """An answer that stands in a column of its own."""
    return Rich((Block("judged", _content(text), "assistant"),), talk=True)


def asked(text: str) -> Rich:
    """What was asked, in a column of its own."""
    return Rich((_folded(Block("asked", _content(text), "user"), text),), talk=True)


def last_words(value: str) -> str:
    """The text of the last message that has one, "" where a value is no conversation."""
    turns = (turn for turn in reversed(_messages(value)) if _first(turn, ROLES) not in UNSEEN)
    texts = (_first(turn, SAID) for turn in turns)
    return next((text for text in texts if isinstance(text, str) and text.strip()), "")


def _held(node: Any) -> Held:
    """The fields of an object, with those that lie within ``WITHIN``."""
    held = dict(node.pairs) if isinstance(node, Object) else {}
    inner = (held[name] for name in WITHIN if isinstance(held.get(name), Object))
    return {**held, **{name: value for part in inner for name, value in _held(part).items()}}


def _first(held: Held, names: Sequence[str]) -> Any:
    return next((held[name] for name in names if held.get(name) is not None), None)


def _role(held: Held) -> str:
    role = str(_first(held, ROLES)).lower()
    return SPEAKERS.get(role, one_line(role, 40))


def _turns(held: Held) -> Iterator[tuple[Block, str]]:
    """What one message says, then the tools that it calls, each with its text."""
    role = _role(held)
    content = _first(held, SAID)
    for piece in content if isinstance(content, list) else [content]:
        part = _held(piece)
        if part.get("type") in ("tool_call", "tool_use"):
            yield _call(part), ""
        elif part.get("type") in ("tool_call_response", "tool_result") or role == "tool":
            given = _first(part, RESULTS) if part else piece
            line = f"tool: {one_line(_text(given), SUMMARY)}"
            yield Block("fold", _content(_text(given)), line), ""
        elif (text := _text(piece)).strip():
            yield Block("asked" if role == "user" else "turn", _content(text), role), text
    calls = _first(held, CALLS)
    for call in calls if isinstance(calls, list) else [calls]:
        if isinstance(call, Object):
            yield _call(_held(call)), ""


def _text(piece: Any) -> str:
    """What a part of a message says; a picture is named and not fetched."""
    if piece is None or isinstance(piece, str):
        return str(piece or "")
    part = _held(piece)
    if isinstance(part.get("text") or part.get("content"), str):
        return str(part.get("text") or part["content"])
    if "image" in str(part.get("type", "")) or part.get("uri"):
        at = part.get("image_url") or part.get("uri") or part.get("source") or ""
        return NOT_FETCHED.format(words=one_line(at if isinstance(at, str) else compact(at), 200))
    return compact(piece)


def _call(call: Held) -> Block:
    given = _first(call, GIVEN)
    data = parse(given) if isinstance(given, str) else given
    pairs = data.pairs if isinstance(data, Object) else ()
    words = ", ".join(f"{name}={compact(value)}" for name, value in pairs)
    name = one_line(str(_first(call, NAMES) or "a tool"), 60)
    line = f"calls {name}({one_line(words or _text(given), SUMMARY)})"
    return Block("fold", _content(_text(given)), line)


def _content(text: str) -> Parts:
    """JSON as fields, all else as prose."""
    data = parse(text) if looks_like_json(text) else None
    return fields(data).parts if data is not None and parts(data) else prose(text)


def _folded(turn: Block, text: str) -> Block:
    """A system's prompt, and a long turn, behind a line."""
    if turn.said != "system" and len(text) <= LONG:
        return turn
    what = "system prompt" if turn.said == "system" else turn.said
    start = "" if turn.said == "system" else f": {one_line(text, SUMMARY)}"
    words = len(text.split())
    return Block("fold", turn.parts, f"{what}, {words:,} word{'s' * (words != 1)}{start}")


def _earlier(turns: Sequence[tuple[Block, str]]) -> Parts:
    """What came before the last question, behind a line."""
    kinds = [block.kind for block, _ in turns]
    folded = [_folded(*turn) for turn in turns]
    first = next((n for n, (block, _) in enumerate(turns) if block.said != "system"), 0)
    begun = [n for n in range(len(turns)) if kinds[n] == "asked" != (kinds[n - 1] if n else "")]
    last = begun[-1] if begun else 0
    if last <= first:
        return tuple(folded)
    summary = f"{last - first} earlier turn{'' if last - first == 1 else 's'}"
    return (*folded[:first], Block("fold", tuple(folded[first:last]), summary), *folded[last:])
