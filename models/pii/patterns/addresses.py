"""Postal addresses: streets with their numbers, the lines below them (postcode, town), and postcodes that stand alone."""

import re
from collections.abc import Iterable, Iterator

from quire.models.pii.kinds import Hit, Kind
from quire.models.pii.patterns import clues as starts
from quire.models.pii.patterns.pattern import Pattern

_STREET = (
    r"street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|way|highway|hwy"
    r"|parkway|pkwy|circle|cir|trail|close|crescent|row|mews|gardens|grove|wharf|heights|parade|quay"
)
_STREET_WORD = re.compile(rf"(?i)\b(?:{_STREET})\b")
_IN_PROSE = re.compile(
    r"[0-9]{1,5},? (?:[a-zß-öø-ÿ][\w'’.-]* ){3,5}(?:street|avenue|road|boulevard|lane|terrace|highway|parkway)"
    r"|[0-9]{1,5}[A-Z]?,? (?:[a-zß-öø-ÿ][\w'’.-]* ){1,5}(?:place|close|row|way|drive|court|circle|square|trail|gardens|grove|wharf|heights|parade|quay)\.?"
)
"""Words of prose as well: with none but small letters between the figure and them they name no street."""
_SENTENCE_END = re.compile(r"[a-z]{3}\. (?!apt|apartment|suite|unit|flat|#)")
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
_NO_TOWN = (
    r"(?!(?:Tel|Telefon|Telefax|Fax|Phone|E-?[Mm]ail|eMail|Mobil|Internet|Web|IBAN|USt|Aufsichtsrat|Vorstand|Geschäftsführer"
    r"|Bankverbindung|HRB|Amtsgericht)\b)"
)
"""Words of a letterhead behind a town."""
_TOWN = (
    r"[^\W\d_a-zß-öø-ÿ][\w'’.-]{1,29}"
    rf"(?:[ -]{_NO_TOWN}(?:[^\W\d_a-zß-öø-ÿ][\w'’.-]{{1,29}}|am|an|der|in|sur|la|le|les|de|del|upon|on)){{0,3}}"
)
_HOUSE = r"[0-9]{1,4} ?[a-zA-Z]?(?: ?[-/+] ?[0-9]{1,4} ?[a-zA-Z]?)?"
"""A house number or a range of them."""
_UNIT = (
    r"(?:,? ?(?:[0-9]{1,3}[.ºo]? ?(?:tv|th|mf|og|floor|piso|étage|em\.|patro|stock|og\.)\.?|[0-9]{1,2}[ºo°]? ?[A-Z]\b|(?i:m|kv|apt?|app|wohnung|whg|top|lgh|byt|et|sc|ap|et\.|bl|unit|flat|n[ro]?|n\.o|кв|корп|стр|оф|д)\.? ?[0-9]{1,4}[A-Za-z]?"
    r"|[/-] ?(?:[0-9]{1,3}[a-z]?|[IVX]{1,4})|[A-Z] [0-9]{1,3})){1,3}"
)
"""Stairs, floor and door behind a house number."""
_WITH_UNIT = re.compile(_UNIT + r"(?![\w])")
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
_MONTH_DAY = re.compile(
    r"(?i)\b(?:jan(?:uary?)?|feb(?:ruary?)?|m[aä]r(?:ch|z|s)?|apr(?:il)?|ma[iy]|june?|juni|july?|juli|aug(?:ust)?|sept?(?:ember)?"
    r"|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|vol(?:ume)?|no|fig(?:ure)?|table|tabelle|chapter|kapitel|section|page|seite|pp?"
    r"|art(?:icle|ikel)?|eq|ref|items?|step|version|order|invoice|rechnung|room|nature|phys|rev|lett)\b\.? [0-9]"
)
"""A month, or a part of a publication, before the figure that could be a house number."""
_TOWN_ALONE = re.compile(rf" {_TOWN}(?!\w)")
_BETWEEN = re.compile(r"(?:[ \t]{0,2}(?:[,·|•/–-]|\n)?[ \t\n]{0,2}){1,2}(?:(?:[A-Z]{1,3}|(?:[A-Z]\.){2,3})[ -]{1,2})?")
"""Between two parts of one address: blanks, a comma, a dash, the end of a line, the letters of a country."""
_MOST_NAMES = 2  # persons between the parts of one address
_CODE_LAST = re.compile(r"[ ,][0-9]{5}\Z")
"""Postcode and town after a street, in the order of the country."""


