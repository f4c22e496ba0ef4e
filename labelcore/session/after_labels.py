"""What a session tells beyond its figures once there are labels: a part of ``Session``."""

from __future__ import annotations

from contextlib import AbstractContextManager

import pandas as pd

from labelcore.figures.calibration import calibration, corrected_scores
from labelcore.figures.confusion import confusion
from labelcore.figures.scalars import headline_stage
from labelcore.figures.strata import strata_table
from labelcore.log.engine import Engine
from labelcore.results.calibration import Calibration


class AfterLabels:
    """The methods; ``Session`` has what they rest on."""

    engine: Engine

    def _synced(self) -> AbstractContextManager[None]:
        raise NotImplementedError

    def calibration(self, classifier: str | None = None) -> Calibration:
        """Of the items with about the same score, how many are positive, for every score.

        Parameters
        ----------
        classifier
            one with a score; None: the first of the plan

        Returns
        -------
        Calibration
            Ranges of the score with a band for all of them together.

        Raises
        ------
        ValueError
            The classifier has no score, the file several classes, or the method's labels are no
            random sample at each score.

        Notes
        -----
        Promise: the chance that the band ever misses any of its shares, at whichever looks, is at
        most 1 - confidence, for every file and every method whose labels are a random sample of
        each stratum. Ranges follow from the scores and the planned size. Items that are open,

        """
        with self._synced():
            return calibration(self.engine, classifier)

    def corrected_scores(self, classifier: str | None = None) -> pd.DataFrame:
        """Every item's score turned into a probability by the labels: an estimate without a
        promise.

        Parameters
        ----------
        classifier
            as in ``calibration``

        Returns
        -------
        DataFrame
            id, score, corrected: the least squares fit that rises with the score, to the labels,
            each weighted by the items that it stands for (``labels_table``). In file order.

        Raises
        ------
        ValueError
            As ``calibration``, or no item has a label yet.

        Notes
        -----
        Source: Zadrozny and Elkan (2002), isotonic regression.
        """
        with self._synced():
            return corrected_scores(self.engine, classifier)

    def strata(self) -> pd.DataFrame:
        """The strata, with the labels that the results rest on.

        Returns
        -------
        DataFrame
            A row per stratum: its size, labels, rate and share of the uncertainty.
        """
        with self._synced():
            return strata_table(headline_stage(self.engine))

    def confusion(self, classifier: str | None = None) -> pd.DataFrame:
        """How many items of each predicted class truly belong to each class, estimated.

        Parameters
        ----------
        classifier
            one that the plan names; None: the first

        Returns
        -------
        DataFrame
            Estimated items of the file by predicted class (rows) and true class (columns), and a
            last column for items in strata without a label. Each row sums to the known number of
            items that are predicted so. Values without intervals.

        Raises
        ------
        ValueError
            The plan does not name the classifier, or it has neither a prediction nor a threshold.
        """
        with self._synced():
            return confusion(headline_stage(self.engine), classifier)
