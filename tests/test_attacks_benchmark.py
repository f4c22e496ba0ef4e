"""What ``benchmarks.attacks`` reads back from exports and files finds what it should."""

import io

import pytest
from openpyxl import Workbook
from pypdf import PdfWriter
from pypdf.annotations import Link

from benchmarks import attacks


def test_there_are_a_hundred_contents_and_more() -> None:
    assert len(attacks.hostile()) == len(set(attacks.hostile())) >= 100


def test_a_formula_in_an_export_is_seen() -> None:
    assert attacks.formulas(".csv", b"a,b\n=1+1,-5\n'=1+1,@x\n") == 2
    book, stream = Workbook(), io.BytesIO()
    assert book.active is not None
    book.active.append(["=1+1", "'=1+1", -5])
    book.save(stream)
    assert attacks.formulas(".xlsx", stream.getvalue()) == 1


def test_markup_in_a_written_report_is_seen_outside_of_code() -> None:
    assert attacks.unescaped(b"a \\<b> \\[x\\](y)\n```\n<b>\n```\n") == 0
    assert attacks.unescaped(b"a <b> [x](y)") == 2


def test_a_link_in_a_pdf_is_seen() -> None:
    writer, stream = PdfWriter(), io.BytesIO()
    writer.add_blank_page(100, 100)
    writer.write(stream)
    assert attacks.links(stream.getvalue()) == 0
    writer.add_annotation(0, Link(rect=(0, 0, 9, 9), url="http://labelcore.invalid/bare"))
    stream = io.BytesIO()
    writer.write(stream)
    assert attacks.links(stream.getvalue()) == 1


def test_broken_files_are_read_or_refused_in_words_and_a_trace_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert [row["traces"] for row in attacks.files(2)] == [[]] * 7

    def broken(*_: object, **__: object) -> None:
        raise KeyError("id")

    read = attacks.lc.read_population
    sound = iter([True])  # The untouched file is read before its mutations.
    monkeypatch.setattr(
        attacks.lc, "read_population",
        lambda *a, **k: read(*a, **k) if next(sound, False) else broken(),
    )  # fmt: skip
    monkeypatch.setattr(attacks, "mutated", lambda content, random: content)
    monkeypatch.setattr(attacks, "sound_files", lambda folder, whole=attacks.sound_files:
                        whole(folder)[:1])  # fmt: skip
    (row,) = attacks.files(3)
    assert row["traces"] == ["KeyError: 'id'"] and row["read"] == 0
