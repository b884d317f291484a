"""Which pages of a file are read: the ranges that were asked for, within what there is and what is allowed."""

from models.cdom.errors import NoSuchPage, TooManyPages
from models.cdom.original import ReadOptions


def choose_pages(count: int, options: ReadOptions) -> tuple[int, ...]:
    """1-based numbers to read, of `count` pages. Raises `NoSuchPage` and `TooManyPages` before any page is touched."""
    numbers = select_pages(count, options.pages)
    if options.pages and not numbers:
        raise NoSuchPage(f"the file has {count} pages, none of those asked for")
    if len(numbers) > options.max_pages:
        raise TooManyPages(f"{len(numbers)} pages, {options.max_pages} allowed")
    return numbers


def select_pages(count: int, ranges: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Ascending, each once; no ranges means all pages."""
    if not ranges:
        return tuple(range(1, count + 1))
    wanted = {number for first, last in ranges for number in range(max(first, 1), min(last, count) + 1)}
    return tuple(sorted(wanted))
