"""A bundle: a session in one zip file, without the items themselves.

manifest.json     SHA-256 of each other file, the number of events, and the log's seal
plan.json         the plan, its exact text and a line end
population.json   the file's name, the arguments it was read with, its fingerprint
log.jsonl         the events, one a line
salts.json        the salt of each text that was shown, by item; none in a bundle of format 1
report.html, report.json, README.txt   for people; not needed to replay
"""

import hashlib
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labelcore.errors import ReplayError
from labelcore.population import Population, read_population
from labelcore.replay.forms import LogText, json_values
from labelcore.replay.result import ReplayResult
from labelcore.replay.walk import first_break, replay

MANIFEST, PLAN, POPULATION, LOG = "manifest.json", "plan.json", "population.json", "log.jsonl"
SALTS = "salts.json"
FORMAT, FORMAT_VERSION = "labelcore-bundle", 2
READABLE = (1, FORMAT_VERSION)
NEEDED = (MANIFEST, PLAN, POPULATION, LOG)
LARGEST_BYTES = 1 << 30


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bundle as bytes, by name."""

    name: str
    files: Mapping[str, bytes]

    @property
    def log(self) -> LogText:
        """The events, checked while they are read."""
        return LogText(self.files[LOG])


def digest(content: bytes) -> str:
    """SHA-256, hexadecimal."""
    return hashlib.sha256(content).hexdigest()


def read_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Unpack a bundle in memory.

    Raises FileNotFoundError, and ReplayError if the file is not a sound bundle.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{file}: there is no such file")
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(member.file_size for member in archive.infolist()) > LARGEST_BYTES:
                raise ReplayError(0, f"{file.name} unpacks to more than {LARGEST_BYTES:,} bytes")
            names = archive.namelist()
            if len(set(names)) < len(names):
                raise ReplayError(0, f"{file.name} holds a file twice")
            files = {name: archive.read(name) for name in names}
    except ReplayError:
        raise
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError, ValueError) as error:
        raise ReplayError(0, f"{file.name} is damaged, or is not a bundle: {error}") from None
    for name in NEEDED:
        if name not in files:
            raise ReplayError(0, f"{file.name} is not a bundle: {name} is missing in it")
    return Bundle(file.name, files)


def replay_bundle(
    bundle: Bundle | str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    seal: str | None = None,
) -> ReplayResult:
    """Recompute the session of a bundle from the file that was labelled.

    Parameters
    ----------
    bundle
        the zip file that the report offers, or one that was read already
    file
        the file that was labelled
    seal
        the hash of the last event, if it is known from elsewhere: the log must end with it

    Returns
    -------
    ReplayResult
        What was checked, and the results computed anew.

    Raises
    ------
    ReplayError
        Something does not agree. Its ``sequence`` is the number of the first such event; 0 stands
        for the plan, the file or the bundle.
    FileNotFoundError
        There is no bundle or no file.

    Notes
    -----
    Every item is drawn again, each draw is compared with the log, and each recorded look is
    recomputed.

    Examples
    --------
    >>> import labelcore as lc
    >>> from labelcore.report import bundle_zip
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=30))
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> Path("bundle.zip").write_bytes(bundle_zip(session)) > 0
    True
    >>> lc.replay_bundle("bundle.zip", "items.csv").answers
    30
    """
    unpacked = bundle if isinstance(bundle, Bundle) else read_bundle(bundle)
    manifest = json_values(MANIFEST, unpacked.files[MANIFEST])
    _check_manifest(unpacked, manifest)
    source = json_values(POPULATION, unpacked.files[POPULATION])
    _check_digest(unpacked, manifest, POPULATION)
    try:
        fingerprint, arguments = str(source["fingerprint"]), dict(source["arguments"])
    except (KeyError, TypeError, ValueError) as error:
        raise ReplayError(0, f"{POPULATION} lacks what it must say: {error}") from None
    salts = {}
    if SALTS in unpacked.files:
        salts = json_values(SALTS, unpacked.files[SALTS])
        _check_digest(unpacked, manifest, SALTS)
    plan_json = _plan_json(unpacked, manifest, file, arguments, salts)
    result = replay(
        file,
        plan_json,
        unpacked.log,
        fingerprint=fingerprint,
        arguments=arguments,
        seal=seal,
        salts=salts,
    )
    _check_end(manifest, result)
    for name in unpacked.files:
        if name not in (MANIFEST, POPULATION, PLAN):
            _check_digest(unpacked, manifest, name)
    return result.with_stage("Bundle: every file in it is the one that its manifest names.")


def _digests(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    digests = manifest.get("files")
    return digests if isinstance(digests, Mapping) else {}


def _check_manifest(bundle: Bundle, manifest: Mapping[str, Any]) -> None:
    written = manifest.get("format"), manifest.get("version")
    if written not in [(FORMAT, version) for version in READABLE]:
        raise ReplayError(
            0, f"{MANIFEST} names the format {written}, known are {FORMAT!r} in versions {READABLE}"
        )
    named, there = set(_digests(manifest)), set(bundle.files) - {MANIFEST}
    for name in sorted(named ^ there):
        where = "missing in" if name in named else "not named by"
        raise ReplayError(0, f"{name} is {where} {bundle.name if name in named else MANIFEST}")


def _check_digest(bundle: Bundle, manifest: Mapping[str, Any], name: str) -> None:
    if _digests(manifest).get(name) != digest(bundle.files[name]):
        raise ReplayError(0, f"{name} or {MANIFEST} was changed: its SHA-256 is not the one named")


def _plan_json(
    bundle: Bundle,
    manifest: Mapping[str, Any],
    file: str | os.PathLike[str],
    arguments: Mapping[str, Any],
    salts: Mapping[str, str],
) -> str:
    """The plan's text; a changed one is refused with the first event that no longer follows."""
    content = bundle.files[PLAN]
    try:
        text = content.decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise ReplayError(0, f"{PLAN} was changed: {error}") from None
    if _digests(manifest).get(PLAN) == digest(content):
        return text
    broken = f"{PLAN} or {MANIFEST} was changed: its SHA-256 is not the one named."
    try:
        population: Population = read_population(file, **arguments)
    except (ValueError, TypeError, OSError):
        raise ReplayError(0, broken) from None
    raise ReplayError(0, broken + first_break(population, text, bundle.log, salts))


def _check_end(manifest: Mapping[str, Any], result: ReplayResult) -> None:
    named = manifest.get("events"), manifest.get("seal")
    if named != (result.events, result.seal):
        raise ReplayError(
            result.events + 1,
            f"the log ends after {result.events:,} events, {MANIFEST} names {named[0]!r} events "
            "and their seal: events are missing at its end, or it was written anew",
        )
