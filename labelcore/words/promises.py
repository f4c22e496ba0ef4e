"""The promises as a person chooses between them, and what they meant afterwards."""

from __future__ import annotations

from labelcore.promises import Promise
from labelcore.words.sentences import VALID

ALWAYS, AT_THE_END = VALID[Promise.WATCHED], VALID[Promise.FIXED]
PROMISES = {
    Promise.WATCHED: "I look while I label, and may stop when I like",
    Promise.FIXED: "I look once, when all planned labels are there",
}
PROMISE_CAPTIONS = (
    f"The interval is {ALWAYS}; in return it is about a sixth wider.",
    f"Narrower, but {AT_THE_END.format(due='the planned labels or stop')}.",
)
BAND_CAPTIONS = (
    "One band for all ranks, {valid}; in return somewhat wider.",
    f"One band for all ranks, narrower, but {AT_THE_END.format(due='the planned labels')}.",
)
ONLY_PROMISE = {
    Promise.WATCHED: f"You may look at any time and stop when you like: it is {ALWAYS}.",
    Promise.FIXED: f"This method's interval is {AT_THE_END.format(due='the planned labels')}.",
}
MEANING: dict[str, str] = {
    "until": ", so that watching and stopping early do no harm",
    Promise.WATCHED: ", so that watching and stopping early do no harm",
    Promise.FIXED: ", and none was shown before",
}
