"""Dates and small numbers in words."""

from datetime import UTC, date, datetime

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def moment(at: str) -> datetime:
    """A stored time, in UTC."""
    return datetime.fromisoformat(at).astimezone(UTC)


def moment_words(at: str) -> str:
    """
    >>> moment_words("2026-05-03T14:05:09.123456+00:00")
    '3 May 2026, 14:05 UTC'
    """
    return f"{day_words(at)}, {moment(at):%H:%M} UTC"


def day_words(at: str) -> str:
    """
    >>> day_words("2026-05-03T14:05:09.123456+00:00")
    '3 May 2026'
    """
    when = moment(at)
    return f"{_day(when.date())} {when.year}"


def span_words(first: str, last: str) -> str:
    """The days from one time to another.

    >>> span_words("2026-05-03T14:05:09+00:00", "2026-05-09T08:00:00+00:00")
    '3 to 9 May 2026'
    >>> span_words("2026-04-28T14:05:09+00:00", "2026-05-09T08:00:00+00:00")
    '28 April to 9 May 2026'
    >>> span_words("2026-12-31T14:05:09+00:00", "2027-01-01T08:00:00+00:00")
    '31 December 2026 to 1 January 2027'
    """
    start, end = sorted((moment(first).date(), moment(last).date()))
    if start == end:
        return f"{_day(end)} {end.year}"
    if start.year != end.year:
        return f"{_day(start)} {start.year} to {_day(end)} {end.year}"
    begin = str(start.day) if start.month == end.month else _day(start)
    return f"{begin} to {_day(end)} {end.year}"


def people_words(number: int) -> str:
    """
    >>> people_words(1), people_words(2), people_words(12)
    ('one person', 'two people', '12 people')
    """
    word = NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"
    return f"{word} {'person' if number == 1 else 'people'}"


def _day(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]}"
