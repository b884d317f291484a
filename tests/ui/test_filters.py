"""Words of the pages: times, sizes, names, marked text."""

from datetime import UTC, datetime, timedelta

import pytest

from quire.models.cdom.errors import ErrorCode
from quire.serve_apps.viewer.words import (
    ADVICE,
    format_ago,
    format_count,
    format_duration,
    format_flag,
    format_sentence,
    format_size,
    format_time,
    mark,
    shorten,
)

NOW = datetime(2026, 5, 3, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("away", "told"),
    [
        (timedelta(seconds=2), "just now"),
        (timedelta(seconds=42), "42 s ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=29), "29 d ago"),
        (timedelta(days=31), "2026-04-02"),
        (timedelta(minutes=-5), "in 5 min"),
        (timedelta(days=-40), "2026-06-12"),
    ],
)
def test_time_is_shown_relative_to_now(away: timedelta, told: str) -> None:
    assert format_ago((NOW - away).isoformat(), NOW) == told


def test_the_whole_time_is_in_utc() -> None:
    assert format_time("2026-05-03T02:30:05+02:00") == "2026-05-03 00:30:05 UTC"


def test_no_time_is_a_dash() -> None:
    assert format_ago(None) == format_duration(None, NOW.isoformat()) == "–"


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.42, "0.4 s"), (12.4, "12 s"), (185, "3 min 5 s"), (7800, "2 h 10 min"), (-3, "0.0 s")]
)
def test_durations(seconds: float, told: str) -> None:
    assert format_duration(NOW.isoformat(), (NOW + timedelta(seconds=seconds)).isoformat()) == told


@pytest.mark.parametrize(
    ("count", "told"), [(None, "–"), (11, "11 B"), (2400, "2 kB"), (2_340_000, "2.3 MB"), (7_100_000_000, "7.1 GB")]
)
def test_sizes(count: int | None, told: str) -> None:
    assert format_size(count) == told


def test_counts_agree_with_their_nouns() -> None:
    assert [format_count(n, "page") for n in (0, 1, 1200)] == ["0 pages", "1 page", "1,200 pages"]


def test_a_long_name_keeps_both_ends() -> None:
    name = "2026-05-03 " + "Rahmenvertrag " * 20 + "final v17.pdf"
    short = shorten(name, 60)
    assert len(short) <= 60
    assert short.startswith("2026-05-03 Rahmen")
    assert short.endswith("final v17.pdf")
    assert shorten("short.pdf") == "short.pdf"


def test_a_refusal_becomes_a_sentence_and_names_keep_their_letters() -> None:
    assert format_sentence("the place lies outside SVC_SOURCE_ROOT") == "The place lies outside SVC_SOURCE_ROOT."
    assert format_sentence("Sign in first.") == "Sign in first."
    assert format_sentence("") == ""


@pytest.mark.parametrize(
    ("spans", "parts"),
    [
        ([], [("abcdef", False)]),
        ([(1, 3)], [("a", False), ("bc", True), ("def", False)]),
        ([{"start": 4, "end": 6}, {"start": 0, "end": 1}], [("a", True), ("bcd", False), ("ef", True)]),
        ([(1, 4), (2, 5)], [("a", False), ("bcd", True), ("e", True), ("f", False)]),
        ([(4, 99)], [("abcd", False), ("ef", True)]),
    ],
)
def test_text_is_marked(spans: list[tuple[int, int]], parts: list[tuple[str, bool]]) -> None:
    assert mark("abcdef", spans) == parts


def test_flags_have_names_even_those_of_a_plugin() -> None:
    assert (format_flag("pii:email"), format_flag("pii:badge_number")) == ("E-mail address", "Badge number")


def test_every_error_of_a_document_comes_with_advice() -> None:
    assert {code.value for code in ErrorCode} == ADVICE.keys()
