import base64
import io
import struct
import zlib
from random import Random

import numpy as np
import PIL
import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from labelcore.items import Folders, Picture, Refusal, form_of
from labelcore.items.picture import DAMAGED, LARGEST_SHOWN, MOST_PIXELS, SMALLEST_SHOWN, decode
from labelcore.items.picture_address import NAMED
from tests.cases import sampled

PREFIX = "data:image/png;base64,"


def encoded(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def drawn(data: bytes) -> Image.Image:
    found = decode(data, "a.png")
    assert isinstance(found, Picture), found
    return Image.open(io.BytesIO(found.data))


def refused(data: bytes) -> str:
    found = decode(data, "a.png")
    assert isinstance(found, Refusal)
    return found.sentence


def half_red(mode: str = "RGB") -> Image.Image:
    """Left half red, right half blue, 300 by 200."""
    image = Image.new("RGB", (300, 200), "blue")
    image.paste((255, 0, 0), (0, 0, 150, 200))
    return image.convert(mode)


def is_red(pixel: object) -> bool:
    red, green, blue = np.asarray(pixel)[:3]
    return bool(red > 200 and green < 60 and blue < 60)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("PNG", "RGB"), ("PNG", "RGBA"), ("PNG", "P"), ("JPEG", "RGB"), ("JPEG", "CMYK"),
        ("GIF", "P"), ("WEBP", "RGB"), ("WEBP", "RGBA"), ("BMP", "RGB"), ("TIFF", "RGB"),
        ("TIFF", "CMYK"), ("TIFF", "YCbCr"), ("TIFF", "LAB"),
    ],
)  # fmt: skip
def test_every_format_keeps_its_colours(kind: str, mode: str) -> None:
    if mode == "LAB":
        image = Image.merge("LAB", [half_red("L")] * 3)
        assert drawn(encoded(image, kind)).mode == "RGB"
        return
    data = encoded(half_red(mode), kind)
    if mode == "YCbCr" and PIL.__version__ < "13":  # It reads none.
        assert refused(data) == f"a.png {DAMAGED}"
        return
    shown = drawn(data)
    assert shown.size == (300, 200) and shown.format in ("PNG", "JPEG")
    assert is_red(shown.convert("RGB").getpixel((20, 100)))
    assert not is_red(shown.convert("RGB").getpixel((280, 100)))


@pytest.mark.parametrize("mode", ["L", "LA", "1", "I", "I;16", "F"])
def test_grey_pictures_of_any_depth_can_be_seen(mode: str) -> None:
    values = np.linspace(0, 200, 300 * 200).reshape(200, 300)
    if mode == "I;16":
        image = Image.fromarray((values * 60).astype(np.uint16))
    elif mode in ("I", "F"):
        image = Image.fromarray(values.astype(np.int32 if mode == "I" else np.float32))
    else:
        image = Image.fromarray(values.astype(np.uint8)).convert(mode)
    assert image.mode == mode
    shown = np.asarray(drawn(encoded(image, "TIFF")).convert("L"))
    assert shown[-20:].mean() - shown[:20].mean() > 100


def test_what_is_transparent_is_white() -> None:
    shown = drawn(encoded(Image.new("RGBA", (200, 200), (0, 0, 0, 0)))).convert("RGB")
    assert shown.getpixel((100, 100)) == (255, 255, 255)
    palette = Image.new("P", (200, 200), 0)
    shown = drawn(encoded(palette, "GIF", transparency=0)).convert("RGB")
    assert shown.getpixel((100, 100)) == (255, 255, 255)
    grey = encoded(Image.new("L", (200, 200), 77), "PNG", transparency=77)
    assert drawn(grey).convert("RGB").getpixel((100, 100)) == (255, 255, 255)


UPRIGHT = [
    *((kind, "RGB") for kind in ("JPEG", "PNG", "WEBP", "TIFF")),
    ("PNG", "P"),
    ("TIFF", "P"),
]


