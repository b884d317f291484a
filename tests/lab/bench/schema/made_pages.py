"""Generates invoices, statements, payslips, delivery notes, contracts and CVs by seed, drawn by Chromium.

A layout (0 to `LAYOUTS`) fixes where things stand, what the schema calls them and the language; a seed fills in the
values. Firms, towns and goods are invented. `python -m tests.lab.bench.schema.made_pages --layouts 0-23 OUT` writes the
PDFs with their schema and truth as JSON.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from html import escape
from pathlib import Path
from typing import Any

from quire.models.extract.formats.pdf.engine import pymupdf
from tests.lab.bench.schema.made_reports import filing, results
from tests.lab.bench.schema.made_taxes import mixed_invoice
from tests.lab.bench.schema.page_parts import (
    DAY,
    NUMBER,
    STYLES,
    TEXT,
    Sheet,
    array_of,
    draw_pairs,
    draw_parties,
    draw_table,
    object_of,
)
from tests.lab.bench.schema.page_words import CLIENTS, FIRMS, GOODS, LANGUAGES, NOTES, UNITS, Data

LAYOUTS = 64
CHROMIUM = "chromium"
TIMEOUT_S = 300  # seconds for all pages of a run
FONTS = ("Arial, sans-serif", "Georgia, serif", "Courier New, monospace", "Verdana, sans-serif")


@dataclass(slots=True)
class MadePage:
    """A page as PDF, the schema that asks for its values, and the values that it states."""

    kind: str
    layout: int
    seed: int
    html: str
    schema: Data
    truth: Data
    data: bytes = field(default=b"", repr=False)

    @property
    def name(self) -> str:
        """Return a name for files."""
        return f"{self.kind}-{self.layout}-{self.seed}"


def make_page(kind: str, layout: int, seed: int) -> MadePage:
    """Return the page of a layout and a seed as HTML, not yet drawn."""
    sheet = Sheet(layout, seed)
    body, schema, truth = KINDS[kind](sheet)
    size = sheet.layout.choice((9, 10, 11))
    html = f'<section style="font:{size}pt {sheet.layout.choice(FONTS)};page-break-after:always">{body}</section>'
    return MadePage(kind, layout, seed, html, object_of(schema), truth)


def draw(pages: Iterable[MadePage]) -> list[MadePage]:
    """Return the pages with their PDFs: all are printed in one run and split.

    Raises:
        AssertionError: A page took more than one sheet of paper.
    """
    made = list(pages)
    style = (
        "<style>@page{size:A4;margin:16mm 17mm}body{margin:0}table{border-collapse:collapse}td,th{padding:2px 5px;"
        "text-align:left;vertical-align:top}.r{text-align:right}.grid td,.grid th{border:1px solid #555}"
        ".lines td,.lines th{border-bottom:1px solid #999}.head th{border-bottom:2px solid #000}"
        ".zebra tr:nth-child(even){background:#eee}.two{display:flex;justify-content:space-between}"
        ".small{font-size:70%}.s{height:14px}</style>"
    )
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / "pages.html", Path(folder) / "pages.pdf"
        whole = "".join(page.html for page in made)
        source.write_text(f"<!doctype html><meta charset=utf-8>{style}{whole}", "utf-8")
        subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
             "--no-pdf-header-footer", f"--print-to-pdf={target}", str(source)],
            check=True, capture_output=True, timeout=TIMEOUT_S,
        )  # fmt: skip
        printed = pymupdf.open(target)
        assert len(printed) in (len(made), len(made) + 1), (len(printed), len(made))
        for number, page in enumerate(made):
            single = pymupdf.open()
            single.insert_pdf(printed, from_page=number, to_page=number)
            page.data = bytes(single.tobytes(garbage=3, deflate=True))
    return made


_NAMES = (
    {"number": "invoice_number", "date": "invoice_date", "due": "due_date", "seller": "supplier", "buyer": "customer",
     "net": "net", "tax": "tax", "total": "total", "lines": "lines", "description": "description",
     "quantity": "quantity", "price": "unit_price", "amount": "amount", "article": "article_number"},
    {"number": "invoice_id", "date": "issue_date", "due": "payment_due_date", "seller": "seller_name",
     "buyer": "buyer_name", "net": "net_total", "tax": "tax_total", "total": "grand_total", "lines": "line_items",
     "description": "name", "quantity": "quantity", "price": "price", "amount": "line_total", "article": "item_code"},
    {"number": "number", "date": "date", "due": "dueDate", "seller": "vendor", "buyer": "bill_to",
     "net": "subtotal", "tax": "vat_amount", "total": "total_amount", "lines": "items",
     "description": "product", "quantity": "qty", "price": "net_price", "amount": "total", "article": "sku"},
)  # fmt: skip
"""What a schema calls the parts of an invoice."""


def _lines(sheet: Sheet, count: int) -> list[Data]:
    lines = []
    for goods in sheet.chance.sample(GOODS, count):
        quantity, cents = sheet.chance.randrange(1, 25), sheet.chance.randrange(150, 90_000)
        lines.append({"description": goods, "quantity": quantity, "price": cents / 100,
                      "amount": round(quantity * cents / 100, 2), "article": f"{sheet.chance.randrange(1000, 9999)}",
                      "unit": sheet.chance.choice(UNITS)})  # fmt: skip
    return lines


def _invoice(sheet: Sheet, *, nested: bool = False) -> tuple[str, Data, Data]:
    names = sheet.layout.choice(_NAMES)
    seller, buyer, top, foot = draw_parties(sheet, sheet.word("to"))
    day = sheet.any_day()
    due = day + timedelta(days=sheet.chance.choice((14, 30, 45)))
    number = sheet.code()
    meta = [(sheet.word("number"), number), (sheet.word("date"), sheet.day(day))]
    truth: Data = {names["number"]: number, names["date"]: str(day), names["seller"]: seller.name,
                   names["buyer"]: buyer.name}  # fmt: skip
    if sheet.layout.random() < 0.6:
        meta.append((sheet.word("due"), sheet.day(due)))
        truth[names["due"]] = str(due)
    if sheet.layout.random() < 0.4:
        meta.append((sheet.word("customer_number"), str(sheet.chance.randrange(10_000, 99_999))))
    sheet.layout.shuffle(meta)
    block = draw_pairs(sheet, meta, sheet.pick(*STYLES))
    title = f"<h2>{sheet.word('invoice')}{f' {number}' if sheet.layout.random() < 0.3 else ''}</h2>"
    head = sheet.pick(f"{top}<div class=s></div>{title}{block}", f"{title}{top}<div class=s></div>{block}",
                      f"<div class=two><div>{top}</div><div>{block}</div></div>{title}")  # fmt: skip
    groups = (
        [_lines(sheet, sheet.chance.randrange(1, 5)) for _ in range(sheet.chance.randrange(2, 4))]
        if nested
        else [_lines(sheet, sheet.chance.randrange(1, 8))]
    )
    keys = ["description", "quantity", "price", "amount"]
    for key, chance, place in (("article", 0.4, 0), ("position", 0.5, 0), ("unit", 0.4, -2), ("rate", 0.3, -1)):
        if sheet.layout.random() < chance:
            keys.insert(place if place >= 0 else len(keys) + place, key)
    rate = sheet.layout.choice((7, 10, 19, 20, 21, 23))
    second = sheet.layout.random() < 0.3
    rows: list[list[str]] = []
    sections: list[Data] = []
    position = 0
    for count, lines in enumerate(groups):
        title_of_group = f"{sheet.word('order')} {sheet.chance.randrange(1000, 9999)}"
        if nested:
            rows.append([title_of_group])
        for line in lines:
            position += 1
            if second:
                line["description"] += f" {sheet.chance.choice(NOTES)}"
            shown = {"description": escape(line["description"]), "quantity": sheet.number(line["quantity"], 0),
                     "price": sheet.number(line["price"]), "amount": sheet.number(line["amount"]),
                     "article": line["article"], "position": str(position), "unit": line["unit"], "rate": f"{rate} %"}  # fmt: skip
            if second:
                whole, note = next(
                    (line["description"][: -len(n) - 1], n) for n in NOTES if line["description"].endswith(n)
                )
                shown["description"] = f"{escape(whole)}<br>{note}"
            rows.append([shown[key] for key in keys])
        sections.append({"order": title_of_group.split()[-1], "lines": lines, "title": count})
    every = [line for lines in groups for line in lines]
    net = round(sum(line["amount"] for line in every), 2)
    tax = round(net * rate / 100, 2)
    total = round(net + tax, 2)
    tax_label = sheet.word("tax") + sheet.pick(f" {rate} %", f" ({rate}%)", "")
    totals = [
        (sheet.word("net"), sheet.money(net)),
        (tax_label, sheet.money(tax)),
        (sheet.word("total"), sheet.money(total)),
    ]
    numeric = {place for place, key in enumerate(keys) if key in ("quantity", "price", "amount", "rate")}
    form = sheet.pick("right", "table", "inside", "left", "boxes")
    tail = ""
    if form == "inside":
        tail = "".join(f"<tr><td colspan={len(keys) - 1} class=r>{a}</td><td class=r>{b}</td></tr>" for a, b in totals)
    table = draw_table(sheet, [sheet.word(key) for key in keys], rows, numeric, tail=tail)
    after = {
        "right": f"<div style='display:flex;justify-content:flex-end'>{draw_pairs(sheet, totals, 'right')}</div>",
        "table": f"<div style='display:flex;justify-content:flex-end'>{draw_pairs(sheet, totals, 'table')}</div>",
        "left": draw_pairs(sheet, totals, "lines"), "boxes": draw_pairs(sheet, totals, "boxes"), "inside": "",
    }[form]  # fmt: skip
    truth |= {names["net"]: net, names["tax"]: tax, names["total"]: total}
    row = {names["description"]: TEXT, names["quantity"]: NUMBER, names["price"]: NUMBER, names["amount"]: NUMBER}
    wanted = ["description", "quantity", "price", "amount"]
    if "article" in keys:
        row[names["article"]] = TEXT
        wanted.append("article")
    properties: Data = {names[key]: DAY if key in ("date", "due") else NUMBER if key in ("net", "tax", "total") else TEXT
                        for key in ("number", "date", "due", "seller", "buyer", "net", "tax", "total")}  # fmt: skip
    if nested:
        properties["orders"] = array_of({"order_number": TEXT, names["lines"]: array_of(row)})
        truth["orders"] = [
            {
                "order_number": part["order"],
                names["lines"]: [{names[k]: line[k] for k in wanted} for line in part["lines"]],
            }
            for part in sections
        ]
    else:
        properties[names["lines"]] = array_of(row)
        truth[names["lines"]] = [{names[key]: line[key] for key in wanted} for line in every]
    return (
        f"{head}<div class=s></div>{table}<div class=s></div>{after}<p>{sheet.word('thanks')}</p>{foot}",
        properties,
        truth,
    )


def _nested_invoice(sheet: Sheet) -> tuple[str, Data, Data]:
    return _invoice(sheet, nested=True)


def _statement(sheet: Sheet) -> tuple[str, Data, Data]:
    opening = balance = sheet.chance.randrange(10_000, 900_000) / 100
    day, rows, truth = sheet.any_day(), list[list[str]](), list[Data]()
    split = sheet.layout.random() < 0.6
    for _ in range(sheet.chance.randrange(4, 14)):
        day += timedelta(days=sheet.chance.randrange(1, 4))
        amount = sheet.chance.choice((-1, -1, 1)) * sheet.chance.randrange(500, 90_000) / 100
        balance = round(balance + amount, 2)
        text = sheet.chance.choice(GOODS)
        row: Data = {"booked_on": str(day), "text": text, "balance": balance}
        shown = [sheet.day(day), text]
        if split:
            row |= {"debit": -amount} if amount < 0 else {"credit": amount}
            shown += [sheet.number(-amount) if amount < 0 else "", sheet.number(amount) if amount > 0 else ""]
        else:
            row["amount"] = amount
            shown.append(sheet.number(amount))
        rows.append([*shown, sheet.number(balance)])
        truth.append(row)
    heads = ["posted", "details", *(("debit", "credit") if split else ("amount",)), "balance"]
    holder, number = sheet.chance.choice(CLIENTS), str(sheet.chance.randrange(10**7, 10**8))
    pairs = [
        (sheet.word("account"), holder),
        (sheet.word("number"), number),
        (sheet.word("opening"), sheet.money(opening)),
    ]
    table = draw_table(sheet, [sheet.word(key) for key in heads], rows, set(range(2, len(heads))))
    close = f"<p>{sheet.word('closing')}: {sheet.money(balance)}</p>"
    body = f"<h2>{sheet.word('statement')}</h2>{draw_pairs(sheet, pairs, sheet.pick('table', 'right', 'lines'))}<br>{table}{close}"
    amounts = {"debit": NUMBER, "credit": NUMBER} if split else {"amount": NUMBER}
    properties = {"account_holder": TEXT, "opening_balance": NUMBER, "closing_balance": NUMBER,
                  "entries": array_of({"booked_on": DAY, "text": TEXT, **amounts, "balance": NUMBER})}  # fmt: skip
    return (
        body,
        properties,
        {"account_holder": holder, "opening_balance": opening, "closing_balance": balance, "entries": truth},
    )


def _payslip(sheet: Sheet) -> tuple[str, Data, Data]:
    seller = draw_parties(sheet, "")[0]
    name, staff = (
        sheet.chance.choice(("Jonas Keel", "Anna Lindqvist", "Marta Olsen")),
        str(sheet.chance.randrange(1000, 9999)),
    )
    elements = [(goods, sheet.chance.randrange(2_000, 300_000) / 100) for goods in sheet.chance.sample(GOODS, 3)]
    gross = round(sum(value for _, value in elements), 2)
    off = round(gross * sheet.chance.randrange(20, 40) / 100, 2)
    net = round(gross - off, 2)
    rows = [[text, sheet.number(value)] for text, value in elements]
    pairs = [
        (sheet.word("employee"), name),
        (sheet.word("staff"), staff),
        (sheet.word("date"), sheet.day(sheet.any_day())),
    ]
    sums = [
        (sheet.word("gross_pay"), sheet.money(gross)),
        (sheet.word("deductions"), sheet.money(off)),
        (sheet.word("net_pay"), sheet.money(net)),
    ]
    top = f"<div>{seller.name}<br>{seller.street}<br>{seller.town}</div>"
    body = (
        f"{top}<h2>{sheet.word('payslip')}</h2>{draw_pairs(sheet, pairs, sheet.pick(*STYLES))}<br>"
        f"{draw_table(sheet, [sheet.word('pay'), sheet.word('amount')], rows, {1})}<br>{draw_pairs(sheet, sums, sheet.pick('table', 'right', 'lines', 'boxes'))}"
    )
    properties = {"employer": TEXT, "employee": TEXT, "staff_number": TEXT, "gross_pay": NUMBER, "deductions": NUMBER,
                  "net_pay": NUMBER, "elements": array_of({"element": TEXT, "amount": NUMBER})}  # fmt: skip
    return body, properties, {
        "employer": seller.name, "employee": name, "staff_number": staff, "gross_pay": gross, "deductions": off,
        "net_pay": net, "elements": [{"element": text, "amount": value} for text, value in elements],
    }  # fmt: skip


def _delivery_note(sheet: Sheet) -> tuple[str, Data, Data]:
    seller, buyer, top, foot = draw_parties(sheet, sheet.word("to"))
    number, day = sheet.code(), sheet.any_day()
    rows, truth = list[list[str]](), list[Data]()
    for goods in sheet.chance.sample(GOODS, sheet.chance.randrange(2, 9)):
        article, ordered, weight = (
            str(sheet.chance.randrange(1000, 9999)),
            sheet.chance.randrange(2, 40),
            sheet.chance.randrange(5, 900) / 10,
        )
        delivered = ordered - sheet.chance.choice((0, 0, 0, 1))
        rows.append([article, goods, str(ordered), str(delivered), sheet.number(weight, 1)])
        truth.append(
            {
                "article_number": article,
                "description": goods,
                "ordered": ordered,
                "delivered": delivered,
                "weight": weight,
            }
        )
    pairs = [(sheet.word("note_number"), number), (sheet.word("delivery"), sheet.day(day))]
    heads = [sheet.word(key) for key in ("article", "description", "ordered", "delivered", "weight")]
    body = f"{top}<h2>{sheet.word('note')}</h2>{draw_pairs(sheet, pairs, sheet.pick(*STYLES))}<br>{draw_table(sheet, heads, rows, {2, 3, 4})}{foot}"
    properties = {"delivery_note_number": TEXT, "delivery_date": DAY, "supplier": TEXT, "recipient": TEXT,
                  "items": array_of({"article_number": TEXT, "description": TEXT, "ordered": NUMBER, "delivered": NUMBER,
                                   "weight": NUMBER})}  # fmt: skip
    return body, properties, {"delivery_note_number": number, "delivery_date": str(day), "supplier": seller.name,
                              "recipient": buyer.name, "items": truth}  # fmt: skip


def _contract(sheet: Sheet) -> tuple[str, Data, Data]:
    """Terms in sentences, in English."""
    landlord, tenant = sheet.chance.choice(FIRMS["en"]), sheet.chance.choice(CLIENTS[:7])
    day, months, notice = sheet.any_day(), sheet.chance.choice((12, 24, 36)), sheet.chance.choice((30, 60, 90))
    fee = sheet.chance.randrange(200, 4000)
    shown = f"{day.day} {LANGUAGES[0].months[day.month - 1]} {day.year}"
    start = sheet.pick("This agreement is made on {0} between {1} (the \"Provider\") and {2} (the \"Customer\").",
                       "Agreement dated {0} by and between {1} (\"Provider\") and {2} (\"Customer\").")  # fmt: skip
    term = sheet.pick("This agreement continues for {0} months from its date.", "The term of this agreement is {0} months.",
                      "It remains in force for a term of {0} months.")  # fmt: skip
    end = sheet.pick("Either party may terminate it on {0} days written notice.",
                     "It may be ended by giving {0} days' notice in writing.", "The notice period is {0} days.")  # fmt: skip
    pay = sheet.pick("The Customer pays a monthly fee of EUR {0}.", "A monthly fee of EUR {0} is payable in advance.")
    texts = [start.format(shown, landlord, tenant), term.format(months), end.format(notice), pay.format(f"{fee:,}.00")]
    body = f"<h1>{sheet.pick('Service agreement', 'Maintenance contract')}</h1>" + "".join(
        f"<p>{n}. {t}</p>" for n, t in enumerate(texts, 1)
    )
    properties = {"provider": TEXT, "customer": TEXT, "agreement_date": DAY, "term_months": {"type": "integer"},
                  "notice_days": {"type": "integer"}, "monthly_fee": NUMBER}  # fmt: skip
    return body, properties, {"provider": landlord, "customer": tenant, "agreement_date": str(day), "term_months": months,
                              "notice_days": notice, "monthly_fee": fee}  # fmt: skip


def _cv(sheet: Sheet) -> tuple[str, Data, Data]:
    """A person's name, contact and posts, in English."""
    name = sheet.chance.choice(("Jonas Keel", "Anna Lindqvist", "Marta Olsen", "Peter van Dam"))
    mail, posts, year = f"{name.split()[0].lower()}@example.org", list[Data](), 2024
    for _ in range(sheet.chance.randrange(2, 5)):
        length = sheet.chance.randrange(1, 5)
        firm = sheet.chance.choice([firm for firms in FIRMS.values() for firm in firms])
        posts.append({"title": sheet.chance.choice(("Engineer", "Head of Sales", "Buyer", "Project manager")), "employer": firm,
                      "start_year": year - length, "end_year": year})  # fmt: skip
        year -= length
    form = sheet.pick("<p><b>{title}</b>, {employer}<br>{start_year} – {end_year}</p>",
                      "<div class=two><div><b>{title}</b> · {employer}</div><div>{start_year}–{end_year}</div></div>",
                      "<p>{start_year} – {end_year}: {title}, {employer}</p>")  # fmt: skip
    body = f"<h1>{name}</h1><div>{mail}</div><h2>Experience</h2>" + "".join(form.format(**post) for post in posts)
    item = {"title": TEXT, "employer": TEXT, "start_year": {"type": "integer"}, "end_year": {"type": "integer"}}
    return body, {"name": TEXT, "email": {**TEXT, "format": "email"}, "experience": array_of(item)}, {
        "name": name, "email": mail, "experience": posts,
    }  # fmt: skip


KINDS: dict[str, Callable[[Sheet], tuple[str, Data, Data]]] = {
    "invoice": _invoice, "nested-invoice": _nested_invoice, "statement": _statement, "payslip": _payslip,
    "delivery-note": _delivery_note, "contract": _contract, "cv": _cv, "mixed-invoice": mixed_invoice,
    "filing": filing, "results": results,
}  # fmt: skip


def main() -> None:
    """Write the pages of some layouts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layouts", default="0-47", help="first and last layout")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("out", type=Path)
    asked = parser.parse_args()
    first, last = map(int, asked.layouts.split("-"))
    asked.out.mkdir(parents=True, exist_ok=True)
    made = (
        make_page(kind, layout, seed)
        for layout in range(first, last + 1)
        for kind in asked.kinds.split(",")
        for seed in range(asked.seeds)
    )
    for page in draw(made):
        (asked.out / f"{page.name}.pdf").write_bytes(page.data)
        stored: dict[str, Any] = {"schema": page.schema, "truth": page.truth}
        (asked.out / f"{page.name}.json").write_text(json.dumps(stored, indent=1, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
