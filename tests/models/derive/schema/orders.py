"""Confirmations of orders by seed, with their truth: four languages, five formats, five ways to print a label."""

import io
import random
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from typing import Any

import docx

from tests.models.extract.formats.sheets.workbooks import number_cell, sheet, text_cell, workbook

FORMATS = ("html", "eml", "docx", "xlsx", "txt")
FACTS = ("order", "date", "customer", "payment", "carrier")
SUMS = ("subtotal", "shipping", "total")
COLUMNS = ("item", "quantity", "price", "amount")
WORDS = {
    "en": "Order number;Order date;Customer;Payment method;Carrier;Subtotal;Shipping;Total;Item;Quantity;Price;Amount",
    "de": "Bestellnummer;Bestelldatum;Kunde;Zahlungsart;Versanddienst;Zwischensumme;Versandkosten;Gesamtbetrag;Artikel;"
    "Menge;Einzelpreis;Betrag",
    "fr": "Numéro de commande;Date de commande;Client;Mode de paiement;Transporteur;Sous-total;Frais de port;Total;"
    "Article;Quantité;Prix unitaire;Montant",
    "es": "Número de pedido;Fecha del pedido;Cliente;Forma de pago;Transportista;Subtotal;Gastos de envío;Total;"
    "Artículo;Cantidad;Precio;Importe",
}
ITEMS = ("Rope 12 mm", "Steel hook", "Brake lining", "Work gloves", "LED lamp 40 W", "Paint, grey")


@dataclass(frozen=True)
class Order:
    """An order: its file, the label of each fact, the facts as a schema states them, and the lines."""

    data: bytes
    labels: dict[str, str]
    facts: dict[str, str | float]
    lines: list[dict[str, str | float]]

    @property
    def schema(self) -> dict[str, Any]:
        """A schema whose titles are the printed labels."""
        kinds = {"date": {"type": "string", "format": "date"}, "quantity": {"type": "integer"}}
        kinds |= {name: {"type": "number"} for name in (*SUMS, "price", "amount")}
        leaf = {name: {"title": label} | kinds.get(name, {"type": "string"}) for name, label in self.labels.items()}
        line = {"type": "object", "properties": {name: leaf[name] for name in COLUMNS}}
        whole = {name: leaf[name] for name in (*FACTS, *SUMS)} | {"lines": {"type": "array", "items": line}}
        return {"type": "object", "properties": whole}


def make_order(seed: int) -> Order:
    drawn = random.Random(seed)
    language = drawn.choice(sorted(WORDS))
    labels = dict(zip((*FACTS, *SUMS, *COLUMNS), WORDS[language].split(";"), strict=True))
    lines: list[dict[str, str | float]] = []
    for item in drawn.sample(ITEMS, drawn.randint(2, 4)):
        quantity, price = drawn.randint(1, 9), drawn.randint(200, 9000) / 100
        amount = round(quantity * price, 2)
        lines.append({"item": item, "quantity": quantity, "price": price, "amount": amount})
    subtotal, shipping = round(sum(float(line["amount"]) for line in lines), 2), drawn.choice((4.9, 7.5, 12.0))
    facts: dict[str, str | float] = {
        "order": f"{drawn.choice('AB')}{drawn.randint(10_000, 99_999)}",
        "date": f"2026-{drawn.randint(1, 12):02}-{drawn.randint(13, 28)}",
        "customer": drawn.choice(("Ann Miller", "Jörg Weber", "Lucía Gómez")),
        "payment": drawn.choice(("Credit card", "PayPal", "Invoice")),
        "carrier": drawn.choice(("DHL", "UPS")),
        "subtotal": subtotal, "shipping": shipping, "total": round(subtotal + shipping, 2),
    }  # fmt: skip
    printed = [(labels[name], _show(facts[name], language)) for name in FACTS]
    rows = [[_show(line[name], language) for name in COLUMNS] for line in lines]
    sums = [(labels[name], _show(facts[name], language)) for name in SUMS]
    heads = [labels[name] for name in COLUMNS]
    kind, way = FORMATS[seed % len(FORMATS)], drawn.randrange(5)
    data = _WRITERS[kind](printed, heads, rows, sums, way)
    return Order(data, labels, facts, lines)


