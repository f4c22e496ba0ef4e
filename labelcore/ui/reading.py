"""What a process of its own is asked about a file of items; nothing here needs a page."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import disk_usage
from typing import Any, Generic, TypeVar, cast

from labelcore.bounded import Work, memory_limit
from labelcore.population import Population, apart, read_population
from labelcore.population.copies import copies_folder
from labelcore.population.limits import memory_for, most_written
from labelcore.population.population import FileState
from labelcore.population.tables import parts_of

Made = TypeVar("Made")


@dataclass(frozen=True)
class Ask(Generic[Made]):
    """What another process is asked about a file.

    function, arguments   of ``labelcore.population.apart``
    handed                takes over what it gives and the folder that it wrote to
    size                  of the file in bytes: work on a small one may take less
    seconds               that it may take; None: as long as reading a file
    """

    function: Callable[..., Any]
    arguments: Sequence[Any]
    handed: Callable[[Any, Path], Made]
    size: int
    seconds: float | None = None

    def work(self, what: str) -> Work:
        """The work, which begins."""
        folder = copies_folder()
        memory = min(memory_limit(), memory_for(self.size))
        most = most_written(self.size, disk_usage(folder).free)
        return Work(what, self.function, *self.arguments, folder=folder, seconds=self.seconds,
                    memory=memory, most=most, handed=self.handed)  # fmt: skip


def stamp(path: Path) -> tuple[int, int]:
    """Size and time of change: the key under which a reading is kept."""
    state = FileState.of(*parts_at(path))
    return state.size, state.changed_at


def is_there(path: Path) -> bool:
    """Whether a file, or a folder with a part, still is where it was."""
    try:
        return all(part.is_file() for part in parts_at(path))
    except ValueError:
        return False


def parts_at(path: Path) -> list[Path]:
    """The parts of a folder, or the file itself."""
    return (parts_of(str(path)) if path.is_dir() else None) or [path]


def items_of(path: Path) -> Callable[[Any, Path], Population]:
    return lambda _, folder: apart.population_from(folder, path)


def read_apart(source: str | os.PathLike[str], **arguments: Any) -> Population:
    """``read_population`` for a project that is opened and has no snapshot, waited for without a
    page: a file is read in another process, too."""
    path = Path(source)
    if not is_there(path):
        return read_population(source, **arguments)
    ask = Ask(apart.read, (str(path), arguments), items_of(path), stamp(path)[0])
    return cast(Population, ask.work(f"Reading {path.name}").result())
