"""Run by test_ledger.py: label one project together with other processes."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import labelcore as lc


def main(url: str, project: str, annotator: str) -> None:
    session = lc.Session.open(url, project)
    draw = session.next(annotator)
    print("ready", flush=True)
    sys.stdin.readline()
    served = []
    while draw is not None:
        served.append(draw.item_id)
        session.answer(draw, len(served) % 2 == 0)
        draw = session.next(annotator)
    print(json.dumps({"served": served, "asked": len(session.engine.asked)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
