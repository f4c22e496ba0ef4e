"""What a session tells beyond its figures once there are labels: a part of ``Session``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import pandas as pd

from labelcore.figures.calibration import calibration, corrected_scores
from labelcore.figures.confusion import confusion
from labelcore.figures.in_common import errors_in_common
from labelcore.figures.scalars import headline_stage
from labelcore.figures.strata import strata_table
from labelcore.log.engine import Engine
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.log.state import LogState
from labelcore.population import Population
from labelcore.results.calibration import Calibration
from labelcore.results.in_common import ErrorsInCommon
from labelcore.session.ledger import Ledger


class AfterLabels:
    """The methods; ``Session`` has what they rest on."""

    engine: Engine
    state: LogState
    ledger: Ledger
    population: Population

    if TYPE_CHECKING:

        def synced(self) -> AbstractContextManager[None]: ...

        def drawn_items(self) -> dict[str, dict[str, str]]: ...

    def explain(self, index: int, cause: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Say why a person's answer and a classifier differ. It changes no figure.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...
        cause
            "slip" (the answer should be another), "classifier" (its error) or "question" (it does
            not say what counts here); "" takes it back
        annotator
            the person who says so

        Raises
        ------
        AnswerError
            The item was not drawn, has no answer, or the cause is another word.
        """
        asked = self.state.asked(index)
        force = self.engine.in_force(index)
        self.ledger.record(
            "explained",
            annotator,
            index=int(index),
            item_id=self.population.id_at(asked.position),
            text=cause,
            previous=None if force is None else force.sequence,
        )

    def errors_in_common(self, classifier: str | None = None) -> ErrorsInCommon:
        """What the errors of a classifier have in common: scores, words, lengths, groups, and what
        other classifiers say.

        Parameters
        ----------
        classifier
            one with predictions; None: the first of the plan

        Returns
        -------
        ErrorsInCommon
            What chance does not explain, with intervals: about the labelled items alone.

        Raises
        ------
        ValueError
            The classifier has no predictions.

        Notes
        -----
        Promise: where errors have nothing to do with what is looked for, the chance that anything
        is told at any look is at most 1 - confidence, by permutations among items called the same
        (Westfall and Young 1993). It is looked for at half of the planned labels, at all, and
        whenever they have doubled. docs/errors.md has measurements.
        """
        with self.synced():
            kept = self.drawn_items()

            def text_of(ids: Sequence[str]) -> list[str]:
                return [" ".join(map(str, kept.get(item, {}).values())) for item in ids]

            return errors_in_common(self.engine, text_of, classifier)

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
        Promise: that of the plan, for all ranges at once, and approximate: how often the band
        misses was measured (docs/calibration.md), not proved. Ranges follow from the scores and the
        planned size. Items that are open, unsure or broken count either way.
        """
        with self.synced():
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
        with self.synced():
            return corrected_scores(self.engine, classifier)

    def strata(self) -> pd.DataFrame:
        """The strata, with the labels that the results rest on.

        Returns
        -------
        DataFrame
            A row per stratum: its size, labels, rate and share of the uncertainty.
        """
        with self.synced():
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
        with self.synced():
            return confusion(headline_stage(self.engine), classifier)
