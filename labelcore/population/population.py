"""The items of one file: ids, scores and predictions in memory, all else looked up by id."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from labelcore.population.classes import Codes
from labelcore.population.copies import TakenFile, TemporaryCopy
from labelcore.population.dialect import Dialect
from labelcore.population.duplicates import Duplicates, find_duplicates
from labelcore.population.groups import Group
from labelcore.population.helpers import Helper
from labelcore.population.ids import Ids, SomeIds
from labelcore.population.kept import Kept, Recent
from labelcore.population.opinions import Features, Opinion
from labelcore.population.table_file import TableFile
from labelcore.population.text import as_text, listing, shorten
from labelcore.stats.md5 import Texts
from labelcore.stats.orders import counted, narrow

ORDERS = Kept(Recent[NDArray[np.int64]])
CALLED = Kept(Recent[dict[tuple[str, ...], int]])


@dataclass(frozen=True, slots=True)
class FileState:
    """Size in bytes and time of the last change, to notice a file that is not the one read."""

    size: int
    changed_at: int

    @classmethod
    def of(cls, *paths: Path) -> FileState:
        """The state now, of several parts together. Raises FileNotFoundError if one is gone."""
        states = []
        for path in paths:
            try:
                status = os.stat(path)
            except FileNotFoundError:
                raise FileNotFoundError(f"{path}: there is no such file") from None
            states.append(cls(status.st_size, status.st_mtime_ns))
        if len(states) == 1:
            return states[0]
        return cls(sum(state.size for state in states), crc32(repr(states).encode()))


OF_A_JUDGE = re.compile(r"judge|verdict", re.IGNORECASE)


def judged(arguments: Mapping[str, Any]) -> bool:
    """Whether a file was read as one of answers that a model judged: by its prompts, by what counts
    as passing, or by what its columns of verdicts are called.

    >>> judged({"predictions": {"gpt": "judge_verdict"}}), judged({"predictions": {"lr": "said"}})
    (True, False)
    """
    called = (arguments.get("predictions") or {}).values()
    by_name = any(OF_A_JUDGE.search(str(column)) for column in called)
    return bool(arguments.get("prompt") or arguments.get("passing") or by_name)


@dataclass(frozen=True, eq=False, repr=False)
class Population:
    """A file as it was read. ``labelcore.read_population`` makes it.

    Positions count items from 0 in file order; ids are text.

    Attributes
    ----------
    name, path
        the file's name without folders, and where it is
    fingerprint
        SHA-256 over the bytes of the file and the arguments, hexadecimal
    arguments
        JSON values; ``read_population(path, **arguments)`` reads the same population
    classes, positive
        two or more names, and the one that counts as positive
    content_columns, metadata_columns
        what a person judges, and what may be looked up beside it
    classifiers
        in the order given
    scores
        classifier -> (n_items,), the scores as in the file, for classifiers with a score
    predictions
        classifier -> (n_items,), index into classes, for classifiers with a prediction column or a
        threshold
    thresholds
        classifier -> threshold, for classifiers that a threshold decides
    descending
        classifiers for which a low score means positive
    known
        (n_items,), index into classes of the answers that were there before, -1 for items without
        one; None if there is no column of them
    turned
        classifiers whose scores are turned round, and so differ from those in the file
    helpers
        name -> what a column that may help to choose items says of each
    groups, prompt
        column -> which group each item belongs to; the column that joins outputs of several systems
        on the same prompt, None if there is none
    address
        of a table in an engine, without a password; None for a file, or parts of one
    snapshot
        the file that it was opened from, if that was a snapshot
    opinions
        classifier -> the second opinion on it, of those that were made so far
    features
        the content as numbers, as far as it was made so far

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> population.name, population.id_at(0), population.positive
    ('items.csv', 'm1', 'yes')
    >>> population.content("m1")["text"]
    'see you at lunch'
    >>> population.scores["lr"].shape
    (1000,)
    """

    name: str
    path: Path
    fingerprint: str
    arguments: Mapping[str, Any]
    classes: tuple[str, ...]
    positive: str
    content_columns: tuple[str, ...]
    metadata_columns: tuple[str, ...]
    classifiers: tuple[str, ...]
    scores: Mapping[str, NDArray[np.float64]]
    predictions: Mapping[str, Codes]
    thresholds: Mapping[str, float]
    descending: frozenset[str]
    _ids: Ids
    _table: TableFile
    _state: FileState
    known: Codes | None = None
    turned: frozenset[str] = frozenset()
    helpers: Mapping[str, Helper] = field(default_factory=dict)
    groups: Mapping[str, Group] = field(default_factory=dict)
    prompt: Group | None = None
    address: str | None = None
    snapshot: Path | None = None
    opinions: dict[str, Opinion] = field(default_factory=dict)
    features: dict[tuple[tuple[str, ...], int, int], Features] = field(default_factory=dict)
    _written: object = None
    _files: tuple[Path, ...] | None = None
    _mapped: TemporaryCopy | TakenFile | None = None

    def __len__(self) -> int:
        return len(self._ids)

    def __repr__(self) -> str:
        return (
            f"<Population {self.name!r}: {len(self):,} items, classes {listing(self.classes)}, "
            f"classifiers {listing(self.classifiers)}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: each role with its columns."""
        roles: dict[str, Sequence[str]] = {
            "classes": self.classes, "shown": self.content_columns,
            "classifiers": self.classifiers, "helpers": [*self.helpers], "groups": [*self.groups],
        }  # fmt: skip
        facts = {"items": f"{len(self):,}"}
        facts |= {role: listing(names) for role, names in roles.items() if names}
        rows = "".join(
            f"<tr><th>{role}</th><td>{escape(words)}</td></tr>" for role, words in facts.items()
        )
        return f"<table><caption>{escape(self.name)}</caption>{rows}</table>"

    @property
    def found(self) -> str | None:
        """The classifier that stands for what was found so far: its predictions are the known
        answers. None if there is none.

        Examples
        --------
        >>> import labelcore as lc
        >>> rows = [{"text": "a", "read": "yes"}, {"text": "b", "read": None}]
        >>> lc.read_population(
        ...     rows, content="text", predictions={"found": "read"}, known="read").found
        'found'
        """
        known = self.arguments.get("known")
        columns = self.arguments["predictions"].items()
        return next((name for name, column in columns if known and column == known), None)

    @property
    def has_judge(self) -> bool:
        """Whether the items are answers that a model judged, pass or fail: their prompts are named,
        or which of its verdicts pass."""
        return judged(self.arguments) and len(self.classes) == 2

    @property
    def is_table(self) -> bool:
        """Whether it was no single file before it was read: its file lives as long as it does."""
        return self._written is not None

    @property
    def stays(self) -> bool:
        """Whether an engine looks up contents where the items are."""
        return self._files is not None

    @property
    def file_name(self) -> str:
        """The name of the file that is read, whatever the source is called."""
        return self.path.name if self.address is None else self.name

    def id_at(self, position: int) -> str:
        """The id of the item at a position.

        Parameters
        ----------
        position
            0 to len - 1, in file order

        Returns
        -------
        str
            The id.

        Raises
        ------
        ValueError
            There is no such position.
        """
        if not 0 <= position < len(self):
            raise ValueError(f"position must be 0 to {len(self) - 1:,}, got {position:,}")
        return self._ids.at(int(position))

    def position(self, item_id: str) -> int:
        """The position of an item.

        Parameters
        ----------
        item_id
            its id

        Returns
        -------
        int
            0 to len - 1, in file order.

        Raises
        ------
        ValueError
            No item has this id.
        TypeError
            The id is not text.
        """
        if not isinstance(item_id, str):
            raise TypeError(f"item_id must be text, got {type(item_id).__name__}")
        position = self._ids.find(item_id)
        if position is None:
            raise ValueError(f"{self.name} has no item with the id {shorten(item_id)!r}")
        return position

    def ids(self) -> list[str]:
        """Every id in file order.

        Returns
        -------
        list of str
            A new list; it takes about 60 bytes per item.
        """
        return self._ids.all()

    def ids_at(self, positions: NDArray[np.int64]) -> list[str]:
        """The ids at some positions.

        Parameters
        ----------
        positions
            (n,), 0 to len - 1, in any order

        Returns
        -------
        list of str
            In the order of ``positions``.
        """
        return self._ids.some(positions)

    def texts_at(self, positions: NDArray[np.int64] | None = None) -> Texts:
        """The ids at some positions, as bytes: what hashing many of them takes.

        Parameters
        ----------
        positions
            (n,), 0 to len - 1, in any order; None: every one

        Returns
        -------
        Texts
            In the order of ``positions``.
        """
        return self._ids.texts(positions)

    def id_hashes(self, positions: NDArray[np.int64] | None = None) -> NDArray[np.uint64]:
        """The hash of some ids, from which random orders follow.

        Parameters
        ----------
        positions
            (n,), 0 to len - 1, in any order; None: every one

        Returns
        -------
        array
            (n,), the first 64 bits of the md5 of each id in UTF-8. Not to be changed.
        """
        return self._ids.hashes(positions)

    def remembered(
        self, order: Hashable, work: Callable[[], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        """A random order of all items, kept for the plans, forecasts and sessions that want the
        same.

        Parameters
        ----------
        order
            what it follows from beside the ids
        work
            makes it

        Returns
        -------
        array
            (n_items,), positions. Not to be changed.
        """
        return ORDERS.of(self).get(order, work)

    def let_go(self) -> None:
        """Forget what was worked out on the way to a frame: it holds all that is wanted of that."""
        Kept.let_go(self)

    def part(self, positions: NDArray[np.int64]) -> Population:
        """Some of the items as a population of their own.

        Parameters
        ----------
        positions
            (n,), positions in this population

        Returns
        -------
        Population
            Without known answers. Contents are looked up by id only, not by its positions.
        """
        return replace(
            self,
            scores={name: score[positions] for name, score in self.scores.items()},
            predictions={name: codes[positions] for name, codes in self.predictions.items()},
            helpers={name: helper.part(positions) for name, helper in self.helpers.items()},
            groups={name: group.part(positions) for name, group in self.groups.items()},
            prompt=None if self.prompt is None else self.prompt.part(positions),
            opinions={
                name: replace(opinion, score=opinion.score[positions])
                for name, opinion in self.opinions.items()
            },
            features={
                key: replace(content, values=content.values[positions])
                for key, content in self.features.items()
            },
            _ids=SomeIds(self._ids, positions),
            known=None,
        )

    def with_turned(self, scores: Mapping[str, NDArray[np.float64]]) -> Population:
        """This file with other scores for some classifiers.

        Parameters
        ----------
        scores
            classifier -> (n_items,), larger for more positive

        Returns
        -------
        Population
            The classifiers are named in its ``turned``.
        """
        return replace(
            self,
            scores={**self.scores, **scores},
            descending=self.descending - set(scores),
            turned=frozenset(scores),
        )

    def ordering_score(self, classifier: str) -> NDArray[np.float64] | None:
        """The scores of a classifier, turned so that larger is more positive.

        Parameters
        ----------
        classifier
            its name

        Returns
        -------
        array or None
            (n_items,); with more than two classes the probability of the predicted class. None if
            the classifier has no score.

        Raises
        ------
        ValueError
            There is no such classifier.
        """
        if classifier not in self.classifiers:
            raise ValueError(
                f"there is no classifier {classifier!r}; there are {listing(self.classifiers)}"
            )
        scores = self.scores.get(classifier)
        return -scores if scores is not None and classifier in self.descending else scores

    def called(self, *classifiers: str) -> dict[tuple[str, ...], int]:
        """How many items the classifiers call what.

        Parameters
        ----------
        *classifiers
            their names; each must have predictions

        Returns
        -------
        dict
            {the class that each of them predicts: items}, for those that there are.

        Examples
        --------
        >>> import labelcore as lc
        >>> rows = [{"text": "a", "says": 1}, {"text": "b", "says": 0}, {"text": "c", "says": 0}]
        >>> lc.read_population(rows, content="text", predictions={"lr": "says"}).called("lr")
        {('no',): 2, ('yes',): 1}
        """
        return dict(CALLED.of(self).get(classifiers, lambda: self._called(classifiers)))

    def _called(self, classifiers: tuple[str, ...]) -> dict[tuple[str, ...], int]:
        number = len(self.classes)
        sizes = counted(self.said_together(classifiers), number ** len(classifiers))
        shape = (number,) * len(classifiers)
        kinds = np.flatnonzero(sizes)
        places = zip(*(axis.tolist() for axis in np.unravel_index(kinds, shape)), strict=True)
        counts = dict(zip(places, sizes[kinds].tolist(), strict=True))
        return {tuple(self.classes[code] for code in kind): counts[kind] for kind in sorted(counts)}

    def said_together(self, classifiers: Sequence[str]) -> NDArray[np.signedinteger[Any]]:
        """What several classifiers predict, as one number for each item.

        Parameters
        ----------
        classifiers
            their names; each must have predictions

        Returns
        -------
        array
            (n_items,), the indices of the classes as digits, that of the first classifier in front.
        """
        number = len(self.classes)
        kind = narrow(np.zeros(0, dtype=np.int64), number ** len(classifiers)).dtype
        codes = np.zeros(len(self), dtype=kind)
        for name in classifiers:
            codes *= number
            codes += self.predictions[name]
        return codes

    def content(self, item_id: str) -> dict[str, str]:
        """What a person judges, read from the file. Safe to call from several threads.

        Parameters
        ----------
        item_id
            the item's id

        Returns
        -------
        dict
            {column: text}

        Raises
        ------
        ValueError
            No item has this id, or the file was changed after it was read.
        """
        return self.cells(item_id, self.content_columns)

    def metadata(self, item_id: str) -> dict[str, str]:
        """The metadata columns of one item.

        Parameters
        ----------
        item_id
            the item's id

        Returns
        -------
        dict
            {column: text}

        Raises
        ------
        ValueError
            No item has this id, or the file was changed after it was read.
        """
        return self.cells(item_id, self.metadata_columns)

    def cells(self, item_id: str, columns: Sequence[str]) -> dict[str, str]:
        """Any columns of one item, read from the file.

        Parameters
        ----------
        item_id
            the item's id
        columns
            their names

        Returns
        -------
        dict
            {column: text}

        Raises
        ------
        ValueError
            No item has this id, or the file was changed after it was read.
        """
        position = self.position(item_id)
        self._refuse_changed_file()
        if not columns:
            return {}
        try:
            return self._table.cells(position, columns)
        except OSError as error:  # also when the unpacked copy of a .gz was cleared away
            raise ValueError(
                f"{self.name}: the item {shorten(item_id)!r} cannot be read ({error}); "
                "read the file again"
            ) from error

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the file, shown or not."""
        return tuple(self._table.columns)

    @property
    def dialect(self) -> Dialect:
        """How the file was read: encoding, delimiter, decimal mark, ..."""
        return self._table.dialect

    def duplicate_contents(self, columns: Sequence[str] | None = None) -> Duplicates:
        """Rows that have the same text as an earlier row.

        Parameters
        ----------
        columns
            the columns that are compared; None: the content

        Returns
        -------
        Duplicates
            How many rows, and examples of them.

        Raises
        ------
        ValueError
            The file has no such column, or was changed after it was read.

        Notes
        -----
        One pass over the file; texts are hashed, not kept.
        """
        names = list(dict.fromkeys(self.content_columns if columns is None else columns))
        self._refuse_unknown(names)
        self._refuse_changed_file()
        return find_duplicates(self._table.batches(names))

    def column(self, name: str) -> list[str]:
        """Any column of the file as text, read anew.

        Parameters
        ----------
        name
            the column

        Returns
        -------
        list of str
            In file order; missing values are empty.

        Raises
        ------
        ValueError
            The file has no such column, or was changed after it was read.
        """
        self._refuse_unknown([name])
        self._refuse_changed_file()
        texts: list[str] = as_text(self._table.load([name])[name]).to_pylist()
        return texts

    def filled(self, name: str) -> int:
        """How many rows have a value in a column.

        Parameters
        ----------
        name
            the column

        Returns
        -------
        int
            Rows whose text is not blank.

        Raises
        ------
        ValueError
            The file has no such column, or was changed after it was read.
        """
        return sum(bool(text.strip()) for text in self.column(name))

    def partly_filled(self, names: Sequence[str], most: int) -> dict[str, int]:
        """How many rows have a value, for each column that is only partly filled.

        Parameters
        ----------
        names
            the columns to look at
        most
            columns with more different values than this are left out

        Returns
        -------
        dict
            {column: rows with a value}, for columns with at least one value and one empty row.

        Raises
        ------
        ValueError
            The file has no such column, or was changed after it was read.

        Notes
        -----
        One pass over the file.
        """
        self._refuse_unknown(names)
        self._refuse_changed_file()
        rows = {}
        for name in names:
            counts = self._texts(name)
            filled = len(self) - counts.pop("", 0)
            if 1 <= len(counts) <= most and filled < len(self):
                rows[name] = filled
        return rows

    def _texts(self, name: str) -> Counter[str]:
        """Each value of a column and how many rows have it."""
        (column,) = self._table.load([name]).values()
        return Counter(text.strip() for text in as_text(column).to_pylist())

    def _refuse_unknown(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._table.columns:
                raise ValueError(
                    f"{self.name} has no column {shorten(name)!r}; "
                    f"its columns are {listing(self._table.columns)}"
                )

    def _refuse_changed_file(self) -> None:
        files = (self.path,) if self._files is None else self._files
        if FileState.of(*files) != self._state:
            raise ValueError(
                f"{self.name} was changed after it was read; its rows may be other ones now. "
                "Put the original file back, or read the new one as another population"
            )
