"""Learning from the labels how far scores can be believed: a two-parameter recalibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

FloatArray = NDArray[np.float64]

PRIOR_MEAN = np.array([0.0, 1.0])
PRIOR_PRECISION = np.array([1.0, 4.0])
SLOPE_RANGE = (0.0, 5.0)
STEPS = 50


def recalibrate(probability: FloatArray, positive: FloatArray, labelled: FloatArray) -> FloatArray:
    """Rates theta_k with logit theta_k = a + b logit q_k, fitted to s_k positives of n_k labels.

    Penalised maximum likelihood by iteratively reweighted least squares, with a ~ N(0, 1) and
    b ~ N(1, 1/4), b kept in [0, 5]. Only two parameters learn from the labels, so that the number
    drawn from a stratum is hardly correlated with the error of its own rate: that keeps the
    estimate nearly unbiased where allocation by each stratum's own variance does not.

    probability   (n_strata,), q_k in (0, 1); positive, labelled (n_strata,)
    Returns       (n_strata,)
    Source:       ridge logistic regression, le Cessie and van Houwelingen (1992).
    """
    x = np.column_stack([np.ones(len(probability)), logit(probability)])
    beta = PRIOR_MEAN.copy()
    for _ in range(STEPS):
        rate = expit(x @ beta)
        gradient = x.T @ (positive - labelled * rate) - PRIOR_PRECISION * (beta - PRIOR_MEAN)
        weight = labelled * rate * (1 - rate)
        hessian = (x * weight[:, None]).T @ x + np.diag(PRIOR_PRECISION)
        step = np.linalg.solve(hessian, gradient)
        scale = min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        new = beta + scale * step
        new[1] = np.clip(new[1], *SLOPE_RANGE)
        if np.max(np.abs(new - beta)) < 1e-10:
            beta = new
            break
        beta = new
    return np.asarray(expit(x @ beta))
