"""Answers of several systems to the same prompts, judged by a model, with the truth."""

import numpy as np
import pandas as pd

import labelcore as lc
from tests.grouped import from_file

SYSTEMS = {"alpha": 0.9, "beta": 0.4, "gamma": 0.4, "delta": 0.0, "epsilon": -0.6}
"""How good each is, as a logit; beta and gamma are equally good."""


def judged_frame(
    prompts: int = 1_000, seed: int = 5, systems: dict[str, float] = SYSTEMS, *,
    shared: float = 1.0, noise: float = 1.2, lenient: float = 0.4, chance: float = 0.5,
    hard: float = 1.0,
) -> pd.DataFrame:  # fmt: skip
    """Columns id, prompt, model, answer, score, verdict and truth.

    shared    how much of what makes an answer good lies in the prompt and the judge does not see
    noise     of the judge's score
    lenient   how much too kind it is
    chance    how much of what makes an answer good nobody sees
    hard      how much of what the judge sees lies in the prompt
    """
    random = np.random.default_rng(seed)
    prompt, unseen = random.normal(0, hard, prompts), random.normal(0, shared, prompts)
    rows = []
    for name, skill in systems.items():
        seen = skill + prompt + random.normal(0, 1.0, prompts)
        truth = seen + unseen + random.logistic(0, chance, prompts) > 0
        score = 1 / (1 + np.exp(-(seen + lenient + random.normal(0, noise, prompts))))
        rows.append(
            pd.DataFrame(
                {
                    "id": [f"{name}-{at}" for at in range(prompts)],
                    "prompt": [f"p{at}" for at in range(prompts)],
                    "model": name,
                    "answer": "an answer",
                    "score": score,
                    "truth": truth.astype(int),
                }
            )
        )
    return pd.concat(rows, ignore_index=True)


def judged(frame: pd.DataFrame, **arguments: object) -> lc.Population:
    """The population of such a frame, with the classifier judge."""
    given = {
        "id": "id", "content": "answer", "scores": {"judge": "score"},
        "thresholds": {"judge": 0.5}, "groups": ("model",), "prompt": "prompt", **arguments,
    }  # fmt: skip
    return from_file(frame, **given)
