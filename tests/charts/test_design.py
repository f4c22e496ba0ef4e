"""The design is in one place, can be read in light and dark, and its page is fresh."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from docs.make_design import MADE
from labelcore.charts.base import Chart
from labelcore.charts.design import DARK, LIGHT, TYPE, Theme, roles
from labelcore.charts.drawing import Band, Drawing, Line, Remark

ONE = np.ones(1)
TEXT, MARK, BAND_SEEN = 4.5, 3.0, 1.25
Colour = tuple[float, float, float, float]


def read(colour: str) -> Colour:
    """Red, green, blue and cover, from 0 to 1."""
    if colour.startswith("#"):
        red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        return red, green, blue, 1.0
    red, green, blue, cover = (float(one) for one in re.findall(r"[\d.]+", colour))
    return red / 255, green / 255, blue / 255, cover


def luminance(colour: str, ground: str) -> float:
    """Of a colour that lies on ``ground``, as WCAG 2 defines it."""
    *top, cover = read(colour)
    mixed = [a * cover + b * (1 - cover) for a, b in zip(top, read(ground)[:3], strict=True)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in mixed]
    return sum(a * b for a, b in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(colour: str, ground: str) -> float:
    high, low = sorted((luminance(colour, ground), luminance(ground, ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def too_faint(theme: Theme) -> list[str]:
    texts = [theme.ink, theme.quiet, theme.warn]
    needed = [(one, ground, TEXT) for one in texts for ground in (theme.ground, theme.panel)]
    needed += [(theme.series[0], theme.ground, TEXT)]  # A link of the report has it.
    needed += [(one, theme.ground, MARK) for one in theme.series]
    needed += [(one, theme.ground, BAND_SEEN) for one in (theme.band, theme.noise, theme.uncalled)]
    return [f"{one} on {ground}" for one, ground, least in needed if contrast(one, ground) < least]


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)
    assert contrast("rgba(0, 0, 0, 0.5)", "#FFFFFF") == pytest.approx(3.98, abs=0.03)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_everything_can_be_seen(theme: Theme) -> None:
    assert too_faint(theme) == []


def test_the_colours_of_one_theme_do_not_serve_the_other() -> None:
    swapped = [LIGHT.__class__(**{**_fields(LIGHT), "ground": DARK.ground, "panel": DARK.panel})]
    swapped += [DARK.__class__(**{**_fields(DARK), "ground": LIGHT.ground, "panel": LIGHT.panel})]
    assert all(too_faint(one) for one in swapped)


def _fields(theme: Theme) -> dict[str, object]:
    return {name: getattr(theme, name) for name in Theme.__slots__}


def test_a_band_is_seen_as_well_in_dark_as_in_light() -> None:
    for light, dark in ((LIGHT.band, DARK.band), (LIGHT.noise, DARK.noise)):
        assert contrast(dark, DARK.ground) >= contrast(light, LIGHT.ground)


def test_the_theme_of_the_pages_has_the_same_grounds(root: Path) -> None:
    config = tomllib.loads((root / ".streamlit" / "config.toml").read_text("utf-8"))["theme"]
    assert config["light"]["backgroundColor"] == LIGHT.ground
    assert config["dark"]["backgroundColor"] == DARK.ground
    assert config["light"]["primaryColor"] == LIGHT.series[0]


def own_values(package: Path) -> list[str]:
    """Colours and sizes of type that are not taken from the design."""
    colour = r"(?<!&)#(?:[0-9A-Fa-f]{6}\b|[0-9A-Fa-f]{3,4}\b(?=[;\"' )]))|rgba?\("
    size = r"([\d.]+rem)"
    found = []
    for path in sorted(package.rglob("*.py")):
        if path.name == "design.py":
            continue
        text = path.read_text("utf-8").replace("rgba(0,0,0,0)", "")
        wrong = re.findall(colour, text)
        sizes = re.findall(rf"font(?:-size)?: {size}", text)
        wrong += [one for one in sizes if one.replace("rem", "") not in _sizes()]
        found += [f"{path.relative_to(package)}: {one}" for one in wrong]
    return found


def _sizes() -> set[str]:
    return {size.removesuffix("rem") for size in TYPE.values()}


def test_colours_and_sizes_come_from_the_design(root: Path, tmp_path: Path) -> None:
    assert own_values(root / "labelcore") == []
    (tmp_path / "own.py").write_text('S = "a { color: #123456; font-size: 1.07rem; }"\n', "utf-8")
    assert own_values(tmp_path) == ["own.py: #123456", "own.py: 1.07rem"]


def test_a_figure_takes_its_colours_from_the_theme() -> None:
    line, band = Line([1, 2], [1, 2], name=LIGHT.series[0]), Band(*[(ONE, ONE)] * 2, role="band")
    chart = Chart(Drawing(marks=[line, band], remarks=[Remark("a")]), "", pd.DataFrame())
    for theme in (LIGHT, DARK):
        figure = chart.plotted(theme)
        assert figure.data[0].name == LIGHT.series[0], "a text is no colour"
        assert figure.data[0].line.color == theme.series[0]
        assert figure.data[1].fillcolor == theme.band
        assert figure.layout.xaxis.gridcolor == theme.rule
        assert figure.layout.annotations[0].font.color == theme.quiet


def test_no_light_colour_has_two_roles() -> None:
    assert len(set(roles(LIGHT).values())) == len(roles(LIGHT))


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_generated_file_is_fresh(root: Path, name: str) -> None:
    there = (root / name).read_text("utf-8")
    assert there == MADE[name](), f"{name} is stale: run python -m docs.make_design"