def is_street(value: str) -> bool:
    """Return True for a number and the name of a street that is neither prose nor the end of a sentence."""
    return (
        _STREET_WORD.search(value) is not None
        and _IN_PROSE.fullmatch(value) is None
        and _SENTENCE_END.search(value) is None
    )


def is_via(value: str) -> bool:
    """Return False for the preposition `via` before words without capitals."""
    words = value.split()
    return words[0] != "via" or (len(words) > 1 and words[-2][:1].isupper() and words[-1].isdigit())


def is_postal(value: str) -> bool:
    """Return True for a house number, a code and a town outside dates and publications."""
    return any(char.isdigit() for char in value.rpartition(",")[2]) and _MONTH_DAY.search(value) is None


ADDRESSES: tuple[Pattern, ...] = (
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<![\w.])([0-9]{{1,5}}[A-Z]?,? (?:[^\W\d_][\w'’.-]* ){{0,4}}[^\W\d_][\w'’.-]* (?:{_STREET})\b\.?(?:,? (?:apt|apartment|suite|unit|flat|#)\.? ?\w{{1,6}})?)"
        ),
        starts.at_numbered_streets,
        is_street,
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
        is_via,
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
        re.compile(
            rf"(?<![\w.])([^\W\d_a-zß-öø-ÿ][\w.'’-]{{1,29}}(?: [^\W\d_][\w.'’-]{{0,29}}){{0,4}} {_HOUSE}(?:{_UNIT})?,[ \n](?:{_COUNTRY})?"
            rf"(?:[0-9]{{4,5}}|[0-9]{{3}} [0-9]{{2}}|[0-9]{{2}}-[0-9]{{3}}|[0-9]{{4}} ?[A-Z]{{2}}|[0-9]{{4}}-[0-9]{{3}}) {_TOWN})(?!\w)"
        ),
        starts.before_codes,
        is_postal,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            r"(〒 ?[0-9]{3}-[0-9]{4}(?:[ \n]?[\u3040-\u9fff0-9ー-]{3,40}){0,2}"
            r"|[\u4e00-\u9fff]{2,4}[都道府県省市][\u3040-\u9fff]{1,9}[市区區町村縣县郡][\u3040-\u9fff0-9一-龥ー-]{0,24}[0-9]{1,4}[丁目番地号號弄室楼樓-]?(?:[0-9-]{1,8}[号號室楼樓]?){0,3}"
            r"|[\uac00-\ud7af]{1,8}(?:시|도|특별시|광역시) (?:[\uac00-\ud7af]{1,8}[시군구] ?){1,2}[\uac00-\ud7af0-9]{1,12}[로길동] ?[0-9]{1,4}(?:-[0-9]{1,4})?)"
        ),
        starts.at_cjk_addresses,
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
            unit = _WITH_UNIT.match(text, hit.end)
            hit = hit if unit is None else Hit(hit.kind, hit.start, unit.end())
            below = (_TOWN_ALONE if _CODE_LAST.search(text, hit.start, hit.end) else _BELOW).match(text, hit.end)
        yield hit if below is None else Hit(hit.kind, hit.start, below.end())


def join_addresses(text: str, hits: Iterable[Hit]) -> list[Hit]:
    """Return the hits with the parts of each address as one: street, code, town and country that follow each other.

    A name between a street and a town is part of the address: nothing of it stays readable.
    """
    joined: list[Hit] = []
    names: list[Hit] = []  # between the parts
    for hit in hits:
        last = joined[-1] if joined else None
        gap = text[names[-1].end if names else last.end if last is not None else 0 : hit.start]
        is_near = last is not None and last.kind is Kind.ADDRESS and _BETWEEN.fullmatch(gap) is not None
        if (
            last is not None
            and is_near
            and ((hit.kind is Kind.LOCATION and (not names or "," in gap)) or (hit.kind is Kind.ADDRESS and not names))
        ):
            joined[-1] = Hit(Kind.ADDRESS, last.start, hit.end)
            names = []
        elif is_near and hit.kind is Kind.PERSON and "\n" not in gap and len(names) < _MOST_NAMES:
            names.append(hit)
        else:
            joined += [*names, hit]
            names = []
    return joined + names
