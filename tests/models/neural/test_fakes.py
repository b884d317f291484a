import pytest

from quire.models.cdom.ports import PixelPage, PortUnavailable
from quire.models.neural.fakes import ScriptedRecogniser

PAGES = [PixelPage(number=number, image=b"", width=200, height=100) for number in (2, 1)]


def test_the_script_is_answered_in_the_order_asked() -> None:
    scripted = ScriptedRecogniser({1: ("Invoice 7", "Total 9.50")})
    read = scripted.recognise_pages(PAGES, ("en",), 1.0)
    assert [page.number for page in read] == scripted.seen == [2, 1]
    assert [(word.text, word.line) for word in read[1].words] == [("Invoice", 0), ("7", 0), ("Total", 1), ("9.50", 1)]
    assert [word.text for word in read[0].words] == ["Page", "2"]


def test_scripted_recogniser_fails_while_a_failure_is_set() -> None:
    scripted = ScriptedRecogniser(failure=PortUnavailable("recogniser"))
    with pytest.raises(PortUnavailable):
        scripted.recognise_pages(PAGES, ("en",), 1.0)
    scripted.failure = None
    assert len(scripted.recognise_pages(PAGES, ("en",), 1.0)) == 2