@pytest.mark.full
@pytest.mark.parametrize(("kind", "mode"), sampled(UPRIGHT, 5, seed=1))
@pytest.mark.parametrize("factor", [1, 10])
def test_a_picture_stands_upright(kind: str, mode: str, factor: int) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turn a quarter to the right
    image = half_red().resize((300 * factor, 200 * factor)).convert(mode)
    shown = drawn(encoded(image, kind, exif=exif)).convert("RGB")
    assert shown.height == min(300 * factor, LARGEST_SHOWN)
    assert abs(shown.width - shown.height * 2 / 3) <= 1
    assert is_red(shown.getpixel((shown.width // 2, 20)))
    assert not is_red(shown.getpixel((shown.width // 2, shown.height - 20)))


def test_tiny_picture_is_enlarged_without_smoothing() -> None:
    image = Image.new("L", (2, 2), 0)
    image.putpixel((0, 0), 255)
    shown = drawn(encoded(image)).convert("L")
    assert shown.width >= SMALLEST_SHOWN
    assert {color for _, color in shown.getcolors() or ()} == {0, 255}


@pytest.mark.parametrize("size", [8, 10, 28, 100])
def test_each_pixel_of_a_tiny_picture_is_a_square_of_the_screen(size: int) -> None:
    greys = (np.random.default_rng(5).integers(0, 17, (size, size)) * 15).astype(np.uint8)
    shown = np.asarray(drawn(encoded(Image.fromarray(greys))).convert("L"))
    factor = len(shown) // size
    assert SMALLEST_SHOWN <= len(shown) <= SMALLEST_SHOWN + size
    assert (shown == np.kron(greys, np.ones((factor, factor), dtype=np.uint8))).all()


@pytest.mark.parametrize("mode", ["RGB", "P", "1"])
def test_a_large_picture_is_made_smaller(mode: str) -> None:
    shown = drawn(encoded(Image.new(mode, (2400, 600))))
    assert shown.size == (LARGEST_SHOWN, 400) and shown.format == "JPEG"


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_metadata_is_not_passed_on(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "secret place"
    info = PngInfo()
    info.add_text("comment", "secret place")
    options = {"exif": exif, **({"pnginfo": info} if kind == "PNG" else {})}
    data = encoded(half_red(), kind, **options)
    assert b"secret place" in data
    found = decode(data, "a")
    assert isinstance(found, Picture)
    assert b"secret place" not in found.data and b"Exif" not in found.data


def test_only_the_first_of_several_pictures_is_shown_and_it_says_so() -> None:
    frames = [Image.new("L", (200, 200), grey) for grey in (0, 255)]
    found = decode(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]), "a")
    assert isinstance(found, Picture)
    assert found.note == "Only the first of its pictures is shown."
    assert Image.open(io.BytesIO(found.data)).convert("L").getpixel((9, 9)) == 0
    still = decode(encoded(frames[0], "GIF"), "a")
    assert isinstance(still, Picture) and still.note == ""


def png_claiming(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    size = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(20_000, 20_000), (50_001, 1_000), (12_000, 9_000)])
def test_too_many_pixels_are_refused_before_they_are_decoded(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(image: Image.Image) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", load)
    assert refused(png_claiming(*size)) == (
        f"a.png has more than {MOST_PIXELS:,} pixels, the most that is shown."
    )


def test_a_bomb_of_compressed_text_is_refused() -> None:
    info = PngInfo()
    info.add_text("comment", "x" * 3_000_000, zip=True)
    assert "damaged" in refused(encoded(half_red(), "PNG", pnginfo=info))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_a_truncated_file_is_refused(kind: str) -> None:
    noise = np.random.default_rng(1).integers(0, 255, (200, 300, 3), dtype=np.uint8)
    data = encoded(Image.fromarray(noise), kind)
    assert refused(data[: len(data) // 2]) == f"a.png {DAMAGED}"


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"", "is not a PNG"),
        (b"hello", "is not a PNG"),
        (b"<?xml version='1.0'?><svg xmlns='x'><script/></svg>", "is an SVG picture"),
        (encoded(Image.new("RGB", (9, 9)), "ICO"), "is not a PNG"),
        (encoded(Image.new("RGB", (9, 9)), "PDF"), "is not a PNG"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "is not a PNG"),
    ],
)
def test_other_formats_are_refused(data: bytes, rule: str) -> None:
    assert refused(data).startswith(f"a.png {rule}")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_damaged_bytes_never_raise(kind: str) -> None:
    random = Random(5)
    exif = Image.Exif()
    exif[0x0112] = 6
    options = {"exif": exif} if kind not in ("GIF", "BMP") else {}
    whole = encoded(half_red().resize((40, 30)), kind, **options)
    outcomes = set()
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(random.randint(1, 12)):
            data[random.randrange(len(data))] = random.randrange(256)
        outcomes.add(type(decode(bytes(data), "a")))
    assert outcomes <= {Picture, Refusal} and Refusal in outcomes


def address(data: bytes, kind: str = "png") -> str:
    return f"data:image/{kind};base64," + base64.b64encode(data).decode()


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp"])
def test_a_data_address_is_a_picture(kind: str, tmp_path: object) -> None:
    found = form_of(address(encoded(half_red(), kind.upper()), kind), Folders(tmp_path))
    assert isinstance(found, Picture)


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (PREFIX + base64.b64encode(b"no picture").decode(), "is not a PNG"),
        (address(b"<svg/>", "svg+xml"), "is an SVG picture"),
        (address(b"<svg/>", "png"), "is an SVG picture"),
        (address(encoded(Image.new("RGB", (30, 30)))[:-40]), "is damaged"),
        (address(png_claiming(20_000, 20_000)), "has more than 50,000,000 pixels"),
    ],
)
def test_a_data_address_that_is_no_picture_says_why(
    value: str, rule: str, tmp_path: object
) -> None:
    found = form_of(value, Folders(tmp_path))
    assert isinstance(found, Refusal) and found.sentence.startswith(f"{NAMED} {rule}")


def test_a_data_address_too_long_is_not_decoded(tmp_path: object) -> None:
    found = form_of(PREFIX + "A" * 12_000_000, Folders(tmp_path))
    assert found == Refusal(f"{NAMED} has more than 12,000,000 characters, the most that is read.")
