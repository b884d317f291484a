"""Generates invoices by seed in twelve layouts as PDF, with the values that they state.

Labels, languages, number and date forms vary by seed inside a layout. Firms, towns and goods are invented.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf

FIRMS = (
    "Northern Rope Works Ltd", "Lantern & Tar GmbH", "Quayside Supplies Inc.", "Bellweather Marine",
    "Harbour Glass Co.",
    "Kettle and Crane LLC", "Atelier Morvan SARL", "Talleres Ribera S.L.", "Officina Brandi S.r.l.", "Van Dalen B.V.",
)  # fmt: skip
CUSTOMERS = (
    "City Water Board",
    "Mill Lane School",
    "Pier Nine Hotel",
    "Jonas Keel",
    "Orchard Clinic",
    "Tidewater Museum",
)
STREETS = ("12 Wharf Road", "Hafenstraße 7", "4 Mill Lane", "Calle Mayor 31", "88 Station Street", "3 rue du Port")
TOWNS = ("Leeds LS1 4DY", "20457 Hamburg", "Bristol BS1 5TR", "41001 Sevilla", "Portland, OR 97201", "44000 Nantes")
GOODS = (
    "Hemp rope 20 m", "Brass lantern", "Deck paint white", "Consulting day", "Steel shackle M8", "Crane hire",
    "Annual inspection", "Oak plank", "LED panel", "Delivery to site", "Rubber fender", "Monthly maintenance",
)  # fmt: skip
NOTES = ("as agreed on site", "serial no. 4471-B", "colour grey", "including fittings", "for building C")
CURRENCIES = {"EUR": "EUR ", "USD": "$", "GBP": "£"}
ENGLISH = {
    "title": ("INVOICE", "Invoice", "Tax Invoice"),
    "number": ("Invoice Number", "Invoice No.", "Invoice #", "Inv. No.", "Invoice ID"),
    "date": ("Invoice Date", "Date", "Issue Date", "Date of issue", "Billing date"),
    "due": ("Due Date", "Payment due", "Due", "Pay by", "Due on"),
    "customer": ("Bill To", "Billed to", "Customer", "Invoice to", "Sold to"),
    "supplier": ("From", "Supplier", "Seller", "Issued by"),
    "net": ("Subtotal", "Net amount", "Total excl. VAT", "Net total", "Sub-total"),
    "tax": ("VAT 20%", "Tax", "Sales tax", "VAT (20%)", "VAT"),
    "total": ("Total", "Amount due", "Total due", "Grand Total", "Balance due"),
    "heads": (
        ("Description", "Qty", "Unit Price", "Amount"), ("Item", "Quantity", "Price", "Total"),
        ("Service", "Hours", "Rate", "Line total"), ("Details", "Units", "Unit cost", "Amount"),
        ("Product", "Qty", "Price each", "Net amount"),
    ),
}  # fmt: skip
GERMAN = {
    "title": ("Rechnung", "RECHNUNG"), "number": ("Rechnungsnummer", "Rechnungs-Nr.", "Rechnung Nr."),
    "date": ("Rechnungsdatum", "Datum"), "due": ("Fällig am", "Zahlbar bis"), "customer": ("Rechnung an", "Kunde"),
    "supplier": ("Lieferant", "Aussteller"), "net": ("Nettobetrag", "Zwischensumme", "Summe netto"),
    "tax": ("MwSt. 19 %", "USt. 19%", "zzgl. 19% MwSt."), "total": ("Gesamtbetrag", "Rechnungsbetrag", "Bruttobetrag"),
    "heads": (("Bezeichnung", "Menge", "Einzelpreis", "Betrag"), ("Beschreibung", "Anzahl", "Preis", "Gesamt")),
}  # fmt: skip
FRENCH = {
    "title": ("FACTURE",), "number": ("Facture n°", "N° de facture", "Numéro de facture"),
    "date": ("Date de facture", "Date"), "due": ("Échéance", "Date d'échéance"), "customer": ("Client", "Facturé à"),
    "supplier": ("Fournisseur", "Émetteur"), "net": ("Total HT", "Montant HT"), "tax": ("TVA 20 %", "Montant TVA"),
    "total": ("Total TTC", "Net à payer", "Montant TTC"),
    "heads": (("Désignation", "Quantité", "Prix unitaire", "Montant HT"), ("Libellé", "Qté", "P.U.", "Total HT")),
}  # fmt: skip
SPANISH = {
    "title": ("FACTURA",), "number": ("Factura nº", "Número de factura"), "date": ("Fecha de factura", "Fecha"),
    "due": ("Vencimiento", "Fecha de vencimiento"), "customer": ("Cliente",), "supplier": ("Proveedor", "Emisor"),
    "net": ("Base imponible", "Subtotal"), "tax": ("IVA 21 %", "Cuota IVA"),
    "total": ("Total factura", "Total a pagar"),
    "heads": (("Concepto", "Cantidad", "Precio", "Importe"), ("Descripción", "Cant.", "Precio unitario", "Importe")),
}  # fmt: skip
HEAD_FIELDS = ("invoice_number", "invoice_date", "due_date", "supplier", "customer", "net", "tax", "total", "currency")
Words = dict[str, Any]
Line = dict[str, Any]


@dataclass(slots=True)
class MadeInvoice:
    """An invoice as PDF and its values; `head` has only values that the page prints."""

    layout: str
    data: bytes = b""
    head: dict[str, Any] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)


def invoice_schema() -> dict[str, Any]:
    """Return the schema of an invoice as a user would write it."""
    text, number, day = {"type": "string"}, {"type": "number"}, {"type": "string", "format": "date"}
    line = {"description": text, "quantity": number, "unit_price": number, "amount": number}
    return {
        "type": "object",
        "properties": {
            "invoice_number": text,
            "invoice_date": day,
            "due_date": day,
            "supplier": {**text, "description": "Company that issues the invoice"},
            "customer": {**text, "description": "Company or person billed"},
            "net": {**number, "description": "Net amount before tax"},
            "tax": {**number, "description": "Tax amount"},
            "total": {**number, "description": "Total amount due"},
            "currency": {"type": "string", "enum": ["EUR", "USD", "GBP", "INR", "CHF"]},
            "lines": {"type": "array", "items": {"type": "object", "properties": line}},
        },
    }


class _Page:
    """A page being drawn: texts at places, rows of a table, lines."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self.page = file.new_page(width=595, height=842)

    def write(self, x: float, y: float, text: str, size: float = 10, *, bold: bool = False, mono: bool = False) -> None:
        font = ("cobo" if bold else "cour") if mono else ("hebo" if bold else "helv")
        self.page.insert_text((x, y), text, fontsize=size, fontname=font)

    def right(self, x: float, y: float, text: str, size: float = 10, *, bold: bool = False) -> None:
        font = "hebo" if bold else "helv"
        self.page.insert_text((x - pymupdf.get_text_length(text, font, size), y), text, fontsize=size, fontname=font)

    def rule(self, x0: float, y0: float, x1: float, y1: float, width: float = 0.6) -> None:
        self.page.draw_line((x0, y0), (x1, y1), width=width)

    def shade(self, x0: float, y0: float, x1: float, y1: float, grey: float = 0.9) -> None:
        self.page.draw_rect((x0, y0, x1, y1), color=None, fill=(grey, grey, grey))


