"""Draws amounts over time as upright bars in SVG: a figure with caption, a tooltip per bar, and a text description.

In: plain values. Out: markup without script or style; the embedding page styles `.plot`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quire.models.export.markup import Markup, element, escape

_SLOT, _GAP, _HEIGHT = 10.0, 2.0, 100.0  # units of the picture: a bar with its gap, the gap, the tallest bar
_LEAST = 2.0  # units: a small amount next to a large one stays visible


@dataclass(frozen=True, slots=True)
class PlotBar:
    """One bar: its label and its amount."""

    label: str
    value: int


def bar_plot(title: str, bars: Sequence[PlotBar], *, summed: bool = True) -> Markup:
    """Return the figure; its title names the unit. Rates pass `summed=False`, because their sum has no meaning."""
    largest = max(bars, key=lambda bar: bar.value, default=PlotBar("", 0))
    facts = [f"{sum(bar.value for bar in bars):,} in all"] if summed else []
    description = "; ".join(facts + ([f"most: {largest.label} ({largest.value:,})"] if largest.value else []))
    drawing = element(
        "svg",
        *(_rect(index, bar, largest.value) for index, bar in enumerate(bars) if bar.value),
        role="img", aria_label=f"{title}: {description}", preserveAspectRatio="none",
        viewBox=f"0 0 {max(1, len(bars)) * _SLOT:g} {_HEIGHT:g}",
    )  # fmt: skip
    ends = [bars[0].label, bars[-1].label] if bars else []
    return element(
        "figure",
        element("figcaption", element("strong", escape(title)), escape(" "), element("span", escape(description))),
        drawing,
        element("p", *(element("span", escape(end)) for end in ends), class_="axis", aria_hidden="true"),
        class_="plot",
    )


def _rect(index: int, bar: PlotBar, largest: int) -> Markup:
    height = max(_LEAST, _HEIGHT * bar.value / largest)
    tooltip = element("title", escape(f"{bar.label}: {bar.value:,}"))
    return element(
        "rect", tooltip, x=f"{index * _SLOT + _GAP / 2:g}", y=f"{_HEIGHT - height:.4g}", width=f"{_SLOT - _GAP:g}",
        height=f"{height:.4g}",
    )  # fmt: skip
