"""Record the session that an empty start page shows: ``python -m docs.make_recording``."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from labelcore.charts.live_picture import FIRST_FIGURE
from labelcore.population import read_population
from labelcore.session.session import Session
from labelcore.trials.table import TRIALS
from labelcore.ui.session_picture import beside, picture
from labelcore.ui.start import RECORDED, TRIAL


def record() -> dict[str, Any]:
    """The chart before the first answer and after the last, and the number of answers."""
    trial = TRIALS[TRIAL]
    with TemporaryDirectory() as folder:
        path = trial.write(Path(folder), trial.to_bytes())
        population = read_population(path, **trial.read_arguments)
        with path.open(encoding="utf-8", newline="") as rows:
            truth = {row["id"]: row[trial.truth_column] for row in csv.DictReader(rows)}
        session = Session(population, trial.plan, settings={"trial": TRIAL})
        # Without the words at its first figure, which the moving edge would cut.
        begun = picture(session, beside(session), None).chart or []
        first = [part for part in begun if FIRST_FIGURE not in part]
        while (draw := session.next()) is not None:
            session.answer(draw, truth[draw.item_id])
        session.finish("")
        last = picture(session, beside(session), None).chart
        return {"labels": session.labels, "charts": [first, last]}


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(record(), separators=(",", ":")) + "\n", encoding="utf-8")