class _Sheet:
    """The values of an invoice with its words and forms, before any layout."""

    def __init__(self, chance: random.Random, words: Words, count: int) -> None:
        self.chance, self.words = chance, words
        self.english = words is ENGLISH
        self.currency = chance.choice(("USD", "GBP", "EUR")) if self.english else "EUR"
        self.sign = CURRENCIES[self.currency]
        self.form = chance.randrange(3)
        day = date(2023, 1, 5) + timedelta(days=chance.randrange(900))
        self.day, self.due = day, day + timedelta(days=chance.choice((14, 30, 45)))
        self.number = chance.choice(("INV-{}", "{}", "2024/{}", "RE{}", "A-{}-K")).format(chance.randrange(1000, 99999))
        self.supplier, self.customer = chance.choice(FIRMS), chance.choice(CUSTOMERS)
        self.street, self.town = chance.choice(STREETS), chance.choice(TOWNS)
        self.lines: list[Line] = []
        for goods in (
            chance.sample(GOODS, min(count, len(GOODS))) if count <= len(GOODS) else chance.choices(GOODS, k=count)
        ):
            quantity, cents = chance.randrange(1, 25), chance.randrange(150, 90_000)
            self.lines.append({"description": goods, "quantity": quantity, "unit_price": cents / 100,
                               "amount": round(quantity * cents / 100, 2)})  # fmt: skip
        self.net = round(sum(line["amount"] for line in self.lines), 2)
        rate = {id(GERMAN): 19, id(SPANISH): 21}.get(id(words), 20)
        self.tax = round(self.net * rate / 100, 2)
        self.total = round(self.net + self.tax, 2)
        self.heads = chance.choice(words["heads"])

    def word(self, key: str) -> str:
        return str(self.chance.choice(self.words[key]))

    def money(self, value: float, *, sign: bool = True) -> str:
        shown = f"{value:,.2f}"
        if not self.english:
            shown = shown.translate(str.maketrans(",.", ".,")) if self.words is not FRENCH else shown.replace(
                ",", " ").replace(".", ",")  # fmt: skip
            return f"{shown} EUR" if sign else shown
        if not sign:
            return shown
        return (f"{self.sign}{shown}", f"{self.currency} {shown}", f"{shown} {self.currency}")[self.form]

    def shown(self, day: date) -> str:
        if not self.english:
            return day.strftime("%d.%m.%Y" if self.words is GERMAN else "%d/%m/%Y")
        months = day.strftime("%B"), day.strftime("%b")
        return (f"{day.day} {months[0]} {day.year}", f"{months[1]} {day.day}, {day.year}", day.isoformat())[self.form]

    def row(self, line: Line) -> tuple[str, str, str, str]:
        return (line["description"], str(line["quantity"]), self.money(line["unit_price"], sign=False),
                self.money(line["amount"], sign=False))  # fmt: skip

    def head(self, *without: str) -> dict[str, Any]:
        values = {
            "invoice_number": self.number, "invoice_date": self.day.isoformat(), "due_date": self.due.isoformat(),
            "supplier": self.supplier, "customer": self.customer, "net": self.net, "tax": self.tax,
            "total": self.total, "currency": self.currency,
        }  # fmt: skip
        return {key: value for key, value in values.items() if key not in without}


