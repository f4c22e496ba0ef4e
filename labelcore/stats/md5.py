"""The md5 of many short texts at once: the same digests as ``hashlib``, several times as fast.

A text that fits into one block of 64 bytes with its prefix is hashed in NumPy, thousands side by
side (RFC 1321); a longer one by ``hashlib``.
"""

from hashlib import md5
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint32]

AT_ONCE = 1 << 14
"""Texts hashed side by side: what they take stays in the cache of a processor."""
LONGEST = 55
"""Bytes of a message that fits into one block: nine more mark its end and say its length."""
START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476)
SHIFTS = ((7, 12, 17, 22), (5, 9, 14, 20), (4, 11, 16, 23), (6, 10, 15, 21))
ADDED = np.floor(np.abs(np.sin(np.arange(1, 65))) * 2.0**32).astype(np.uint32)


class Texts(NamedTuple):
    """Texts in UTF-8, one after another.

    data      (n_bytes,)
    offsets   (n_texts + 1,), where each begins, and where the last one ends
    """

    data: Bytes
    offsets: NDArray[np.int64]


def md5_of_texts(prefix: bytes, texts: Texts) -> NDArray[np.uint64]:
    """The digests of prefix + text as two big-endian words each, (n_texts, 2).

    >>> texts = Texts(np.frombuffer(b"ab", dtype=np.uint8), np.array([0, 1, 2]))
    >>> [f"{first:016x}{last:016x}" for first, last in md5_of_texts(b"", texts).tolist()]
    ['0cc175b9c0f1b6a831c399e269772661', '92eb5ffee6ae2fec3ad71c777531578f']
    """
    begin, length = texts.offsets[:-1], np.diff(texts.offsets)
    digests = np.empty((len(begin), 2), dtype=np.uint64)
    for size in np.flatnonzero(np.bincount(length)).tolist():
        of_size = np.flatnonzero(length == size)
        windows = sliding_window_view(texts.data, size) if size else None
        for first in range(0, len(of_size), AT_ONCE):
            places = of_size[first : first + AT_ONCE]
            none = np.zeros((len(places), 0), dtype=np.uint8)
            digests[places] = _digests(prefix, none if windows is None else windows[begin[places]])
    return digests


def _digests(prefix: bytes, texts: Bytes) -> NDArray[np.uint64]:
    """Of texts of one length, (n_texts, length)."""
    start, length = len(prefix), len(prefix) + texts.shape[1]
    if length > LONGEST:
        whole = b"".join(
            md5(prefix + row.tobytes(), usedforsecurity=False).digest() for row in texts
        )
        return np.frombuffer(whole, dtype=">u8").astype(np.uint64).reshape(-1, 2)
    message = np.zeros((len(texts), 64), dtype=np.uint8)
    message[:, :start] = np.frombuffer(prefix, dtype=np.uint8)
    message[:, start:length] = texts
    message[:, length] = 0x80
    message[:, 56:58] = divmod(8 * length, 256)[::-1]
    state = _one_block(np.ascontiguousarray(message.view("<u4").T.astype(np.uint32, copy=False)))
    halves = np.stack(state).byteswap().astype(np.uint64)
    return np.stack(
        [halves[0] << np.uint64(32) | halves[1], halves[2] << np.uint64(32) | halves[3]]
    ).T


def _one_block(words: Words) -> list[Words]:
    """The four words of the state after one block each, (n_texts,); ``words`` is (16, n_texts)."""
    begun = [np.full(words.shape[1], word, dtype=np.uint32) for word in START]
    a, b, c, d = (word.copy() for word in begun)
    mixed, turned = np.empty_like(a), np.empty_like(a)
    for step in range(64):
        turn = step // 16
        if turn == 0:
            np.bitwise_xor(c, d, out=mixed)
            mixed &= b
            mixed ^= d
            word = step
        elif turn == 1:
            np.bitwise_xor(b, c, out=mixed)
            mixed &= d
            mixed ^= c
            word = (5 * step + 1) % 16
        elif turn == 2:
            np.bitwise_xor(b, c, out=mixed)
            mixed ^= d
            word = (3 * step + 5) % 16
        else:
            np.bitwise_not(d, out=mixed)
            mixed |= b
            mixed ^= c
            word = 7 * step % 16
        mixed += a
        mixed += words[word]
        mixed += ADDED[step]
        shift = SHIFTS[turn][step % 4]
        np.left_shift(mixed, np.uint32(shift), out=turned)
        mixed >>= np.uint32(32 - shift)
        turned |= mixed
        turned += b
        a, d, c, b, turned = d, c, b, turned, a
    return [word + first for word, first in zip((a, b, c, d), begun, strict=True)]
