"""Every sentence of the product, one table per concept. Importing it gives results their words."""

from collections.abc import Callable
from typing import Any

from labelcore.results.agreement import PeopleAgree
from labelcore.results.base import sentence
from labelcore.results.calibration import Calibration
from labelcore.results.cells import Table
from labelcore.results.curves import Band, CheapestCut, Cut
from labelcore.results.in_common import ErrorsInCommon
from labelcore.results.label_error import Agreement, LabelError, TrueFigure
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.words.agreement import agree_sentence
from labelcore.words.calibration import calibration_sentence
from labelcore.words.choices import choice_sentence
from labelcore.words.claims import claim_sentence
from labelcore.words.curves import band_sentence, cheapest_sentence, cut_sentence
from labelcore.words.differences import difference_sentence
from labelcore.words.in_common import in_common_sentence
from labelcore.words.label_error import agreement_sentence, error_sentence, figure_sentence
from labelcore.words.lists import list_sentence
from labelcore.words.sentences import by_which_rule, estimate_sentence
from labelcore.words.tables import table_sentence
from labelcore.words.unsure import odds_words


def _estimate(result: Estimate, given: str = "") -> str:
    worded = difference_sentence if result.is_difference else estimate_sentence
    return " ".join(filter(None, [worded(result, given), odds_words(result)]))


def _dated(worded: Callable[..., str]) -> Callable[..., str]:
    """The sentence, and that an earlier rule made the result where one did."""

    def whole(result: Any, given: str = "") -> str:
        return by_which_rule(worded(result, given), result.scope)

    return whole


sentence.register(Estimate, _dated(_estimate))
sentence.register(Band, band_sentence)
sentence.register(ListDifference, list_sentence)
sentence.register(Cut, cut_sentence)
sentence.register(CheapestCut, cheapest_sentence)
sentence.register(Claim, _dated(claim_sentence))
sentence.register(Choice, _dated(choice_sentence))
sentence.register(LabelError, error_sentence)
sentence.register(TrueFigure, figure_sentence)
sentence.register(Agreement, agreement_sentence)
sentence.register(PeopleAgree, agree_sentence)
sentence.register(Table, table_sentence)
sentence.register(Calibration, calibration_sentence)
sentence.register(ErrorsInCommon, in_common_sentence)
