"""A bundle replays elsewhere, and no byte of it or of the file can change unseen."""

import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from labelcore.errors import ReplayError
from labelcore.replay import bundle, read_bundle, replay_bundle
from labelcore.report import bundle_zip
from tests.cases import sampled
from tests.report.conftest import Made
from tests.report.sessions import as_json, begun, member, repacked, session_on, write_items

FLIPS = sampled(range(24), 2, seed=1)


def flipped(content: bytes, place: int, rng: random.Random) -> bytes:
    return (
        content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]
    )


def refused(made: Made, folder: Path, changes: dict[str, bytes]) -> ReplayError:
    """Why the bundle is refused with other bytes in some of its files."""
    with pytest.raises(ReplayError) as caught:
        replay_bundle(repacked(made.bundle, folder / "b.zip", changes), made.items)
    return caught.value


def test_the_same_session_gives_the_same_bytes_without_the_items(made: Made) -> None:
    assert bundle_zip(made.session) == made.bundle.read_bytes()
    with zipfile.ZipFile(made.bundle) as archive:
        assert set(archive.namelist()) == {
            *("README.txt", "log.jsonl", "manifest.json", "plan.json", "population.json"),
            *("report.html", "report.json", "salts.json"),
        }
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"message 7" not in everything
    assert str(made.items.parent).encode() not in everything


def test_readme_names_command_seal_and_result(made: Made) -> None:
    readme = member(made.bundle, "README.txt").decode()
    assert "python -m labelcore replay BUNDLE.zip --file items.csv" in readme
    assert made.session.events[-1].hash in readme
    assert "of the 300 items in items.csv that a person can judge" in readme


@pytest.mark.full
def test_a_fresh_process_replays_it(made: Made, root: Path) -> None:
    command = [sys.executable, "-m", "labelcore", "replay", str(made.bundle)]
    seal = made.session.events[-1].hash
    done = subprocess.run(
        [*command, "--file", str(made.items), "--seal", seal],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    for stage in ("File:", "Plan:", "Log:", "Draws:", "Answers:", "Looks:", "Bundle:"):
        assert f"\n{stage}" in "\n" + done.stdout
    for result in made.session.results().values():
        assert result.sentence() in done.stdout


@pytest.mark.parametrize("seed", FLIPS)
def test_a_flipped_bit_of_the_log_is_refused_at_its_event(
    made: Made, tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    log = member(made.bundle, "log.jsonl")
    place = rng.randrange(len(log))
    error = refused(made, tmp_path, {"log.jsonl": flipped(log, place, rng)})
    assert error.sequence == log[:place].count(b"\n") + 1


@pytest.mark.parametrize("name", ["plan.json", "population.json", "manifest.json", "salts.json"])
@pytest.mark.parametrize("seed", FLIPS)
def test_a_flipped_bit_of_a_small_file_is_refused(
    made: Made, tmp_path: Path, name: str, seed: int
) -> None:
    rng = random.Random(seed)
    content = member(made.bundle, name)
    error = refused(made, tmp_path, {name: flipped(content, rng.randrange(len(content)), rng)})
    ends = (0, len(made.session.events) + 1)
    assert error.sequence in (ends if name == "manifest.json" else (0,))


@pytest.mark.parametrize("seed", FLIPS)
def test_a_flipped_bit_of_the_items_is_refused(made: Made, tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    content = made.items.read_bytes()
    items = tmp_path / "items.csv"
    items.write_bytes(flipped(content, rng.randrange(len(content)), rng))
    with pytest.raises(ReplayError) as caught:
        replay_bundle(made.bundle, items)
    assert caught.value.sequence == 0


@pytest.mark.parametrize("name", ["README.txt", "report.html", "report.json"])
def test_a_changed_report_is_refused(made: Made, tmp_path: Path, name: str) -> None:
    content = member(made.bundle, name).replace(b"the 300 items", b"the 900 items")
    assert b"the 900 items" in content
    error = refused(made, tmp_path, {name: content})
    assert f"event 0: {name} or manifest.json was changed" in str(error)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'{"sequence":1,', b'{ "sequence":1,'), (b"\n", b"\r\n"), (b"\n", b"\n\n"), (b"\n", b" \n")],
)
def test_the_same_meaning_in_other_bytes_is_refused(
    made: Made, tmp_path: Path, old: bytes, new: bytes
) -> None:
    log = member(made.bundle, "log.jsonl").replace(old, new, 1)
    refused(made, tmp_path, {"log.jsonl": log})


def test_the_last_line_must_end_and_no_event_may_be_missing(made: Made, tmp_path: Path) -> None:
    log = member(made.bundle, "log.jsonl")
    number = len(made.session.events)
    for content, event in ((log[:-1], number), (log[: log[:-1].rindex(b"\n") + 1], number)):
        assert refused(made, tmp_path, {"log.jsonl": content}).sequence == event


def test_a_changed_plan_names_the_first_event_that_no_longer_follows(
    made: Made, tmp_path: Path
) -> None:
    plan = member(made.bundle, "plan.json").replace(b'"seed": 3', b'"seed": 4')
    error = str(refused(made, tmp_path, {"plan.json": plan}))
    assert "event 0: plan.json " in error and " Event 2 is the first that no" in error


