"""The files on which Kumar and Raj's findings are tried: stand-ins with known shape, real files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import norm

from benchmarks.papers.stratified_runs import Strata
from benchmarks.real_files import FILES, RealFile
from labelcore.papers.stratified.stratifications import stratify
from labelcore.papers.stratified.sureness import sureness
from labelcore.planning.truth import true_codes
from labelcore.stats.arrays import FloatArray
from labelcore.stats.orders import hash_keys

SEED = 2018
NEWS20 = "news20_binary lr"
NEWS20_FILE = RealFile("news20_binary.csv.gz", ("id",), ("lr",))
# name: items, accuracy, whether the file shows probabilities (else margins)
STAND_INS: Mapping[str, tuple[int, float, bool]] = {
    "rcv1": (700_000, 0.9532, True),
    "epsilon": (450_000, 0.88, False),
    "epsilon medium": (450_000, 0.77, False),
    "epsilon low": (450_000, 0.67, False),
}


@dataclass(frozen=True, eq=False)
class ScoredFile:
    """How sure a classifier is of each item and whether it is right, (n_items,); keys for ties."""

    name: str
    z: FloatArray
    right: NDArray[np.bool_]
    keys: NDArray[np.uint64]
    _cut: dict[tuple[str, int], Strata] = field(default_factory=dict)

    def strata(self, stratification: str, n_strata: int) -> Strata:
        found = self._cut.get((stratification, n_strata))
        if found is None:
            stratum = stratify(stratification, self.z, n_strata, self.keys.__getitem__)
            found = self._cut[stratification, n_strata] = Strata.of(stratum, self.right)
        return found

    @property
    def whole(self) -> Strata:
        """The file as one stratum: a plain random sample."""
        return Strata.of(np.zeros(len(self.right), dtype=np.int64), self.right)


def two_normal_classes(name: str, shrink: int = 1) -> ScoredFile:
    """Two classes of equal size whose scores are normal with the same spread, as far apart as the
    accuracy says, and the threshold between them; the probability of a class is then known."""
    n, accuracy, probabilities = STAND_INS[name]
    n //= shrink
    random = np.random.default_rng((SEED, list(STAND_INS).index(name)))
    distance = 2 * norm.ppf(accuracy)
    positive = random.random(n) < 0.5
    margin = random.normal(np.where(positive, distance / 2, -distance / 2), 1)
    z = expit(distance * np.abs(margin)) if probabilities else np.abs(margin)
    return ScoredFile(name, z, (margin > 0) == positive, _random_keys(random, n))


def _random_keys(random: np.random.Generator, n: int) -> NDArray[np.uint64]:
    return random.integers(0, 2**63, (n, 2)).astype(np.uint64)


def stand_ins(shrink: int = 1) -> dict[str, ScoredFile]:
    return {name: two_normal_classes(name, shrink) for name in STAND_INS}


def real_files(folder: Path, files: Sequence[RealFile] = FILES) -> dict[str, ScoredFile]:
    """Every real file and classifier of ``files``; none of a file that is not there."""
    found: dict[str, ScoredFile] = {}
    for file in files:
        short = file.name.split(".")[0]
        if not (folder / file.name).exists():
            continue
        population = file.population(folder)
        codes = true_codes(population, "true_label")
        keys = hash_keys(0, "tie", population.ids())
        for one in file.classifiers:
            z = sureness(population, one).z
            side = population.predictions[one]
            found[f"{short} {one}"] = ScoredFile(f"{short} {one}", z, codes == side, keys)
    return found
