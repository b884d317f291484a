"""Readers of packages are found by entry points, and a missing package has a stable error."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from quire.models.cdom.errors import UnsupportedFormat
from quire.models.cdom.original import Format, ReadOptions
from quire.models.extract.formats.common import installed
from quire.models.extract.formats.common.installed import COUNTERS, READERS, find_installed
from quire.models.extract.formats.common.opc import Package
from quire.models.extract.registry import READERS as CORE_READERS
from quire.models.extract.registry import REFUSED, find_reader, open_document

RARE = sorted(set(Format) - set(CORE_READERS) - set(REFUSED))
WORD_2003 = b'<w:wordDocument xmlns:w="http://schemas.microsoft.com/office/word/2003/wordml"/>'


@pytest.fixture
def points(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[EntryPoint]]:
    """The entry points of an environment without packages; a test adds to them."""
    there: list[EntryPoint] = []
    monkeypatch.setattr(installed, "entry_points", lambda *, group: [point for point in there if point.group == group])
    find_installed.cache_clear()
    yield there
    find_installed.cache_clear()


@pytest.mark.parametrize("format_", RARE)
def test_reader_of_a_rare_format_is_refused_without_its_package(format_: Format, points: list[EntryPoint]) -> None:
    with pytest.raises(UnsupportedFormat, match=f"^{format_.value} files .*: pip install quire-formats$"):
        find_reader(format_)


def test_word_2003_is_refused_without_its_package(points: list[EntryPoint]) -> None:
    with pytest.raises(UnsupportedFormat, match="pip install quire-formats"):
        Package(WORD_2003)


def test_reader_of_another_name_is_not_found(points: list[EntryPoint]) -> None:
    points.append(EntryPoint("xls", "quire_evil:open_xls", READERS))
    assert find_installed(READERS) == {}


def test_file_of_a_format_without_a_counter_has_no_statement(points: list[EntryPoint]) -> None:
    points.append(EntryPoint("svg", "quire.models.rare_formats.svg:open_svg", READERS))
    document = open_document(b'<svg xmlns="http://www.w3.org/2000/svg"><text>needle</text></svg>', ReadOptions())
    page = document.read_page(1).content
    assert [block.text for block in page.blocks] == ["needle"]
    assert page.coverage is None
    points.append(EntryPoint("svg", "quire.models.rare_formats.stated.markup:state_svg", COUNTERS))
    find_installed.cache_clear()
    again = open_document(b'<svg xmlns="http://www.w3.org/2000/svg"><text>needle</text></svg>', ReadOptions())
    assert again.read_page(1).content.coverage is not None