COLUMNS = (50.0, 320.0, 400.0, 480.0, 545.0)


def _table(page: _Page, sheet: _Sheet, y: float, *, style: str, columns: Sequence[float] = COLUMNS) -> float:
    """Draw the lines in a style; return the end."""
    top = y
    for number, texts in enumerate([sheet.heads, *map(sheet.row, sheet.lines)]):
        if style == "zebra" and number % 2:
            page.shade(columns[0], y, columns[-1], y + 18)
        if style == "head" and number == 0:
            page.shade(columns[0], y, columns[-1], y + 18, 0.8)
        page.write(columns[0] + 4, y + 12.5, texts[0], 9, bold=number == 0)
        for column in (1, 2, 3):
            page.right(columns[column + 1] - 4, y + 12.5, texts[column], 9, bold=number == 0)
        if style in ("grid", "lines"):
            page.rule(columns[0], y, columns[-1], y)
        y += 18
    if style in ("grid", "lines"):
        page.rule(columns[0], y, columns[-1], y)
    if style == "grid":
        for x in columns:
            page.rule(x, top, x, y)
    return y


def _totals(page: _Page, sheet: _Sheet, y: float, *, left: float = 360, right: float = 541, colon: str = "") -> float:
    for key, value in (("net", sheet.net), ("tax", sheet.tax), ("total", sheet.total)):
        page.write(left, y, sheet.word(key) + colon, 10, bold=key == "total")
        page.right(right, y, sheet.money(value), 10, bold=key == "total")
        y += 16
    return y


