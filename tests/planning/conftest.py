import numpy as np
import pytest
from scipy.special import expit

from labelcore.testing.known import Known, write


@pytest.fixture(scope="session")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Known:
    """Scores that are sure of positives where hardly any are: 8 % positive, recall .38."""
    random = np.random.default_rng(3)
    at = 2.5 * random.normal(size=5000) - 4.5
    truth = (random.random(5000) < expit(at)).astype(int)
    score = np.clip(expit(6 * (at + 4)), 1e-6, 1 - 1e-6)
    folder = tmp_path_factory.mktemp("saturated")
    return write(folder, truth, score=score, prediction=(at > -0.2).astype(int))
