"""Charts with known data, drawn in the manner of many programs: by seed, kind and style, for PDF and SVG."""

import itertools
import math
import random
from dataclasses import dataclass, field
from html import escape
from typing import Protocol

import pymupdf

Point = tuple[float, float]
Color = tuple[float, float, float]
WIDTH, HEIGHT = 480.0, 330.0
BLACK: Color = (0.1, 0.1, 0.1)
GREY: Color = (0.85, 0.85, 0.85)
PALETTES: tuple[tuple[Color, ...], ...] = (
    ((0.12, 0.47, 0.71), (1.0, 0.5, 0.05), (0.17, 0.63, 0.17), (0.84, 0.15, 0.16), (0.58, 0.4, 0.74)),
    ((0.27, 0.45, 0.77), (0.93, 0.49, 0.19), (0.65, 0.65, 0.65), (1.0, 0.75, 0.0), (0.36, 0.61, 0.84)),
    ((0.2, 0.2, 0.2), (0.5, 0.5, 0.5), (0.75, 0.75, 0.75), (0.35, 0.35, 0.35), (0.62, 0.62, 0.62)),
    ((0.9, 0.3, 0.4), (0.3, 0.7, 0.7), (0.95, 0.75, 0.3), (0.4, 0.4, 0.6), (0.6, 0.8, 0.4)),
)
NAMES = ("Actual", "Budget", "Forecast", "Previous year", "Target")
CATEGORIES = (
    ("2016", "2017", "2018", "2019", "2020", "2021"),
    ("North", "South", "East", "West", "Central"),
    ("Housing", "Transport", "Food", "Health", "Leisure", "Education", "Clothing"),
    ("Q1 2021", "Q2 2021", "Q3 2021", "Q4 2021"),
    ("18-24", "25-34", "35-44", "45-54", "55-64", "65+"),
)
KINDS = ("bar", "grouped", "stacked", "hbar", "hgrouped", "line", "lines", "area", "pie", "donut", "scatter", "log",
         "combined")  # fmt: skip


@dataclass(frozen=True)
class Style:
    """A drawing program. `pixel`: places are whole pixels of .75 points. `slant`: degrees of category labels."""

    name: str
    font: str = "helv"
    size: float = 9.0
    ticks: bool = True
    grid: bool = False
    frame: bool = False
    axis_line: bool = True
    legend: str = "right"
    sample: str = "square"
    is_sample_after: bool = False
    slant: int = 0
    number: str = "plain"
    pixel: bool = False
    round_corners: bool = False
    has_dots: bool = False
    has_values: bool = False
    is_polygon: bool = False
    is_bare: bool = False
    palette: int = 0
    axis_gap: float = 4.0
    title_at: str = "middle"
    bar_share: float = 0.7
    pieces: bool = False


STYLES = (
    Style("script", grid=False, frame=True, legend="top"),
    Style("script-grid", grid=True, ticks=False, frame=False, legend="right", number="comma", palette=3),
    Style("office", grid=True, ticks=False, axis_line=False, legend="bottom", palette=1, number="comma"),
    Style("office-values", grid=False, ticks=False, axis_line=True, legend="bottom", palette=1, has_values=True),
    Style("office-bare", is_bare=True, has_values=True, legend="top", palette=1),
    Style("free-office", font="tiro", grid=True, ticks=True, frame=True, legend="right", number="blank"),
    Style("statistics", grid=True, ticks=True, axis_line=False, legend="right", palette=3, sample="square"),
    Style("plotter", font="cour", ticks=True, frame=True, legend="top", sample="line", is_sample_after=True),
    Style("web", pixel=True, grid=True, ticks=False, legend="top", palette=3, number="k"),
    Style("web-round", pixel=True, grid=True, ticks=False, round_corners=True, legend="bottom", sample="dot"),
    Style("web-slanted", pixel=True, grid=True, ticks=True, slant=45, legend="top", palette=1),
    Style("report", font="tiro", is_polygon=True, ticks=False, grid=False, has_values=True, legend="bottom", palette=2),
    Style("paper", font="tiro", ticks=True, frame=True, legend="right", has_dots=True, size=8),
    Style("continental", number="decimal-comma", grid=True, legend="right", palette=1),
    Style("percent", number="percent", grid=True, ticks=False, legend="top", has_values=True),
    Style("turned", slant=90, ticks=True, axis_line=True, legend="right", palette=3),
    Style("plain", ticks=False, grid=False, axis_line=True, legend="right", title_at="left"),
    Style("dotted", has_dots=True, pieces=True, grid=True, legend="bottom", sample="dot", palette=3),
    Style("dense", size=7, bar_share=0.95, grid=True, legend="right"),
    Style("far-axis", axis_gap=16, grid=True, ticks=False, legend="bottom", palette=3, title_at="left"),
)
LEFT_OUT = (
    Style("svg-data", pixel=False, ticks=True, legend="right", sample="dot", number="comma", palette=3, size=10),
    Style("svg-board", pixel=True, grid=True, ticks=False, axis_line=False, legend="bottom", number="k", size=11),
    Style("svg-journal", font="tiro", frame=True, ticks=True, legend="top", sample="line", has_dots=True, palette=2),
)


