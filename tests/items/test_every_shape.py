"""Items of every shape: how each is laid out, and what a list shows of it, stays."""

import base64
import io
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from zlib import crc32

import pytest
from PIL import Image

from labelcore.items import (
    Folders,
    Form,
    Picture,
    first_picture,
    glimpse,
    lay_out,
    names_picture,
    usable_highlights,
)
from labelcore.items.glimpses import pieces
from tests.pinned import cases, holds

pytestmark = pytest.mark.slow
SHAPES = cases("shapes")
"""Name -> the columns of an item; DATA stands for a picture as text."""
MARKS = {"words": ["prize", "cat", "two lines", "Text That", ""], "patterns": [r"\d+", "(", 3]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    tmp_path = tmp_path_factory.mktemp("pictures")
    Image.new("L", (200, 100), 77).save(tmp_path / "a.png")
    for name, size in (("large", (2000, 1000)), ("odd", (1999, 1001))):
        Image.new("RGB", size, "red").save(tmp_path / f"{name}.png")
    (tmp_path / "bad.png").write_bytes(b"no picture")
    return Folders(tmp_path)


def plain(value: Any) -> Any:
    """As JSON: what says nothing is left out, and what is long is summed up."""
    if isinstance(value, Picture):
        return [*Image.open(io.BytesIO(value.data)).size, value.smooth, value.note]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items() if one or one is False}
    if isinstance(value, list | tuple):
        whole = [plain(one) for one in value]
        return whole if len(whole) < 30 else [len(whole), *whole[:2], *whole[-2:]]
    if isinstance(value, str) and len(value) > 300:
        return [len(value), crc32(value.encode()), value[-60:]]
    return value


def told(form: Form) -> Any:
    fields = plain(form if isinstance(form, Picture) else {**asdict(form), "whole": None})
    return [type(form).__name__, fields]


def shown(content: dict[str, str], folders: Folders) -> Iterator[tuple[str, Any]]:
    for name, marks in (("plain", None), ("marked", usable_highlights({"highlight": MARKS}))):
        layout = lay_out(content, folders, marks)
        rows = [[[part.name, part.role, told(part.form)] for part in row] for row in layout.rows]
        yield name, [rows, list(layout.notes)]
    yield "glimpse", [glimpse(content), glimpse(content, 20, "[p]"), names_picture(content)]
    yield "picture", plain(first_picture(content, folders))
    yield "pieces", list(pieces(" ".join(content.values())[:80], ["a", "cat", "is"]))


@pytest.mark.parametrize("name", SHAPES)
def test_how_an_item_is_laid_out_stays(name: str, folders: Folders) -> None:
    data = base64.b64encode((folders.root / "a.png").read_bytes()).decode()
    place = f"data:image/png;base64,{data}"
    content = {key: value.replace("DATA", place) for key, value in SHAPES[name].items()}
    found = json.dumps(dict(shown(content, folders))).replace(str(folders.root), "")
    holds("shapes", name, json.loads(found))