def _letterhead(page: _Page, sheet: _Sheet, x: float = 50, y: float = 60) -> None:
    page.write(x, y, sheet.supplier, 15, bold=True)
    page.write(x, y + 15, sheet.street, 9)
    page.write(x, y + 27, sheet.town, 9)


def _address(page: _Page, sheet: _Sheet, x: float, y: float, *, label: bool = True) -> None:
    if label:
        page.write(x, y, sheet.word("customer") + sheet.chance.choice(("", ":")), 9, bold=True)
    page.write(x, y + 14, sheet.customer, 10)
    page.write(x, y + 27, "55 Long Acre", 10)
    page.write(x, y + 40, "Exeter EX4 3PL", 10)


def _pairs(sheet: _Sheet) -> list[tuple[str, str]]:
    return [
        (sheet.word("number"), sheet.number),
        (sheet.word("date"), sheet.shown(sheet.day)),
        (sheet.word("due"), sheet.shown(sheet.due)),
    ]


def _classic(file: Any, sheet: _Sheet) -> dict[str, Any]:
    page = _Page(file)
    _letterhead(page, sheet)
    page.right(545, 62, sheet.word("title"), 20, bold=True)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(360, 110 + 15 * number, f"{label}:")
        page.right(545, 110 + 15 * number, value)
    _address(page, sheet, 50, 150)
    y = _table(page, sheet, 240, style="grid")
    _totals(page, sheet, y + 30, colon=":")
    page.write(50, 780, "Thank you for your business.", 8)
    return sheet.head()


