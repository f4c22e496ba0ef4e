"""What a log was held against, and what that cannot prove."""

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
        sentences = [f"The log was held against {several}: all agree." if kept else NOTHING]
        sentences += [f"{fault}." for fault in self.unread]
        if self.given_up:
            sentences.append(f"Events were given up as lost: {count(self.given_up, 'time')}.")
        if times := len(self.former):
            sentences.append(f"The key that signs seals was changed: {count(times, 'time')}.")
        if not self.anchored:
            sentences.append(NO_ANCHOR)
        elif self.seal > self.anchored:
            sentences.append(f"Events after {self.anchored:,} are not at the anchor yet.")
        return sentences


NOTHING = "Nothing is kept of this log outside of it."
NO_ANCHOR = (
    "No anchor outside has it: a log rewritten together with its seals and backups would agree."
)


def held_against(copies: Sequence[Copy], key: str) -> HeldAgainst:
    """``key``: the identity of the project."""
    seals = [copy for copy in copies if isinstance(copy, SealsCopy)]
    anchors = [copy for copy in copies if isinstance(copy, AnchorCopy)]
    backups = [copy for copy in copies if isinstance(copy, BackupCopy)]
    known = [copy.projects[key] for copy in (*seals, *anchors) if key in copy.projects]
    keys = list(dict.fromkeys(key for copy in (*anchors, *seals) for key in copy.keys))
    unread = [f"{copy.what} cannot be read ({copy.damage})" for copy in copies if copy.damage]
    for copy in anchors:
        if copy.strange:
            unread.append(f"the anchor has {count(copy.strange, 'statement')} that do not go on")
    return HeldAgainst(
        max([0, *(copy.projects[key].seal.events for copy in seals if key in copy.projects)]),
        sum(key in copy.projects for copy in backups),
        max([0, *(copy.projects[key].seal.events for copy in anchors if key in copy.projects)]),
        max((copy.at for copy in anchors), default=""),
        keys[-1] if keys else "",
        tuple(keys[:-1]),
        max((len({seal.at for seal in project.given_up}) for project in known), default=0),
        tuple(fault[0].upper() + fault[1:] for fault in unread),
    )
