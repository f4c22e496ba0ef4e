"""The real files, with their classifiers."""

from dataclasses import dataclass
from pathlib import Path

import labelcore as lc


@dataclass(frozen=True)
class RealFile:
    name: str
    content: tuple[str, ...]
    classifiers: tuple[str, ...]

    def population(self, folder: Path) -> lc.Population:
        return lc.read_population(
            folder / self.name,
            id="id",
            content=list(self.content),
            scores={name: f"score_{name}" for name in self.classifiers},
            predictions={name: f"pred_{name}" for name in self.classifiers},
        )


FILES = (
    RealFile("newsgroups_med.csv.gz", ("text",), ("lr", "svm", "nb", "vote")),
    RealFile("ppdb_pairs.csv.gz", ("phrase1", "phrase2"), ("model", "cosine")),
    RealFile("product_pairs.parquet", ("amazon", "google"), ("gbm", "lr", "title", "vote")),
)
