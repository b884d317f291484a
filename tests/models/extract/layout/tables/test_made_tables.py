"""Tables of many forms, made by seed: each class of page is read right."""

import pytest

from tests.golden.pages import read_page
from tests.models.extract.layout.tables.made_ends import FURTHER, count_invoices
from tests.models.extract.layout.tables.made_tables import MAKERS, count_right

_VARIANTS = 20
_LEAST = 0.85
_ALL = MAKERS | FURTHER


@pytest.mark.parametrize("kind", sorted(_ALL))
def test_tables_of_a_class_are_read_right(kind: str) -> None:
    right, wrong = count_right(kind, _ALL[kind], _VARIANTS, lambda data: read_page(data, 1))
    assert right >= _LEAST * _VARIANTS, f"{kind}: {right} of {_VARIANTS} right, not seeds {wrong}"


def test_invoices_keep_lines_and_labels_together() -> None:
    right = count_invoices(_VARIANTS, lambda data: read_page(data, 1))
    assert right >= _LEAST * _VARIANTS, f"{right} of {_VARIANTS} right"
