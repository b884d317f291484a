"""Telephone numbers of any country: groups of digits that look dialled, judged by prefix, grouping and the words around.

No library's region list decides: documents name numbers without saying where they are.
"""

import re
from collections.abc import Iterator

from models.pii.kinds import Hit, Kind

_CANDIDATE = re.compile(
    r"(?<![\w./#$€£=_@-])(?<!\d,)(?P<number>(?:(?P<plus>\+|00)\s?(?=[1-9(]))?(?:\(\+?\d{1,4}\)|\d{1,5})"
    r"(?:[ .\-/]{1,3}?\(?\d{1,6}\)?|\(\d{1,5}\)|[ ]?\(0\)[ ]?\d*|\d){1,12})(?:\s?(?:x|ext\.?|poste)\s?\d{1,5})?(?![\w]|[.,]\d|[-/]\d|%|\s?[€$£])"
)
_CONTEXT = re.compile(
    r"(?i)\b(?:phone|tel|telephone|téléphone|telefon|teléfono|telefono|telefone|call(?:ed|ing)?|dial|mobile?|cell|handy|fax|portable|whatsapp|sms|text(?: me)?|contact|reach|"
    r"hotline|office|answering|ring|ph|mob)\b[^\d\n]{0,24}$"
)
_AFTER = re.compile(r"(?i)^[ ,\\-]{0,3}(?:office|fax|mobile|home|work|cell|tel)\b")
_DATE = re.compile(
    r"\d{1,2}[-/. ]\d{1,2}[-/. ](?:19|20)?\d{2}|(?:19|20)\d{2}[-/. ]\d{1,2}[-/. ]\d{1,2}|(?:19|20)\d{2} ?[-/] ?(?:19|20)\d{2}"
)
_NOT_A_PHONE = re.compile(
    r"(?i)\b(?:isbn|issn|doi|invoice|order|account|acct|card|ref|reference|no|nr|number|zip|page|pages|pp|vol|id|version|box|iban|vat|siret|ssn)\b\W{0,4}$"
)


def find_phones(text: str) -> Iterator[Hit]:
    """Telephone numbers in a normalised text."""
    for match in _CANDIDATE.finditer(text):
        number = match["number"].rstrip(" .-/(")
        if _is_phone(
            number, bool(match["plus"]), text[max(0, match.start() - 40) : match.start()], text[match.end() :][:12]
        ):
            start = match.start("number")
            yield Hit(
                Kind.PHONE, start, max(start + len(number), match.end() if match.end() > match.end("number") else 0)
            )


def _is_phone(number: str, international: bool, before: str, after: str) -> bool:
    digits = re.sub(r"\D", "", number)
    if not 7 <= len(digits) <= 15 or _DATE.fullmatch(number) or len(set(digits)) == 1 or digits.startswith("000"):
        return False
    if international and len(digits) >= 9:
        return True
    if _CONTEXT.search(before) or _AFTER.match(after):
        return True
    return not _NOT_A_PHONE.search(before) and _is_grouped(number, digits)


def _is_grouped(number: str, digits: str) -> bool:
    """Grouped as numbers are dialled: an area code in brackets, North America's 3-3-4, or a leading 0 with even groups."""
    groups = re.findall(r"\d+", number)
    if len(digits) == 10 and [len(group) for group in groups] == [3, 3, 4]:
        return True
    if "(" in number and 9 <= len(digits) <= 13 and len(groups) <= 5:
        return True
    even = len(groups) >= 3 and all(2 <= len(group) <= 4 for group in groups[1:])
    return even and digits[0] == "0" and 9 <= len(digits) <= 12
