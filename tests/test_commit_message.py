"""The commit-msg hook accepts `area: imperative summary` and names what is wrong otherwise."""

import pytest

from tests.commit_message import find_fault


@pytest.mark.parametrize(
    "message",
    [
        "queue: count heartbeats sent while a document is finishing\n\nAfter an outage a start was refunded.\n",
        "reader, tables: keep empty first columns",
        "docs: require Python 3.11",
        "tests: feed hostile JSON to every operation",
        "Merge branch 'tables'",
        "merge: the door of a cluster",
        "release: 0.11.0",
    ],
)
def test_find_fault_accepts_imperative_summary(message: str) -> None:
    assert find_fault(message) is None


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("A line one character too long for the house", "area"),
        ("queue: Count heartbeats", "area"),
        ("queue: count heartbeats.", "area"),
        ("queue: counted heartbeats", "imperative"),
        ("queue: what the database heard", "imperative"),
        ("queue: " + "count " * 12 + "on", "characters"),
        ("queue: count heartbeats\nAfter an outage", "blank line"),
        ("", "area"),
    ],
)
def test_find_fault_names_the_rule_that_is_broken(message: str, fault: str) -> None:
    assert fault in (find_fault(message) or "")
