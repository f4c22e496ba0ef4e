"""Our one style sheet: constant, never anything that comes from a file or a person."""

from labelcore.charts.design import both
from labelcore.ui.scripts import text_of

STYLE = (
    "<style>.stApp { "
    + both("ground", "border", "data", "warn", "data-3", "data-5", "data-6")
    + " }\n"
    + text_of("style.css")
    + text_of("surface.css")
    + text_of("rich.css")
    + "</style>"
)
