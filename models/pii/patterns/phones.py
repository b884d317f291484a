"""Telephone numbers of any country: groups of digits that look dialled, judged by prefix, grouping and the words around.

No library's region list decides: documents name numbers without saying where they are.
"""

import re
from collections.abc import Iterator

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns.clues import Clues, Starts, at_dialled
from quire.models.pii.patterns.pattern import AND

LEAST_FIGURES = 7  # digits of the shortest number accepted without a context word
INTERNATIONAL, LONGEST = 9, 15
"""Digits of the shortest number behind `+` that needs no word, and of the longest number there is (ITU-T E.164)."""
LONGEST_GROUPED = 12
"""Maximum digits of a number of nine and more that continues after another line end."""
_NOT_FIGURE = re.compile(r"[^0-9]")
_CANDIDATE = re.compile(
    r"(?<![\w./#$€£=_@-])(?<![0-9][,:])(?P<number>(?:(?P<plus>\+|00)\s?(?=[1-9(]))?(?:\(\+?[0-9]{1,4}\)|[0-9]{1,5})"
    r"(?:[ .\-/]{1,3}?\(?[0-9]{1,6}\)?|\([0-9]{1,5}\)|[ ]?\(0\)[ ]?[0-9]*|[0-9]){1,12})(?:\s?(?:x|ext\.?|poste)\s?[0-9]{1,5})?(?![\w]|[.,][0-9]|[-/][0-9]|%|\s?[€$£])"
)
_NEXT_LINE = re.compile(r" ?\n ?(?P<rest>[0-9]{1,5}(?:[ .\-/]{1,3}[0-9]{1,6}){0,5})(?![\w]|[.,][0-9]|[-/:][0-9]|%)")
"""Continuation of an international number after a line end."""
_GROUP = re.compile(r"[0-9]+")
_WIDE_GAP = re.compile(r" [/.-] ")
_CONTEXT = re.compile(
    r"(?i)\b(?:phones?|tel|telephones?|téléphone|telefon|teléfono|telefono|telefone|call(?:ed|ing)?|dial|mobile?|cell|handy|fax|portable|whatsapp|sms|text(?: me)?|contact|reach|"
    r"hotline|office|answering|ring|ph|mob)\b[^0-9\n]{0,24}$"
)
_AFTER = re.compile(r"(?i)[ ,\\-]{0,3}(?:office|fax|mobile|home|work|cell|tel)\b")
_DATE = re.compile(
    r"[0-9]{1,2}[-/. ][0-9]{1,2}[-/. ](?:19|20)?[0-9]{2}|(?:19|20)[0-9]{2}[-/. ][0-9]{1,2}[-/. ][0-9]{1,2}|(?:19|20)[0-9]{2} ?[-/] ?(?:19|20)[0-9]{2}"
)
_HAS_DATE = re.compile(
    r"(?<![0-9.])(?:[0-3]?[0-9]([./])[01]?[0-9]\1(?:19|20)?[0-9]{2}|(?:19|20)[0-9]{2}-[01][0-9]-[0-3][0-9]|[0-3][0-9]-[01][0-9]-(?:19|20)[0-9]{2})"
    r"(?![0-9.])"
)
"""A date in a run of figures, such as in a range of dates."""
_AREA_AND_NUMBER = re.compile(r"0[1-9][0-9]{1,3}(?: ?/ ?[0-9]{2}(?:[ ]?[0-9]){3,7}|-[0-9]{6,8})|0[1-9]-[0-9]{8}")
"""A German area code before a slash, or a Dutch one before a hyphen."""
_LAST_IN_BRACKETS = re.compile(r"\([0-9]{1,6}\)?\Z")
"""A year behind pages, or a figure behind an amount: no number ends with its bracket."""
_UK_MOBILE = re.compile(r"07[0-9]{3} [0-9]{6}")
_NOT_A_PHONE = re.compile(
    r"(?i)\b(?:isbn|issn|doi|invoice|order|account|acct|card|ref|reference|no|nr|number|zip|page|pages|pp|vol|id|version|box|iban|vat|siret|ssn)\b\W{0,4}$"
)


