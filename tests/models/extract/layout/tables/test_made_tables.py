"""Tables of many forms, made by seed: each class of page is read right."""

import pytest

from tests.golden.pages import read_document, read_page
from tests.models.extract.layout.tables.made_ends import FURTHER, count_invoices
from tests.models.extract.layout.tables.made_parts import count_joined, draw_scaled_cells
from tests.models.extract.layout.tables.made_tables import MAKERS, count_right

_VARIANTS = 20
_LEAST = 0.85
_ALL = MAKERS | FURTHER | {"scaled_cells": draw_scaled_cells}


@pytest.mark.parametrize("kind", sorted(_ALL))
def test_tables_of_a_class_are_read_right(kind: str) -> None:
    right, wrong = count_right(kind, _ALL[kind], _VARIANTS, lambda data: read_page(data, 1))
    assert right >= _LEAST * _VARIANTS, f"{kind}: {right} of {_VARIANTS} right, not seeds {wrong}"


def test_invoices_keep_lines_and_labels_together() -> None:
    right = count_invoices(_VARIANTS, lambda data: read_page(data, 1))
    assert right >= _LEAST * _VARIANTS, f"{right} of {_VARIANTS} right"


def test_tables_over_two_pages_are_joined() -> None:
    right = count_joined(_VARIANTS, read_document)
    assert right >= _LEAST * _VARIANTS, f"{right} of {_VARIANTS} right"