def test_a_changed_score_names_the_first_event_that_no_longer_follows(
    made: Made, tmp_path: Path
) -> None:
    lines = made.items.read_text("utf-8").split("\n")
    names = [line.partition(",")[0] for line in lines]
    place = names.index(str(made.session.events[1].item_id))
    lines[place] = lines[place].rpartition(",")[0] + ",0.9999"
    (tmp_path / "items.csv").write_text("\n".join(lines), "utf-8", newline="")
    with pytest.raises(ReplayError, match=r"event 0: items\.csv is not the file .* Event \d+ is"):
        replay_bundle(made.bundle, tmp_path / "items.csv")


def test_another_text_of_an_item_that_was_shown_is_refused(made: Made, tmp_path: Path) -> None:
    """No score and no id is another one, so that only the hash of the text tells."""
    lines = made.items.read_text("utf-8").split("\n")
    drawn = next(event for event in made.session.events if event.kind == "drawn")
    place = [line.partition(",")[0] for line in lines].index(str(drawn.item_id))
    lines[place] = lines[place].replace("message", "massage")
    (tmp_path / "items.csv").write_text("\n".join(lines), "utf-8", newline="")
    with pytest.raises(
        ReplayError,
        match=f"Event {drawn.sequence} is .*: the text of item {drawn.item_id!r} is ano",
    ):
        replay_bundle(made.bundle, tmp_path / "items.csv")


def test_a_file_more_or_less_is_refused(made: Made, tmp_path: Path) -> None:
    with zipfile.ZipFile(made.bundle) as old:
        files = {name: old.read(name) for name in old.namelist()}
    for names, extra, reason in (
        (set(files) - {"report.json"}, {}, "report.json is missing in b.zip"),
        (set(files), {"more.txt": b"x"}, "more.txt is not named by manifest.json"),
    ):
        with zipfile.ZipFile(tmp_path / "b.zip", "w") as new:
            for name, content in {**{n: files[n] for n in names}, **extra}.items():
                new.writestr(name, content)
        with pytest.raises(ReplayError, match=reason):
            replay_bundle(tmp_path / "b.zip", made.items)


def test_what_is_no_bundle_is_refused(made: Made, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file"):
        read_bundle(tmp_path / "none.zip")
    with pytest.raises(ReplayError, match="damaged, or is not a bundle"):
        read_bundle(made.items)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(ReplayError, match=r"manifest\.json is missing"):
        read_bundle(tmp_path / "other.zip")
    content = made.bundle.read_bytes()
    (tmp_path / "short.zip").write_bytes(content[: len(content) // 2])
    with pytest.raises(ReplayError, match="damaged, or is not a bundle"):
        read_bundle(tmp_path / "short.zip")


NOT_OURS = "is not written as Labelcore writes it"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("manifest.json", b"{", "manifest.json cannot be read"),
        ("manifest.json", b"[]\n", f"manifest.json {NOT_OURS}"),
        ("manifest.json", b'{"format": 1}', f"manifest.json {NOT_OURS}"),
        (
            "manifest.json",
            b'{\n  "format": "zip"\n}\n',
            "names the format ('zip', None), known are",
        ),
        ("plan.json", b"\xff", "plan.json was changed: 'utf-8' codec"),
        ("plan.json", b"{}\n", "plan.json or manifest.json was changed"),
        ("log.jsonl", b"[]\n", "line 1 of log.jsonl is not an event: it is not a JSON object"),
        ("log.jsonl", b"\xff\n", "line 1 of log.jsonl is not an event: 'utf-8' codec"),
        ("log.jsonl", b"{", "line 1 of log.jsonl is not an event"),
    ],
)
def test_what_is_not_ours_is_refused_with_the_reason(
    made: Made, tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    error = refused(made, tmp_path, {name: content})
    assert reason in str(error) and error.sequence == (name == "log.jsonl")


def test_a_file_twice_or_too_large_is_refused(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    twice = tmp_path / "twice.zip"
    with zipfile.ZipFile(twice, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("a.txt", "a"), archive.writestr("a.txt", "b")
    with pytest.raises(ReplayError, match=r"twice\.zip holds a file twice"):
        read_bundle(twice)
    monkeypatch.setattr(bundle, "LARGEST_BYTES", 1)
    with pytest.raises(ReplayError, match=r"twice\.zip unpacks to more than 1 bytes"):
        read_bundle(twice)


def test_names_and_order_of_classifiers_come_back(tmp_path: Path) -> None:
    """Nothing is sorted on the way: the order of classifiers has a meaning."""
    write_items(tmp_path / "the items.csv")
    session = session_on(
        tmp_path / "the items.csv",
        arguments={"scores": {"b": "score", "a": "score"}, "thresholds": {"b": 0.5, "a": 0.3}},
        classifier=["b", "a"],
    )
    (tmp_path / "b.zip").write_bytes(bundle_zip(session))
    source = as_json(member(tmp_path / "b.zip", "population.json"))
    assert list(source["arguments"]["scores"]) == ["b", "a"]
    assert "--file 'the items.csv'" in member(tmp_path / "b.zip", "README.txt").decode()
    assert replay_bundle(tmp_path / "b.zip", tmp_path / "the items.csv").events == 0


def test_an_open_session_has_a_bundle_too(tmp_path: Path) -> None:
    session, _ = begun(tmp_path)
    session.next()
    (tmp_path / "b.zip").write_bytes(bundle_zip(session))
    assert json.loads(member(tmp_path / "b.zip", "report.json"))["interim"] is True
    assert replay_bundle(tmp_path / "b.zip", tmp_path / "items.csv").draws == 1
