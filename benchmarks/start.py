"""How long a program waits before Labelcore does something.

    python -m benchmarks.start [--runs 5]

Seconds of processor time in fresh processes, medians: ``import labelcore`` alone (goal: .4), and
the import, reading a CSV file of 1,000 rows and a preview together (goal: 1.5).
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.engine import write_items

ALONE = "import labelcore"
A_PLAN = """
import labelcore as lc
population = lc.read_population(sys.argv[1], id="id", content=["text"],
    scores={"a": "score_a"}, predictions={"a": "pred_a"})
plan = lc.Plan("recalibrated_neyman", ["accuracy", "precision", "recall", "f1"], budget=200)
lc.preview(population, plan)
"""
CLOCK = "import sys, time\nstart = time.process_time()\n{}\nprint(time.process_time() - start)"


def seconds(code: str, path: Path, runs: int) -> float:
    """Median over fresh processes."""
    command = [sys.executable, "-c", CLOCK.format(code), str(path)]
    done = (
        subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(runs)
    )
    return median(float(one.stdout) for one in done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        write_items(path, 1_000)
        alone, plan = (seconds(code, path, options.runs) for code in (ALONE, A_PLAN))
    print("| what | processor time | goal |\n|---|---|---|")
    print(f"| `import labelcore` | {alone:.2f} s | 0.4 s |")
    print(f"| import, 1,000 rows of CSV, a preview | {plan:.2f} s | 1.5 s |")
    print(f"\n{platform.machine()}, Python {platform.python_version()}; medians of {options.runs}.")


if __name__ == "__main__":
    main()