@dataclass
class Spec:
    """The data of a chart: values by series, in the order of the categories; points of a scatter by series."""

    kind: str
    names: list[str]
    series: dict[str, list[float]]
    points: dict[str, list[Point]] = field(default_factory=dict)
    title: str = "Units shipped by region"
    top: float = 100.0
    step: float = 20.0

    @property
    def facts(self) -> list[tuple[str, str, float]]:
        """Return (category, series, value)."""
        return [
            (name, key, value) for key, own in self.series.items() for name, value in zip(self.names, own, strict=True)
        ]


class Canvas(Protocol):
    """The page on which a style draws."""

    def polygon(self, points: list[Point], color: Color) -> None: ...
    def line(self, points: list[Point], color: Color, width: float) -> None: ...
    def rect(self, x0: float, y0: float, x1: float, y1: float, color: Color, radius: float) -> None: ...
    def circle(self, center: Point, radius: float, color: Color) -> None: ...
    def sector(self, center: Point, inner: float, outer: float, start: float, sweep: float, color: Color) -> None: ...
    def text(self, place: Point, text: str, size: float, anchor: str, angle: int) -> None: ...


class PdfCanvas:
    """A page of a PDF."""

    def __init__(self, page: pymupdf.Page, font: str) -> None:
        self.page, self.font = page, font

    def polygon(self, points: list[Point], color: Color) -> None:
        shape = self.page.new_shape()
        shape.draw_polyline([*points, points[0]])
        shape.finish(fill=color, color=None, closePath=True)
        shape.commit()

    def line(self, points: list[Point], color: Color, width: float) -> None:
        shape = self.page.new_shape()
        shape.draw_polyline(points)
        shape.finish(color=color, width=width, closePath=False)
        shape.commit()

    def rect(self, x0: float, y0: float, x1: float, y1: float, color: Color, radius: float) -> None:
        box = pymupdf.Rect(x0, y0, x1, y1)
        share = radius / min(box.width, box.height) if radius and min(box.width, box.height) > 2 * radius else None
        self.page.draw_rect(box, fill=color, color=None, radius=share)

    def circle(self, center: Point, radius: float, color: Color) -> None:
        self.page.draw_circle(center, radius, fill=color, color=None)

    def sector(self, center: Point, inner: float, outer: float, start: float, sweep: float, color: Color) -> None:
        count = max(2, math.ceil(sweep / 0.05))
        angles = [start + sweep * index / count for index in range(count + 1)]
        rim = [(center[0] + outer * math.cos(a), center[1] + outer * math.sin(a)) for a in angles]
        hole = [(center[0] + inner * math.cos(a), center[1] + inner * math.sin(a)) for a in reversed(angles)]
        self.polygon([*rim, *(hole if inner else [center])], color)

    def text(self, place: Point, text: str, size: float, anchor: str, angle: int) -> None:
        length = pymupdf.get_text_length(text, self.font, size)
        back = {"start": 0.0, "middle": length / 2, "end": length}[anchor]
        turn = math.radians(angle)
        x, y = place[0] - back * math.cos(turn), place[1] + back * math.sin(turn)
        morph = (pymupdf.Point(x, y), pymupdf.Matrix(angle)) if angle else None
        self.page.insert_text((x, y), text, fontsize=size, fontname=self.font, color=BLACK, morph=morph)


