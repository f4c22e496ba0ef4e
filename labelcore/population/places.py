"""Where items are looked up that were read before, and by what the bytes of files are known."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from labelcore.population.arguments import Arguments
from labelcore.population.engines.engine import Engine
from labelcore.population.engines.sources import engine_of
from labelcore.population.formats import open_table
from labelcore.population.table_file import TableFile

BLOCK = 1 << 22


def arguments_again(arguments: Mapping[str, Any]) -> Arguments:
    """Arguments that a population was read with before."""
    return Arguments.checked(**{"dialect": None, "known": None, "helpers": {}, **arguments})


def source_of(source: str, arguments: Mapping[str, Any]) -> Engine | TableFile:
    """What single rows are looked up in, of items that were read with these arguments before."""
    known = arguments_again(arguments)
    return engine_of(source, known.id_columns) or open_table(Path(source), known.dialect)


def fingerprint_of(
    files: Sequence[Path], arguments: Mapping[str, Any], told: Sequence[str] = ()
) -> str:
    """SHA-256 of the bytes of the files, of what is ``told`` of a table that is none, and of the
    arguments, as JSON values, that it is read with. The keys are sorted: a store may give back the
    arguments in another order."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(BLOCK):
                digest.update(block)
    text = json.dumps(arguments, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    for part in (*told, text):
        digest.update(part.encode("ascii"))
    return digest.hexdigest()