def _modern(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Labels above their values in small grey letters."""
    page = _Page(file)
    page.write(50, 70, sheet.word("title"), 24, bold=True)
    page.right(545, 60, sheet.supplier, 12, bold=True)
    page.right(545, 75, sheet.street, 9)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(50 + 165 * number, 120, label, 7.5)
        page.write(50 + 165 * number, 134, value, 11, bold=True)
    _address(page, sheet, 50, 170)
    y = _table(page, sheet, 260, style="lines")
    _totals(page, sheet, y + 26)
    return sheet.head()


def _german_letter(file: Any, sheet: _Sheet) -> dict[str, Any]:
    page = _Page(file)
    page.write(57, 130, f"{sheet.supplier} · {sheet.street} · {sheet.town}", 7)
    _address(page, sheet, 57, 136, label=False)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(355, 150 + 14 * number, label, 9)
        page.write(455, 150 + 14 * number, value, 9)
    page.write(57, 270, f"{sheet.word('title')} {sheet.number}", 14, bold=True)
    page.write(57, 290, "Wir erlauben uns, folgende Leistungen zu berechnen." if sheet.words is GERMAN else
               "We charge the following goods and services.", 9)  # fmt: skip
    y = _table(page, sheet, 305, style="lines")
    _totals(page, sheet, y + 24)
    page.write(57, 800, f"{sheet.supplier} · IBAN DE89 3704 0044 0532 0130 00 · BIC COBADEFFXXX", 7)
    return sheet.head("customer")


def _boxed(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """A row of boxes with labels in the head and values below."""
    page = _Page(file)
    _letterhead(page, sheet, 330)
    page.write(50, 65, sheet.word("title"), 20, bold=True)
    _address(page, sheet, 50, 110)
    edges = (50.0, 215.0, 380.0, 545.0)
    for x in edges:
        page.rule(x, 190, x, 226)
    for edge in (190, 207, 226):
        page.rule(50, edge, 545, edge)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(edges[number] + 5, 202, label, 8.5, bold=True)
        page.write(edges[number] + 5, 220, value, 9.5)
    y = _table(page, sheet, 250, style="grid")
    _totals(page, sheet, y + 24)
    return sheet.head()


def _zebra(file: Any, sheet: _Sheet) -> dict[str, Any]:
    page = _Page(file)
    _letterhead(page, sheet)
    page.right(545, 60, f"{sheet.word('title')} #{sheet.number}", 16, bold=True)
    for number, (label, value) in enumerate(_pairs(sheet)[1:]):
        page.right(545, 80 + 14 * number, f"{label}: {value}", 9)
    _address(page, sheet, 50, 130)
    y = _table(page, sheet, 220, style="zebra")
    _totals(page, sheet, y + 24)
    return sheet.head()


def _two_sides(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Supplier and customer side by side under labels."""
    page = _Page(file)
    page.write(50, 60, sheet.word("title"), 18, bold=True)
    page.write(50, 95, sheet.word("supplier"), 9, bold=True)
    for number, text in enumerate((sheet.supplier, sheet.street, sheet.town)):
        page.write(50, 109 + 13 * number, text)
    _address(page, sheet, 320, 95)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(50, 175 + 15 * number, f"{label}:", bold=True)
        page.write(160, 175 + 15 * number, value)
    y = _table(page, sheet, 235, style="head")
    _totals(page, sheet, y + 24)
    return sheet.head()


def _totals_in_table(file: Any, sheet: _Sheet) -> dict[str, Any]:
    page = _Page(file)
    _letterhead(page, sheet)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(330, 60 + 14 * number, f"{label}: {value}")
    _address(page, sheet, 50, 130)
    y = top = _table(page, sheet, 230, style="grid")
    for key, value in (("net", sheet.net), ("tax", sheet.tax), ("total", sheet.total)):
        page.right(476, y + 12.5, sheet.word(key), 9, bold=True)
        page.right(541, y + 12.5, sheet.money(value, sign=False), 9, bold=True)
        y += 18
        page.rule(COLUMNS[0], y, COLUMNS[-1], y)
    for x in (COLUMNS[0], COLUMNS[3], COLUMNS[4]):
        page.rule(x, top, x, y)
    page.write(50, y + 30, f"All amounts in {sheet.currency}.", 8)
    return sheet.head()


def _two_line(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Descriptions of two lines, and a number for each position."""
    page = _Page(file)
    _letterhead(page, sheet)
    page.write(50, 130, f"{sheet.word('title')} {sheet.number}", 15, bold=True)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(350, 130 + 14 * number, label, 9)
        page.right(545, 130 + 14 * number, value, 9)
    _address(page, sheet, 50, 150)
    y = 240.0
    heads = ("Pos", *sheet.heads)
    lefts = (50.0, 80.0)
    page.rule(50, y, 545, y)
    for number, texts in enumerate([heads, *((str(n), *sheet.row(line)) for n, line in enumerate(sheet.lines, 1))]):
        bold = number == 0
        page.write(lefts[0], y + 12, texts[0], 9, bold=bold)
        page.write(lefts[1], y + 12, texts[1], 9, bold=bold)
        for column, right in ((2, 396), (3, 476), (4, 541)):
            page.right(right, y + 12, texts[column], 9, bold=bold)
        y += 17
        if number:
            note = sheet.chance.choice(NOTES)
            page.write(lefts[1], y + 6, note, 8)
            sheet.lines[number - 1]["description"] += f" {note}"
            y += 14
        else:
            page.rule(50, y, 545, y)
    _totals(page, sheet, y + 24)
    return sheet.head()


def _letter(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Totals and terms in sentences below a borderless list."""
    page = _Page(file)
    _letterhead(page, sheet)
    page.write(50, 120, f"{sheet.word('customer')}: {sheet.customer}")
    page.write(50, 136, f"{sheet.word('number')}: {sheet.number}")
    page.write(50, 152, f"{sheet.word('date')}: {sheet.shown(sheet.day)}")
    y = _table(page, sheet, 190, style="plain")
    y = _totals(page, sheet, y + 24, colon=":")
    page.write(50, y + 20, f"{sheet.word('due')}: {sheet.shown(sheet.due)}")
    page.write(50, y + 36, "Please quote the number of this invoice with your payment.", 9)
    return sheet.head()


def _receipt(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Fixed-width letters on a narrow strip."""
    page = _Page(file)
    x, y = 150, 60.0
    for text in (sheet.supplier.upper(), sheet.street, sheet.town, ""):
        page.write(x, y, text, 9, mono=True)
        y += 12
    for label, value in _pairs(sheet):
        page.write(x, y, f"{label}: {value}", 9, mono=True)
        y += 12
    page.write(x, y, f"{sheet.word('customer')}: {sheet.customer}", 9, mono=True)
    y += 20
    for number, texts in enumerate([sheet.heads, *map(sheet.row, sheet.lines)]):
        page.write(
            x, y, f"{texts[0][:24]:24} {texts[1]:>8} {texts[2]:>12} {texts[3]:>12}", 8, mono=True, bold=not number
        )
        y += 12
    y += 8
    for key, value in (("net", sheet.net), ("tax", sheet.tax), ("total", sheet.total)):
        page.write(x, y, f"{sheet.word(key):24} {sheet.money(value):>33}", 8, mono=True)
        y += 12
    return sheet.head()


def _dense(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Label lines below each other, and a column of codes before the description."""
    page = _Page(file)
    page.write(50, 50, sheet.word("title"), 14, bold=True)
    pairs = [(sheet.word("supplier"), sheet.supplier), (sheet.word("customer"), sheet.customer), *_pairs(sheet),
             ("Currency" if sheet.english else "Ref.", sheet.currency if sheet.english else "KT-4")]  # fmt: skip
    for number, (label, value) in enumerate(pairs):
        page.write(50, 80 + 13 * number, f"{label}: {value}")
    y = 180.0
    heads = ("Code", *sheet.heads)
    for number, texts in enumerate(
        [heads, *((f"K-{sheet.chance.randrange(100, 999)}", *sheet.row(line)) for line in sheet.lines)]
    ):
        page.write(50, y, texts[0], 9, bold=not number)
        page.write(110, y, texts[1], 9, bold=not number)
        for column, right in ((2, 396), (3, 476), (4, 541)):
            page.right(right, y, texts[column], 9, bold=not number)
        y += 15
        if not number:
            page.rule(50, y - 11, 545, y - 11)
    _totals(page, sheet, y + 20, left=50, right=220)
    return sheet.head()


def _many_pages(file: Any, sheet: _Sheet) -> dict[str, Any]:
    """Lines over pages with the head repeated."""
    lines = sheet.lines
    page = _Page(file)
    _letterhead(page, sheet)
    for number, (label, value) in enumerate(_pairs(sheet)):
        page.write(330, 60 + 14 * number, f"{label}:")
        page.write(440, 60 + 14 * number, value)
    _address(page, sheet, 50, 130)
    y, start, number = 230.0, 0, 1
    while start < len(lines):
        room = int((760 - y) // 18) - 1
        sheet.lines = lines[start : start + room]
        y = _table(page, sheet, y, style="lines")
        start += room
        page.write(270, 815, f"Page {number}", 8)
        if start < len(lines):
            page, y, number = _Page(file), 70.0, number + 1
            page.write(50, 45, f"{sheet.supplier} - {sheet.number}", 8)
    sheet.lines = lines
    if y > 700:
        page, y = _Page(file), 60.0
    _totals(page, sheet, y + 24)
    return sheet.head()


LAYOUTS: dict[str, Callable[[Any, _Sheet], dict[str, Any]]] = {
    "classic": _classic, "modern": _modern, "german-letter": _german_letter, "boxed": _boxed, "zebra": _zebra,
    "two-sides": _two_sides, "totals-in-table": _totals_in_table, "two-line": _two_line, "letter": _letter,
    "receipt": _receipt, "dense": _dense, "many-pages": _many_pages,
}  # fmt: skip
LANGUAGES = (ENGLISH, ENGLISH, GERMAN, FRENCH, SPANISH)


def make_invoice(layout: str, seed: int) -> MadeInvoice:
    """Return an invoice of a layout; every fifth seed has the same language."""
    chance = random.Random(f"{layout}-{seed}")
    count = chance.randrange(60, 90) if layout == "many-pages" else chance.randrange(1, 9)
    sheet = _Sheet(chance, LANGUAGES[seed % len(LANGUAGES)], count)
    file = pymupdf.open()
    head = LAYOUTS[layout](file, sheet)
    return MadeInvoice(layout, bytes(file.tobytes(garbage=3, deflate=True)), head, sheet.lines)
