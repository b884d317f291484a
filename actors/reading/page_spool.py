"""Stores page pixels that wait for a recogniser in a nameless temporary file; one page at a time is in memory."""

import tempfile
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from quire.models.cdom.ports import PixelPage

_IN_MEMORY = 4 << 20  # bytes of pixels kept in memory before they go to a file: about one page at 150 dpi


@dataclass(frozen=True, slots=True)
class _Place:
    number: int
    offset: int
    size: int
    width: float
    height: float


class PixelStore(Sequence[PixelPage]):
    """Pages by number, in page order. A page put again replaces the first."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  closed by its finalizer
        self._finalizer = weakref.finalize(self, self._file.close)
        self._places: dict[int, _Place] = {}
        self.bytes = 0

    def put(self, page: PixelPage) -> None:
        """Append a page's picture to the file."""
        self._file.seek(0, 2)
        offset = self._file.tell()
        self._file.write(page.image)
        self.bytes += len(page.image)
        self._places[page.number] = _Place(page.number, offset, len(page.image), page.width, page.height)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> PixelPage: ...
    @overload
    def __getitem__(self, index: slice) -> list[PixelPage]: ...
    def __getitem__(self, index: int | slice) -> PixelPage | list[PixelPage]:
        numbers = sorted(self._places)
        if isinstance(index, slice):
            return [self._load(number) for number in numbers[index]]
        return self._load(numbers[index])

    def __iter__(self) -> Iterator[PixelPage]:
        for number in sorted(self._places):
            yield self._load(number)

    @property
    def numbers(self) -> frozenset[int]:
        """Return the numbers of the stored pages."""
        return frozenset(self._places)

    def close(self) -> None:
        """Delete the file."""
        self._finalizer()

    def _load(self, number: int) -> PixelPage:
        place = self._places[number]
        self._file.seek(place.offset)
        image = self._file.read(place.size)
        return PixelPage(number=number, image=image, width=place.width, height=place.height)
