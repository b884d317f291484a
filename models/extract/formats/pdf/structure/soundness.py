"""Check that the engine can follow a structure tree: from each element it climbs to the root, without a bound."""

from collections.abc import Iterator
from typing import Any

from quire.models.extract.formats.pdf.engine import BROKEN, mupdf

_UNREADABLE: tuple[type[Exception], ...] = (*BROKEN, OverflowError)
_MOST_OBJECTS = 200_000
"""Objects of the tree that are checked: a tagged book of a thousand pages has about 100,000."""
_MOST_LEVELS = 100
"""Levels of elements: the engine compares each level with all above it, and real files have at most 30."""


def is_sound(document: Any) -> bool:
    """Return whether each element of the page contents leads over its parents to the root of the structure tree.

    MuPDF loops for ever when parents go round, or end elsewhere than at the root. It reaches elements only through
    the number tree `ParentTree`.
    """
    try:
        pdf = mupdf.pdf_document_from_fz_document(document.this)
        root = mupdf.ll_pdf_dict_getp(mupdf.pdf_trailer(pdf).m_internal, "Root/StructTreeRoot")
        return _Climb(mupdf.ll_pdf_to_num(root)).reaches_root(_find_elements(root))
    except _UNREADABLE:
        return False


class _Climb:
    """Climbs from elements to the root; remembers the objects from which the root was reached."""

    def __init__(self, root: int) -> None:
        self._levels = {root: 0}
        """Object number → levels below the root."""

    def reaches_root(self, elements: Iterator[Any]) -> bool:
        """Return whether all these elements lead to the root, within the bounds."""
        return all(self._reaches_root(element) for element in elements)

    def _reaches_root(self, element: Any) -> bool:
        path: list[int] = []
        while (number := mupdf.ll_pdf_to_num(element)) not in self._levels:
            path.append(number)
            if not number or len(path) > _MOST_LEVELS or not mupdf.ll_pdf_is_dict(element):
                return False
            element = mupdf.ll_pdf_dict_gets(element, "P")
        level = self._levels[number]
        for above, passed in enumerate(reversed(path), start=1):
            self._levels[passed] = level + above
        return level + len(path) <= _MOST_LEVELS and len(self._levels) <= _MOST_OBJECTS


def _find_elements(root: Any) -> Iterator[Any]:
    """Yield the elements that the leaves of the number tree name; each node once."""
    stack, seen = [mupdf.ll_pdf_dict_gets(root, "ParentTree")], set()
    while stack:
        node = stack.pop()
        number = mupdf.ll_pdf_to_num(node)
        if number in seen:
            continue
        seen |= {number} - {0}
        stack += _list_items(mupdf.ll_pdf_dict_gets(node, "Kids"))
        for value in _list_items(mupdf.ll_pdf_dict_gets(node, "Nums"))[1::2]:
            elements = _list_items(value) if mupdf.ll_pdf_is_array(value) else [value]
            yield from (element for element in elements if mupdf.ll_pdf_is_dict(element))


def _list_items(array: Any) -> list[Any]:
    return [mupdf.ll_pdf_array_get(array, index) for index in range(mupdf.ll_pdf_array_len(array))]
