"""No planted value is left in redacted files and outputs of any format (`make drill NAME=canary-formats`: 300 each)."""

from collections import Counter

import pytest

from quire.models.redaction.redact import REDACTABLE
from tests.security.formats.files import FORMATS, make_format_case
from tests.security.formats.leaks import find_format_leaks, spell
from tests.security.leaks import letters

pytestmark = pytest.mark.long
FILES = 3


@pytest.mark.parametrize("kind", FORMATS)
def test_no_value_is_left_in_redacted_files_and_outputs(kind: str) -> None:
    tally = Counter[str]()
    for number in range(FILES):
        case = make_format_case(kind, number)
        assert find_format_leaks(case, tally) == []
    assert tally["files redacted"] == (FILES if kind in {*REDACTABLE, "mbox"} else 0), tally


@pytest.mark.parametrize("kind", FORMATS)
def test_search_sees_the_values_of_the_original(kind: str) -> None:
    case = make_format_case(kind, 0)
    seen = spell(case.data, kind) + letters(case.name + "".join(case.lines))
    unseen = [place for needle, place in case.needles.items() if needle not in seen]
    assert set(unseen) <= {"two lines", "two pages", "link", "link target"}