def find_phones(clues: Clues, starts: Starts = at_dialled) -> Iterator[Hit]:
    """Yield telephone numbers in a normalised text.

    A long number that is rejected is skipped whole, unless it is a list: numbers of one grouping, or a word for
    telephones precedes it, which counts for all its numbers.
    """
    text, behind, last = clues.text, 0, -1
    for place in starts(clues):
        match = _CANDIDATE.match(text, place) if place >= behind else None
        if match is None:
            continue
        start, stop = match.span("number")
        number = match["number"].rstrip(" .-/(")
        if match["plus"] and len(_NOT_FIGURE.sub("", number)) < INTERNATIONAL:
            end = _end_over_lines(text, number, match.end())
            if end is not None:
                last = behind = end
                yield Hit(Kind.PHONE, start, end)
                continue
        if len(_NOT_FIGURE.sub("", number)) < LEAST_FIGURES:
            continue
        before = text[max(0, start - 40) : start]
        behind = match.end()
        known = _follows(text, last, start) or _CONTEXT.search(before) is not None
        announced = known or _AFTER.match(text, behind) is not None
        if _is_phone(number, bool(match["plus"]), before, announced=announced):
            last = behind = max(start + len(number), match.end() if match.end() > stop else 0)
            yield Hit(Kind.PHONE, start, behind)
        elif pieces := _split(number, known):
            yield from (Hit(Kind.PHONE, start + first, start + end) for first, end in pieces)
            last = behind = start + pieces[-1][1]


def _end_over_lines(text: str, number: str, end: int) -> int | None:
    """Return the end of an international number that line ends break, perhaps in each of its groups."""
    figures = len(_NOT_FIGURE.sub("", number))
    while figures < INTERNATIONAL:
        more = _NEXT_LINE.match(text, end)
        if more is None:
            return None
        figures, end = figures + len(_NOT_FIGURE.sub("", more["rest"])), more.end("rest")
    more = _NEXT_LINE.match(text, end) if figures < LONGEST_GROUPED else None
    if more is not None and figures + len(_NOT_FIGURE.sub("", more["rest"])) <= LONGEST_GROUPED:
        end = more.end("rest")
    return end if figures <= LONGEST else None


def _follows(text: str, last: int, start: int) -> bool:
    """Next in a list whose last number ended at `last`."""
    return 0 <= last <= start and AND.fullmatch(text, last, start) is not None


def _split(number: str, known: bool) -> list[tuple[int, int]]:
    """Split a run of figures into telephone numbers of equal grouping, or at gaps wider than inside a number.

    A run `known` to be a list yields at least one number.
    """
    groups = [match.span() for match in _GROUP.finditer(number)]
    for count in range(len(groups) // 2, 0, -1):
        pieces = [groups[index : index + count] for index in range(0, len(groups) - count + 1, count)]
        shapes = {tuple(end - first for first, end in piece) for piece in pieces}
        if len(pieces) > 1 and len(shapes) == 1 and _is_number(pieces[0], number, known):
            return [(piece[0][0], piece[-1][1]) for piece in pieces]
    if not known:
        return []
    wide = [(match.start(), match.end()) for match in _WIDE_GAP.finditer(number)]
    edges = [0, *(edge for gap in wide for edge in gap), len(number)]
    return [(first, end) for first, end in zip(edges[::2], edges[1::2], strict=True) if end > first]


def _is_number(groups: list[tuple[int, int]], run: str, known: bool) -> bool:
    number = run[groups[0][0] : groups[-1][1]]
    digits = _NOT_FIGURE.sub("", number)
    if not LEAST_FIGURES <= len(digits) <= LONGEST or len(set(digits)) == 1 or _HAS_DATE.search(number):
        return False
    return known or _is_grouped(number, digits)


def _is_phone(number: str, international: bool, before: str, *, announced: bool) -> bool:
    """Return True for a telephone number.

    Args:
        number: The number as written.
        international: It begins with a plus sign or the like.
        before: The text before the number.
        announced: A word for telephones precedes it, or it is the next of a list.
    """
    digits = _NOT_FIGURE.sub("", number)
    if (
        not LEAST_FIGURES <= len(digits) <= LONGEST
        or _DATE.fullmatch(number)
        or (not international and _HAS_DATE.search(number))
        or len(set(digits)) == 1
        or digits.startswith("000")
    ):
        return False
    if international and len(digits) >= INTERNATIONAL:
        return True
    if announced:
        return True
    return not _NOT_A_PHONE.search(before) and _is_grouped(number, digits)


def _is_grouped(number: str, digits: str) -> bool:
    """Return True for dialled groups: brackets, North America's 3-3-4, 0 and a slash or hyphen, or 0 and even groups."""
    groups = re.findall(r"[0-9]+", number)
    if _UK_MOBILE.fullmatch(number):
        return True
    if len(digits) == 10 and [len(group) for group in groups] == [3, 3, 4]:
        return True
    if "(" in number and _LAST_IN_BRACKETS.search(number) is None and 9 <= len(digits) <= 13 and len(groups) <= 5:
        return True
    if _AREA_AND_NUMBER.fullmatch(number) and (9 if "/" in number else 10) <= len(digits) <= (
        12 if "/" in number else 10
    ):
        return True
    even = len(groups) >= 3 and all(2 <= len(group) <= 4 for group in groups[1:])
    return even and digits[0] == "0" and 9 <= len(digits) <= 12
