"""Postal addresses: streets with their numbers, the lines below them (postcode, town), and postcodes that stand alone."""

import re
from collections.abc import Iterable, Iterator

from models.pii.kinds import Hit, Kind
from models.pii.patterns import clues as starts
from models.pii.patterns.pattern import Pattern

_STREET = (
    r"street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|way|highway|hwy"
    r"|parkway|pkwy|circle|cir|trail|close|crescent|row|mews|gardens|grove|wharf|heights|parade|quay"
)
_STREET_WORD = re.compile(rf"(?i)\b(?:{_STREET})\b")
_IN_PROSE = re.compile(
    r"[0-9]{1,5}[A-Z]?,? (?:[a-zß-öø-ÿ][\w'’.-]* ){1,5}(?:place|close|row|way|drive|court|circle|square|trail|gardens|grove|wharf|heights|parade|quay)\.?"
)
"""Words of prose as well: with none but small letters between the figure and them they name no street."""
_SUFFIXES = (
    "straße|strasse|str\\.|weg|platz|allee|gasse|straat|laan|gatan|vägen|gade|vej|veien|utca|gracht|plein|dijk|singel"
    "|damm|chaussee|steig|stieg|gata|vegen|plass|väg|torg|ntie|katu|kuja|plads"
)
"""Ends of words that name a street."""
_LAST_WORDS = (
    "Straße|Strasse|Str\\.|Weg|Platz|Allee|Gasse|Straat|Laan|Gracht|Kade|Plein|Dijk|Singel|Damm|Ufer|Chaussee"
    "|utca|út|útja|körút|krt\\.|tér|gatan|väg|vägen|gata|vei|veien|Allé|Cad\\.|Caddesi|Sok\\.|Sokak|Sokağı|Bulvarı"
    "|třída|náměstí|iela|gatvė|tänav"
)
"""Words that name a street behind its name."""
_NAMED_STREET = r"rue|avenue|av\.|boulevard|bd|chemin|allée|impasse|calle|avenida|paseo|viale|piazza|corso|rua|praça|travessa|ulica|ul\."
_NUMBERED_STREET = (
    r"place|quai|cours|route|plaza|via|c/|avda\.?|avd\.?|pza\.?|ctra\.?|strada|bulevardul|aleea|largo|vicolo|rambla"
)
"""Words of other meaning too: only with a house number on either side."""
_STREET_NAME = (
    r"(?:(?:de|du|des|la|le|les|della|delle|dei|degli|di|del|los|las|el|do|da|dos|das)[ ]|[ld]['’]){0,3}"
    r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,4}"
)
"""Little words, a word with a capital, and what follows."""
_TOWN = (
    r"[^\W\d_a-zß-öø-ÿ][\w'’.-]{1,29}"
    r"(?:[ -](?:[^\W\d_a-zß-öø-ÿ][\w'’.-]{1,29}|am|an|der|in|sur|la|le|les|de|del|upon|on)){0,3}"
)
_HOUSE = r"[0-9]{1,4} ?[a-zA-Z]?(?: ?[-/+] ?[0-9]{1,4} ?[a-zA-Z]?)?"
"""A house number or a range of them."""
_TOWN_REACH = 4 * 30 + 3 + 2
"""Characters before a code in which its town begins: four words of thirty, what parts them, a comma and a blank."""
_UK = (
    r"[A-PR-UWYZ](?:[0-9]{1,2}|[A-HK-Y][0-9]|[A-HK-Y][0-9][0-9ABEHMNPRV-Y]|[0-9][A-HJKPS-UW]) [0-9][ABD-HJLNP-UW-Z]{2}"
)
"""A British postcode: the one postcode that is an address by itself, some fifteen houses."""
_US = (
    r"(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])"
    r",? [0-9]{5}(?:-[0-9]{4})?"
)
_COUNTRY = r"(?:A|B|CH|CZ|D|DK|E|F|FIN|I|L|NL|P|PL|S|SE|DE|FR|AT|BE)-"
_OTHER_CODES = (
    rf"(?:{_COUNTRY})?(?:[0-9]{{3}} [0-9]{{2}}|[0-9]{{2}}-[0-9]{{3}}|[0-9]{{4}}-[0-9]{{3}}|[0-9]{{6}}|[0-9]{{4}} ?[A-Z]{{2}})(?:[ ,\n]{{1,2}}{_TOWN})?"
    rf"|{_TOWN}(?:,? ?[-–]? ?{_TOWN}){{0,2}}[ ,\n]{{1,3}}(?:-? ?(?:[A-Z]{{2}},? ?)?[0-9]{{5}}-[0-9]{{3}}|(?:[A-Z]{{2}},? )?[A-Z][0-9][A-Z] ?[0-9][A-Z][0-9]"
    r"|(?:NSW|VIC|QLD|WA|SA|TAS|ACT|NT) [0-9]{4}|(?:[A-Z][0-9]{2}|D6W) ?[A-Z0-9]{4}|-? ?[0-9]{3} ?[0-9]{3}|[0-9]{4})"
)
"""Codes of Sweden, Czechia, Poland, Portugal and the Netherlands before a town; of Brazil, Canada, Australia, Ireland,
India and New Zealand after it."""
_BELOW = re.compile(
    rf"(?:[ ,\n]{{1,3}}|,? - )(?:(?:{_COUNTRY})?[0-9]{{4,5}}(?: ?[A-Z]{{2}})?[ ,]{{1,2}}{_TOWN}|{_OTHER_CODES}|(?:{_TOWN}[ ,\n]{{1,2}}){{0,2}}{_UK}"
    rf"|{_TOWN}[ ,\n]{{1,2}}{_US}|{_TOWN},? [0-9]{{5}})(?![\w])"
)
_TOWN_ALONE = re.compile(rf" {_TOWN}(?!\w)")
_CODE_LAST = re.compile(r"[ ,][0-9]{5}\Z")
"""Postcode and town after a street, in the order of the country."""

