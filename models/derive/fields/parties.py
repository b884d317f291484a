"""Finds the sender and the addressee of a business letter by their addresses.

An address ends in a postcode and a town; the lines before its street are a name. The sender's address stands in the
letterhead, in a small line over the address window, at the foot, or next to a phone or tax number.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import match_label
from quire.models.derive.fields.letterhead import (
    LEGAL_FORM,
    NOT_A_FIRM,
    STREET,
    TRADE,
    find_letterhead,
    strip_labels,
)
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import find_dates

POSTCODE = re.compile(
    r"(?<![\w.,/-])(?:(?:[A-Z]{1,3}-)?\d{4,5}(?:-\d{3})?|\d\d-\d{3}|\d{3}\s\d\d|\d{4}\s?[A-Z]{2})\s(?!\d)[^\W\d_]{2}"
    r"|\b[^\W\d_]{3,}\s[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b|\b[^\W\d_]{3,},\s[A-Z]{2}\s\d{5}\b"
)
"""A postcode and the beginning of its town; behind the town in British and American addresses."""
_BEFORE = (
    r"calle|c/|avenida|avda?\.?|paseo|plaza|via|viale|corso|piazza|largo|rua|travessa|praça|ul\.|al\.|os\.|pl\.|am|"
    r"an der|auf de[mr]|im|in der|zum|zur|postfach|p\.?\s?o\.?\sbox"
)
_BEHIND = (
    r"stra(?:ß|ss)e|str\.?|weg|platz|gasse|allee|ring|damm|ufer|markt|straat|laan|gracht|kade|plein|dijk|hof|steig|"
    r"berg|park|gade|vej|gatan|vägen|utca"
)
_HOUSE = r"\d{1,4}\s?[a-zA-Z]?(?:\s?[-/–]\s?\d{1,4}\s?[a-zA-Z]?)?"
STREETS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![\w.])(?:{_BEFORE})\s(?:[^\d,]{{1,40}}\s)?{_HOUSE}\s*,?\s*$",
        rf"(?<!\S)[^\W\d_][\w.-]*(?:{_BEHIND})\s{_HOUSE}\s*,?\s*$",
        rf"(?<!\S){_HOUSE}(?:\s?(?:bis|ter))?,?\s[^\W\d_][^\d]{{2,40}}$",
        rf"(?<!\S)[^\W\d_][\w.-]+\s{_HOUSE}\s*,?\s*$",
    )
)
"""The street at the end of a text: by the word before it, by its ending, by the house number before or behind it."""
CONTACT = re.compile(
    r"\b(?:tel|phone|telefon|téléphone|teléfono|telefono|telefone|telefoon|fax|iban|bic|hrb|mail|www|ust-?id|vat|nif|"
    r"p\.?\s?iva|nip|siret|kvk)\b|@",
    re.IGNORECASE,
)
PARTED = re.compile(r"(?<!\s)(?:\s+[·•|–—-]\s+|\s*[·•|]\s*)")
FOOT = 0.72
"""Share of the page's height below which a name with an address is that of the sender."""
SURE_HEAD = 0.65
"""Confidence in a letterhead from which a name with an address above it is not the sender."""
MAX_TEXT = 220  # characters of a text with an address
LEAST_NAME = 3  # letters of a name
MAX_NAME = 60  # characters of a name
MAX_LINES = 5  # lines of an address
GAP = 1.3  # heights of a line between lines of one address
ALIGNED = 4.0  # points by which lines of one address may begin apart


@dataclass(frozen=True, slots=True)
class Party:
    """A name with its fragment and address; `key` is supplier or customer, `confidence` is 0..1."""

    key: Key | None
    name: str
    fragment: Fragment
    address: str
    confidence: float
    is_sender: bool


def find_parties(fragments: Sequence[Fragment]) -> list[Party]:
    """Return the sender and the addressee of the first page, each at most once."""
    first = [fragment for fragment in fragments if fragment.page == fragments[0].page] if fragments else []
    found = list(_find_addressed(first))
    bottom = max((fragment.bbox[3] for fragment in first if fragment.bbox), default=0.0)
    found = [
        replace(party, is_sender=True)
        if party.fragment.bbox is not None and bottom and party.fragment.bbox[1] > FOOT * bottom and party.key is None
        else party
        for party in found
    ]
    parties = [party for party in found if party.key is not None]
    for party in found:
        if party.key is None and party.is_sender and all(other.key is not Key.SUPPLIER for other in parties):
            parties.append(replace(party, key=Key.SUPPLIER))
    names = {party.name.casefold() for party in parties}
    left = [
        party for party in found if party.key is None and not party.is_sender and party.name.casefold() not in names
    ]
    keys = {party.key for party in parties}
    wanted = [key for key in (Key.SUPPLIER, Key.CUSTOMER) if key not in keys]
    if len(left) == 1 and wanted == [Key.SUPPLIER, Key.CUSTOMER]:
        head = find_letterhead(first)
        top = head.name_parts[0][0] if head is not None else None
        is_sender = top is not None and head is not None and (
            top is left[0].fragment or (head.confidence < SURE_HEAD and left[0].fragment.order < top.order)
        )  # fmt: skip
        wanted = [Key.SUPPLIER] if is_sender else [Key.CUSTOMER] if top is not None else []
    parties += [replace(party, key=key) for key, party in zip(wanted, left, strict=False)]
    return parties


