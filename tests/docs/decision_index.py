"""The index of decision records, generated from the record files.

`python -m tests.docs.decision_index` writes docs/decisions/README.md.
"""

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "decisions"
INDEX = FOLDER / "README.md"
SECTIONS = ("Context", "Decision", "Consequences")
_HEAD = re.compile(
    r"# (?P<number>\d{4}) (?P<title>.+)\n\n- Date: (?P<date>\d{4}-\d{2}-\d{2})\n"
    r"- Status: (?P<status>Accepted|Superseded by \[\d{4}\]\((?P<successor>\d{4}-[a-z0-9-]+\.md)\))\n\n"
)
_INTRODUCTION = """# Decisions

Each record explains one choice that constrains future work. A record has a date, a status, the context, the decision
and its consequences. A record that no longer applies keeps its text and names its successor in its status.
Measurements and rejected options without lasting effect are in [the design notes](../design/README.md).

To add a record, copy the form of an existing one and use the next free number of its subject. Then run
`python -m tests.docs.decision_index`, which generates this page from the files.

| No. | Decision | Date | Status |
|---|---|---|---|
"""


class MalformedRecord(ValueError):
    """The record does not have the required form; the message says which part is wrong."""


@dataclass(frozen=True)
class Record:
    """Entry of one decision record in the index. `successor` is the file that replaces it, if any."""

    file: str
    number: str
    title: str
    date: str
    status: str
    successor: str | None


def parse_record(file: str, text: str) -> Record:
    """Parse the head of a record and check its sections.

    Raises:
        MalformedRecord: if the head, the number or the order of sections is not as required.
    """
    head = _HEAD.match(text)
    if head is None:
        raise MalformedRecord(f"{file}: title, date or status is missing or malformed")
    if not file.startswith(f"{head['number']}-"):
        raise MalformedRecord(f"{file}: the title has the number {head['number']}")
    if tuple(re.findall(r"^## (.+)$", text, re.MULTILINE)) != SECTIONS:
        raise MalformedRecord(f"{file}: the sections must be {', '.join(SECTIONS)}")
    return Record(file, head["number"], head["title"], head["date"], head["status"], head["successor"])


def read_records(folder: Path = FOLDER) -> list[Record]:
    """Parse all records of the folder, sorted by file name."""
    return [parse_record(path.name, path.read_text()) for path in sorted(folder.glob("[0-9]*.md"))]


def render_index(records: list[Record]) -> str:
    """Render the index page."""
    rows = (f"| [{each.number}]({each.file}) | {each.title} | {each.date} | {each.status} |\n" for each in records)
    return _INTRODUCTION + "".join(rows)


if __name__ == "__main__":
    INDEX.write_text(render_index(read_records()))
