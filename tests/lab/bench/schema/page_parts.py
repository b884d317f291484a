"""Parts of made pages: the words and numbers of a language, tables, labelled pairs, and the heads of letters."""

import random
from dataclasses import dataclass
from datetime import date, timedelta
from html import escape

from tests.lab.bench.schema.page_words import CLIENTS, FIRMS, LANGUAGES, PLACES, Data

TEXT, NUMBER, DAY = {"type": "string"}, {"type": "number"}, {"type": "string", "format": "date"}


class Sheet:
    """Chance for the layout, chance for the values, and the words of the language."""

    def __init__(self, layout: int, seed: int) -> None:
        self.layout = random.Random(f"layout {layout}")
        self.chance = random.Random(f"values {layout} {seed}")
        self.language = LANGUAGES[layout % len(LANGUAGES)]
        self._used: dict[str, str] = {}
        self.date_form = self.layout.choice(self.language.dates)
        self.symbol = "zł" if self.language.code == "pl" else self.layout.choice(("€", "EUR", ""))
        if self.language.code == "en":
            self.symbol = self.layout.choice(("$", "£", "EUR", ""))

    def word(self, key: str) -> str:
        if key not in self._used:
            self._used[key] = self.layout.choice(self.language.labels[key])
        return self._used[key]

    def number(self, value: float, digits: int = 2) -> str:
        text = f"{value:,.{digits}f}"
        marks = {",": self.language.thousands, ".": self.language.decimal}
        return "".join(marks.get(char, char) for char in text)

    def money(self, value: float) -> str:
        if self.symbol in ("$", "£"):
            return f"{self.symbol}{self.number(value)}"
        return f"{self.number(value)} {self.symbol}".strip()

    def day(self, value: date) -> str:
        return self.date_form.format(
            d=value.day, m=value.month, y=value.year, month=self.language.months[value.month - 1]
        )

    def any_day(self) -> date:
        return date(2023, 1, 5) + timedelta(days=self.chance.randrange(900))

    def place(self) -> tuple[str, str]:
        return self.chance.choice(PLACES[self.language.code])

    def pick(self, *options: str) -> str:
        return self.layout.choice(options)

    def code(self) -> str:
        form = self.layout.choice(("INV-{}", "{}", "2024/{}", "RE{}", "A-{}-K", "2024-{}"))
        return form.format(self.chance.randrange(10_000, 99_999))


def object_of(properties: Data) -> Data:
    return {"type": "object", "properties": properties}


def array_of(properties: Data) -> Data:
    return {"type": "array", "items": object_of(properties)}


def draw_table(
    sheet: Sheet, heads: list[str], rows: list[list[str]], numeric: set[int], *, style: str = "", tail: str = ""
) -> str:
    style = style or sheet.pick("grid", "lines", "head", "zebra", "")
    css = ["class=r" if number in numeric else "" for number in range(len(heads))]
    head = "".join(f"<th {css[number]}>{escape(text)}</th>" for number, text in enumerate(heads))
    lines = []
    for row in rows:
        if len(row) == 1:
            lines.append(f"<tr><td colspan={len(heads)}><b>{row[0]}</b></td></tr>")
        else:
            lines.append("<tr>" + "".join(f"<td {css[n]}>{text}</td>" for n, text in enumerate(row)) + "</tr>")
    return f"<table class='{style}' style='width:100%'><tr>{head}</tr>{''.join(lines)}{tail}</table>"


def draw_pairs(sheet: Sheet, pairs: list[tuple[str, str]], style: str) -> str:
    """Return labels with their values in one of six forms."""
    if style == "table":
        return "<table>" + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in pairs) + "</table>"
    if style == "right":
        return "<table>" + "".join(f"<tr><td>{a}:</td><td class=r>{b}</td></tr>" for a, b in pairs) + "</table>"
    if style == "stacked":
        cells = "".join(
            f"<td style='padding-right:24px'><span class=small>{a}</span><br><b>{b}</b></td>" for a, b in pairs
        )
        return f"<table><tr>{cells}</tr></table>"
    if style == "boxes":
        heads, values = ("".join(f"<td>{text}</td>" for text in texts) for texts in zip(*pairs, strict=True))
        return f"<table class=grid><tr>{heads}</tr><tr>{values}</tr></table>"
    if style == "inline":
        return "<div>" + " &nbsp; ".join(f"{a}: {b}" for a, b in pairs) + "</div>"
    return "".join(f"<div>{a}: {b}</div>" for a, b in pairs)


STYLES = ("table", "right", "stacked", "boxes", "inline", "lines")


@dataclass(slots=True)
class LetterParty:
    name: str
    street: str
    town: str


def draw_parties(sheet: Sheet, label: str) -> tuple[LetterParty, LetterParty, str, str]:
    """Return the two parties, the top of the page with both, and its foot."""
    seller = LetterParty(sheet.chance.choice(FIRMS[sheet.language.code]), *sheet.place())
    buyer = LetterParty(sheet.chance.choice(CLIENTS), *sheet.place())
    contact = f"{sheet.word('phone')} +49 40 55{sheet.chance.randrange(1000, 9999)}"
    form = sheet.pick("left", "right", "window", "foot", "centre", "two", "band", "window")
    labelled = sheet.layout.random() < 0.45
    lines = f"{seller.name}<br>{seller.street}<br>{seller.town}"
    client = f"{label}{sheet.pick(':', '')}<br>" * labelled + f"{buyer.name}<br>{buyer.street}<br>{buyer.town}"
    vat = f"{sheet.word('vat_id')}: {sheet.language.code.upper()}{sheet.chance.randrange(10**8, 10**9)}"
    foot = f"<div class=small style='margin-top:30px'>{vat} · IBAN DE89 3704 0044 0532 0130 00</div>"
    if form == "left":
        top = f"<div><b style='font-size:150%'>{seller.name}</b><br>{seller.street}<br>{seller.town}<br>{contact}</div>"
        top += f"<div style='margin-top:24px'>{client}</div>"
    elif form == "right":
        top = f"<div style='text-align:right'>{lines}<br>{contact}</div><div>{client}</div>"
    elif form == "window":
        top = f"<div style='margin-top:40px' class=small>{seller.name} · {seller.street} · {seller.town}</div><div>{client}</div>"
    elif form == "foot":
        top = f"<div style='margin-top:40px'>{client}</div>"
        foot = (
            f"<div class='two small' style='margin-top:40px'><div>{lines}</div><div>{contact}<br>{vat}</div>"
            "<div>Bank<br>IBAN DE89 3704 0044 0532 0130 00</div></div>"
        )
    elif form == "centre":
        top = (
            f"<div style='text-align:center'><b>{seller.name}</b><br>{seller.street}, {seller.town}<br>{contact}</div>"
        )
        top += f"<div style='margin-top:24px'>{client}</div>"
    elif form == "two":
        top = f"<div class=two><div>{lines}<br>{contact}</div><div>{client}</div></div>"
    else:
        top = f"<div style='background:#dde'><b style='font-size:130%'>{seller.name}</b></div>"
        top += f"<div class=two><div>{client}</div><div>{seller.street}<br>{seller.town}<br>{contact}</div></div>"
    return seller, buyer, top, foot
