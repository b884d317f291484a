"""Plain SVG line charts: no library, no script, readable on light and dark pages."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 300, 60, 34, 210, 40
COLOURS = ("#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a")


@dataclass(frozen=True, slots=True)
class Line:
    """One curve."""

    name: str
    points: Sequence[tuple[float, float]]


def draw(title: str, across: str, up: str, lines: Sequence[Line], *, logarithmic: bool = False) -> str:
    """An SVG document; `logarithmic` (base 2) is for the axis across."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    most_y = _round_up(max(ys) or 1.0)
    first, last = (_place(min(xs), logarithmic), _place(max(xs), logarithmic))

    def at(x: float, y: float) -> tuple[float, float]:
        share = (_place(x, logarithmic) - first) / ((last - first) or 1.0)
        return LEFT + share * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - y / most_y * (HEIGHT - TOP - BOTTOM)

    marks = sorted(set(xs)) if logarithmic else [max(xs) * part / 5 for part in range(6)]
    parts = [_text(LEFT, 20, title, bold=True), _text(LEFT, HEIGHT - 6, across), _text(4, TOP - 2, up)]
    for mark in marks:
        x, y = at(mark, 0)
        parts.append(_text(x - 8, y + 16, f"{mark:.4g}"))
    for part in range(5):
        x, y = at(min(xs), most_y * part / 4)
        parts.append(f'<line x1="{x:.0f}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#8c959f44"/>')
        parts.append(_text(x - 44, y + 4, f"{most_y * part / 4:g}"))
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        points = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in line.points)
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.6" points="{points}"/>')
        parts.append(_text(WIDTH - RIGHT + 12, TOP + 14 + 18 * number, line.name, colour=colour))
    size = f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}"'
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{escape(title)}" '
        f'font-family="sans-serif" font-size="12">\n{body}\n</svg>\n'
    )


def _place(x: float, logarithmic: bool) -> float:
    return math.log2(x) if logarithmic else x


def _round_up(value: float) -> float:
    """The next 1, 2, 4, 5 or 8 of a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in (1, 2, 4, 5, 8, 10) if step * power >= value * 0.999)


def _text(x: float, y: float, text: str, *, bold: bool = False, colour: str = "#6e7781") -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" fill="{colour}"{weight}>{escape(text)}</text>'
