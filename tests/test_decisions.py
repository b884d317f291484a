"""The index of decision records matches the record files, and every record has the required form."""

import pytest

from tests.docs.decision_index import FOLDER, INDEX, MalformedRecord, parse_record, read_records, render_index

RECORD = "# 0010 Do it\n\n- Date: 2026-11-20\n- Status: {status}\n\n## Context\n\n## Decision\n\n## Consequences\n"
ACCEPTED = RECORD.format(status="Accepted")


def test_index_is_generated_from_the_records() -> None:
    assert INDEX.read_text() == render_index(read_records())


def test_index_shows_the_status_of_a_superseded_record() -> None:
    status = "Superseded by [0011](0011-other-way.md)"
    record = parse_record("0010-do-it.md", RECORD.format(status=status))
    assert record.successor == "0011-other-way.md"
    assert f"| [0010](0010-do-it.md) | Do it | 2026-11-20 | {status} |" in render_index([record])


def test_successors_of_records_exist() -> None:
    records = read_records()
    successors = {record.successor for record in records} - {None}
    assert successors <= {record.file for record in records}


def test_record_numbers_are_unique() -> None:
    numbers = [record.number for record in read_records()]
    assert sorted(set(numbers)) == numbers


def test_records_are_at_most_a_page() -> None:
    long_records = [path.name for path in FOLDER.glob("[0-9]*.md") if len(path.read_text().split()) > 400]
    assert long_records == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("0011-do-it.md", ACCEPTED),
        ("0010-do-it.md", ACCEPTED.replace("- Date: 2026-11-20\n", "")),
        ("0010-do-it.md", RECORD.format(status="Superseded by 0011")),
        ("0010-do-it.md", ACCEPTED.replace("## Context\n\n", "")),
    ],
    ids=["number", "date", "status", "sections"],
)
def test_malformed_record_is_rejected(file: str, text: str) -> None:
    with pytest.raises(MalformedRecord, match=file):
        parse_record(file, text)
