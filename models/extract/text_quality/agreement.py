"""Whether a recogniser reads what a text layer says: the last word about a layer that looks garbled."""

import re

_WORD = re.compile(r"[^\W_]{2,}")
_AGREED = 0.5
"""Share of recognised words (two letters or more) that the layer has: good layers .8 to 1, garbled ones below .1."""
_ENOUGH = 2  # words below which a recogniser cannot contradict


def agrees(recognised: str, layer: str) -> bool:
    """True when most recognised words stand in the layer; the recogniser may join words or miss a letter."""
    words = _WORD.findall(recognised.casefold())
    if len(words) < _ENOUGH:
        return False
    known = "".join(_WORD.findall(layer.casefold()))
    return sum(word in known for word in words) >= _AGREED * len(words)
