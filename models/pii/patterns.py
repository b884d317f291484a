"""The `regex` engine: one pattern per kind, its checksum where the kind has one, and context words where it has none.

Works on a normalised text. Checksums are python-stdnum's. Knows no tree and no language model.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from models.pii import numbers
from models.pii.kinds import Hit, Kind, settle
from models.pii.phones import find_phones
from models.pii.secrets import SECRETS, TORN_SECRET, is_torn_secret

Check = Callable[[str], bool]

_SEPARATORS = re.compile(r"[\s./-]+")
CHECKED_AGAIN = frozenset({Kind.CREDIT_CARD, Kind.IBAN})
"""Kinds that stand close together in tables and whose checksum says where each begins."""
CONTEXT_REACH = 48
"""Characters before a match in which a context word must stand."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """`regex`'s group 1 is the value; `check` judges it; `context` must stand just before it."""

    kind: Kind
    regex: re.Pattern[str]
    check: Check | None = None
    context: re.Pattern[str] | None = None

    def find(self, text: str) -> Iterator[Hit]:
        """Values in text order. Where a match is longer than the value in it, the rest is looked at again."""
        at = 0
        while match := self.regex.search(text, at):
            start, end = match.span(1)
            at = match.end()
            if not self._fits(text, start):
                continue
            if self.check is not None:
                end = start + len(longest_valid(text[start:end], self.check))
            if self.kind in CHECKED_AGAIN:
                at = end if end > start else _next_group(text, start, match.end())
            if end > start:
                yield Hit(self.kind, start, end)

    def _fits(self, text: str, start: int) -> bool:
        return self.context is None or self.context.search(text, max(0, start - CONTEXT_REACH), start) is not None


def _next_group(text: str, start: int, end: int) -> int:
    """Behind the first separator after `start`, at most `end`: another value may begin there."""
    separator = _SEPARATORS.search(text, start + 1, end)
    return max(start + 1, separator.end() if separator else end)


def longest_valid(value: str, check: Check) -> str:
    """The longest stretch from the start of `value` to one of its group ends that passes `check`, else empty.

    A pattern of groups runs on into the next word or figure; the checksum says where the number ended.
    """
    ends = [len(value), *(match.start() for match in _SEPARATORS.finditer(value))]
    return next((value[:end] for end in sorted(ends, reverse=True) if check(value[:end])), "")


def _words(*words: str) -> re.Pattern[str]:
    return re.compile(f"(?i)(?:{'|'.join(words)})")


_TLD = r"(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|online|site|shop|store|cloud|tech|xyz|email|museum|travel|jobs|example|test|invalid|local)"
_HOST = r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+"
_STREET = r"street|st|avenue|ave|road|rd|boulevard|blvd|lane|ln|drive|dr|court|ct|place|pl|square|sq|terrace|way|highway|hwy|parkway|pkwy|circle|cir|trail|close|crescent|row|mews"
_BEFORE_STREET = r"rue|avenue|av\.|boulevard|bd|place|chemin|allée|impasse|quai|cours|route|calle|avenida|plaza|paseo|via|viale|piazza|corso|rua|praça|travessa|ulica|ul\."
_DATE = r"(?:\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}|\d{1,2}(?:st|nd|rd|th|\.|er)? (?:of )?[^\W\d_]{3,10}\.?,? \d{4}|[^\W\d_]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})"
_BORN = _words(
    "birth",
    r"\bborn\b",
    r"\bdob\b",
    r"d\.o\.b",
    r"\bnée?\b",
    "naissance",
    "geboren",
    "geburts",
    "nacimiento",
    r"\bnacid[oa]\b",
    r"\bnat[oa] (?:il|a)\b",
    "nascita",
    "nascimento",
    "geboorte",
)

