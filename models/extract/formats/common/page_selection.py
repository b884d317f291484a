"""Page selection: the pages of a file to read, by the requested ranges and the limits."""

from quire.models.cdom.errors import NoSuchPage, TooManyPages
from quire.models.cdom.original import ReadOptions


def choose_pages(count: int, options: ReadOptions) -> tuple[int, ...]:
    """Return the 1-based numbers of the pages to read, out of `count`, without reading a page.

    Raises:
        NoSuchPage: None of the requested pages exists.
        TooManyPages: More pages are selected than allowed.
    """
    numbers = select_pages(count, options.pages)
    if options.pages and not numbers:
        raise NoSuchPage(f"the file has {count} pages, none of those asked for")
    if len(numbers) > options.max_pages:
        raise TooManyPages(f"{len(numbers)} pages, {options.max_pages} allowed")
    return numbers


def select_pages(count: int, ranges: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return the page numbers in the ranges, ascending and without repetition; all pages without ranges."""
    if not ranges:
        return tuple(range(1, count + 1))
    selected = {number for first, last in ranges for number in range(max(first, 1), min(last, count) + 1)}
    return tuple(sorted(selected))
