"""Learning from the labels how far scores can be believed: a recalibration of two parameters, or of
three where other columns have a say."""

import numpy as np
from scipy.special import expit, logit

from labelcore.stats.arrays import FloatArray, IntArray

PRIOR_MEAN = np.array([0.0, 1.0])
PRIOR_PRECISION = np.array([1.0, 4.0])
SLOPE_RANGE = (0.0, 5.0)
RANGES = ((-np.inf, np.inf), SLOPE_RANGE)
EVIDENCE_MEAN, EVIDENCE_PRECISION = 0.3, 4.0
EVIDENCE_RANGE = (-3.0, 5.0)
LEVEL_PRECISION = 1.0
GROUP_PRECISION = 4.0
STEPS = 50


def recalibrate(
    probability: FloatArray,
    positive: FloatArray,
    labelled: FloatArray,
    evidence: FloatArray | None = None,
    level: FloatArray | None = None,
    group: IntArray | None = None,
) -> FloatArray:
    """Rates theta_k with logit theta_k = a + b logit q_k, fitted to s_k positives of n_k labels.

    Penalised maximum likelihood by iteratively reweighted least squares, with a ~ N(0, 1) and
    b ~ N(1, 1/4), b kept in [0, 5]. Only two parameters learn from the labels, so that the number
    drawn from a stratum is hardly correlated with the error of its own rate: that keeps the
    estimate nearly unbiased where allocation by each stratum's own variance does not.
    Where b ends at 0, as with scores that order the items the wrong way round, a is no optimum:
    rates came out up to .4 from it, so that labels are shared out worse.

    With ``evidence`` z_k the fit is a + b logit q_k + c z_k, c ~ N(0.3, 1/4) in [-3, 5]: evidence
    that points the wrong way is of use, too. With ``level`` l_k, a mark of some strata, it is
    + d l_k, d ~ N(0, 1). With ``group`` g_k each group has a level e_g ~ N(0, 1/4) of its own.

    probability   (n_strata,), q_k in (0, 1); positive, labelled (..., n_strata)
    evidence      (n_strata,) or, with a slope for each column, (n_strata, n_columns): what other
                  columns say beyond the scores; None: there are none
    level         (n_strata,), 0 or 1; None: no stratum is marked
    group         (n_strata,), the group that the items of each belong to; None: they are all alike
    Returns       (..., n_strata)
    Source:       ridge logistic regression, le Cessie and van Houwelingen (1992).
    """
    x = np.column_stack([np.ones(len(probability)), logit(probability)])
    mean, precision, low, high = PRIOR_MEAN, PRIOR_PRECISION, *np.array(RANGES).T
    if evidence is not None:
        known, x = x.shape[1], np.column_stack([x, evidence])
        more = np.ones(x.shape[1] - known)
        mean = np.append(mean, EVIDENCE_MEAN * more)
        precision = np.append(precision, EVIDENCE_PRECISION * more)
        low = np.append(low, EVIDENCE_RANGE[0] * more)
        high = np.append(high, EVIDENCE_RANGE[1] * more)
    if level is not None:
        x = np.column_stack([x, level])
        mean, precision = np.append(mean, 0.0), np.append(precision, LEVEL_PRECISION)
        low, high = np.append(low, -np.inf), np.append(high, np.inf)
    if group is not None:
        member = np.equal(group[:, None], np.arange(group.max() + 1)).astype(float)
        known, x = x.shape[1], np.column_stack([x, member])
        mean, precision = (
            np.append(mean, member[0] * 0),
            np.append(precision, member[0] * 0 + GROUP_PRECISION),
        )
        low, high = np.append(low, member[0] * 0 - np.inf), np.append(high, member[0] * 0 + np.inf)
    if positive.ndim > 1:
        return _of_runs(x, positive, labelled, mean, precision, (low, high))
    beta = mean.copy()
    for _ in range(STEPS):
        rate = expit(x @ beta)
        gradient = x.T @ (positive - labelled * rate) - precision * (beta - mean)
        weight = labelled * rate * (1 - rate)
        hessian = (x * weight[:, None]).T @ x + np.diag(precision)
        step = np.linalg.solve(hessian, gradient)
        scale = min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        new = np.clip(beta + scale * step, low, high)
        if np.max(np.abs(new - beta)) < 1e-10:
            beta = new
            break
        beta = new
    return np.asarray(expit(x @ beta))


def _of_runs(
    x: FloatArray,
    positive: FloatArray,
    labelled: FloatArray,
    mean: FloatArray,
    precision: FloatArray,
    range_: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """The same steps for several runs at once, (n_runs, n_strata); to the last digits a sum may
    come out otherwise, so that a session, whose log must draw the same items again, keeps to one.
    """
    beta, going = np.tile(mean, (len(positive), 1)), np.ones(len(positive), dtype=bool)
    squares = (x[:, :, None] * x[:, None, :]).reshape(len(x), -1)
    square = x.shape[1], x.shape[1]
    for _ in range(STEPS):
        rate = expit(beta @ x.T)
        gradient = (positive - labelled * rate) @ x - precision * (beta - mean)
        weight = labelled * rate * (1 - rate)
        hessian = (weight @ squares).reshape(-1, *square) + np.diag(precision)
        step = np.linalg.solve(hessian, gradient[..., None])[..., 0]
        longest = np.maximum(np.abs(step).max(axis=1, keepdims=True), 1e-12)
        new = np.clip(beta + np.minimum(1.0, 2.0 / longest) * step, *range_)
        moved = np.abs(new - beta).max(axis=1)
        beta = np.where(going[:, None], new, beta)
        going &= moved >= 1e-10
        if not going.any():
            break
    return np.asarray(expit(beta @ x.T))