ADDRESSES: tuple[Pattern, ...] = (
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<![\w.])([0-9]{{1,5}}[A-Z]?,? (?:[^\W\d_][\w'’.-]* ){{0,4}}[^\W\d_][\w'’.-]* (?:{_STREET})\b\.?(?:,? (?:apt|apartment|suite|unit|flat|#)\.? ?\w{{1,6}})?)"
        ),
        starts.at_numbered_streets,
        lambda value: _STREET_WORD.search(value) is not None and _IN_PROSE.fullmatch(value) is None,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<!\w)([0-9]{{1,4}}(?: ?(?:bis|ter))?,? (?:{_NAMED_STREET}|{_NUMBERED_STREET}) [^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){{0,4}}(?:,? ?[0-9]{{1,5}})?)(?!\w)"
        ),
        starts.at_named_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)((?i:{_NAMED_STREET}) {_STREET_NAME}(?:,? ?[0-9]{{1,5}})?)(?!\w)"),
        starts.at_named_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)((?i:{_NUMBERED_STREET}) {_STREET_NAME},? ?[0-9]{{1,5}})(?!\w)"),
        starts.at_named_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)([^\W\d_][\w-]{{2,30}}(?:{_SUFFIXES}) {_HOUSE})(?![\w]|[.,][0-9])"),
        starts.before_house_numbers,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?<!\w)((?!(?:Die|Der|Das|Den|Dem|De|Het|In|Am|Im)\b)[^\W\d_a-zß-öø-ÿ][\w.'’-]{{1,30}}(?:[ -][^\W\d_][\w.'’-]{{1,30}}){{0,2}}[ -](?:{_LAST_WORDS}) {_HOUSE})(?![\w]|[.,][0-9])"
        ),
        starts.before_long_street_names,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)((?:{_TOWN}[ ,\n]{{1,2}})?{_UK})(?!\w)"),
        starts.at_shape(rb"A{1,2}0[0A]? 0AA(?![0Aa])", back=_TOWN_REACH),
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)({_TOWN}, {_US})(?!\w)"),
        starts.at_shape(rb", AA,? 0{5}(?!0)", back=_TOWN_REACH),
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)({_COUNTRY}[0-9]{{4,5}} {_TOWN})(?!\w)"),
        starts.at_shape(rb"A{1,3}-0{4,5} A"),
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(r"(?i)(?<!\w)(p\.? ?o\.? box [0-9]{1,6}|postfach [0-9]{1,6}|boîte postale [0-9]{1,6})(?!\w)"),
        starts.before_house_numbers,
    ),
)


def with_towns(text: str, hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield the hits; a street includes the postcode and town after it."""
    for hit in hits:
        below = None
        if hit.kind is Kind.ADDRESS:
            below = (_TOWN_ALONE if _CODE_LAST.search(text, hit.start, hit.end) else _BELOW).match(text, hit.end)
        yield hit if below is None else Hit(hit.kind, hit.start, below.end())