class SvgCanvas:
    """An SVG, as programs for browsers make it."""

    def __init__(self, font: str) -> None:
        self.family = "serif" if font == "tiro" else "sans-serif"
        self.parts: list[str] = []

    def polygon(self, points: list[Point], color: Color) -> None:
        self.parts.append(f'<path d="M{_path(points)}Z" fill="{_hex(color)}"/>')

    def line(self, points: list[Point], color: Color, width: float) -> None:
        self.parts.append(f'<path d="M{_path(points)}" fill="none" stroke="{_hex(color)}" stroke-width="{width}"/>')

    def rect(self, x0: float, y0: float, x1: float, y1: float, color: Color, radius: float) -> None:
        self.parts.append(
            f'<rect x="{x0:.3f}" y="{y0:.3f}" width="{x1 - x0:.3f}" height="{y1 - y0:.3f}" rx="{radius}" '
            f'fill="{_hex(color)}"/>'
        )

    def circle(self, center: Point, radius: float, color: Color) -> None:
        self.parts.append(f'<circle cx="{center[0]:.3f}" cy="{center[1]:.3f}" r="{radius}" fill="{_hex(color)}"/>')

    def sector(self, center: Point, inner: float, outer: float, start: float, sweep: float, color: Color) -> None:
        ends = [(center[0] + r * math.cos(a), center[1] + r * math.sin(a)) for r, a in
                ((outer, start), (outer, start + sweep), (inner, start + sweep), (inner, start))]  # fmt: skip
        large = int(sweep > math.pi)
        (ax, ay), (bx, by), (cx, cy), (dx, dy) = ends
        hole = (
            f"L{cx:.3f},{cy:.3f}A{inner},{inner} 0 {large} 0 {dx:.3f},{dy:.3f}"
            if inner
            else f"L{center[0]},{center[1]}"
        )
        path = f"M{ax:.3f},{ay:.3f}A{outer},{outer} 0 {large} 1 {bx:.3f},{by:.3f}{hole}Z"
        self.parts.append(f'<path d="{path}" fill="{_hex(color)}"/>')

    def text(self, place: Point, text: str, size: float, anchor: str, angle: int) -> None:
        turn = f' transform="rotate({-angle} {place[0]:.3f} {place[1]:.3f})"' if angle else ""
        self.parts.append(
            f'<text x="{place[0]:.3f}" y="{place[1]:.3f}" font-size="{size}" font-family="{self.family}" '
            f'text-anchor="{anchor}"{turn}>{escape(text)}</text>'
        )

    @property
    def svg(self) -> str:
        return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{"".join(self.parts)}</svg>'


def _path(points: list[Point]) -> str:
    return "L".join(f"{x:.3f},{y:.3f}" for x, y in points)


def _hex(color: Color) -> str:
    return "#" + "".join(f"{round(part * 255):02x}" for part in color)


def make_spec(kind: str, seed: int) -> Spec:
    """Return the data of a chart of a kind."""
    rng = random.Random(f"{kind} {seed}")
    names = list(rng.choice(CATEGORIES[:4] if kind in ("line", "lines", "area", "combined") else CATEGORIES))
    count = 1 if kind in ("bar", "hbar", "line", "log", "pie", "donut") else rng.randint(2, 4)
    if kind == "combined":
        count = 2
    top = rng.choice((100.0, 500.0, 40.0, 8000.0))
    if kind == "log":
        series = {NAMES[0]: [_round(10 ** rng.uniform(1.1, 4.9)) for _ in names]}
        return Spec(kind, names, series, top=5, step=1)
    if kind in ("pie", "donut"):
        parts = [rng.uniform(0.5, 3) for _ in names]
        return Spec(kind, names, {"Share": [100 * part / sum(parts) for part in parts]})
    if kind == "scatter":
        points = {
            NAMES[i]: [(rng.uniform(3, 97), rng.uniform(0.03, 0.97) * top) for _ in range(12)] for i in range(count)
        }
        return Spec(kind, [], {}, points, top=top, step=top / 5)
    limit = top * 0.95 / (count if kind in ("stacked", "area") else 1)
    series = {NAMES[i]: [_round(rng.uniform(limit / 8, limit)) for _ in names] for i in range(count)}
    return Spec(kind, names, series, top=top, step=top / 5)


