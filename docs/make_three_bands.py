"""One list, three methods of a precision curve, three sizes, drawn with what each promises.

    python -m docs.make_three_bands [FOLDER]

Writes docs/three_bands.svg. FOLDER holds ppdb_pairs.csv.gz, by default ../shared/data. The
list is that file by ``score_model``, answered by its labels; seed 1.
"""

import sys
from pathlib import Path

import numpy as np

import labelcore as lc
from labelcore.designs import DESIGNS
from labelcore.planning.truth import true_codes

ROOT = Path(__file__).resolve().parents[1]
SIZES = (200, 1_000, 5_000)
METHODS = {
    "geometric_strata": ("Geometric strata", "#0072b2", "95 % sure at all ranks together"),
    "paula": ("PAULA", "#d55e00", "if precision falls along the list; no chance of error stated"),
    "random_curve": ("Random sample of a list", "#555555", "95 % sure at all ranks, strict"),
}
WIDE, HIGH, LEFT, TOP, BETWEEN = 280, 190, 40, 84, 24
FROM = 10
COARSE = 1.6
"""How much further each stratum ends at the smallest size, which has too few labels for 1.25."""


def answered(population: lc.Population, truth: np.ndarray, plan: lc.Plan) -> lc.Session:
    session = lc.Session(population, plan)
    while (draw := session.next()) is not None and session.labels < session.plan.planned:
        session.answer(draw, population.classes[truth[population.position(draw.item_id)]])
    return session


def plan_of(name: str, size: int, n_items: int) -> lc.Plan:
    if name == "paula":
        one = min(DESIGNS[name].sizes(n_items), key=lambda one: abs(one.labels - size))
        return lc.Plan(name, ["precision_curve"], classifier="model", params=one.params, seed=1)
    params = {"growth": COARSE} if name == "geometric_strata" and size == SIZES[0] else {}
    return lc.Plan(
        name, ["precision_curve"], classifier="model", budget=size, params=params, promise="fixed",
        seed=1,
    )  # fmt: skip


def path(x: np.ndarray, y: np.ndarray, panel: int, n_items: int) -> str:
    across = np.log(np.maximum(x, FROM) / FROM) / np.log(n_items / FROM)
    left = LEFT + panel * (WIDE + BETWEEN)
    places = zip(left + WIDE * across, TOP + HIGH * (1 - np.asarray(y)), strict=True)
    return "M" + " L".join(f"{a:.1f},{b:.1f}" for a, b in places)


def drawn(folder: Path) -> str:
    population = lc.read_population(
        folder / "ppdb_pairs.csv.gz", id="id", content=["phrase1", "phrase2"],
        scores={"model": "score_model"}, predictions={"model": "pred_model"},
    )  # fmt: skip
    truth, n_items = true_codes(population, "true_label"), len(population)
    width = LEFT + 3 * WIDE + 2 * BETWEEN + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{TOP + HIGH + 40}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    ]
    for row, (name, colour, promise) in enumerate(METHODS.values()):
        parts.append(f'<text x="{LEFT}" y="{16 + 15 * row}" fill="{colour}">{name}: '
                     f"{promise}</text>")  # fmt: skip
    for panel, size in enumerate(SIZES):
        said, left = [], LEFT + panel * (WIDE + BETWEEN)
        parts.append(f'<rect x="{left}" y="{TOP}" width="{WIDE}" height="{HIGH}" fill="none" '
                     'stroke="#ccc"/>')  # fmt: skip
        for name, (label, colour, _) in METHODS.items():
            session = answered(population, truth, plan_of(name, size, n_items))
            band = session.band("precision", session.curve())
            there = band.x >= FROM
            for end in (band.low, band.high):
                line = path(band.x[there], end[there], panel, n_items)
                parts.append(f'<path d="{line}" fill="none" stroke="{colour}"/>')
            said.append(f"{label.split()[0]} {session.labels:,}")
            order = session.engine.rank_order
            print(f"{size:,}: {label}, {session.labels:,} labels, mean width "
                  f"{100 * np.mean((band.high - band.low)[there]):.1f} points")  # fmt: skip
        ranks = np.unique(np.geomspace(FROM, n_items, 300).astype(int))
        positive = population.classes.index(population.positive)
        true = np.cumsum(truth[order] == positive)[ranks - 1] / ranks
        parts.append(f'<path d="{path(ranks, true, panel, n_items)}" fill="none" stroke="black" '
                     'stroke-dasharray="2 2"/>')  # fmt: skip
        parts.append(f'<text x="{left}" y="{TOP - 8}">{" · ".join(said)} labels</text>')
        for rank in (10, 100, 1_000, 10_000):
            at = left + WIDE * np.log(rank / FROM) / np.log(n_items / FROM)
            parts.append(f'<text x="{at:.0f}" y="{TOP + HIGH + 14}">{rank:,}</text>')
    for share in (0, 50, 100):
        at = TOP + HIGH * (1 - share / 100) + 4
        parts.append(f'<text x="{LEFT - 6}" y="{at:.0f}" text-anchor="end">{share}</text>')
    parts.append(f'<text x="{LEFT}" y="{TOP + HIGH + 32}">first items by score (log scale); '
                 "precision in %, the dashed line is the truth</text></svg>\n")  # fmt: skip
    return "".join(parts)


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "data"
    (ROOT / "docs" / "three_bands.svg").write_text(drawn(given), "utf-8")
