"""A text file as UTF-8: the file itself, or an unpacked or transcoded copy."""

import codecs
import gzip
import os
import re
import shutil
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

from labelcore.population.copies import TemporaryCopy
from labelcore.population.dialect import ENCODINGS
from labelcore.population.limits import check_unpacked, refusal

BLOCK_BYTES = 1 << 23
HEAD_BYTES = 1 << 16
SHARE_OF_DISK = 0.5
TOO_LARGE = (
    "unpacks to more than {:,.0f} MB, half of the free space of the disk; free some space, or give "
    "a smaller file"
)
MOST_UNDECODABLE = 1000
NOT_UTF8 = b"\xff"  # stands in a copy for a byte that cannot be decoded
MARKS: Mapping[bytes, str] = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
JOINED = re.compile(rb"[\x80-\xff]{3,}|[\xc2-\xdf][\x80-\xbf]")
"""Bytes of one sign of UTF-8, or of a word in another script: what stands so is not Western."""
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file to read as UTF-8.

    path         the file itself or a copy; lines are those of the original
    name         the original's, for messages
    encoding     of the original, once unpacked; ``detected`` is the one found
    sound        whether all of it is text in ``encoding``
    undecodable  offset in ``path`` -> offset and value of a byte that is no text in ``encoding``
    """

    path: Path
    name: str
    encoding: str
    detected: str
    sound: bool = True
    undecodable: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    copy: TemporaryCopy | None = None

    def not_text(self, offset: int, value: int) -> tuple[str, str]:
        """Rule and value of a fault for the byte at ``offset`` of ``path``."""
        place, byte = self.undecodable.get(offset, (offset, value))
        rule = (
            f"the text is not {ENCODINGS[self.encoding]} at byte {place:,} of the file; save it "
            "as UTF-8, or choose its encoding"
        )
        return rule, f"byte 0x{byte:02x}"


def open_text(path: Path, encoding: str | None = None) -> TextFile:
    """Unpack a .gz, find out the encoding unless it is given, and transcode what is not UTF-8.

    PopulationError for gzip that is broken or unpacks to more than half of the free disk.
    """
    copy = _unpacked(path) if path.suffix.lower() == ".gz" else None
    source = path if copy is None else copy.path
    detected, sound = detect_encoding(source)
    if (encoding or detected) == "utf-8":
        sound = sound and detected == "utf-8"
        return TextFile(source, path.name, "utf-8", detected, sound, copy=copy)
    encoding = encoding or detected
    target = TemporaryCopy()
    with source.open("rb") as reader, target.path.open("wb") as writer:
        undecodable = _transcode(reader, writer, encoding)
    sound = not undecodable
    return TextFile(target.path, path.name, encoding, detected, sound, undecodable, target)


def detect_encoding(path: Path) -> tuple[str, bool]:
    """One of ENCODINGS, by byte order mark, NUL bytes, or whether the whole file is UTF-8; and
    whether that is so.

    A file that is no UTF-8 but consists of its sequences for the most part is taken as damaged,
    one with control characters as no text, and one in another script as what somebody has to name:
    all stay "utf-8" and their faults are told.
    """
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        mark = next((name for mark, name in MARKS.items() if head.startswith(mark)), None)
        if mark is None and b"\0" in head:
            mark = _utf16_without_mark(head, os.fstat(stream.fileno()).st_size)
        if mark not in (None, "utf-8"):
            return mark, False
        stream.seek(0)
        sound = _is_utf8(stream)
        if sound or mark or CONTROL.search(head):
            return "utf-8", sound
        stream.seek(0)
        return ("windows-1252" if _is_western(stream) else "utf-8"), False


def _utf16_without_mark(head: bytes, size: int) -> str:
    """By the side on which ASCII characters, line breaks at least, have their NUL byte."""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    sides = (("utf-16-le", b"\n\0", odd, even), ("utf-16-be", b"\0\n", even, odd))
    for encoding, line_break, zeros, others in sides:
        if size % 2 == 0 and zeros > 10 * others and (line_break in head or 8 * zeros > len(head)):
            return encoding
    return "utf-8"


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    while block := stream.read(BLOCK_BYTES):
        yield block


def _is_utf8(stream: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for block in _blocks(stream):
            if not block.isascii() or decoder.getstate()[0]:
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _is_western(stream: BinaryIO) -> bool:
    """Whether half of the bytes that are not ASCII or more stand apart, as letters with accents."""
    high = joined = 0
    for block in _blocks(stream):
        high += int((np.frombuffer(block, dtype=np.uint8) >= 0x80).sum())
        joined += sum(map(len, JOINED.findall(block)))
    return 2 * joined <= high


def _unpacked(path: Path) -> TemporaryCopy:
    copy = TemporaryCopy()
    most = int(shutil.disk_usage(copy.path.parent).free * SHARE_OF_DISK)
    written, packed = 0, path.stat().st_size
    try:
        with gzip.open(path, "rb") as source, copy.path.open("wb") as target:
            while block := source.read(BLOCK_BYTES):
                written += len(block)
                check_unpacked(path.name, written, packed)
                if written > most:
                    raise refusal(path.name, TOO_LARGE.format(most / 1e6))
                target.write(block)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise refusal(path.name, f"cannot be unpacked as gzip: {error}") from error
    return copy


def _transcode(source: BinaryIO, target: BinaryIO, encoding: str) -> dict[int, tuple[int, int]]:
    """Write the text as UTF-8; a byte that is no text becomes one that is no UTF-8 either."""
    marks = [mark for mark, name in MARKS.items() if name == encoding]
    head = source.read(2)
    source.seek(2 if head in marks else 0)
    decoder = codecs.getincrementaldecoder(encoding)()
    undecodable: dict[int, tuple[int, int]] = {}
    while True:
        block = source.read(BLOCK_BYTES)
        rest, final = block, not block
        while True:
            try:
                target.write(decoder.decode(rest, final).encode())
                break
            except UnicodeDecodeError as error:
                data = bytes(error.object)
                target.write(data[: error.start].decode(encoding).encode())
                place = source.tell() - len(data) + error.start
                _note(undecodable, target, (place, data[error.start]))
                decoder.reset()
                rest = data[error.end :]
        if final:
            return undecodable


def _note(
    undecodable: dict[int, tuple[int, int]], target: BinaryIO, place: tuple[int, int]
) -> None:
    if len(undecodable) < MOST_UNDECODABLE:
        undecodable[target.tell()] = place
        target.write(NOT_UTF8)
    else:
        target.write("\N{REPLACEMENT CHARACTER}".encode())
