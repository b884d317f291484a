"""Fonts of mathematics, told by their names."""

import re

MATH_FONT = re.compile(
    r"math|katex|cmmi|cmsy|cmex|stix.*ital|symbol|standardsym|msam|msbm|mtmi|mtsy|mtex|eufm|mjx|eurm|rsfs|txmi|pxmi|type3|lmm[is]"
)
"""In lower-case names; fonts without one (Type 3) may be of mathematics, and STIX's italics set words as well."""
_ONLY_MATH = re.compile(
    r"math|katex|cmmi|cmsy|cmex|symbol|standardsym|msam|msbm|mtmi|mtsy|mtex|eufm|mjx|eurm|rsfs|txmi|pxmi|lmm[is]"
)


def sets_only_math(name: str) -> bool:
    """True for a font (lower case) in which nobody sets words."""
    return _ONLY_MATH.search(name) is not None
