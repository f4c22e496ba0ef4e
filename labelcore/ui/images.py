"""Pictures that travel as text in a column, decoded here and nowhere else."""

from __future__ import annotations

import base64
import binascii
import io
import math
import warnings
from functools import lru_cache

from PIL import Image

PREFIX = "data:image/png;base64,"
MOST_CHARACTERS = 12_000_000
MOST_PIXELS = 8_000_000
SMALLEST_SHOWN, LARGEST_SHOWN = 160, 1600
WANTED = 288


@lru_cache(maxsize=32)
def picture(text: str) -> bytes | None:
    """A PNG made anew from a PNG given as a data address; None for anything else.

    Other formats, broken data and pictures over the limits are not decoded: the text is shown
    instead. Small ones are enlarged by a whole factor, without smoothing.
    """
    if not text.startswith(PREFIX) or len(text) > MOST_CHARACTERS:
        return None
    try:
        data = base64.b64decode(text[len(PREFIX) :], validate=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=["PNG"])
            if image.width * image.height > MOST_PIXELS or min(image.size) < 1:
                return None
            drawn = _to_show(image.convert("RGBA"))
    except (
        binascii.Error,
        ValueError,
        OSError,
        SyntaxError,
        MemoryError,
        Warning,
        Image.DecompressionBombError,
    ):
        return None
    out = io.BytesIO()
    drawn.save(out, "PNG")
    return out.getvalue()


def _to_show(image: Image.Image) -> Image.Image:
    longest = max(image.size)
    if longest < SMALLEST_SHOWN:
        factor = math.ceil(WANTED / longest)
        return image.resize((image.width * factor, image.height * factor), Image.Resampling.NEAREST)
    if longest > LARGEST_SHOWN:
        image.thumbnail((LARGEST_SHOWN, LARGEST_SHOWN))
    return image