PATTERNS: tuple[Pattern, ...] = (
    Pattern(Kind.EMAIL, re.compile(rf"(?i)(?<![\w.%+-])([\w.%+'&=~/-]{{1,64}}@{_HOST}[^\W\d_]{{2,24}})(?![\w@-])")),
    Pattern(
        Kind.EMAIL,
        re.compile(rf"(?i)(?<![\w.%+-])([\w.%+-]{{1,64}}(?:[ \n]@[ \n]?|@[ \n]){_HOST}[^\W\d_]{{2,24}})(?![\w@-])"),
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(
            rf"(?i)(?<![\w.%+-])([\w.%+-]{{1,64}}@(?:[\w-]{{1,63}}\.){{0,4}}(?!{_TLD}[ \n])[\w-]{{0,63}}[ \n](?:[\w-]{{0,63}}\.){{1,4}}{_TLD})(?![\w@-])"
        ),
    ),
    Pattern(
        Kind.URL, re.compile(r"(?i)\b((?:https?|ftps?|file|sftp|ssh)://[^\s<>\"'`{}|\\^]+[^\s<>\"'`{}|\\^.,;:!?)\]])")
    ),
    Pattern(Kind.URL, re.compile(r"(?i)(?<![\w.@/-])(www\d?\.[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]])")),
    Pattern(Kind.URL, re.compile(rf"(?i)(?<![\w.@/-])({_HOST}{_TLD}(?::\d{{2,5}})?/[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]])")),
    Pattern(
        Kind.IBAN,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{2}\d{2}(?:[ \n-]?[A-Z0-9]){11,30})(?![A-Z0-9])"),
        numbers.is_iban,
    ),
    Pattern(
        Kind.CREDIT_CARD,
        re.compile(
            r"(?<![\d.,+])([56]\d{11}|\d{13,19}|\d{4}(?:[ \n-]{1,2}\d{4}){2,3}(?:[ \n-]{1,2}\d{1,4})?|\d{4}[ \n-]{1,2}\d{6}[ \n-]{1,2}\d{4,5})(?!\d)"
        ),
        numbers.is_card,
    ),
    Pattern(Kind.CRYPTO_WALLET, re.compile(r"\b([13][1-9A-HJ-NP-Za-km-z]{25,34})\b"), numbers.is_base58_wallet),
    Pattern(Kind.CRYPTO_WALLET, re.compile(r"(?i)\b((?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{11,71})\b"), numbers.is_bech32),
    Pattern(Kind.CRYPTO_WALLET, re.compile(r"\b(0x[0-9a-fA-F]{40})\b")),
    Pattern(
        Kind.SSN,
        re.compile(r"(?<![\w-])(\d{3}-\d{2}-\d{4}|\d{3}[\s.]\d{2}[\s.]\d{4}(?! +[^\W\d_]))(?![\w-])"),
        numbers.is_ssn,
    ),
    Pattern(
        Kind.SSN,
        re.compile(r"(?<![\w-])(\d{9})(?![\w-])"),
        numbers.is_ssn,
        _words(r"\bssn\b", "social security", r"soc\.? ?sec"),
    ),
    Pattern(
        Kind.NATIONAL_ID,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{0,6}\d(?:[ .\n/-]?[A-Z0-9]){6,16})(?![A-Z0-9])"),
        numbers.is_strong_national_id,
    ),
    Pattern(
        Kind.NATIONAL_ID,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{0,6}\d(?:[ .\n/-]?[A-Z0-9]){6,16})(?![A-Z0-9])"),
        numbers.is_national_id,
        _words(
            "national",
            r"identi",
            r"\bid\b",
            "citizen",
            "insurance",
            "personal n",
            "personnummer",
            r"\bcpr\b",
            r"\bcpf\b",
            r"\bnif\b",
            r"\bbsn\b",
            "pesel",
            "aadhaar",
            "steuer",
            "codice fiscale",
            "sécurité sociale",
            r"\bnir\b",
            r"\bdni\b",
            r"\bnie\b",
            r"\bahv\b",
            r"\bavs\b",
            r"\bnhs\b",
            "nino",
            "hetu",
            "rijksregister",
        ),
    ),
    Pattern(
        Kind.VAT_ID,
        re.compile(
            r"(?i)(?<![A-Z0-9])((?:AT|BE|BG|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GR|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK|XI)[ -]?[0-9A-Z](?:[ .-]?[0-9A-Z]){6,12})(?![A-Z0-9])"
        ),
        numbers.is_vat,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{0,2}\d{6,9}[A-Z]?)(?![A-Z0-9])"),
        None,
        _words("passport", "passeport", "reisepass", "pasaporte", "passaporto", "paspoort"),
    ),
    Pattern(Kind.PASSPORT, re.compile(r"(P[A-Z<][A-Z]{3}[A-Z<]{10,39}(?:\s+[A-Z0-9<]{44})?)")),
    Pattern(Kind.IP, re.compile(r"(?<![\w.])((?:\d{1,3}\.){3}\d{1,3})(?![\w]|\.\d)"), numbers.is_ip, None),
    Pattern(
        Kind.IP,
        re.compile(r"(?<![\w:.])([0-9A-Fa-f:]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*[0-9A-Fa-f:])(?![\w:])"),
        numbers.is_ip,
    ),
    Pattern(Kind.DATE_OF_BIRTH, re.compile(rf"(?i)(?<!\w)({_DATE})(?!\w)"), None, _BORN),
    Pattern(Kind.PLATE, re.compile(r"(?<![\w-])([A-Z]{2}-\d{3}-[A-Z]{2})(?![\w-])")),
    Pattern(
        Kind.PLATE,
        re.compile(r"(?<![\w-])([A-Z0-9]{1,4}[- ]?[A-Z0-9]{2,4}(?:[- ]?[A-Z0-9]{1,4})?)(?![\w-])"),
        lambda value: any(c.isdigit() for c in value) and any(c.isalpha() for c in value),
        _words(
            r"\bplate\b",
            "registration n",
            "licen[cs]e plate",
            "immatriculation",
            "kennzeichen",
            "matrícula",
            r"\btarga\b",
            "kenteken",
        ),
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<![\w.])(\d{{1,5}}[A-Z]?,? (?:[^\W\d_][\w'’.-]* ){{0,4}}[^\W\d_][\w'’.-]* (?:{_STREET})\b\.?(?:,? (?:apt|apartment|suite|unit|flat|#)\.? ?\w{{1,6}})?)"
        ),
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            rf"(?i)(?<!\w)((?:\d{{1,4}}(?: ?(?:bis|ter))?,? )?(?:{_BEFORE_STREET}) (?:[^\W\d_][\w'’.-]* ?){{1,5}},? ?\d{{0,5}})(?!\w)"
        ),
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            r"(?<!\w)([^\W\d_][\w-]{2,30}(?:straße|strasse|str\.|weg|platz|allee|gasse|straat|laan|gatan|vägen|gade|vej|veien|utca) \d{1,4} ?[a-zA-Z]?)(?!\w)"
        ),
    ),
    Pattern(
        Kind.ADDRESS, re.compile(r"(?i)(?<!\w)(p\.? ?o\.? box \d{1,6}|postfach \d{1,6}|boîte postale \d{1,6})(?!\w)")
    ),
    *(Pattern(Kind.SECRET, regex) for regex in SECRETS),
    Pattern(Kind.SECRET, TORN_SECRET, is_torn_secret),
)


class RegexDetector:
    """The default engine: all patterns above and phone numbers, overlaps settled by precedence."""

    name = "regex"
    version = "2"

    def detect(self, text: str) -> list[Hit]:
        """Hits in a normalised text, sorted and without overlaps."""
        return settle(chain(find_phones(text), *(pattern.find(text) for pattern in PATTERNS)))
