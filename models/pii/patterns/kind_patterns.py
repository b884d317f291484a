"""The `regex` engine: one pattern per kind, its checksum where the kind has one, and context words where it has none.

Works on a normalised text: figures are 0 to 9. Each pattern runs only where there is a clue to it (clues.py); what a
pattern finds does not depend on that. Checksums are python-stdnum's. Knows no tree and no language model.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from models.pii.kinds import TORN, Hit, Kind, settle
from models.pii.patterns import clues as at
from models.pii.patterns import numbers
from models.pii.patterns.clues import Clues, Starts
from models.pii.patterns.context import BIRTH, CONTEXT_REACH, NATIONAL, PASSPORT, PLATE, SOCIAL, ContextWords
from models.pii.patterns.phones import find_phones
from models.pii.patterns.secrets import (
    PASSWORD,
    PASSWORD_WORDS,
    PRIVATE_KEY,
    SECRET_PREFIXES,
    SECRETS,
    TORN_SECRET,
    is_torn_secret,
)

Check = Callable[[str], bool]

_SEPARATORS = re.compile(r"[\s./-]+")


@dataclass(frozen=True, slots=True)
class Pattern:
    """`regex`'s group 1 is the value; `check` judges it; `context` must stand just before it.

    `starts` names the places at which the regex can match at all.
    """

    kind: Kind
    regex: re.Pattern[str]
    starts: Starts
    check: Check | None = None
    context: ContextWords | None = None

    def find(self, clues: Clues) -> Iterator[Hit]:
        """Values in text order. What was taken for a value and is none hides nothing: the next start is looked at."""
        behind = 0
        for place in self.starts(clues):
            match = self.regex.match(clues.text, place) if place >= behind else None
            if match is None:
                continue
            start, end = match.span(1)
            if self.context is not None and not self.context.stands_before(clues, start):
                continue
            if self.check is not None:
                end = start + len(longest_valid(clues.text[start:end], self.check))
            if end > start:
                yield Hit(self.kind, start, end)
                behind = end


def longest_valid(value: str, check: Check) -> str:
    """The longest stretch from the start of `value` to one of its group ends that passes `check`, else empty.

    A pattern of groups runs on into the next word or figure; the checksum says where the number ended.
    """
    if check(value):
        return value
    ends = [match.start() for match in _SEPARATORS.finditer(value)]
    return next((value[:end] for end in reversed(ends) if check(value[:end])), "")


_TLD = (
    r"(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|online|site|shop|store|cloud|tech|xyz|email"
    r"|museum|travel|jobs|example|test|invalid|local)"
)
_HOST = r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+"
_MAIL_END = rf"{_HOST}[^\W\d_]{{2,24}})(?![\w@-])"
_MAIL_BEGIN = r"(?i)(?<![\w.%+-])("
_TORN_LOCAL = (
    r"(?i)(?<![\w.%+@-])((?:(?!\S+\.(?:com|org|net|edu|gov|info)[ \n])[^\W\d_][\w%+-]{0,30}"
    r"(?:[._+][\w%+.-]{0,30}[\w%+-]|[_+])[ \n]|[\w.%+-]{1,62}-\n)"
)
"""The first half of an address that is broken before its @: a plain word there could be any word of the sentence, so it
must have a point, underscore or plus in it and be no host, or end a line with a hyphen."""
_STREET = (
    r"street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|way|highway|hwy"
    r"|parkway|pkwy|circle|cir|trail|close|crescent|row|mews"
)
_NAMED_STREET = r"rue|avenue|av\.|boulevard|bd|chemin|allée|impasse|calle|avenida|paseo|viale|piazza|corso|rua|praça|travessa|ulica|ul\."
_NUMBERED_STREET = r"place|quai|cours|route|plaza|via"
"""Words of other meaning too: only with a house number on either side."""
_STREET_NAME = (
    r"(?:(?:de|du|des|la|le|les|della|delle|dei|degli|di|del|los|las|el|do|da|dos|das)[ ]|[ld]['’]){0,3}"
    r"[^\W\d_a-zß-öø-ÿ][\w'’.-]*(?: [^\W\d_][\w'’.-]*){0,4}"
)
"""Little words, a word with a capital, and what follows."""
_DATE = (
    r"(?:[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}"
    r"|[0-9]{1,2}(?:st|nd|rd|th|\.|er)? (?:of )?[^\W\d_]{3,10}\.?,? [0-9]{4}"
    r"|[^\W\d_]{3,10}\.? [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4})"
)
_GAP = r"[ .\n/-]?"
_STRONG_NATIONAL = re.compile(
    rf"(?i)(?<![A-Z0-9])([0-9]{{6}}[-+A-FU-Y][0-9]{{3}}[0-9A-Z]"
    rf"|[1-478](?:{_GAP}[0-9]){{4}}{_GAP}(?:[0-9]{_GAP}[0-9]|2{_GAP}[AB])(?:{_GAP}[0-9]){{8}}"
    rf"|[A-Z]{{6}}[0-9](?:{_GAP}[0-9A-Z]){{9}}"
    rf"|[XYZ][0-9](?:{_GAP}[0-9]){{6}}{_GAP}[A-Z]"
    rf"|7{_GAP}5{_GAP}6(?:{_GAP}[0-9]){{10}})(?![A-Z0-9])"
)
_NATIONAL = re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{0,6}[0-9](?:[ .\n/-]?[A-Z0-9]){6,16})(?![A-Z0-9])")
_VAT = (
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU",
    "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI",
)  # fmt: skip

PATTERNS: tuple[Pattern, ...] = (
    Pattern(Kind.EMAIL, re.compile(rf"{_MAIL_BEGIN}[\w.%+'&=~/-]{{1,64}}@{_MAIL_END}"), at.before_at),
    Pattern(
        Kind.EMAIL,
        re.compile(rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}}(?:[ \n]@[ \n]?|@[ \n]){_MAIL_END}"),
        at.before_at,
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(
            rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}}@(?:[\w-]{{1,63}}\.){{0,4}}(?!{_TLD}[ \n])[\w-]{{0,63}}[ \n](?:[\w-]{{0,63}}\.){{1,4}}{_TLD})(?![\w@-])"
        ),
        at.before_at,
    ),
    Pattern(Kind.EMAIL, re.compile(rf"{_TORN_LOCAL}[\w.%+-]{{1,64}}@{_MAIL_END}"), at.before_at),
    Pattern(
        Kind.URL,
        re.compile(r"(?i)\b((?:https?|ftps?|file|sftp|ssh)://[^\s<>\"'`{}|\\^]+[^\s<>\"'`{}|\\^.,;:!?)\]])"),
        at.at_text("://", back=5),
    ),
    Pattern(
        Kind.URL,
        re.compile(r"(?i)(?<![\w.@/-])(www[0-9]?\.[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]])"),
        at.at_words(b"www"),
    ),
    Pattern(
        Kind.URL,
        re.compile(rf"(?i)(?<![\w.@/-])({_HOST}{_TLD}(?::[0-9]{{2,5}})?/[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]])"),
        at.at_hosts,
    ),
    Pattern(
        Kind.IBAN,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{2}[0-9]{2}(?:[ \n-]?[A-Z0-9]){11,30})(?![A-Z0-9])"),
        at.at_ibans,
        numbers.is_iban,
    ),
    Pattern(
        Kind.CREDIT_CARD,
        re.compile(
            r"(?<![0-9.,+])([56][0-9]{11}|[0-9]{13,19}|[0-9]{4}(?:[ \n-]{1,2}[0-9]{4}){2,3}(?:[ \n-]{1,2}[0-9]{1,4})?"
            r"|[0-9]{4}[ \n-]{1,2}[0-9]{6}[ \n-]{1,2}[0-9]{4,5})(?![0-9])"
        ),
        at.at_shape(rb"0(?<!00)(?=0{3}(?:[ -]{1,2}0{4}|0{8}))"),
        numbers.is_card,
    ),
    Pattern(
        Kind.CRYPTO_WALLET,
        re.compile(r"\b([13][1-9A-HJ-NP-Za-km-z]{25,34})\b"),
        at.at_words(rb"[13](?=[a-z0-9]{25})"),
        numbers.is_base58_wallet,
    ),
    Pattern(
        Kind.CRYPTO_WALLET,
        re.compile(r"(?i)\b((?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{11,71})\b"),
        at.at_words(rb"(?:bc|tb|ltc)1"),
        numbers.is_bech32,
    ),
    Pattern(Kind.CRYPTO_WALLET, re.compile(r"\b(0x[0-9a-fA-F]{40})\b"), at.at_words(b"0x")),
    Pattern(
        Kind.SSN,
        re.compile(r"(?<![\w-])([0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{3}[\s.][0-9]{2}[\s.][0-9]{4}(?! +[^\W\d_]))(?![\w-])"),
        at.at_shape(rb"000(?=[- .]00[- .]0000)"),
        numbers.is_ssn,
    ),
    Pattern(Kind.SSN, re.compile(r"(?<![\w-])([0-9]{9})(?![\w-])"), at.at_numbers, numbers.is_ssn, SOCIAL),
    Pattern(Kind.NATIONAL_ID, _STRONG_NATIONAL, at.at_numbers, numbers.is_strong_national_id),
    Pattern(Kind.NATIONAL_ID, _NATIONAL, at.at_numbers, numbers.is_national_id, NATIONAL),
    Pattern(
        Kind.NATIONAL_ID,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{2}[ -][0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{2}[ -]?[A-D])(?![A-Z0-9])"),
        at.before_numbers(3),
        numbers.is_national_id,
        NATIONAL,
    ),
    Pattern(
        Kind.VAT_ID,
        re.compile(rf"(?i)(?<![A-Z0-9])((?:{'|'.join(_VAT)})[ -]?[0-9A-Z](?:[ .-]?[0-9A-Z]){{6,12}})(?![A-Z0-9])"),
        at.at_words(
            rb"(?:at|b[eg]|c[yz]|d[ek]|e[els]|f[ir]|gr|h[ru]|i[et]|l[tuv]|mt|nl|p[lt]|ro|s[eik]|xi)(?: ?[0-9a-z]){0,2}(?: ?[0-9]){5}"
        ),
        numbers.is_vat,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{0,2}[0-9]{6,9}[A-Z]?)(?![A-Z0-9])"),
        at.at_numbers,
        None,
        PASSPORT,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(r"(P[A-Z<][A-Z]{3}[A-Z<]{10,39}(?:\s+[A-Z0-9<]{44})?)"),
        at.at_shape(b"A(?=[A<]A{3}[A<]{10})"),
    ),
    Pattern(
        Kind.IP,
        re.compile(r"(?<![\w.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?![\w]|\.[0-9])"),
        at.at_shape(rb"0\.(?=0{1,3}\.0{1,3}\.0)", back=2),
        numbers.is_ip,
    ),
    Pattern(
        Kind.IP,
        re.compile(
            r"(?<![\w:.])([0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){1,7}:(?:[0-9A-Fa-f]{1,4}|(?:[0-9]{1,3}\.){3}[0-9]{1,3}))(?![\w:])"
        ),
        at.at_shape(b":(?=[0Aa]{0,4}:)", back=4),
        numbers.is_ip,
    ),
    Pattern(
        Kind.DATE_OF_BIRTH,
        re.compile(rf"(?i)(?<!\w)({_DATE})(?!\w)"),
        at.behind(BIRTH.hints, CONTEXT_REACH),
        None,
        BIRTH,
    ),
    Pattern(Kind.PLATE, re.compile(r"(?<![\w-])([A-Z]{2}-[0-9]{3}-[A-Z]{2})(?![\w-])"), at.at_shape(b"AA(?=-000-AA)")),
    Pattern(
        Kind.PLATE,
        re.compile(r"(?<![\w-])([A-Z0-9]{1,4}[- ]?[A-Z0-9]{2,4}(?:[- ]?[A-Z0-9]{1,4})?)(?![\w-])"),
        at.behind(PLATE.hints, CONTEXT_REACH),
        lambda value: any(c.isdigit() for c in value) and any(c.isalpha() for c in value),
        PLATE,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<![\w.])([0-9]{{1,5}}[A-Z]?,? (?:[^\W\d_][\w'’.-]* ){{0,4}}[^\W\d_][\w'’.-]* (?:{_STREET})\b\.?(?:,? (?:apt|apartment|suite|unit|flat|#)\.? ?\w{{1,6}})?)"
        ),
        at.at_numbered_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<!\w)([0-9]{{1,4}}(?: ?(?:bis|ter))?,? (?:{_NAMED_STREET}|{_NUMBERED_STREET}) [^\W\d_][\w'’.-]*(?: [^\W\d_][\w'’.-]*){{0,4}}(?:,? ?[0-9]{{1,5}})?)(?!\w)"
        ),
        at.at_named_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)((?i:{_NAMED_STREET}) {_STREET_NAME}(?:,? ?[0-9]{{1,5}})?)(?!\w)"),
        at.at_named_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(rf"(?<!\w)((?i:{_NUMBERED_STREET}) {_STREET_NAME},? ?[0-9]{{1,5}})(?!\w)"),
        at.at_named_streets,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            r"(?<!\w)([^\W\d_][\w-]{2,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|straat|laan|gatan|vägen|gade|vej|veien|utca)"
            r" [0-9]{1,4} ?[a-zA-Z]?)(?!\w)"
        ),
        at.before_house_numbers,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(r"(?i)(?<!\w)(p\.? ?o\.? box [0-9]{1,6}|postfach [0-9]{1,6}|boîte postale [0-9]{1,6})(?!\w)"),
        at.before_house_numbers,
    ),
    *(Pattern(Kind.SECRET, regex, SECRET_PREFIXES) for regex in SECRETS),
    Pattern(Kind.SECRET, TORN_SECRET, SECRET_PREFIXES, is_torn_secret),
    Pattern(Kind.SECRET, PRIVATE_KEY, at.at_text("-----BEGIN")),
    Pattern(Kind.SECRET, PASSWORD, PASSWORD_WORDS),
)


class RegexDetector:
    """The default engine: all patterns above and phone numbers, overlaps settled by precedence."""

    name = "regex"
    version = "3"

    def detect(self, text: str) -> list[Hit]:
        """Hits in a normalised text, sorted and without overlaps."""
        return _detect(text, PATTERNS)

    def detect_torn(self, text: str) -> list[Hit]:
        """Those of the kinds of `TORN`."""
        return _detect(text, _TORN_PATTERNS)


def _detect(text: str, patterns: Iterable[Pattern]) -> list[Hit]:
    clues = Clues(text)
    return settle(chain(find_phones(clues), *(pattern.find(clues) for pattern in patterns)))


_TORN_PATTERNS = tuple(pattern for pattern in PATTERNS if pattern.kind in TORN)
