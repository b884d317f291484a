"""Recognised rows: bills and addresses keep their rows, running text flows, parts of one row stay together."""

from models.cdom.ports import RecognisedPage, Word
from models.extract.readers.contract import PageContent
from models.extract.recognised import apply_recognition


def read(*rows: tuple[str, float, float, float]) -> list[str]:
    """Block texts of a page with these (text, x0, y0, x1) rows, 12 points high."""
    words = tuple(
        Word(text=text, bbox=(x0, y0, x1, y0 + 12.0), confidence=0.9, line=number)
        for number, (text, x0, y0, x1) in enumerate(rows)
    )
    page = RecognisedPage(number=1, words=words, engine="test", model=None, version="1")
    return [block.text for block in apply_recognition(PageContent(number=1, width=400.0, height=600.0), page).blocks]


def test_an_address_keeps_its_rows() -> None:
    rows = ("12, JALAN MAWAR 3,", 60, 100, 240), ("TAMAN JAYA,", 60, 114, 170), ("43000 KAJANG, SELANGOR", 60, 128, 250)
    assert read(*rows) == ["12, JALAN MAWAR 3,\nTAMAN JAYA,\n43000 KAJANG, SELANGOR"]


def test_running_text_flows_over_its_rows() -> None:
    rows = (
        ("The river carries a lot of water in", 60, 100, 260),
        ("spring and leaves its bed, so that the", 60, 114, 262),
        ("fields around it are under water.", 60, 128, 240),
    )
    (text,) = read(*rows)
    assert "\n" not in text
