"""Numbers of spreadsheets: a value and one section of a number format in, the displayed text out."""

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|(?P<digits>[0#?]+)|(?P<point>\.)|(?P<comma>,)'
    r"|(?P<percent>%)|(?P<exponent>[eE][+-])|(?P<slash>/)|(?P<other>.)",
    re.DOTALL,
)
_WIDTH: Final = 11
"""Characters of a number in General format."""
_MAX_PLACES: Final = 30
"""Decimal places that Excel allows in a format."""

Token = tuple[str, str]


_LONG: Final = 1e11
"""Size from which Excel uses scientific form, which would damage identifiers; such numbers keep all digits."""
_EXACT: Final = 1e16
"""Size from which a number of a file has no more exact digits."""


def show_general(value: float) -> str:
    """Return a number in General format; whole and long numbers keep all their digits."""
    size = abs(value)
    if value == int(value) and size < _EXACT:
        return str(int(value))
    if _LONG <= size < _EXACT:
        return f"{value:.15g}" if size < _LONG * 1e4 else repr(value)
    if 1e-9 <= size < 1e11:
        whole = len(str(int(size)))
        text = f"{value:.{max(0, min(9, 10 - whole))}f}" if size >= 1e-4 else _tiny(value)
        return (text.rstrip("0").rstrip(".") if "." in text and "E" not in text else text) or "0"
    return _scientific(value)


def _tiny(value: float) -> str:
    plain = f"{value:.9f}".rstrip("0").rstrip(".")
    exact = f"{Decimal(repr(value)):f}"
    return plain if len(exact.lstrip("-")) <= _WIDTH else _scientific(value)


def _scientific(value: float) -> str:
    mantissa, _, exponent = f"{value:.5E}".partition("E")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}E{exponent[0]}{exponent[1:].lstrip('0').rjust(2, '0')}"


@lru_cache(maxsize=4096)
def _tokens(code: str) -> tuple[Token, ...]:
    return tuple((match.lastgroup or "other", match.group(match.lastgroup or 0)) for match in _TOKEN.finditer(code))


def show_number(value: float, code: str) -> str:
    """Return a number formatted by one section of a number format."""
    tokens = _tokens(code)
    kinds = [kind for kind, _ in tokens]
    sign = "-" if value < 0 else ""
    size = abs(value)
    if "digits" not in kinds:
        return sign + "".join(_format_literal(token) for token in tokens)
    if "exponent" in kinds and "digits" in kinds[: kinds.index("exponent")]:
        return sign + _show_exponent(size, tokens)
    if "slash" in kinds and _is_fraction(tokens):
        return sign + _show_fraction(size, tokens)
    text = _show_plain(size, tokens)
    return (sign if re.search(r"[1-9]", text) else "") + text


def _format_literal(token: Token) -> str:
    kind, text = token
    if kind == "blank":
        return " "
    return "" if kind == "fill" else text


def _round(size: float, places: int) -> str:
    """Return decimal digits, rounded half up from the number's 15 significant digits."""
    if size == float("inf"):  # a percentage of the largest numbers
        return "inf"
    with localcontext(prec=400):
        exact = Decimal(f"{size:.15g}")
        return f"{exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):f}"


def _show_plain(size: float, tokens: tuple[Token, ...]) -> str:
    kinds = [kind for kind, _ in tokens]
    point = kinds.index("point") if "point" in kinds else len(tokens)
    last = max(i for i, kind in enumerate(kinds) if kind == "digits")
    first = kinds.index("digits")
    scale = 0
    for i in range(last + 1, len(tokens)):
        if kinds[i] != "comma":
            break
        scale += 1
    if point < len(tokens):
        before = point - 1
        while before >= 0 and kinds[before] == "comma":
            scale, before = scale + 1, before - 1
    grouped = any(kinds[i] == "comma" for i in range(first, min(last, point)) if i < point - 0)
    size = size * 100 ** kinds.count("percent") / 1000**scale
    whole_mask = "".join(text for kind, text in tokens[:point] if kind == "digits")
    part_mask = "".join(text for kind, text in tokens[point:] if kind == "digits")[:_MAX_PLACES]
    whole, _, part = _round(size, len(part_mask)).partition(".")
    return _lay_whole(whole, whole_mask, tokens[:point], grouped=grouped) + _lay_part(part, part_mask, tokens[point:])


