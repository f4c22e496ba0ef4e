"""Trials: a trial's project in one click, and after Finish the truth, and how often it is hit."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from labelcore.plan.plan import Plan
from labelcore.planning.simulation import simulate
from labelcore.population import Population, read_population
from labelcore.population.revealing import HIDDEN
from labelcore.results.types import Estimate
from labelcore.session.managing import free_name
from labelcore.session.session import Session
from labelcore.trials.base import Trial
from labelcore.trials.reveal import Reveal, reveal, true_shares
from labelcore.trials.table import TRIALS
from labelcore.ui import sessions
from labelcore.ui.files import files_folder

SESSIONS, SEED = 20, 1
STEPS = "You judge → the grey band closes → we show the truth"
STEPS_UNTIL = 15
"""Labels after which they need not be said any more."""
Ends = tuple[float, float]
_making = ThreadPoolExecutor(1, thread_name_prefix="trials")
_kept: dict[tuple[str, ...], Future[Any]] = {}


def _beside(key: tuple[str, ...], work: Callable[..., Any], *given: object) -> Future[Any]:
    """What is made once, beside what is going on; what failed is tried again."""
    made = _kept.get(key)
    if made is None or (made.done() and made.exception() is not None):
        made = _kept[key] = _making.submit(work, *given)
    return made


def _data(name: str) -> Future[bytes]:
    """The file of a trial: its classifiers are trained for it."""
    return _beside((name,), _made, TRIALS[name])


def _made(trial: Trial) -> bytes:
    """And read once: the first file has a server import and start what reads files."""
    data = trial.to_bytes()
    with TemporaryDirectory() as folder:
        read_population(trial.write(Path(folder), data), **trial.read_arguments)
    return data


def make_ready() -> None:
    """Begin to make the trials' files, so that whoever presses need not wait."""
    for name in TRIALS:
        _data(name)


def start_trial(name: str) -> str:
    """Write the trial's file, create its project; returns the project's name."""
    trial = TRIALS[name]
    folder = files_folder() / "trials"
    folder.mkdir(parents=True, exist_ok=True)
    path = trial.write(folder, _data(name).result())
    population = read_population(path, **trial.read_arguments)
    project = free_name(sessions.store(), trial.label)
    settings = {
        "question": trial.question,
        "instructions": trial.instructions,
        "answer_words": [trial.positive_words, trial.negative_words],
        "used_for_training": "no",
        "trial": name,
        "seconds": trial.seconds,
        **({HIDDEN: dict(trial.hidden)} if trial.hidden else {}),
    }
    sessions.registry().create(project, population, trial.plan, settings)
    return project


def is_trial(session: Session) -> bool:
    """Whether the truth about its file is known and shown at the end."""
    return str(session.settings.get("trial", "")) in TRIALS


def steps(session: Session) -> str:
    """What a trial is, for its first labels; "" elsewhere. After these the sessions that its end
    shows are simulated, while one labels."""
    if not is_trial(session):
        return ""
    if session.labels < STEPS_UNTIL:
        return STEPS
    _others(session)
    return ""


def simulated(session: Session) -> list[Ends]:
    """The intervals of the first figure that other sessions of a trial's plan end with, answered by
    the truth."""
    return _others(session).result()


def _others(session: Session) -> Future[list[Ends]]:
    trial, population = TRIALS[str(session.settings["trial"])], session.population
    key = population.fingerprint, session.plan.to_json()
    return _beside(key, _intervals, population, session.plan, trial.truth_column)


def _intervals(population: Population, plan: Plan, truth: str) -> list[Ends]:
    runs = simulate(population, plan, truth=truth, runs=SESSIONS, seed=SEED).runs
    first = [next(iter(run.results.values())) for run in runs]
    return [(estimate.low, estimate.high) for estimate in first if isinstance(estimate, Estimate)]


def reveals(session: Session) -> list[Reveal]:
    """The truth beside each estimate; empty unless this is a finished trial."""
    return reveal(session, trial) if (trial := _ended(session)) else []


def truths(session: Session, column: str) -> dict[str, float]:
    """The true share of each group of a column; empty unless this is a finished trial."""
    return true_shares(session, trial, column) if (trial := _ended(session)) else {}


def _ended(session: Session) -> Trial | None:
    trial = TRIALS.get(str(session.settings.get("trial", "")))
    return trial if session.status.over else None
