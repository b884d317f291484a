"""Aligned page content other than tables: contents, references, code, terms, signatures, charts."""

from collections.abc import Callable
from typing import Protocol

from tests.lab.training.made.styles import FAMILIES, measure
from tests.lab.training.made.texts import Texts
from tests.lab.training.made.typeset import Pen


class Column(Protocol):
    """Position of the next piece."""

    pen: Pen
    texts: Texts
    family: str
    size: float
    leading: float
    x0: float
    width: float
    top: float


def _write_contents(page: Column) -> None:
    number = 1
    font = FAMILIES[page.family][0]
    for entry in range(page.texts.random.randint(5, 12)):
        number += page.texts.random.randint(0, 5)
        title = f"{entry + 1} {page.texts.label(2, 5)}"[: int(page.width / (0.6 * page.size))]
        page.pen.write(page.x0, page.top, title, font, page.size)
        text = str(number)
        page.pen.write(page.x0 + page.width - measure(text, font, page.size), page.top, text, font, page.size)
        page.top += page.leading * page.size


def _write_references(page: Column) -> None:
    font = FAMILIES[page.family][0]
    hang = page.size * page.texts.random.choice([1.5, 2.0, 3.0])
    for number in range(1, page.texts.random.randint(3, 7)):
        mark = page.texts.random.choice([f"[{number}]", f"{number}.", "\u00b7", f"({number})"])
        page.pen.write(page.x0, page.top, mark, font, page.size)
        text = page.texts.sentence(60, 220)
        page.top = page.pen.paragraph(page.x0 + hang, page.top, page.width - hang, text, font, page.size, page.leading)


def _write_terms(page: Column) -> None:
    """Write terms with explanations of several lines next to them, as in a glossary."""
    light, bold = FAMILIES[page.family]
    indent = page.width * page.texts.random.choice([0.2, 0.25])
    for _ in range(page.texts.random.randint(3, 6)):
        page.pen.write(page.x0, page.top, page.texts.label(1, 1)[:14], bold, page.size)
        text = page.texts.sentence(90, 260)
        room = page.width - indent
        page.top = page.pen.paragraph(page.x0 + indent, page.top, room, text, light, page.size, page.leading)
        page.top += 0.5 * page.size


def _write_code(page: Column) -> None:
    font, size = FAMILIES["mono"][0], 0.9 * page.size
    for _ in range(page.texts.random.randint(5, 12)):
        text = f"{page.texts.words(1, 2).replace(' ', '_')} = {page.texts.words(1, 2)}"
        if page.texts.random.random() < 0.4:
            text = f"{text:30}# {page.texts.words(1, 3)}"
        text = text[: int(page.width / (0.62 * size))]
        page.pen.write(page.x0 + size * page.texts.random.choice([0, 2, 4]), page.top, text, font, size)
        page.top += 1.2 * size


def _write_columns(page: Column) -> None:
    """Prose in two narrow columns with their lines at the same heights."""
    font, gap = FAMILIES[page.family][0], page.size * page.texts.random.choice([1.2, 2.0, 3.0])
    width = (page.width - gap) / 2
    ends = []
    for column in range(2):
        x0 = page.x0 + column * (width + gap)
        text = page.texts.sentence(300, 500)
        ends.append(page.pen.paragraph(x0, page.top, width, text, font, 0.9 * page.size, page.leading))
    page.top = max(ends)


def _write_signatures(page: Column) -> None:
    """A letter's head or foot: two blocks of short lines side by side."""
    font = FAMILIES[page.family][0]
    for _ in range(page.texts.random.randint(3, 5)):
        page.pen.write(page.x0, page.top, page.texts.label(1, 2), font, page.size)
        if page.texts.random.random() < 0.7:
            page.pen.write(page.x0 + 0.6 * page.width, page.top, page.texts.label(1, 2), font, page.size)
        page.top += page.leading * page.size


def _write_refrain(page: Column) -> None:
    """The same line again and again, in one or two columns: its words stand under each other by accident."""
    font, columns = FAMILIES[page.family][0], page.texts.random.randint(1, 2)
    text = page.texts.sentence(15, int(page.width / columns / (0.62 * page.size)))
    for _ in range(page.texts.random.randint(4, 9)):
        for column in range(columns):
            x = page.x0 + column * (page.width + page.size) / columns
            page.pen.write(x, page.top, f"{text} {page.texts.random.randint(1, 9)}", font, page.size)
        page.top += page.leading * page.size


def _write_chart(page: Column) -> None:
    """Bars with figures at the axis and names under them."""
    font, size = FAMILIES[page.family][0], 0.8 * page.size
    height, base = 110.0, page.top + 110.0
    for level in range(5):
        y = base - level * height / 5
        page.pen.write(page.x0, y - size / 2, str(level * 10), font, size)
        page.pen.rule(page.x0 + 20, y, page.x0 + page.width, y, 0.3, 0.8)
    count = page.texts.random.randint(3, 6)
    step = (page.width - 30) / count
    for bar in range(count):
        x = page.x0 + 30 + bar * step
        page.pen.shade(x, base - page.texts.random.uniform(0.2, 0.95) * height, x + 0.6 * step, base, 0.6)
        page.pen.write(x, base + 2, page.texts.label(1, 1)[:8], font, size)
    page.top = base + 2 * size


NEGATIVES: tuple[Callable[[Column], None], ...] = (
    _write_contents,
    _write_references,
    _write_references,
    _write_terms,
    _write_code,
    _write_columns,
    _write_columns,
    _write_signatures,
    _write_refrain,
    _write_chart,
)
