"""Workbooks of staff, pay and patients by seed: values as text, date, time and number, shown again in other parts."""

import random
from dataclasses import dataclass
from datetime import date

from tests.models.extract.formats.sheets.workbooks import R, number_cell, sheet, text_cell, workbook
from tests.models.redaction.test_formats import types

S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
MADE = "application/vnd.openxmlformats-officedocument"
FORMATS = ("dd.mm.yyyy", "yyyy-mm-dd", "m/d/yy", "d mmm yyyy", "dd/mm/yyyy", "[$-409]mmmm d, yyyy", "d-mmm-yy")
HEADS = (
    ("Name", "Date of birth", "SSN", "Phone", "Card", "E-mail", "Admitted", "Salary"),
    ("Name", "Geburtsdatum", "SSN", "Telefon", "Karte", "E-Mail", "Aufnahme", "Gehalt"),
    ("Nom", "Date de naissance", "SSN", "Téléphone", "Carte", "Courriel", "Admission", "Salaire"),
    ("Nombre", "Fecha de nacimiento", "SSN", "Teléfono", "Tarjeta", "Correo", "Ingreso", "Salario"),
    ("Nazwisko", "Data urodzenia", "SSN", "Telefon", "Karta", "E-mail", "Przyjęcie", "Płaca"),
)
PARTS = types(
    xl__workbook="spreadsheetml.sheet.main",
    xl__worksheets__sheet1="spreadsheetml.worksheet",
    xl__worksheets__sheet2="spreadsheetml.worksheet",
    xl__styles="spreadsheetml.styles",
    xl__pivotCache__pivotCacheDefinition1="spreadsheetml.pivotCacheDefinition",
    xl__charts__chart1="drawingml.chart",
    xl__comments1="spreadsheetml.comments",
)


@dataclass(frozen=True, slots=True)
class Person:
    """One row. `born` is stored as a serial number, `ssn` and `card` as numbers."""

    name: str
    born: date
    ssn: int
    phone: str
    card: str
    mail: str


def make_people(dice: random.Random, count: int) -> list[Person]:
    """Return people with values of the right shape."""
    return [
        Person(
            name=f"{dice.choice(('Anna', 'Bruno', 'Carla', 'Zofia'))} {dice.choice(('Zaqari', 'Wexley', 'Quandt'))}",
            born=date(dice.randint(1950, 2004), dice.randint(1, 12), dice.randint(1, 28)),
            ssn=dice.randint(1, 665) * 10**6 + dice.randint(1, 99) * 10**4 + dice.randint(1, 9999),
            phone=f"+49 30 {dice.randint(1000000, 9999999)}",
            card=_card(dice),
            mail="".join(dice.choices("bcdfghjkmnpqrt", k=8)) + "@leak.example",
        )
        for _ in range(count)
    ]


def make_workbook(seed: int) -> tuple[bytes, set[str]]:
    """Return a workbook and what must not be found in its redacted file: values as written and as stored."""
    dice = random.Random(seed)
    people = make_people(dice, dice.randint(3, 12))
    epoch_1904 = dice.random() < 0.2
    born_format = dice.choice(FORMATS)
    codes = (born_format, "000-00-0000", "0", "#,##0.00", "dd/mm/yyyy hh:mm")
    heads = dice.choice(HEADS)
    top = dice.choice(("", f'<row r="1">{text_cell("A1", "Staff list 2026")}</row>'))
    first = 3 if top else 1
    named = zip("ABCDEFGH", heads, strict=True)
    rows = [top, f'<row r="{first}">{"".join(text_cell(f"{column}{first}", head) for column, head in named)}</row>']
    needles: set[str] = set()
    for number, person in enumerate(people, first + 1):
        serial = (person.born - (date(1904, 1, 1) if epoch_1904 else date(1899, 12, 30))).days
        card = (
            number_cell(f"E{number}", person.card, 3)
            if len(person.card) <= 15
            else text_cell(f"E{number}", person.card)
        )
        cells = [
            text_cell(f"A{number}", person.name),
            number_cell(f"B{number}", serial, 1),
            number_cell(f"C{number}", person.ssn, 2),
            text_cell(f"D{number}", person.phone),
            card,
            text_cell(f"F{number}", person.mail),
            number_cell(f"G{number}", 46000 + number + 0.375, 5),
            number_cell(f"H{number}", dice.randint(20, 90) * 1000, 4),
        ]
        rows.append(f'<row r="{number}">{"".join(cells)}</row>')
        needles |= {f"<v>{serial}</v>", f"{person.ssn:09}", str(person.ssn), person.card, person.mail}
        needles |= {person.born.isoformat(), f"{person.born:%d.%m.%Y}", person.phone}
    shown = people[0]
    serial = (shown.born - (date(1904, 1, 1) if epoch_1904 else date(1899, 12, 30))).days
    again = (
        f'<row r="1"><c r="A1" s="1"><f>Sheet1!B{first + 1}</f><v>{serial}</v></c>'
        f'<c r="B1" t="str"><f>"Born "&amp;TEXT(Sheet1!B{first + 1},"dd.mm.yyyy")&amp;" "&amp;Sheet1!F{first + 1}</f>'
        f"<v>Born {shown.born:%d.%m.%Y} {shown.mail}</v></c></row>"
    )
    lists = (
        f'<dataValidations count="1"><dataValidation type="list" sqref="J1"><formula1>"{shown.mail},{shown.phone}"'
        "</formula1></dataValidation></dataValidations>"
    )
    pivot = (
        f'<pivotCacheDefinition xmlns="{S}"><cacheFields count="1"><cacheField name="{heads[1]}"><sharedItems>'
        f'<d v="{shown.born.isoformat()}T00:00:00"/><s v="{shown.mail}"/></sharedItems></cacheField></cacheFields>'
        "</pivotCacheDefinition>"
    )
    chart = (
        f"<chart><strCache><pt><v>{shown.mail}</v></pt></strCache><numCache><pt><v>{serial}</v></pt></numCache></chart>"
    )
    more: dict[str, str | bytes] = dict(PARTS) | {
        "xl/pivotCache/pivotCacheDefinition1.xml": pivot,
        "xl/charts/chart1.xml": chart,
        "xl/comments1.xml": f'<comments xmlns="{S}" xmlns:r="{R}"><text><t>{shown.mail}</t></text></comments>',
    }
    attributes = 'date1904="1"' if epoch_1904 else ""
    data = workbook(sheet("".join(rows), after=lists), sheet(again), codes=codes, attributes=attributes, more=more)
    return data, needles


def _card(dice: random.Random) -> str:
    body = "4" + "".join(str(dice.randint(0, 9)) for _ in range(dice.choice((12, 14))))
    doubled = [int(digit) * (2 if (len(body) - index) % 2 else 1) for index, digit in enumerate(body)]
    return body + str(-sum(n - 9 if n > 9 else n for n in doubled) % 10)
