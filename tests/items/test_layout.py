"""What each kind of item takes; how items are laid out is asked by test_every_shape."""

import inspect
from pathlib import Path

import pytest

from labelcore.items import KINDS, Folders


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_leaves_what_is_none_of_its_own(kind: str, tmp_path: Path) -> None:
    read = KINDS[kind]
    assert list(inspect.signature(read).parameters) == ["value", "folders"]
    assert [
        read(text, Folders(tmp_path)) for text in ("", " ", "plain words", "{", "]", "1.0")
    ] == [None] * 6
