"""Finds a document's issuer and address in the unlabelled first lines of receipts and invoices.

The issuer is the first line that looks like a firm, its address the lines under it up to the first labelled one.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from quire.models.derive.fields.fragments import Fragment
from quire.models.derive.fields.labels import match_label
from quire.models.derive.fields.lexicon import Key
from quire.models.derive.fields.values import EMAIL, URL, find_amounts, find_dates

TOP_LINES = 14  # lines from the top that may name the issuer
MIN_NAME = 3  # letters of the shortest name
LEGAL_FORM = re.compile(
    r"\b(sdn\.?\s?bhd|bhd|s/b|pte\.?\s?ltd|pvt\.?\s?ltd|ltd|limited|llc|llp|inc|corp|corporation|co|company|plc|gmbh|ag|kg|ug|e\.?k|ohg|"
    r"sarl|s\.a\.r\.l|sas|sasu|eurl|s\.?a|s\.l|slu|s\.?p\.?a|s\.?r\.?l|b\.?v|n\.?v|vof|lda|ltda|oy|ab|aps|a/s|plt)\b\.?",
    re.IGNORECASE,
)
TRADE = re.compile(
    r"\b(enterprise|trading|restaurants?|restoran|restaurante|ristorante|cafe|café|bistro|bakery|bakeries|kitchen|food|seafood|mart|market|"
    r"supermarket|hypermarket|store|stores|shop|boutique|pharmacy|apotheke|pharmacie|farmacia|clinic|hospital|hotel|hardware|stationery|"
    r"books?|motors?|auto|garage|services?|industries|holdings?|group|marketing|electrical|electronics?|perniagaan|syarikat|kedai|"
    r"pasaraya|supplies|supply|gift|decor?|house|centre|center|station|studio|salon|bank|university|school|telecom|hosting|retail|"
    r"boulangerie|bäckerei|metzgerei|supermercado|panaderia|cash & carry|handicraft)\b",
    re.IGNORECASE,
)
NOT_A_FIRM = re.compile(
    r"\b(invoice|receipt|bill|facture|rechnung|factura|fattura|factuur|fatura|quittung|ticket|copy|duplicate|original|welcome|thank|tq|"
    r"date|cashier|tel|fax|phone|gst|sst|vat|page|table|order|reprint|reg|ref|posted|statement|customer|promo|visit|returnable|refundable|"
    r"exchangeable|goods|licensee|owned|http|www|description|d[ée]signation|bezeichnung|beschreibung|libell[ée]|quantity|"
    r"quantit[ée]|menge|anzahl|montant|betrag|amount)\b",
    re.IGNORECASE,
)
STREET = re.compile(
    r"\b(no\.?[ :]{0,2}\d+|lot|jalan|jln|lorong|lrg|persiaran|kawasan|"
    r"taman|tmn|bandar|seksyen|kampung|street|st|road|rd|avenue|ave|lane|drive|blvd|boulevard|floor|level|"
    r"suite|"
    r"block|blk|unit|building|bangunan|plaza|park|highway|rue|cedex|place|quai|"
    r"allée|chemin|weg|calle|avenida|via|viale|"
    r"piazza|corso|laan|plein|rua|largo|"
    r"batu|ground|po box|postfach|\w+(?:straße|strasse|str|straat|weg|platz|gasse))\b\.?",
    re.IGNORECASE,
)
POSTCODE = re.compile(
    r"(?<![\d.,/-])(?:[A-Z]{1,2}-)?\d{4,6}(?![\d.,/-])|(?<=,)\d{5,6}(?![\d.,/-])|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b"
)
REGISTRATION = re.compile(
    r"(?<![\s,:-])[\s,:-]*+\(?\s*+(?:co\.?\s*+(?:reg\.?\s*+)?(?:no\.?)?\s*+[:.]?\s*+)?\(?"
    r"\d{4,12}\s?-?\s?[A-Z]{0,2}\d?\s*+\)?\s*+$",
    re.IGNORECASE,
)
_SEAT = (
    r"si[èe]ge(?:\ssocial)?|registered\s(?:office|address|seat)|regd\.?\soffice|head\soffice|headquarters|"
    r"(?:haupt|geschäfts|firmen)?sitz(?:\sder\sgesellschaft)?|hauptverwaltung|(?:haus|post)?anschrift|"
    r"domicilio(?:\s(?:social|fiscal))?|sede(?:\s(?:social|legale|operativa))?|indirizzo|direcci[óo]n|morada|"
    r"(?:statutaire|maatschappelijke)\szetel|vestigingsadres|hoofdkantoor|(?:post)?adres|siedziba|"
    r"(?:post)?adresse?|address"
)
_CONTACT = (
    r"t[ée]l(?:[ée]phone|efon[eo]?|efoon|[ée]fono)?|phone|mobile|mobil|fax|e-?mail|www|iban|hrb|siret|siren|rcs|kvk|nif|"
    r"nip|cif|p\.?\s?iva|ust-?id(?:-?nr)?|uid|vat(?:\s(?:no|number|id))?|tva|btw|abn|reg\.?\sno"
)
NAME_END = re.compile(rf"(?<![\s,;(|·•–—-])[\s,;(|·•–—-]++(?:{_SEAT}|{_CONTACT})\b(?=\W*+$|\s?[.:])", re.IGNORECASE)
"""Words for a seat, an address or a number, with a colon or the address behind them, which end a firm's name."""
HOUSE = re.compile(r"\d{1,5}[A-Za-z]?,?\s+[^\W\d_]{3,}")
"""A house's number before its street."""
ADDRESS_END = re.compile(
    r"\b(tel|telephone|phone|fax|gst|sst|vat|email|e-mail|website|invoice|receipt|cashier|date|co\.? ?reg|co\.? ?no|"
    r"reg\.? ?no|"
    r"company (?:no|reg)|"
    r"hotline|mobile|h/?p|roc|member|bill|tax|shopping|open|hours|licensee|www|whatsapps?)\b|@|={3}|\*{3}|-{4}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Letterhead:
    """Name and address of a firm; `address_fragments` may be empty.

    `name_parts` are the fragments of the name, each with its part of it.
    """

    name: str
    name_parts: tuple[tuple[Fragment, str], ...]
    address: str
    address_fragments: tuple[Fragment, ...]
    confidence: float


def find_letterhead(fragments: Sequence[Fragment]) -> Letterhead | None:
    """Return the issuer named at the top of the first page, or None."""
    first = [fragment for fragment in fragments if fragment.page == fragments[0].page] if fragments else []
    lines = sorted(first, key=_top) if all(fragment.bbox for fragment in first) else first
    ranked = [
        (0.0 if place and lines[place - 1].text.endswith(":") else rank_firm(line.text, place), -place)
        for place, line in enumerate(lines[:TOP_LINES])
    ]
    if not ranked or max(ranked)[0] <= 0:
        return None
    place = -max(ranked)[1]
    parts, used = _whole_name(lines, place)
    name = " ".join(text for _, text in parts)
    address = _address_lines(lines, place + used)
    text = " ".join(line.text for line in address)
    return Letterhead(name, parts, text, tuple(address), min(0.9, 0.4 + 0.1 * max(ranked)[0]))


def _top(fragment: Fragment) -> tuple[float, float]:
    return (fragment.bbox[1], fragment.bbox[0]) if fragment.bbox else (0.0, 0.0)


def rank_firm(text: str, place: int) -> float:
    """Rank the line at that place from the top by its similarity to a firm's name; 0 for none."""
    name = strip_registration(text)
    letters = sum(map(str.isalpha, name))
    if (
        letters < 3
        or letters < 0.5 * len(name.replace(" ", ""))
        or len(name) > 60
        or ":" in name
        or NOT_A_FIRM.search(name)
    ):
        return 0.0
    if EMAIL.search(name) or URL.search(name) or next(find_dates(name), None) or next(find_amounts(name), None):
        return 0.0
    rank = 2.0 - 0.2 * place
    rank += 2.5 if LEGAL_FORM.search(name) else 1.5 if _names_trade(name) else 0.0
    rank -= 2.0 if STREET.match(name) or POSTCODE.search(name) or name[0].isdigit() else 0.0
    return max(rank, 0.0)


def _names_trade(name: str) -> bool:
    """Return True for a trade with a name, not for the trade alone (`Bistro & Cafe` under the name)."""
    return bool(TRADE.search(name)) and any(map(str.isalpha, re.sub(r"\b(and|the)\b", "", TRADE.sub("", name))))


def strip_registration(text: str) -> str:
    """Return the name without the registration number behind it."""
    name = REGISTRATION.sub("", text).strip(" .,:;*-=") or text
    return f"{name}." if re.search(r"\.\w$", name) and f"{name}." in text else name


def strip_labels(text: str) -> str:
    """Return the name without labels behind it: `Name` for `Name Registered office:` and `Name, Customer number:`."""
    end = NAME_END.search(text)
    if end is not None and any(map(str.isalpha, text[: end.start()])):
        return strip_labels(text[: end.start()])
    for word in re.finditer(r"(?<=\s)\S+", text) if ":" in text else ():
        known = match_label(text[word.start() :])
        if known is not None and text[word.start() + known[1] :].lstrip(" .")[:1] == ":":
            return text[: word.start()].rstrip(" ,;|·•–—-")
    return text.strip()


def _whole_name(lines: Sequence[Fragment], place: int) -> tuple[tuple[tuple[Fragment, str], ...], int]:
    """Return the name in its parts, with the next line when that holds its legal form, and the number of lines used."""
    name = (lines[place], strip_registration(lines[place].text))
    if place and sum(map(str.isalpha, LEGAL_FORM.sub("", name[1]))) < MIN_NAME:
        return ((lines[place - 1], strip_registration(lines[place - 1].text)), name), 1
    if place + 1 < len(lines) and not LEGAL_FORM.search(name[1]):
        following = strip_registration(lines[place + 1].text)
        bare = LEGAL_FORM.sub("", following).strip(" .()M")
        if LEGAL_FORM.search(following) and len(bare) <= 3:
            return (name, (lines[place + 1], following)), 2
    return (name,), 1


def _address_lines(lines: Sequence[Fragment], start: int) -> list[Fragment]:
    """Return the lines after the name that read like an address, from the first street-like one on."""
    address: list[Fragment] = []
    for line in lines[start : start + 10]:
        if _ends_address(line.text):
            if address:
                break
            continue
        if not address and not _starts_address(line.text):
            continue
        if address and _is_outside_address(address, line):
            break
        address.append(line)
        if len(address) == 5:
            break
    return address


def _starts_address(text: str) -> bool:
    return any(map(str.isalpha, text)) and bool(
        STREET.search(text)
        or POSTCODE.search(text)
        or HOUSE.match(text)
        or (re.match(r"[A-Z]?-?\d", text) and "," in text)
    )


def _ends_address(text: str) -> bool:
    if ADDRESS_END.search(text) or next(find_dates(text), None):
        return True
    if re.fullmatch(r"[\W\d]*|\(?\s*[\d-]{4,}\s?-?\s?[A-Z]{0,2}\s*\)?", text):
        return True
    known = match_label(text)
    return known is not None and known[0] is not Key.ADDRESS and ":" in text


def _is_outside_address(address: Sequence[Fragment], line: Fragment) -> bool:
    """Return True behind a gap of more than two lines, or for a long line after a postcode."""
    last = address[-1]
    if last.bbox and line.bbox and line.bbox[1] - last.bbox[3] > 1.5 * max(last.height, line.height):
        return True
    complete = any(POSTCODE.search(part.text) for part in address)
    last_text = last.text.rstrip()
    return complete and not last_text.endswith(",") and (last_text.endswith(".") or len(line.text.split()) > 5)
