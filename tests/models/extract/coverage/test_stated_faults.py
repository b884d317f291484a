"""A file that the separate count cannot parse is read all the same; its pages are unjudged."""

import pytest

from quire.models.cdom.original import Format
from quire.models.extract.coverage.stated import counted, mail
from tests.models.extract.flow_trees import read_tree

MAIL = b"From: a@b.org\nSubject: s\nMIME-Version: 1.0\n\nThe body of the mail.\n"


@pytest.mark.parametrize("fault", [AttributeError, TypeError, RecursionError, MemoryError, UnicodeError])
def test_fault_of_counter_costs_statement_not_document(
    fault: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(data: bytes) -> None:
        raise fault

    monkeypatch.setattr(mail, "state_eml", fail)
    assert "The body of the mail." in [block.text for block in read_tree(MAIL).blocks]


def test_import_error_in_a_child_is_an_internal_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(counted.COUNTERS, Format.EML, "quire.models.extract.coverage.stated.nowhere:state")
    with pytest.raises(ImportError):
        read_tree(MAIL)
