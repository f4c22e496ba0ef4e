"""Times and durations as the reader's own clock shows them."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from labelcore.log.events import moment_of

MINUTE = 60.0


def reader_zone() -> tzinfo:
    """The time zone of the browser; UTC where it does not say."""
    return zone(getattr(st.context, "timezone", None))


def zone(name: object) -> tzinfo:
    try:
        return ZoneInfo(str(name)) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def dated(at: str, where: tzinfo) -> str:
    """A moment of the log with its day.

    >>> dated("2027-05-03T12:03:22.5+00:00", UTC), dated("changed", UTC)
    ('3 May 2027 12:03', 'no time')
    """
    if (moment := moment_of(at)) is None:
        return "no time"
    moment = moment.astimezone(where)
    return f"{moment.day} {moment:%b %Y %H:%M}"


def is_since(at: str, start: datetime) -> bool:
    """Whether a stored time is that of ``start`` or later; what was changed into none never is."""
    moment = moment_of(at)
    return moment is not None and moment >= start


def clock(at: str, where: tzinfo, now: datetime | None = None) -> str:
    """A moment of the log: the time today, else day and time.

    >>> clock("2027-05-03T12:03:22.5+00:00", UTC, datetime(2027, 5, 3, 18, tzinfo=UTC))
    '12:03:22'
    """
    moment = datetime.fromisoformat(at).astimezone(where)
    today = (now or datetime.now(UTC)).astimezone(where).date()
    return f"{moment:%H:%M:%S}" if moment.date() == today else dated(at, where)


def about_minutes(seconds: float, about: str = "about ") -> str:
    """A duration that is a guess.

    >>> about_minutes(20), about_minutes(840)
    ('under a minute', 'about 14 min')
    """
    return minutes(seconds) if seconds < MINUTE else f"{about}{minutes(seconds)}"


def minutes(seconds: float) -> str:
    """A duration to plan with.

    >>> minutes(20), minutes(60), minutes(3570), minutes(4020)
    ('under a minute', '1 min', '1 h 00 min', '1 h 07 min')
    """
    if seconds < MINUTE:
        return "under a minute"
    whole = round(seconds / MINUTE)
    return f"{whole} min" if whole < MINUTE else f"{whole // 60} h {whole % 60:02d} min"