def _round(value: float) -> float:
    return float(f"{value:.3g}")


def write_number(value: float, style: Style) -> str:
    """Return a number as the style prints it."""
    text = f"{value:.0f}" if value == round(value) else f"{value:.1f}"
    match style.number:
        case "comma":
            return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
        case "blank":
            return f"{value:,.0f}".replace(",", "\u00a0") if value == round(value) else text
        case "k" if value >= 1000 and value % 100 == 0:
            return f"{value / 1000:g}k"
        case "percent":
            return f"{text}%"
        case "decimal-comma":
            return text.replace(".", ",")
        case _:
            return text


def draw(spec: Spec, style: Style, canvas: Canvas) -> None:
    """Draw the chart."""
    _Drawing(spec, style, canvas).draw()


class _Drawing:
    def __init__(self, spec: Spec, style: Style, canvas: Canvas) -> None:
        self.spec, self.style, self.canvas = spec, style, canvas
        self.colors = PALETTES[style.palette]
        self.left, self.right = 62.0, WIDTH - (110 if style.legend == "right" else 24)
        self.top, self.bottom = 58.0, HEIGHT - (72 if style.slant or style.legend == "bottom" else 48)
        self.is_flat = spec.kind in ("hbar", "hgrouped")
        if self.is_flat:
            self.left += 20

    def draw(self) -> None:
        spec, style = self.spec, self.style
        at = self.left if style.title_at == "left" else (self.left + self.right) / 2
        self.canvas.text((at, 22), spec.title, style.size + 3, "start" if style.title_at == "left" else "middle", 0)
        if spec.kind in ("pie", "donut"):
            self._draw_pie()
            return
        if not (style.is_bare and spec.kind in ("bar", "grouped", "hbar", "hgrouped")):
            self._draw_axis()
        match spec.kind:
            case "line" | "lines":
                self._draw_lines(list(spec.series.items()), 0)
            case "area":
                self._draw_areas()
            case "scatter":
                self._draw_scatter()
            case "combined":
                first, second = spec.series.items()
                self._draw_bars([first])
                self._draw_lines([second], 1)
            case _:
                self._draw_bars(list(spec.series.items()))
        if spec.kind != "scatter":
            self._draw_categories()
        else:
            self._draw_row_axis()
        if len(spec.series or spec.points) > 1:
            self._draw_legend(list(spec.series or spec.points))

    def _at(self, value: float) -> float:
        """Return the place of a value on its axis."""
        part = (math.log10(value) if self.spec.kind == "log" else value) / self.spec.top
        place = (
            self.left + part * (self.right - self.left)
            if self.is_flat
            else self.bottom - part * (self.bottom - self.top)
        )
        return round(place / 0.75) * 0.75 if self.style.pixel else place

    def _draw_axis(self) -> None:
        spec, style, canvas = self.spec, self.style, self.canvas
        if style.frame:
            corners = [
                (self.left, self.top),
                (self.right, self.top),
                (self.right, self.bottom),
                (self.left, self.bottom),
            ]
            canvas.line([*corners, corners[0]], BLACK, 0.8)
        for index in range(round(spec.top / spec.step) + 1):
            number = index * spec.step
            value = 10**number if spec.kind == "log" else number
            place = self._at(value)
            text = write_number(value, style)
            if self.is_flat:
                if style.grid:
                    canvas.line([(place, self.top), (place, self.bottom)], GREY, 0.5)
                if style.ticks:
                    canvas.line([(place, self.bottom), (place, self.bottom + 4)], BLACK, 0.8)
                canvas.text((place, self.bottom + 8 + style.size), text, style.size, "middle", 0)
            else:
                if style.grid:
                    canvas.line([(self.left, place), (self.right, place)], GREY, 0.5)
                if style.ticks:
                    canvas.line([(self.left - 4, place), (self.left, place)], BLACK, 0.8)
                canvas.text((self.left - 4 - style.axis_gap, place + 0.36 * style.size), text, style.size, "end", 0)
        if style.axis_line:
            canvas.line([(self.left, self.top), (self.left, self.bottom)], BLACK, 0.8)
            canvas.line([(self.left, self.bottom), (self.right, self.bottom)], BLACK, 0.8)

    def _slots(self) -> list[Point]:
        """Return the start and end of each category."""
        low, high = (self.top, self.bottom) if self.is_flat else (self.left, self.right)
        width = (high - low) / len(self.spec.names)
        return [(low + index * width, low + (index + 1) * width) for index in range(len(self.spec.names))]

    def _draw_bars(self, series: list[tuple[str, list[float]]]) -> None:
        is_stacked = self.spec.kind == "stacked"
        for slot, (start, end) in enumerate(self._slots()):
            inner = (end - start) * self.style.bar_share
            width = inner if is_stacked else inner / len(series)
            begin, base = start + (end - start - inner) / 2, 0.0
            for index, (_, values) in enumerate(series):
                near = begin if is_stacked else begin + index * width
                low, high = self._at(base if is_stacked else 10.0**0 if self.spec.kind == "log" else 0.0), 0.0
                high = self._at(values[slot] + (base if is_stacked else 0))
                base += values[slot] if is_stacked else 0
                far = near + width * (1 if is_stacked else 0.98)
                box = (low, near, high, far) if self.is_flat else (near, high, far, low)
                self._draw_bar(box, self.colors[index])
                if self.style.has_values:
                    self._draw_value(box, values[slot], is_stacked)

    def _draw_bar(self, box: tuple[float, float, float, float], color: Color) -> None:
        x0, y0, x1, y1 = box
        if self.style.is_polygon:
            self.canvas.polygon([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], color)
        else:
            self.canvas.rect(x0, y0, x1, y1, color, 2 if self.style.round_corners else 0)

    def _draw_value(self, box: tuple[float, float, float, float], value: float, is_stacked: bool) -> None:
        x0, y0, x1, y1 = box
        size, text = self.style.size - 2, write_number(value, self.style)
        if is_stacked:
            self.canvas.text(((x0 + x1) / 2, (y0 + y1) / 2 + 0.36 * size), text, size, "middle", 0)
        elif self.is_flat:
            self.canvas.text((x1 + 3, (y0 + y1) / 2 + 0.36 * size), text, size, "start", 0)
        else:
            self.canvas.text(((x0 + x1) / 2, y0 - 3), text, size, "middle", 0)

    def _draw_lines(self, series: list[tuple[str, list[float]]], first: int) -> None:
        for index, (_, values) in enumerate(series, start=first):
            points = [
                ((start + end) / 2, self._at(value)) for (start, end), value in zip(self._slots(), values, strict=True)
            ]
            pieces = [points] if not self.style.pieces else [list(pair) for pair in itertools.pairwise(points)]
            for piece in pieces:
                self.canvas.line(piece, self.colors[index], 1.5)
            for point in points if self.style.has_dots else ():
                self.canvas.circle(point, 2.5, self.colors[index])

    def _draw_areas(self) -> None:
        base = [0.0] * len(self.spec.names)
        middles = [(start + end) / 2 for start, end in self._slots()]
        for index, values in enumerate(self.spec.series.values()):
            upper = [low + value for low, value in zip(base, values, strict=True)]
            above = [(x, self._at(value)) for x, value in zip(middles, upper, strict=True)]
            below = [(x, self._at(value)) for x, value in zip(middles, base, strict=True)]
            self.canvas.polygon([*above, *below[::-1]], self.colors[index])
            base = upper

    def _draw_scatter(self) -> None:
        for index, points in enumerate(self.spec.points.values()):
            for x, y in points:
                place = self.left + x / 100 * (self.right - self.left)
                self.canvas.circle((place, self._at(y)), 2.5, self.colors[index])

    def _draw_row_axis(self) -> None:
        for number in range(0, 101, 20):
            x = self.left + number / 100 * (self.right - self.left)
            self.canvas.line([(x, self.bottom), (x, self.bottom + 4)], BLACK, 0.8)
            self.canvas.text((x, self.bottom + 8 + self.style.size), f"{number}", self.style.size, "middle", 0)

    def _draw_categories(self) -> None:
        size, slant = self.style.size, self.style.slant
        for name, (start, end) in zip(self.spec.names, self._slots(), strict=True):
            middle = (start + end) / 2
            if self.is_flat:
                self.canvas.text((self.left - 8, middle + 0.36 * size), name, size, "end", 0)
            elif slant:
                off = 0.36 * size if slant == 90 else 2
                self.canvas.text((middle + off, self.bottom + 8), name, size, "end", slant)
            else:
                self.canvas.text((middle, self.bottom + 8 + size), name, size, "middle", 0)

    def _draw_legend(self, names: list[str]) -> None:
        style, size = self.style, self.style.size
        x, y = (self.right + 14, self.top + 10) if style.legend == "right" else (self.left, 42.0)
        if style.legend == "bottom":
            y = HEIGHT - 12
        is_line = style.sample == "line" or (style.sample != "dot" and self.spec.kind in ("line", "lines"))
        for index, name in enumerate(names):
            length = pymupdf.get_text_length(name, style.font, size) * 1.08
            at = x + length + 5 if style.is_sample_after else x
            color, middle = self.colors[index], y - 0.36 * size
            if is_line:
                self.canvas.line([(at, middle), (at + 16, middle)], color, 1.5)
            elif style.sample == "dot":
                self.canvas.circle((at + 4, middle), 3, color)
            else:
                self.canvas.rect(at, middle - 3.5, at + 7, middle + 3.5, color, 0)
            wide = 16 if is_line else 8
            self.canvas.text((x if style.is_sample_after else x + wide + 5, y), name, size, "start", 0)
            if style.legend == "right":
                y += size * 1.8
            else:
                x += length + wide + 22

    def _draw_pie(self) -> None:
        center, outer = (WIDTH / 2 - 30, HEIGHT / 2 + 12), 95.0
        inner = 45.0 if self.spec.kind == "donut" else 0.0
        angle, values = -math.pi / 2, self.spec.series["Share"]
        colors = (*self.colors, (0.5, 0.3, 0.2), (0.9, 0.5, 0.7))
        for name, value, color in zip(self.spec.names, values, colors, strict=False):
            sweep = value / 100 * 2 * math.pi
            self.canvas.sector(center, inner, outer, angle, sweep, color)
            middle = angle + sweep / 2
            x, y = center[0] + 1.12 * outer * math.cos(middle), center[1] + 1.12 * outer * math.sin(middle)
            anchor = "middle" if abs(math.cos(middle)) < 0.2 else "start" if math.cos(middle) > 0 else "end"
            if self.style.legend != "right":
                self.canvas.text((x, y + 3), name, self.style.size, anchor, 0)
            if self.style.has_values:
                reach = (inner + outer) / 2
                place = (center[0] + reach * math.cos(middle), center[1] + reach * math.sin(middle) + 3)
                self.canvas.text(place, f"{value:.0f}%", self.style.size, "middle", 0)
            angle += sweep
        if self.style.legend == "right":
            self._draw_pie_legend(colors)

    def _draw_pie_legend(self, colors: tuple[Color, ...]) -> None:
        for index, (name, color) in enumerate(zip(self.spec.names, colors, strict=False)):
            y = self.top + 10 + index * self.style.size * 1.8
            self.canvas.rect(self.right + 4, y - 7, self.right + 11, y, color, 0)
            self.canvas.text((self.right + 16, y), name, self.style.size, "start", 0)


def make_pdf(spec: Spec, style: Style) -> bytes:
    """Return the chart as a PDF of one page."""
    document = pymupdf.open()
    page = document.new_page(width=WIDTH, height=HEIGHT)
    draw(spec, style, PdfCanvas(page, style.font))
    return bytes(document.tobytes(no_new_id=True))


def make_svg(spec: Spec, style: Style) -> str:
    """Return the chart as an SVG."""
    draw(spec, style, canvas := SvgCanvas(style.font))
    return canvas.svg
