"""Strict JSON for untrusted input: one value with unique keys, finite numbers and bounded depth, or a refusal."""

import json
import math
from typing import Any

MAX_DEPTH = 64  # nested levels; metadata of people has four
_MAX_DIGITS = 100  # digits of a number: Python's own parsing is quadratic in them


class InvalidJson(ValueError):
    """The text is not acceptable JSON; the message gives the reason and quotes nothing."""

    code = "invalid-json"


def parse_object(text: str | bytes, *, storable: bool = False, most_values: int | None = None) -> dict[str, Any]:
    """Parse a JSON object strictly: no repeated names, no NaN, no huge numbers.

    Args:
        text: The JSON text.
        storable: Also reject texts that a database does not accept (NUL, lone surrogates).
        most_values: Maximum number of values, counted before parsing, because a value of three bytes takes a hundred
            in memory.

    Raises:
        InvalidJson: The text is not acceptable.
    """
    if most_values is not None and _count_marks(text) > most_values:
        raise InvalidJson(f"more than {most_values} values")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_whole,
        )
    except InvalidJson:
        raise
    except RecursionError:
        raise InvalidJson("nested too deeply") from None
    except ValueError:
        raise InvalidJson("not JSON") from None
    if not isinstance(value, dict):
        raise InvalidJson("expected a JSON object")
    _check(value, storable)
    return value


def _count_marks(text: str | bytes) -> int:
    """Return an upper bound of the number of values: each is the first of its container or follows a comma."""
    marks: tuple[Any, ...] = (b",", b"[", b"{") if isinstance(text, bytes) else (",", "[", "{")
    return sum(text.count(mark) for mark in marks)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise InvalidJson("an object contains a key twice")
    return value


def _refuse_constant(_: str) -> Any:
    raise InvalidJson("NaN and Infinity are not valid JSON")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InvalidJson("a number is too large")
    return value


def _whole(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise InvalidJson("a number is too large")
    return int(text)


def _check(root: Any, storable: bool) -> None:
    """Check the depth and, on request, that all texts are storable; without recursion."""
    level = [root]
    for _ in range(MAX_DEPTH):
        if not level:
            return
        below: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                below.extend(value.values())
                below.extend(value)  # names are texts too
            elif isinstance(value, list):
                below.extend(value)
            elif storable and isinstance(value, str):
                _check_text(value)
        level = below
    raise InvalidJson(f"nested more than {MAX_DEPTH} levels")


def is_storable(text: str) -> bool:
    """Return whether a database accepts the text: it has no NUL and no lone surrogate."""
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)


def _check_text(text: str) -> None:
    if not is_storable(text):
        raise InvalidJson("a string contains NUL or an unpaired surrogate")
