"""Bytes that claim to be a picture, decoded here and nowhere else, and encoded anew."""

import io
import math

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from labelcore.items.forms import LARGEST_SHOWN, Picture, Refusal

FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
PHOTOS = ("JPEG", "MPO", "WEBP")
MOST_BYTES = 50_000_000
MOST_PIXELS = 50_000_000
SMALLEST_SHOWN = 160
WANTED = 160
"""To which a small one is enlarged at least: about half of the frame it stands in."""
QUALITY = 90
# Their pixels are no colours that could be averaged when the picture is made smaller.
INDEXED = ("1", "P", "PA")

SVG = "is an SVG picture. SVG can hold programs and is not shown; save it as PNG or JPEG."
TOO_LARGE = f"has more than {MOST_PIXELS:,} pixels, the most that is shown."
TOO_HEAVY = f"has more than {MOST_BYTES:,} bytes, the most that is shown."
NO_PICTURE = "is not a PNG, JPEG, GIF, WebP, BMP or TIFF picture, or its beginning is damaged."
DAMAGED = "is damaged, cut off or of a rare kind, and cannot be shown."
FIRST_ONLY = "Only the first of its pictures is shown."


def decode(data: bytes, named: str, largest: int = LARGEST_SHOWN) -> Picture | Refusal:
    """The picture upright, on white, at most so many pixels wide and high, no metadata.

    A small one is enlarged by a whole factor, each pixel a square. ``named`` begins the sentence of
    a refusal.
    """
    try:
        image = Image.open(io.BytesIO(data), formats=FORMATS)
        if image.width * image.height > MOST_PIXELS:
            return Refusal(f"{named} {TOO_LARGE}")
        photo = image.format in PHOTOS or max(image.size) > largest
        note = FIRST_ONLY if getattr(image, "is_animated", False) else ""
        image.seek(0)
        drawn, enlarged = _sized(_upright(image, largest), min(SMALLEST_SHOWN, largest))
        out = io.BytesIO()
        if photo and not enlarged:
            drawn.save(out, "JPEG", quality=QUALITY)
        else:
            drawn.save(out, "PNG")
    except UnidentifiedImageError:
        return Refusal(f"{named} {SVG if b'<svg' in data[:1000].lower() else NO_PICTURE}")
    except Image.DecompressionBombError:
        return Refusal(f"{named} {TOO_LARGE}")
    except Exception:  # Pillow's readers raise errors of many kinds on damaged data.
        return Refusal(f"{named} {DAMAGED}")
    return Picture(out.getvalue(), smooth=not enlarged, note=note)


def _upright(image: Image.Image, largest: int) -> Image.Image:
    """In grey or colour on white, not larger than is shown, turned as the camera was."""
    if image.mode in INDEXED:
        image = ImageOps.exif_transpose(image).convert("RGBA")
    image.thumbnail((largest, largest), reducing_gap=2.0)
    return _on_white(ImageOps.exif_transpose(image))


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode.startswith(("I", "F")):
        return _stretched(image)
    if image.mode == "L" and "transparency" not in image.info:
        return image
    if image.mode not in ("RGB", "RGBA", "L", "LA"):
        image = image.convert("RGB" if image.mode == "CMYK" else "RGBA")
    white = Image.new("RGBA", image.size, "white")
    white.alpha_composite(image.convert("RGBA"))
    return white.convert("RGB")


def _stretched(image: Image.Image) -> Image.Image:
    """Brightness of more than 8 bits, from its lowest value (black) to its highest (white)."""
    values = np.nan_to_num(np.asarray(image, dtype=np.float64))
    low, high = float(values.min()), float(values.max())
    share = (values - low) / (high - low) if high > low else np.zeros_like(values)
    return Image.fromarray(np.rint(share * 255).astype(np.uint8))


def _sized(image: Image.Image, smallest: int) -> tuple[Image.Image, bool]:
    longest = max(image.size)
    if longest >= smallest:
        return image, False
    factor = math.ceil(WANTED / longest)
    size = (image.width * factor, image.height * factor)
    return image.resize(size, Image.Resampling.NEAREST), True
