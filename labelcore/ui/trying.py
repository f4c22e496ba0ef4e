"""Trials: a trial's project in one click, and the truth after Finish."""

from __future__ import annotations

from labelcore.population import read_population
from labelcore.session.managing import free_name
from labelcore.session.session import Session
from labelcore.trials.reveal import Reveal, reveal
from labelcore.trials.table import TRIALS
from labelcore.ui import sessions
from labelcore.ui.files import files_folder


def start_trial(name: str) -> str:
    """Write the trial's file, create its project; returns the project's name."""
    trial = TRIALS[name]
    folder = files_folder() / "trials"
    folder.mkdir(parents=True, exist_ok=True)
    population = read_population(trial.write(folder), **trial.read_arguments)
    project = free_name(sessions.store(), trial.label)
    settings = {
        "question": trial.question,
        "instructions": trial.instructions,
        "answer_words": [trial.positive_words, trial.negative_words],
        "used_for_training": "no",
        "trial": name,
        "seconds": trial.seconds,
    }
    sessions.registry().create(project, population, trial.plan, settings)
    return project


def is_trial(session: Session) -> bool:
    """Whether the truth about its file is known and shown at the end."""
    return str(session.settings.get("trial", "")) in TRIALS


def reveals(session: Session) -> list[Reveal]:
    """The truth beside each estimate; empty unless this is a finished trial."""
    trial = TRIALS.get(str(session.settings.get("trial", "")))
    return reveal(session, trial) if trial is not None and session.status.over else []
