"""How a file's bytes become cells: encoding, separator, decimal mark, quotes, header, sheet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from labelcore.population.text import listing

# Each value with the words for it.
ENCODINGS: Mapping[str, str] = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16 LE",
    "utf-16-be": "UTF-16 BE",
    "windows-1252": "Windows-1252",
    "windows-1251": "Windows-1251 (Cyrillic)",
    "cp932": "Shift-JIS (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "cp949": "EUC-KR (Korean)",
}
DELIMITERS: Mapping[str, str] = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "vertical bars",
}
DECIMALS: Mapping[str, str] = {".": "decimal point", ",": "decimal comma"}
QUOTES: Mapping[str, str] = {'"': "quotes enclose texts", "": "quotes are ordinary characters"}
KNOWN: Mapping[str, Mapping[str, str]] = {
    "encoding": ENCODINGS,
    "delimiter": DELIMITERS,
    "decimal": DECIMALS,
    "quote": QUOTES,
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of a file; the defaults are a plain CSV file.

    encoding   one of ENCODINGS; "utf-8" with or without a byte order mark
    delimiter  one of DELIMITERS
    decimal    one of DECIMALS: the mark in scores
    quote      one of QUOTES
    header     whether the first row names the columns; without, they are "column 1", "column 2"
    sheet      of an Excel file; None is the first
    """

    encoding: str = "utf-8"
    delimiter: str = ","
    decimal: str = "."
    quote: str = '"'
    header: bool = True
    sheet: str | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON values of every field."""
        return asdict(self)

    def changed(self, given: Given) -> Dialect:
        return replace(self, **given)


PLAIN = Dialect()
Given = Mapping[str, Any]
"""The fields of a dialect that are given; the others are detected."""
Wanted = Mapping[str, bool]
"""Columns that will be loaded, and whether only as numbers: a reader may read them at once."""
NOTHING: Mapping[str, Any] = MappingProxyType({})
FIELDS = tuple(field.name for field in fields(Dialect))


@dataclass(frozen=True, slots=True)
class Form:
    """What was detected: the dialect, the fields of it that a person may change, the sheets."""

    dialect: Dialect
    options: tuple[str, ...]
    sheets: tuple[str, ...] = ()


def checked_dialect(value: object) -> Mapping[str, Any]:
    """The fields of a dialect that are given. TypeError, ValueError naming what is wrong."""
    if value is None:
        return {}
    if isinstance(value, Dialect):
        value = value.to_json()
    if not isinstance(value, Mapping):
        raise TypeError(f"dialect must be a mapping or None, got {type(value).__name__}")
    for name, field in value.items():
        if name not in FIELDS:
            raise ValueError(f"dialect has no field {name!r}; its fields are {listing(FIELDS)}")
        _check_field(name, field)
    return dict(value)


def _check_field(name: str, value: object) -> None:
    label = f"dialect[{name!r}]"
    if name == "header":
        if not isinstance(value, bool):
            raise TypeError(f"{label} must be True or False, got {type(value).__name__}")
    elif name == "sheet":
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{label} must be text or None, got {type(value).__name__}")
    elif not isinstance(value, str):
        raise TypeError(f"{label} must be text, got {type(value).__name__}")
    elif value not in KNOWN[name]:
        raise ValueError(f"{label} must be one of {listing(KNOWN[name])}, got {value!r}")
