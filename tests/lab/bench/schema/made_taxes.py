"""Makes invoices with goods of two rates of tax: what each rate adds is printed apart, and sums go over several steps.

A discount may stand between the lines and the net amount, and a payment on account between the total and what is due.
"""

from html import escape

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
)
from tests.lab.bench.schema.page_words import GOODS, UNITS, Data

_NAMES = (
    {"number": "invoice_number", "date": "issue_date", "seller": "seller", "buyer": "buyer", "net": "net_total",
     "tax": "tax_total", "total": "grand_total", "lines": "lines", "description": "description",
     "quantity": "quantity", "price": "unit_price", "amount": "line_total"},
    {"number": "id", "date": "invoice_date", "seller": "supplier_name", "buyer": "customer_name",
     "net": "total_without_tax", "tax": "total_tax", "total": "total_with_tax", "lines": "items",
     "description": "item_name", "quantity": "qty", "price": "net_price", "amount": "net_amount"},
)  # fmt: skip
RATES = {"de": (7, 19), "fr": (5.5, 20), "es": (10, 21), "it": (10, 22), "nl": (9, 21), "pt": (6, 23), "pl": (8, 23)}
"""Rates by language; elsewhere 5 and 20."""
_WORDS = {
    "en": "Taxable amount|Less discount|Goods|Less paid on account|Amount due",
    "de": "Bemessungsgrundlage|abzgl. Rabatt|Summe Positionen|abzgl. Anzahlung|Zahlbetrag",
    "fr": "Base HT|Remise|Total des lignes|Acompte versé|Net à payer",
    "es": "Base|Descuento|Importe bruto|Anticipo|Total a pagar",
    "it": "Imponibile|Sconto|Totale merce|Acconto|Totale da pagare",
    "nl": "Grondslag|Korting|Goederenbedrag|Aanbetaling|Te betalen",
    "pt": "Incidência|Desconto|Total mercadoria|Adiantamento|Valor a pagar",
    "pl": "Podstawa|Rabat|Suma pozycji|Zaliczka|Do zapłaty",
}
"""Words for the base of a tax, a discount, the sum of the lines, what was paid before and what is left."""


def mixed_invoice(sheet: Sheet) -> tuple[str, Data, Data]:
    """Return the page, the properties of the schema and the truth."""
    names, language = sheet.layout.choice(_NAMES), sheet.language.code
    base_word, discount_word, goods_word, paid_word, left_word = _WORDS[language].split("|")
    rates = RATES.get(language, (5, 20))
    seller, buyer, top, foot = draw_parties(sheet, sheet.word("to"))
    day, number = sheet.any_day(), sheet.code()
    meta = [(sheet.word("number"), number), (sheet.word("date"), sheet.day(day))]
    if sheet.layout.random() < 0.5:
        meta.append((sheet.word("customer_number"), str(sheet.chance.randrange(10_000, 99_999))))
    block = draw_pairs(sheet, meta, sheet.pick(*STYLES))
    lines: list[Data] = []
    for place, goods in enumerate(sheet.chance.sample(GOODS, sheet.chance.randrange(2, 6))):
        quantity, cents = sheet.chance.randrange(1, 25), sheet.chance.randrange(150, 90_000)
        lines.append({"description": goods, "quantity": quantity, "price": cents / 100,
                      "amount": round(quantity * cents / 100, 2), "rate": rates[place % 2]})  # fmt: skip
    off = sheet.layout.choice((0, 0, 10))
    bases = [
        round(sum(line["amount"] for line in lines if line["rate"] == rate) * (100 - off) / 100, 2) for rate in rates
    ]
    taxes = [round(base * rate / 100, 2) for base, rate in zip(bases, rates, strict=True)]
    goods_total = round(sum(line["amount"] for line in lines), 2)
    net, tax = round(sum(bases), 2), round(sum(taxes), 2)
    total = round(net + tax, 2)
    shown = [sheet.number(rate, 1 if rate % 1 else 0) + sheet.pick(" %", "%") for rate in rates]
    form = sheet.pick("table", "split", "lines")
    keys = ["description", "quantity", "price", "amount"]
    for key, chance, place in (("unit", 0.5, 2), ("rate", 0.6, -1), ("position", 0.5, 0)):
        if sheet.layout.random() < chance:
            keys.insert(place if place >= 0 else len(keys) - 1, key)
    rows = [
        [{"description": escape(line["description"]), "quantity": sheet.number(line["quantity"], 0),
          "price": sheet.number(line["price"]), "amount": sheet.number(line["amount"]), "position": str(place + 1),
          "unit": sheet.chance.choice(UNITS), "rate": shown[rates.index(line["rate"])]}[key] for key in keys]
        for place, line in enumerate(lines)
    ]  # fmt: skip
    numeric = {place for place, key in enumerate(keys) if key in ("quantity", "price", "amount", "rate")}
    table = draw_table(sheet, [sheet.word(key) for key in keys], rows, numeric)
    totals = [(goods_word, sheet.money(goods_total)), (discount_word, f"-{sheet.money(goods_total - net)}")] * (off > 0)
    totals.append((sheet.word("net"), sheet.money(net)))
    if form == "table":
        totals.append((sheet.word("tax"), sheet.money(tax)))
    else:
        labels = [f"{sheet.word('tax')} {rate}" for rate in shown]
        if form == "lines":
            labels = [f"{label} ({base_word} {sheet.money(base)})" for label, base in zip(labels, bases, strict=True)]
        totals += [(label, sheet.money(part)) for label, part in zip(labels, taxes, strict=True)]
    is_paid = sheet.layout.random() < 0.35
    totals.append((sheet.language.labels["total"][0] if is_paid else sheet.word("total"), sheet.money(total)))
    if is_paid:
        paid = round(total * 0.3, 2)
        totals += [(paid_word, f"-{sheet.money(paid)}"), (left_word, sheet.money(total - paid))]
    after = draw_pairs(sheet, totals, sheet.pick("right", "table"))
    if form == "table":
        parts = [[rate, *(sheet.number(value) for value in (base, part, base + part))]
                 for rate, base, part in zip(shown, bases, taxes, strict=True)]  # fmt: skip
        heads = [sheet.word("rate"), base_word, sheet.word("tax"), sheet.word("total")]
        summary = draw_table(sheet, heads, parts, {1, 2, 3})
        after = sheet.pick(f"{summary}<br>{after}", f"{after}<br>{summary}")
    truth: Data = {names["number"]: number, names["date"]: str(day), names["seller"]: seller.name,
                   names["buyer"]: buyer.name, names["net"]: net, names["total"]: total}  # fmt: skip
    if form == "table":
        truth[names["tax"]] = tax
    wanted = ("description", "quantity", "price", "amount")
    truth[names["lines"]] = [{names[key]: line[key] for key in wanted} for line in lines]
    properties: Data = {names[key]: DAY if key == "date" else NUMBER if key in ("net", "tax", "total") else TEXT
                        for key in ("number", "date", "seller", "buyer", "net", "tax", "total")}  # fmt: skip
    row = {names[key]: TEXT if key == "description" else NUMBER for key in wanted}
    properties[names["lines"]] = array_of(row)
    head = f"{top}<div class=s></div><h2>{sheet.word('invoice')}</h2>{block}"
    return (
        f"{head}<div class=s></div>{table}<div class=s></div>{after}<p>{sheet.word('thanks')}</p>{foot}",
        properties,
        truth,
    )
