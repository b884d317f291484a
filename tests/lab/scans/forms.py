"""Forms by seed: labels with values in five styles, and boxes to tick in three states."""

import random
from dataclasses import dataclass, field

from tests.lab.scans.paper import WAYS, Paper, encode, turn, worsen

LABELS = {
    "en": ("Surname", "First name", "Date of birth", "Street", "Town", "Postcode", "Telephone", "Employer",
           "Account holder", "Policy number", "Nationality", "Place of birth"),
    "de": ("Nachname", "Vorname", "Geburtsdatum", "Straße", "Wohnort", "Postleitzahl", "Telefon", "Arbeitgeber",
           "Kontoinhaber", "Vertragsnummer", "Staatsangehörigkeit", "Geburtsort"),
    "fr": ("Nom", "Prénom", "Date de naissance", "Rue", "Ville", "Code postal", "Téléphone", "Employeur",
           "Titulaire du compte", "Numéro de contrat", "Nationalité", "Lieu de naissance"),
    "es": ("Apellidos", "Nombre", "Fecha de nacimiento", "Calle", "Ciudad", "Código postal", "Teléfono", "Empresa",
           "Titular de la cuenta", "Número de póliza", "Nacionalidad", "Lugar de nacimiento"),
    "zh": ("姓名", "出生日期", "地址", "城市", "邮政编码", "电话", "工作单位", "开户人", "合同编号", "国籍", "出生地", "职业"),
}  # fmt: skip
VALUES = {
    "en": ("Harriet", "Whitcombe", "14 March 1987", "22 Orchard Lane", "Brackley", "NN13 7DX", "01280 556677",
           "Fenwick Ltd", "H. Whitcombe", "PX-20418-7", "British", "Oundle"),
    "de": ("Brandt", "Annelie", "03.11.1979", "Lindenweg 8", "Göttingen", "37073", "0551 448822", "Krüger GmbH",
           "A. Brandt", "KV-55120", "deutsch", "Hameln"),
    "fr": ("Lemoine", "Aurélie", "21 mai 1990", "5 rue des Tilleuls", "Angers", "49000", "02 41 55 66 77",
           "Garnier SA", "A. Lemoine", "CT-88123", "française", "Nantes"),
    "es": ("Robledo Sanz", "Marina", "9 de junio de 1983", "Calle Mayor 31", "Segovia", "40001", "921 445 566",
           "Talleres Vega", "M. Robledo", "PZ-77410", "española", "Ávila"),
    "zh": ("李晓明", "1985年3月12日", "中山路25号", "杭州市", "310002", "0571-88665544", "东海机械公司", "李晓明", "HT-20418",
           "中国", "绍兴市", "工程师"),
}  # fmt: skip
CHOICES = {
    "en": ("Monthly", "Quarterly", "Yearly", "By post", "By e-mail", "Married", "Single", "I agree to the terms",
           "Yes", "No"),
    "de": ("Monatlich", "Vierteljährlich", "Jährlich", "Per Post", "Per E-Mail", "Verheiratet", "Ledig",
           "Ich stimme zu", "Ja", "Nein"),
    "fr": ("Mensuel", "Trimestriel", "Annuel", "Par courrier", "Par courriel", "Marié", "Célibataire",
           "Je suis d'accord", "Oui", "Non"),
    "es": ("Mensual", "Trimestral", "Anual", "Por correo", "Por internet", "Casado", "Soltero", "Acepto las normas",
           "Sí", "No"),
    "zh": ("每月", "每季度", "每年", "邮寄", "电子邮件", "已婚", "未婚", "同意上述条款", "是", "否"),
}  # fmt: skip
TITLES = {"en": "Application form", "de": "Antrag auf Aufnahme", "fr": "Demande d'adhésion",
          "es": "Solicitud de ingreso", "zh": "入会申请表"}  # fmt: skip
STYLES = ("rule", "aligned", "boxed", "above", "framed")
MARKS = ("empty", "tick", "cross")


@dataclass(frozen=True)
class MadeForm:
    """A form as a file, with its pairs and its boxes."""

    data: bytes
    kind: str
    pairs: tuple[tuple[str, str], ...]
    boxes: tuple[tuple[str, str], ...]


@dataclass
class _Form:
    paper: Paper
    chance: random.Random
    size: float
    pairs: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[tuple[str, str]] = field(default_factory=list)


