"""Colours of the dashboard: every text on every ground it stands on, in both schemes, as WCAG AA wants it."""

import re
from itertools import product

import pytest

from quire.serve_apps.ui.browser.visit import FILES

TOKENS = {
    name: schemes
    for name, *schemes in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", FILES.content["style.css"].decode())
}
GROUNDS = ("ground", "card", "raised", "calm-back", "hover", "accent-back")
TEXTS = [
    *product(("ink", "soft"), GROUNDS),
    *product(("accent",), ("ground", "card", "raised", "accent-back", "hover")),
    *((tone, ground) for tone in ("good", "bad", "warn") for ground in (f"{tone}-back", "card", "raised", "hover")),
    ("soft", "warn-back"),
    ("on-accent", "accent"),
    ("on-mark", "mark"),
]
LIGHT, DARK = 0, 1


def luminance(colour: str) -> float:
    """Relative luminance of sRGB, WCAG 2.2."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_the_measure_is_wcags() -> None:
    assert contrast("#fff", "#000000") == pytest.approx(21)
    assert contrast("#767676", "#fff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
@pytest.mark.parametrize(("text", "ground"), TEXTS)
def test_text_is_readable(text: str, ground: str, scheme: int) -> None:
    assert contrast(TOKENS[text][scheme], TOKENS[ground][scheme]) >= 4.5


@pytest.mark.parametrize("scheme", [LIGHT, DARK])
@pytest.mark.parametrize("ground", ["card", "ground"])
def test_edges_of_fields_are_seen(ground: str, scheme: int) -> None:
    assert contrast(TOKENS["strong-line"][scheme], TOKENS[ground][scheme]) >= 3
