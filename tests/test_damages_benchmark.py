"""What is done to stores is found, the same in both, where it can be; `docs/damages.md` has all."""

from itertools import product

import pytest

from benchmarks.damages import KINDS, STORES, damage
from labelcore.store.anchor import ANCHOR
from labelcore.store.signing import KEY
from tests import postgres
from tests.cases import sampled

UNSEEN = {
    "tail deleted, seals of then put back",
    "the same, seals, key and backups deleted",
    "the same, seals by the key, backups made anew",
    "an older dump put back with the seals of then",
    "an older dump put back with seals and backups of then",
    "older seals put back",
}
"""By whoever can write to the folder and reads the key that lies in it; only an anchor tells."""
FEW = (
    "tail deleted, seals deleted",
    "the same, seals, key and backups deleted",
    "an older dump put back with seals and backups of then",
    "the question forged",
    "the snapshot replaced by another one",
)


@pytest.mark.parametrize(
    ("store", "anchored", "kinds"),
    sampled(
        product(STORES, [False, True], [FEW, [*KINDS]]), 1, seed=1, keep=[("sqlite", False, FEW)]
    ),
)
def test_all_is_found_with_an_anchor_and_without_one_all_that_can_be(
    store: str, anchored: bool, kinds: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    if store == "postgresql" and (reason := postgres.why_not()):
        pytest.skip(reason)
    monkeypatch.setenv(ANCHOR, "")
    monkeypatch.setenv(KEY, "")
    rows = damage(store, anchored, kinds)
    assert all(one["whole before"] for one in rows)
    unseen = {one["kind"] for one in rows if not (one["verify"] or one["opening"] or one["report"])}
    assert unseen == (set() if anchored else UNSEEN & set(kinds))
