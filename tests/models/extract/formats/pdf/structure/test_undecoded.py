"""Shapes of letters of one size may differ by a row of pixels, as rounding makes them."""

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from quire.models.extract.formats.pdf.text import undecoded


@pytest.mark.parametrize("seed", range(20))
def test_ligature_is_found_though_its_letters_differ_in_height(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    level = SimpleNamespace(ll=SimpleNamespace(x=0.0, y=0.0), lr=SimpleNamespace(x=9.0, y=0.0))
    letters: dict[str, Any] = {char: SimpleNamespace(char=char, quad=level) for char in "fil"}
    heights = {char: chance.randint(52, 54) for char in "fil"}
    shapes = {char: np.random.default_rng(seed + ord(char)).random((54, 14)) > 0.97 for char in "fil"}
    shapes["fl"] = np.concatenate([shapes["f"], shapes["l"]], axis=1)

    def draw(glyph: Any, drawn: Any) -> Any:
        return shapes[glyph.char][: heights.get(glyph.char, 53)]

    monkeypatch.setattr(undecoded, "draw_ink", draw)
    glyph = SimpleNamespace(char="fl", quad=level)
    found = undecoded._find_alike(glyph, letters, None)  # type: ignore[arg-type]
    assert max(found, key=lambda text: found[text]) == "fl"
