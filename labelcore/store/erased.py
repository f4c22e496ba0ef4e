"""What was erased in a store, kept beside it: "labels.erased" beside "labels.db".

A copy of the store that was taken before does not know of it. Before one that is put back is
opened, what this list names is erased in it again. The list holds ids of items and marks of names,
which nobody can make or compare without the key of the store; no text and no name.

The files that were written from a store for its owner, reports and bundles, are noted here too:
what is still there as it was written goes with what it holds.
"""

import fnmatch
import hmac
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from glob import escape
from pathlib import Path

from labelcore.errors import StoreError
from labelcore.store.base import beside, writable
from labelcore.store.guard import BESIDE, GIVEN_UP, LEFT_SECONDS
from labelcore.store.kept import SealsFile, backups, backups_folder, change_seals, half_copies
from labelcore.store.signing import secret_of
from labelcore.whole_file import HALF, alone_in, digest_of, whole_file


@dataclass(frozen=True, slots=True)
class Gone:
    """One erasure.

    project   by its identity (``identity_of``); "" for a name, which goes from all of them
    items     ids, where it is of texts; every: and of all others of the project
    whole     whether it is of the project itself
    mark      of a name, and how many words that has; called: what stands instead of it
    at, who, why
    """

    project: str
    at: str
    who: str
    why: str
    items: tuple[str, ...] = ()
    every: bool = False
    whole: bool = False
    mark: str = ""
    words: int = 0
    called: str = ""


@dataclass(frozen=True, slots=True)
class ErasedList:
    """What the file says.

    gone     every erasure, in order
    written  {path: SHA-256} of files made for the owner
    looked   when retention was looked at last, UTC, "" for never; steady: since when the clock goes
             on without a jump
    unclean  whether bytes of it may be left, because somebody used the store then
    """

    gone: tuple[Gone, ...] = ()
    written: Mapping[str, str] = field(default_factory=dict)
    looked: str = ""
    steady: str = ""
    unclean: bool = False


def erased_file(place: Path) -> Path:
    return beside(place, ".erased")


def read_erased(place: Path | None) -> ErasedList:
    """Raises StoreError for a list that cannot be read: what it names must not come back."""
    if place is None or not erased_file(place).exists():
        return ErasedList()
    try:
        values = json.loads(erased_file(place).read_text("utf-8"))
        gone = tuple(Gone(**{**row, "items": tuple(row["items"])}) for row in values["gone"])
        return ErasedList(**{**values, "gone": gone})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{erased_file(place)}, the list of what was erased, cannot be read ({error}); put a "
            "copy of it back"
        ) from error


def change_erased(place: Path, change: Callable[[ErasedList], ErasedList]) -> None:
    """Let ``change`` make another list of the one there: all of it or nothing, with nobody in
    between who changes it, too. Raises StoreError."""
    with alone_in(place.parent):
        known = change(read_erased(place))
        with writable(erased_file(place)), whole_file(erased_file(place)) as stream:
            stream.write(json.dumps(asdict(known), ensure_ascii=False).encode())


def add_gone(place: Path | None, *gone: Gone) -> None:
    """Before anything is erased: what is broken off is done when the store is opened next."""
    if place is not None:
        change_erased(place, lambda known: replace(known, gone=(*known.gone, *gone), unclean=True))


def note_written(place: Path | None, file: Path) -> None:
    """A report or bundle was written: once what it holds is erased, it goes too. A folder that
    cannot be written hurts nobody."""
    with suppress(OSError, StoreError):
        if place is not None:
            new = {str(file.resolve()): digest_of(file)}
            change_erased(place, lambda known: replace(known, written={**known.written, **new}))


def remove_written(
    place: Path | None, needed: Iterable[Path] = ()
) -> tuple[list[Path], list[Path]]:
    """Remove the files that were written and are as they were, but those that are needed again;
    those, and those that were changed since and stay."""
    known, stays = read_erased(place), {file.resolve() for file in needed}
    removed, changed = [], []
    for name, digest in known.written.items():
        file = Path(name)
        if not file.is_file() or file in stays:
            continue
        with suppress(FileNotFoundError):  # Another erasure was faster.
            if digest_of(file) == digest:
                file.unlink()
                removed.append(file)
            else:
                changed.append(file)
    stay = {str(file): "" for file in changed}
    stay |= {name: was for name, was in known.written.items() if Path(name) in stays}

    def left(now: ErasedList) -> ErasedList:
        new = {name: was for name, was in now.written.items() if known.written.get(name) != was}
        return replace(now, written={**stay, **new}, unclean=now.gone != known.gone)

    if place is not None:
        change_erased(place, left)
    return removed, changed


def remove_halves(place: Path, *folders: Path | None) -> list[Path]:
    """Remove what killed processes have left half written beside a store and in folders; those of
    items and stores that somebody may be writing at this moment, and stay."""
    copies = half_copies(place)
    below = [
        Path(at, name)
        for folder in folders
        if folder
        for at, inside, files in os.walk(folder)  # Others may remove a folder meanwhile.
        for name in fnmatch.filter([*inside, *files], HALF)
    ]
    left = []
    for half in [*place.parent.glob(HALF), *copies, *below]:
        with suppress(FileNotFoundError):
            if time.time() - half.stat().st_mtime > LEFT_SECONDS:
                shutil.rmtree(half) if half.is_dir() else half.unlink()
            elif half in copies or half in below:
                left.append(half)
    return left


def mark_of(place: Path, name: str) -> str:
    """What can be compared with a name by whoever has the key of the store, and by nobody else."""
    return hmac.digest(secret_of(place), f"erased\n{name}".encode(), "sha256").hex()


def old_backups(place: Path) -> Iterator[Path]:
    """Every file of the folder of backups but those that hold what somebody said is lost: they are
    stores that are erased in themselves."""
    folder = backups_folder(place)
    if folder.exists():
        yield from (file for file in folder.iterdir() if file.name != GIVEN_UP)


def remove_backups(place: Path, but: Path) -> int:
    """Remove every backup except one; how many."""
    number = len([backup for backup in backups(place) if backup != but])
    for file in list(old_backups(place)):
        if file.name not in {but.name + end for end in BESIDE}:
            shutil.rmtree(file) if file.is_dir() else file.unlink(missing_ok=True)
    return number


def set_aside(place: Path) -> list[Path]:
    """The databases that a backup took the place of, and the backups of what was given up. What a
    killed process left may be another name of the database itself: opened as two, it is damaged."""
    here = {
        file
        for at in (place, place.resolve())  # It may be a link to the database.
        for file in at.parent.glob(f"{escape(at.stem)}-before-*")
        if file.suffix == at.suffix and not file.name.endswith(BESIDE[1:])
        if not (place.exists() and file.samefile(place))
    }
    return sorted([*here, *(backups_folder(place) / GIVEN_UP).glob(f"*{place.suffix}")])


def forget_seal(place: Path, key: str) -> None:
    """Of a project that was erased. Raises StoreError."""

    def without(file: SealsFile) -> SealsFile:
        return replace(file, seals={name: it for name, it in file.seals.items() if name != key})

    change_seals(place, without)
