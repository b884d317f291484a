"""The glossary points at files that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_every_place_the_glossary_names_exists() -> None:
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ")][1:]
    places = [place for row in rows for place in re.findall(r"`([\w./]+/[\w./]*)`", row.rsplit("|", 2)[1])]
    assert len(places) > 40
    assert [place for place in places if not (ROOT / place).exists()] == []
