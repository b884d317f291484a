"""Printed lines of Hebrew and Arabic are put in logical order: texts are given as printed, from left to right."""

import pytest

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.formats.pdf.text.bidi import BidiUnit, order_logically, runs_from_right
from quire.models.extract.registry import open_document


def order(printed: str, *, from_right: bool = True) -> str:
    units = [BidiUnit(char, float(at), at + 1.0) for at, char in enumerate(printed)]
    return "".join(unit.text for unit in order_logically(units, from_right=from_right))


@pytest.mark.parametrize(
    ("printed", "logical"),
    [
        ("1987 תנשב דסונ", "נוסד בשנת 1987"),
        ("דרשמב 03-7654321 ןופלט", "טלפון 03-7654321 במשרד"),
        ("למנב Blue Flag 100 גוריד", "דירוג Blue Flag 100 בנמל"),
        (".12-14 'מע ,Section 4.2-ו", "ו-Section 4.2, עמ' 12-14."),
        ("הנש 40-כ ינפל", "לפני כ-40 שנה"),
        ("₪30 דע $20 וא -5.5%", "-5.5% או $20 עד ₪30"),
        ("בורק info@example.com ראוד", "דואר info@example.com קרוב"),
        ("ףוס report_2024.pdf ץבוק", "קובץ report_2024.pdf סוף"),
        ("12 34 םירפסמ", "מספרים 34 12"),
    ],
)
def test_numbers_and_latin_runs_of_hebrew_lines_stay_forward(printed: str, logical: str) -> None:
    assert order(printed) == logical


@pytest.mark.parametrize(
    ("printed", "logical"),
    [
        ("١٤٣٤ ماع", "عام ١٤٣٤"),
        ("12-05-2024 يف", "في 2024-05-12"),
        ("12/05/2024 يف", "في 12/05/2024"),
        ("%50و", "و50%"),
        ("۱٬۲۵۰٫۵۰ تمیق", "قیمت ۱٬۲۵۰٫۵۰"),
    ],
)
def test_digits_after_arabic_letters_keep_their_order(printed: str, logical: str) -> None:
    assert order(printed) == logical


@pytest.mark.parametrize("printed", ["(ללוכ) ריחמ", ")ללוכ( ריחמ"])
def test_brackets_open_before_they_close_however_the_file_names_them(printed: str) -> None:
    assert order(printed) == "מחיר (כולל)"


def test_bracket_that_closes_inside_a_latin_run_stays_with_it() -> None:
    assert order("ףוס Blue (Green) הלימ") == "מילה Blue (Green) סוף"


def test_hebrew_words_inside_an_english_line_are_turned_together() -> None:
    assert order("The word םולש 12 םלוע means", from_right=False) == "The word עולם 12 שלום means"


def test_direction_of_a_latin_line_on_a_hebrew_page_follows_its_stop() -> None:
    lines = {"item 2": False, ".item 2": True, "12": True, "םולש item and more": True}
    for printed, expected in lines.items():
        units = [BidiUnit(char, float(at), at + 1.0) for at, char in enumerate(printed)]
        assert runs_from_right(units, page_runs_from_right=True) is expected


def test_hebrew_page_is_read_in_logical_order_in_headings_text_and_cells() -> None:
    file = pymupdf.open()
    page = file.new_page()
    html = '<div dir="rtl"><h1>דוח הנמל לשנת 2024</h1><p>דירוג Blue Flag 100 בנמל, טלפון 03-7654321 במשרד.</p></div>'
    page.insert_htmlbox((50, 50, 545, 300), html)
    cells = (("שם", "כמות"), ("קפה 250 גרם", "12"), ("תה Earl Grey", "8"))
    for row, texts in enumerate(cells):
        for column, text in enumerate(texts):
            x0, y0 = 400 - 150 * column, 320 + 24 * row
            page.draw_rect((x0, y0, x0 + 150, y0 + 24), color=(0, 0, 0), width=0.6)
            page.insert_htmlbox((x0 + 4, y0 + 3, x0 + 146, y0 + 23), f'<p dir="rtl">{text}</p>', css="* {margin:0}")
    document = open_document(bytes(file.tobytes()), ReadOptions(ocr=OcrMode.NEVER))
    blocks = document.read_page(1).content.blocks
    document.close()
    assert [block.text for block in blocks[:2]] == [
        "דוח הנמל לשנת 2024",
        "דירוג Blue Flag 100 בנמל, טלפון 03-7654321 במשרד.",
    ]
    table = blocks[2].table
    assert table is not None
    assert [cell.text for cell in table.cells] == [text for row in cells for text in row]