def _show(value: str | float, language: str) -> str:
    if isinstance(value, str) and value.startswith("2026-"):
        year, month, day = value.split("-")
        return {"de": f"{day}.{month}.{year}", "en": value}.get(language, f"{day}/{month}/{year}")
    if not isinstance(value, float):
        return str(value)
    return f"€{value:,.2f}" if language == "en" else f"{value:,.2f} €".translate(str.maketrans(",.", ".,"))


Pairs = list[tuple[str, str]]


def _write_html(facts: Pairs, heads: list[str], rows: list[list[str]], sums: Pairs, way: int) -> bytes:
    pairs = [(escape(label), escape(value)) for label, value in facts]
    shown = (
        "".join(f"<p><b>{label}:</b> {value}</p>" for label, value in pairs),
        f"<table>{''.join(f'<tr><td>{label}</td><td>{value}</td></tr>' for label, value in pairs)}</table>",
        f"<table><tr>{''.join(f'<td><b>{label}</b><br>{value}</td>' for label, value in pairs)}</tr></table>",
        f"<ul>{''.join(f'<li>{label}: {value}</li>' for label, value in pairs)}</ul>",
        f"<dl>{''.join(f'<dt>{label}</dt><dd>{value}</dd>' for label, value in pairs)}</dl>",
    )[way]
    names = "".join(f"<th>{escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    inside = "".join(f"<tr><td colspan=3>{label}</td><td>{value}</td></tr>" for label, value in sums if way % 2)
    below = "".join(f"<p>{label}: {value}</p>" for label, value in sums if not way % 2)
    return f"<html><h1>{facts[0][1]}</h1>{shown}<table><tr>{names}</tr>{body}{inside}</table>{below}</html>".encode()


def _write_mail(facts: Pairs, heads: list[str], rows: list[list[str]], sums: Pairs, way: int) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "Shop <shop@example.com>", "A <a@example.org>", facts[0][1]
    mail["Date"] = "Mon, 04 May 2026 10:00:00 +0200"
    mail.set_content("See the page.")
    mail.add_alternative(_write_html(facts, heads, rows, sums, way).decode(), subtype="html")
    return bytes(mail)


def _write_docx(facts: Pairs, heads: list[str], rows: list[list[str]], sums: Pairs, way: int) -> bytes:
    document = docx.Document()
    document.add_heading(facts[0][1], 1)
    if way % 2:
        table = document.add_table(0, 2)
        for pair in facts:
            for cell, text in zip(table.add_row().cells, pair, strict=True):
                cell.text = text
    else:
        for label, value in facts:
            document.add_paragraph(f"{label}{':' if way else chr(9)} {value}")
    table = document.add_table(0, len(heads))
    for row in (heads, *rows, *([["", "", *pair] for pair in sums] if way % 2 else [])):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    for label, value in [] if way % 2 else sums:
        document.add_paragraph(f"{label}: {value}")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _write_xlsx(facts: Pairs, heads: list[str], rows: list[list[str]], sums: Pairs, way: int) -> bytes:
    lines: list[list[str]] = [[facts[0][1]], [], *map(list, facts), *([[]] if way % 2 else [])]
    lines += [heads, *rows, *([[]] if way > 1 else []), *(["", "", *pair] for pair in sums)]
    written = []
    for number, line in enumerate(lines, 1):
        cells = [_cell(f"{letter}{number}", text) for letter, text in zip("ABCD", line, strict=False) if text]
        written.append(f'<row r="{number}">{"".join(cells)}</row>')
    return workbook(sheet("".join(written)))


def _cell(place: str, text: str) -> str:
    plain = text.strip(" €")
    number = plain.replace(".", "").replace(",", ".") if text.endswith("€") else plain.replace(",", "")
    is_number = number.replace(".", "", 1).isdecimal()
    return number_cell(place, number) if is_number else text_cell(place, text)


def _write_text(facts: Pairs, heads: list[str], rows: list[list[str]], sums: Pairs, way: int) -> bytes:
    width = max(len(label) for label, _ in facts) + 3
    lines = ["A confirmation of your order.", ""]
    lines += [f"{label}: {value}" if way % 2 else f"{label:<{width}}{value}" for label, value in facts]
    lines += ["", *("".join((f"{row[0]:<20}", *(f"{cell:>16}" for cell in row[1:]))) for row in (heads, *rows)), ""]
    lines += [f"{label:<52}{value:>16}" for label, value in sums]
    return "\n".join(lines).encode()


_WRITERS = {"html": _write_html, "eml": _write_mail, "docx": _write_docx, "xlsx": _write_xlsx, "txt": _write_text}
