"""Has a model begun to say the same thing for ever? Looked at while it writes; pure, bounded work per look."""

_WINDOW = 2000  # characters at the end of an answer that are looked at
_LONGEST_PERIOD = 400  # characters of the longest phrase a model was seen to repeat
_LEAST = 200
"""Characters that must be one repeated unit: below it, dotted leaders and rules of a table are honest text."""
_LEAST_TURNS = 8  # repetitions of a phrase that are a loop; a table repeats a cell less often


def finds_loop(text: str) -> bool:
    """Return True when `text` ends in a unit of up to 400 characters, repeated at least 8 times over 200 characters."""
    tail = text[-max(_WINDOW, _LONGEST_PERIOD * _LEAST_TURNS) :]
    if len(tail) < _LEAST or _is_leader(tail):
        return False
    return any(_repeats(tail, period) for period in range(1, min(_LONGEST_PERIOD, len(tail) // _LEAST_TURNS) + 1))


def cut_loop(text: str) -> str:
    """Reduce a looping end of the text to one repetition; other texts stay unchanged."""
    for period in range(1, min(_LONGEST_PERIOD, len(text) // _LEAST_TURNS) + 1):
        if _repeats(text, period):
            end = len(text)
            while end - 2 * period >= 0 and text[end - 2 * period : end - period] == text[end - period : end]:
                end -= period
            return text[:end]
    return text


def _repeats(tail: str, period: int) -> bool:
    length = max(_LEAST, period * _LEAST_TURNS)
    end = tail[-length:]
    return len(end) == length and end[period:] == end[:-period]


def _is_leader(tail: str) -> bool:
    """Return True for a short run of dots, dashes, blanks or underscores, as in forms; a long run counts as a loop."""
    marks = len(tail) - len(tail.rstrip(".-_ \t·…"))
    return _LEAST <= marks < _WINDOW
