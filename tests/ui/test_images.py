from __future__ import annotations

import base64
import io

import pytest
from PIL import Image

from labelcore.ui.images import PREFIX, SMALLEST_SHOWN, picture


def address(image: Image.Image, kind: str = "PNG") -> str:
    out = io.BytesIO()
    image.save(out, kind)
    return PREFIX + base64.b64encode(out.getvalue()).decode()


def test_tiny_picture_is_enlarged_without_smoothing() -> None:
    image = Image.new("L", (2, 2), 0)
    image.putpixel((0, 0), 255)
    shown = Image.open(io.BytesIO(picture(address(image)) or b"")).convert("L")
    assert shown.width >= SMALLEST_SHOWN
    assert {color for _, color in shown.getcolors() or ()} == {0, 255}


def test_metadata_is_not_passed_on() -> None:
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_text("comment", "<script>")
    out = io.BytesIO()
    Image.new("L", (200, 200)).save(out, "PNG", pnginfo=info)
    text = PREFIX + base64.b64encode(out.getvalue()).decode()
    assert b"<script>" not in (picture(text) or b"")


@pytest.mark.parametrize(
    "text",
    [
        "hello",
        "",
        PREFIX,
        PREFIX + "@@@",
        PREFIX + base64.b64encode(b"no picture").decode(),
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:text/html,<script>",
        address(Image.new("RGB", (8, 8)), "GIF"),
        address(Image.new("1", (5000, 5000))),
        address(Image.new("RGB", (30, 30)))[:-40],
    ],
)
def test_anything_else_is_text(text: str) -> None:
    assert picture(text) is None


def test_a_large_picture_is_made_smaller() -> None:
    shown = Image.open(io.BytesIO(picture(address(Image.new("RGB", (2400, 600)))) or b""))
    assert shown.width <= 1600
