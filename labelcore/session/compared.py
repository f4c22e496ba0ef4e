"""What a log was held against, and what that cannot prove."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labelcore.store import AnchorCopy, BackupCopy, Copy, SealsCopy
from labelcore.words.sentences import count


@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """All that is kept of a log outside of it.

    seal        the number of events that it says, 0 without one
    backups     how many have the log
    anchored    the number of events that the anchor says, 0 where it says nothing
    anchor      when the last statement was made there, "" where there is no anchor
    key         the public half of the key that signs seals, "" where none is known
    former      those of keys that were lost or changed
    given_up    how often somebody said that events are lost
    unread      what of all this cannot be read or trusted, in words
    """

    seal: int
    backups: int
    anchored: int
    anchor: str
    key: str
    former: tuple[str, ...]
    given_up: int
    unread: tuple[str, ...]

    def sentences(self) -> list[str]:
        """What was compared, and what could not be proved."""
        kept = [f"its seal of {count(self.seal, 'event')}"] if self.seal else []
        kept += [count(self.backups, "backup")] if self.backups else []
        if self.anchored:
            kept.append(f"the anchor of {self.anchor[:16].replace('T', ' ')} UTC")
        several = " and ".join(filter(None, [", ".join(kept[:-1]), *kept[-1:]]))
        told = [f"The log was held against {several}: all agree." if kept else NOTHING]
        told += [f"{one}." for one in self.unread]
        if self.given_up:
            told.append(f"Events were given up as lost: {count(self.given_up, 'time')}.")
        if self.former:
            told.append(f"The key that signs seals was changed: {count(len(self.former), 'time')}.")
        if not self.anchored:
            told.append(NO_ANCHOR)
        elif self.seal > self.anchored:
            told.append(f"Events after {self.anchored:,} are not at the anchor yet.")
        return told


NOTHING = "Nothing is kept of this log outside of it."
NO_ANCHOR = (
    "No anchor outside has it: a log rewritten together with its seals and backups would agree."
)


def held_against(copies: Sequence[Copy], key: str) -> HeldAgainst:
    """``key``: the identity of the project."""
    seals = [one for one in copies if isinstance(one, SealsCopy)]
    anchors = [one for one in copies if isinstance(one, AnchorCopy)]
    backups = [one for one in copies if isinstance(one, BackupCopy)]
    known = [one.projects[key] for one in (*seals, *anchors) if key in one.projects]
    keys = list(dict.fromkeys(key for one in (*anchors, *seals) for key in one.keys))
    unread = [f"{one.what} cannot be read ({one.damage})" for one in copies if one.damage]
    for one in anchors:
        if one.strange:
            unread.append(f"the anchor has {count(one.strange, 'statement')} that do not go on")
    return HeldAgainst(
        max((one.projects[key].seal.events for one in seals if key in one.projects), default=0),
        sum(key in one.projects for one in backups),
        max((one.projects[key].seal.events for one in anchors if key in one.projects), default=0),
        max((one.at for one in anchors), default=""),
        keys[-1] if keys else "",
        tuple(keys[:-1]),
        max((len({seal.at for seal in one.given_up}) for one in known), default=0),
        tuple(one[0].upper() + one[1:] for one in unread),
    )