def make_form(seed: int, way: str | None = None, turned: int = 0) -> MadeForm:
    chance = random.Random(seed)
    language = chance.choice(sorted(LABELS))
    paper = Paper(chance, language=language)
    form = _Form(paper, chance, chance.choice((9.5, 10.5, 11.5, 12.5)))
    style = STYLES[seed % len(STYLES)]
    chosen = way or WAYS[(seed // len(STYLES)) % len(WAYS)]
    paper.write(60, 70, TITLES[language], form.size + chance.choice((4, 6, 9)))
    order = chance.sample(range(len(LABELS[language])), chance.randint(4, 8))
    bottom = _STYLES[style](form, [(LABELS[language][i], VALUES[language][i]) for i in order], 110.0)
    _draw_choices(form, bottom + 30)
    dpi = 200 if chosen == "fax" else chance.choice((130, 150, 200, 250))
    picture = turn(worsen(paper.draw(dpi), chosen, chance), turned)
    data = encode(picture, chance, chance.choice((dpi, None)))
    return MadeForm(data, f"{language} {style} {chosen} {dpi}", tuple(form.pairs), tuple(form.boxes))


def _draw_rule(form: _Form, pairs: list[tuple[str, str]], y: float) -> float:
    """The label with a colon, and the value on a rule."""
    colon = "：" if form.paper.language == "zh" else ":"
    for label, value in pairs:
        end = form.paper.write(60, y, label + colon, form.size)
        form.paper.rule(end + 5, y + 2.5, 330, y + 2.5)
        form.paper.write(end + 12, y, value, form.size)
        form.pairs.append((label, value))
        y += form.size * 2.3
    return y


def _draw_aligned(form: _Form, pairs: list[tuple[str, str]], y: float) -> float:
    """Labels with colons, and the values in a separate column."""
    column = 90 + max(form.paper.measure(label + ":", form.size) for label, _ in pairs)
    colon = "：" if form.paper.language == "zh" else ":"
    for label, value in pairs:
        form.paper.write(60, y, label + colon, form.size)
        form.paper.write(column, y, value, form.size)
        form.pairs.append((label, value))
        y += form.size * 1.9
    return y


def _draw_boxed(form: _Form, pairs: list[tuple[str, str]], y: float) -> float:
    """Cells of a grid with a small label above each value, as on forms of tax offices."""
    small, high, columns = form.size * 0.72, form.size * 2.9, form.chance.choice((2, 3))
    wide = 480 / columns
    for place, (label, value) in enumerate(pairs):
        row, column = divmod(place, columns)
        x0, y0 = 57 + column * wide, y + row * high
        form.paper.box(x0, y0, x0 + wide, y0 + high)
        form.paper.write(x0 + 3, y0 + small + 2, label, small)
        form.paper.write(x0 + 8, y0 + high - 5, value, form.size)
        form.pairs.append((label, value))
    return y + (1 + (len(pairs) - 1) // columns) * high


def _draw_above(form: _Form, pairs: list[tuple[str, str]], y: float) -> float:
    """The label above a frame with the value, in two columns."""
    high = form.size * 1.9
    for place, (label, value) in enumerate(pairs):
        row, column = divmod(place, 2)
        x0, y0 = 60 + column * 250, y + row * high * 2.1
        form.paper.write(x0, y0 - 3, label, form.size * 0.9)
        form.paper.box(x0, y0, x0 + 220, y0 + high)
        form.paper.write(x0 + 6, y0 + high - form.size * 0.55, value, form.size)
        form.pairs.append((label, value))
    return y + (1 + (len(pairs) - 1) // 2) * high * 2.1


def _draw_framed(form: _Form, pairs: list[tuple[str, str]], y: float) -> float:
    """The label left of a frame with the value."""
    high, column = form.size * 1.8, 75 + max(form.paper.measure(label, form.size) for label, _ in pairs)
    for label, value in pairs:
        form.paper.write(60, y + high - form.size * 0.55, label, form.size)
        form.paper.box(column, y, column + 240, y + high)
        form.paper.write(column + 6, y + high - form.size * 0.55, value, form.size)
        form.pairs.append((label, value))
        y += high * 1.4
    return y


_STYLES = {"rule": _draw_rule, "aligned": _draw_aligned, "boxed": _draw_boxed, "above": _draw_above,
           "framed": _draw_framed}  # fmt: skip


def _draw_choices(form: _Form, y: float) -> None:
    """Boxes to tick before their labels: below each other, or several in a row."""
    labels = form.chance.sample(CHOICES[form.paper.language], form.chance.randint(3, 6))
    side, in_row = form.size * form.chance.uniform(0.75, 1.25), form.chance.random() < 0.5
    x, line = 62.0, form.chance.uniform(0.6, 1.3)
    for label in labels:
        mark = form.chance.choice(MARKS)
        _draw_box(form, x, y, side, mark, line)
        end = form.paper.write(x + side + form.size * form.chance.uniform(0.4, 0.9), y, label, form.size)
        form.boxes.append((label, mark))
        x, y = (end + 28, y) if in_row and end < 400 else (62.0, y + form.size * 2.1)


def _draw_box(form: _Form, x: float, y: float, side: float, mark: str, line: float) -> None:
    top = y - form.size * 0.35 - side / 2
    form.paper.box(x, top, x + side, top + side, line)
    pen, chance = form.chance.uniform(0.8, 1.6), form.chance
    in_, over = side * chance.uniform(0.12, 0.25), side * chance.choice((0.0, 0.0, 0.2))
    if mark == "tick":
        form.paper.strokes(
            ((x + in_, top + side * 0.55), (x + side * 0.42, top + side - in_), (x + side - in_ + over, top + in_ - over)),
            pen,
        )  # fmt: skip
    elif mark == "cross":
        form.paper.strokes(((x + in_ - over, top + in_ - over), (x + side - in_ + over, top + side - in_ + over)), pen)
        form.paper.strokes(((x + in_ - over, top + side - in_ + over), (x + side - in_ + over, top + in_ - over)), pen)