def _find_addressed(fragments: Sequence[Fragment]) -> Iterator[Party]:
    """Yield the names with an address in reading order; those behind a label have a key."""
    for number, fragment in enumerate(fragments):
        if fragment.cell is not None or len(fragment.text) > MAX_TEXT:
            continue
        postcode = POSTCODE.search(fragment.text)
        if postcode is None or next(find_dates(fragment.text), None) is not None:
            continue
        before = fragment.text[: postcode.start()].rstrip(" ,")
        lines = _lines_above(fragments, number)
        label, before = _strip_label(before)
        has_contact = CONTACT.search(fragment.text) is not None or any(
            CONTACT.search(other.text) is not None and _is_below(fragment, other)
            for other in fragments[number + 1 : number + 3]
        )
        if PARTED.search(before):
            parts = [part for part in PARTED.split(before) if part.strip()]
            rest = fragment.text[fragment.text.find(parts[0]) + len(parts[0]) :]
            named: tuple[str, Fragment, str] | None = (parts[0], fragment, rest.strip(" ·•|–—-"))
            has_contact = has_contact or len(parts) > 1
        else:
            named = _split_name(before, fragment, lines)
        if named is None:
            continue
        name, place, address = named
        own_label, name = _strip_label(name)
        above = next((key for line in lines if (key := _label_of(line.text)) is not None), None)
        key = label or own_label or above
        name = strip_labels(name).strip(" ,:;·•|-–")
        if _is_name(name):
            confidence = 0.9 if key is not None else 0.8
            yield Party(key, name, place, address, confidence, has_contact)


def _split_name(text: str, fragment: Fragment, lines: Sequence[Fragment]) -> tuple[str, Fragment, str] | None:
    """Return the name before the street of a text, or on the lines above it, its fragment and the address."""
    street = next((match for pattern in STREETS if (match := pattern.search(text)) is not None), None)
    head = text[: street.start()].strip(" ,") if street is not None else ""
    if street is not None and head:
        form = next((match for match in LEGAL_FORM.finditer(head) if head[: match.start()].strip()), None)
        return (head[: form.end()] if form else head), fragment, fragment.text[street.start() :]
    if street is None and text:  # a name without a street: `Name 75371 Paris`
        return text, fragment, fragment.text[len(text) :]
    plain = [line for line in lines if _label_of(line.text) is None]
    if street is None and plain:  # the line above is the street, or a whole address but its town
        return _split_name(plain[0].text, plain[0], plain[1:]) if _ends_in_street(plain[0].text) else None
    return (plain[-1].text, plain[-1], text) if plain else None


def _ends_in_street(text: str) -> bool:
    return any(pattern.search(text) for pattern in STREETS)


def _lines_above(fragments: Sequence[Fragment], number: int) -> list[Fragment]:
    """Return the lines right above a fragment that belong to it, the nearest first."""
    lines: list[Fragment] = []
    current = fragments[number]
    for other in reversed(fragments[max(0, number - 2 * MAX_LINES) : number]):
        if len(lines) >= MAX_LINES or other.cell is not None:
            break
        if _is_below(other, current):
            if POSTCODE.search(other.text) is not None:
                break
            lines.append(other)
            current = other
            if _label_of(other.text) is not None:
                break
    return lines


def _is_below(upper: Fragment, lower: Fragment) -> bool:
    """Return whether a text follows another without a gap, at the same edge or around the same middle."""
    if upper.bbox is None or lower.bbox is None:
        return upper.order + 1 == lower.order
    height = min(upper.height, lower.height)
    gap = lower.bbox[1] - upper.bbox[3]
    middle = abs(upper.bbox[0] + upper.bbox[2] - lower.bbox[0] - lower.bbox[2]) / 2
    near = min(abs(upper.bbox[0] - lower.bbox[0]), abs(upper.bbox[2] - lower.bbox[2]), middle)
    return -0.4 * height <= gap <= GAP * height and near <= ALIGNED


def _strip_label(text: str) -> tuple[Key | None, str]:
    """Return the party that the text begins to name, and the text behind that label."""
    label = match_label(text)
    if label is None or label[0] not in (Key.SUPPLIER, Key.CUSTOMER):
        return None, text
    return label[0], text[label[1] :].lstrip(" .:()")


def _label_of(text: str) -> Key | None:
    key, rest = _strip_label(text)
    return key if not rest.strip(" .:") else None


def _is_name(name: str) -> bool:
    letters = sum(map(str.isalpha, name))
    if letters < LEAST_NAME or len(name) > MAX_NAME or ":" in name or letters < 0.6 * len(name.replace(" ", "")):
        return False
    if _ends_in_street(name) or (STREET.match(name) and not LEGAL_FORM.search(name) and not TRADE.search(name)):
        return False
    return not (NOT_A_FIRM.search(name) and not LEGAL_FORM.search(name))
