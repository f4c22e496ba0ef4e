"""The page icon, drawn here: an emoji or a Material icon would be fetched from the network."""

from __future__ import annotations

from functools import cache

from PIL import Image, ImageDraw

BLUE, WHITE = (0, 114, 178, 255), (255, 255, 255, 255)


@cache
def icon() -> Image.Image:
    """An interval with its estimate."""
    image = Image.new("RGBA", (64, 64), (0, 0, 0, 0))
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((0, 0, 63, 63), 14, fill=BLUE)
    draw.line((14, 32, 50, 32), fill=WHITE, width=5)
    for x in (14, 50):
        draw.line((x, 22, x, 42), fill=WHITE, width=5)
    draw.ellipse((25, 25, 39, 39), fill=WHITE)
    return image
