"""Parts of a drawing as plain lists, which the page or the report turns into elements."""

from typing import Any

# [tag, attributes, *children]; a child is a Node or a text. Names become texts, never markup.
Node = list[Any]


def node(tag: str, /, *children: Node | str, **attributes: object) -> Node:
    """``klass`` is the attribute class, and underscores are hyphens.

    >>> node("text", "5", klass="tick", text_anchor="end")
    ['text', {'class': 'tick', 'text-anchor': 'end'}, '5']
    """
    named = {
        "class" if name == "klass" else name.replace("_", "-"): str(value)
        for name, value in attributes.items()
    }
    return [tag, named, *children]