def _lay_whole(whole: str, mask: str, tokens: tuple[Token, ...], *, grouped: bool) -> str:
    """Place digits from the right with literals between them; extra digits precede the first place."""
    digits = whole.lstrip("0")
    zeros = mask.count("0") + (len(mask[mask.index("0") :].replace("0", "")) if "0" in mask else 0)
    digits = digits.rjust(zeros, "0")
    filled = digits.rjust(len(mask), "\0")
    extra, fixed = filled[: len(filled) - len(mask)], filled[len(filled) - len(mask) :]
    filled_places = [" " if char == "\0" and sign == "?" else char for char, sign in zip(fixed, mask, strict=True)]
    out: list[str] = []
    place_index, total = 0, len(filled)
    for kind, text in tokens:
        if kind == "digits":
            for _ in text:
                chars = (extra + filled_places[0]) if place_index == 0 else filled_places[place_index]
                for shift, char in enumerate(chars):
                    left = total - (place_index + shift if place_index == 0 else place_index + len(extra)) - 1
                    out.append(char + ("," if grouped and left and left % 3 == 0 and char.isdigit() else ""))
                place_index += 1
        elif kind == "comma":
            continue
        else:
            out.append(_format_literal((kind, text)))
    return "".join(out).replace("\0", "")


def _lay_part(part: str, mask: str, tokens: tuple[Token, ...]) -> str:
    keep = len(part.rstrip("0"))
    filled_places = []
    for i, sign in enumerate(mask):
        digit = part[i] if i < len(part) else "0"
        filled_places.append(digit if i < keep or sign == "0" else (" " if sign == "?" else ""))
    out: list[str] = []
    for kind, text in tokens:
        if kind == "digits":
            out += filled_places[: len(text)]
            filled_places = filled_places[len(text) :]
        elif kind == "point":
            out.append("." if not any(piece == "." for piece in out) else "")
        elif kind != "comma":
            out.append(_format_literal((kind, text)))
    return "".join(out)


def _show_exponent(size: float, tokens: tuple[Token, ...]) -> str:
    exponent_index = next(index for index, (kind, _) in enumerate(tokens) if kind == "exponent")
    mantissa, exponent_tokens = tokens[:exponent_index], tokens[exponent_index + 1 :]
    point = next((index for index, (kind, _) in enumerate(mantissa) if kind == "point"), len(mantissa))
    width = max(1, sum(len(text) for kind, text in mantissa[:point] if kind == "digits"))
    decimals = sum(len(text) for kind, text in mantissa[point:] if kind == "digits")
    exponent = 0
    if size:
        exponent = int(f"{size:.15e}".partition("e")[2])
        exponent = exponent // width * width if width > 1 else exponent
        if float(_round(size / 10.0**exponent, decimals)) >= 10**width:
            exponent += width
    shown = _show_plain(size / 10.0**exponent, mantissa)
    digits = str(abs(exponent)).rjust(sum(text.count("0") for kind, text in exponent_tokens if kind == "digits"), "0")
    sign = "-" if exponent < 0 else ("+" if tokens[exponent_index][1][1] == "+" else "")
    tail = "".join(_format_literal(token) for token in exponent_tokens if token[0] != "digits")
    return f"{shown}E{sign}{digits}{tail}"


def _is_fraction(tokens: tuple[Token, ...]) -> bool:
    slash = next(index for index, (kind, _) in enumerate(tokens) if kind == "slash")
    return any(kind == "digits" for kind, _ in tokens[:slash]) and slash + 1 < len(tokens)


def _show_fraction(size: float, tokens: tuple[Token, ...]) -> str:
    slash = next(index for index, (kind, _) in enumerate(tokens) if kind == "slash")
    numerator = max(index for index in range(slash) if tokens[index][0] == "digits")
    wholes = [text for kind, text in tokens[:numerator] if kind == "digits"]
    after = "".join(text for kind, text in tokens[slash + 1 :] if kind in ("digits", "other"))
    fixed = re.match(r"\d+", after.replace("#", "").replace("?", "")) if re.search(r"[1-9]", after) else None
    width = max(1, sum(len(text) for kind, text in tokens[slash + 1 :] if kind == "digits"))
    whole = int(size) if wholes else 0
    remainder = Fraction(size - whole)
    if fixed is not None:
        bottom = int(fixed.group())
        top = int(remainder * bottom + Fraction(1, 2))
    else:
        near = remainder.limit_denominator(10 ** min(width, 7) - 1)
        top, bottom = near.numerator, near.denominator
    if wholes and bottom and top >= bottom:
        whole, top = whole + top // bottom, top % bottom
    head = "".join(_format_literal(token) for token in tokens[:numerator] if token[0] != "digits")
    shown_whole = str(whole) if wholes and (whole or not top or "0" in wholes[0]) else ""
    if wholes and not top:
        return f"{shown_whole}{head}".rstrip() if shown_whole else "0"
    return f"{shown_whole}{head if shown_whole else ''}{top}/{bottom}"
