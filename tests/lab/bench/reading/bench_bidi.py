"""Words in logical order on generated pages of Hebrew, Arabic and Persian with numbers, Latin words and brackets.

`python -m tests.lab.bench.reading.bench_bidi [--pages 30]`: the share of words in the right order, by language and
printer. Pages are printed by a Chromium browser, where one is installed, and those in Hebrew by the engine's HTML
layout, whose own order and character maps are wrong for Arabic letters.
"""

import argparse
import random
import shutil
import subprocess
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

from quire.models.cdom.original import OcrMode, ReadOptions
from quire.models.extract.formats.pdf.engine import pymupdf
from quire.models.extract.registry import open_document

WORDS = {
    "he": ("נמל", "דוח", "שנה", "משרד", "ספינה", "רציף", "מחיר", "עובדים", "תשלום", "בית", "חורף", 'מע"מ'),
    "ar": ("الميناء", "تقرير", "سنة", "المكتب", "سفينة", "خلال", "السعر", "الأولى", "لا", "في", "عمال", "الخطوط"),
    "fa": ("بندر", "گزارش", "سال", "دفتر", "کشتی", "قیمت", "حداقل", "پرداخت", "خانه", "زمستان", "اسکله", "شهر"),
}
LATIN = ("Blue", "Flag", "Harbour", "Board", "report_2024.pdf", "PDF", "Quay", "Street", "info@example.com")
ARABIC_DIGITS = {"ar": "٠١٢٣٤٥٦٧٨٩", "fa": "۰۱۲۳۴۵۶۷۸۹"}


def make_number(chance: random.Random, language: str) -> str:
    """A year, an amount, a date, a share, or the same in the digits of the language."""
    number = chance.choice(
        (
            str(chance.randrange(1950, 2030)),
            f"{chance.randrange(1, 99)},{chance.randrange(100, 999)}.{chance.randrange(10, 99)}",
            f"{chance.randrange(1, 28):02}/{chance.randrange(1, 12):02}/{chance.randrange(1990, 2030)}",
            f"{chance.randrange(2, 99)}%",
        )
    )
    digits = ARABIC_DIGITS.get(language)
    if digits is None or chance.random() < 0.5 or not number.replace("/", "").isdigit():
        return number
    return number.translate(str.maketrans("0123456789", digits))


def make_sentence(chance: random.Random, language: str, length: int) -> str:
    """Words with numbers, Latin runs and brackets; a number never stands before a Latin word, which prints alike."""
    parts: list[str] = []
    while len(parts) < length:
        word = chance.choice(WORDS[language])
        kind = chance.random()
        if kind < 0.15:
            parts.append(f"{word} {make_number(chance, language)}")
        elif kind < 0.25:
            parts.append(f"{word} {' '.join(chance.sample(LATIN, chance.randrange(1, 4)))}")
        elif kind < 0.32:
            parts.append(f"({word} {chance.choice(WORDS[language])})")
        elif kind < 0.4:
            parts.append(f"{word},")
        else:
            parts.append(word)
    return " ".join([*parts, chance.choice(WORDS[language])]) + "."


def make_page(chance: random.Random, language: str) -> tuple[str, list[str]]:
    """HTML of a page and its words in order: a heading, paragraphs, a list and a table."""
    heading = make_sentence(chance, language, 3).rstrip(".")
    paragraphs = [make_sentence(chance, language, chance.randrange(8, 30)) for _ in range(5)]
    items = [make_sentence(chance, language, 4) for _ in range(3)]
    rows = [
        [chance.choice(WORDS[language]), make_sentence(chance, language, 2), make_number(chance, language)]
        for _ in range(4)
    ]
    html = f"<h1>{heading}</h1>" + "".join(f"<p>{text}</p>" for text in paragraphs)
    html += "<ul>" + "".join(f"<li>{text}</li>" for text in items) + "</ul>"
    html += "<table>" + "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    html += "</table>"
    texts = [heading, *paragraphs, *items, *(cell for row in rows for cell in row)]
    return html, " ".join(texts).split()


def print_by_engine(html: str, language: str) -> bytes:
    """The page as the engine's own HTML layout prints it."""
    file = pymupdf.open()
    page = file.new_page()
    table = "" if "<td>" not in html else html[html.index("<table>") :]
    text = html.removesuffix(table)
    page.insert_htmlbox((50, 50, 545, 620), f'<div dir="rtl" lang="{language}">{text}</div>')
    cells = [row.split("<td>")[1:] for row in table.split("<tr>")[1:]]
    for number, row in enumerate(cells):
        for column, cell in enumerate(row):
            x0, y0 = 545 - 165 * (column + 1), 640 + 24 * number
            page.draw_rect((x0, y0, x0 + 165, y0 + 24), color=(0, 0, 0), width=0.6)
            said = cell.split("</td>")[0]
            page.insert_htmlbox((x0 + 4, y0 + 3, x0 + 161, y0 + 23), f'<p dir="rtl">{said}</p>', css="* {margin:0}")
    return bytes(file.tobytes())


def print_by_browser(html: str, language: str, browser: str) -> bytes:
    """The page as a Chromium browser prints it."""
    style = "<style>td {border: 1px solid black; padding: 3px}</style>"
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(f'<meta charset="utf-8">{style}<body dir="rtl" lang="{language}">{html}', "utf-8")
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"]
        subprocess.run(
            [*command, f"--print-to-pdf={target}", source.as_uri()], check=True, capture_output=True, timeout=120
        )
        return target.read_bytes()


def read_words(data: bytes) -> list[str]:
    """The words of the document in the order of its blocks and cells."""
    document = open_document(data, ReadOptions(ocr=OcrMode.NEVER))
    try:
        texts: list[str] = []
        for number in document.facts.page_numbers:
            for block in document.read_page(number).content.blocks:
                texts += [cell.text for cell in block.table.cells] if block.table else [block.text]
    finally:
        document.close()
    return " ".join(texts).split()


def score_order(expected: list[str], words: list[str]) -> float:
    """Share of the expected words that were read, in their order."""
    matcher = SequenceMatcher(None, expected, words, autojunk=False)
    return sum(match.size for match in matcher.get_matching_blocks()) / len(expected)


def main() -> None:
    """Print the share of words in order for each language and producer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pages", type=int, default=30)
    options = parser.parse_args()
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    for language in WORDS:
        by_engine: list[float] = []
        by_browser: list[float] = []
        for seed in range(options.pages):
            html, expected = make_page(random.Random(seed), language)
            if language == "he":
                by_engine.append(score_order(expected, read_words(print_by_engine(html, language))))
            if browser:
                by_browser.append(score_order(expected, read_words(print_by_browser(html, language, browser))))
        for printer, scores in (("engine", by_engine), ("browser", by_browser)):
            if scores:
                print(language, printer, len(scores), "pages", f"{sum(scores) / len(scores):.4f}")


if __name__ == "__main__":
    main()
