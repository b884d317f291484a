"""The `regex` engine: one pattern per kind, its checksum where the kind has one, and context words where it has none.

Works on a normalised text: figures are 0 to 9. Each pattern runs only where there is a clue to it (clues.py); what a
pattern finds does not depend on that. Checksums are python-stdnum's. Knows no tree and no language model.
"""

import re
from collections.abc import Iterable
from itertools import chain

from quire.models.pii.kinds import TORN, Hit, Kind, settle
from quire.models.pii.normalise import normalise
from quire.models.pii.patterns import clues as starts
from quire.models.pii.patterns import numbers
from quire.models.pii.patterns.addresses import ADDRESSES, join_addresses, with_towns
from quire.models.pii.patterns.clues import Clues
from quire.models.pii.patterns.context import BIRTH, HOST_NAMES, NATIONAL, PASSPORT, PLATE, SOCIAL
from quire.models.pii.patterns.labelled import LABELLED
from quire.models.pii.patterns.mails import HOST, MAILS, TLD
from quire.models.pii.patterns.mrz import find_mrz
from quire.models.pii.patterns.national import find_national
from quire.models.pii.patterns.pattern import Pattern
from quire.models.pii.patterns.phones import find_phones
from quire.models.pii.patterns.secrets import (
    SECRET_PATTERNS,
)

_MONTH = (
    r"(?:jan|fe[bv]|m[aä]r|mrt|apr|a[vb]r|ma[ijy]|mag|ju[nil]|giu|lug|ag|ao[uû]|au[gc]|sep|set|o[ck]t|out|ott|nov|d[eéi][czs]"
    r"|ene|gen|kas|janv|févr|mär|mai|juin|juil)[^\W\d_]{0,7}"
)
"""A word that begins as a month does in English, French, German, Spanish, Italian, Portuguese or Dutch."""
_CARD_GAP = r"(?:[ \n]?[./_|·•,:-]?[ \n]?(?<![0-9]))"
_DATE = (
    r"(?:[0-9]{1,4}[-/. ]{1,2}[0-9]{1,2}[-/. ]{1,2}[0-9]{1,4}"
    r"|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9]|[0-3][0-9](?:0[1-9]|1[0-2])(?:19|20)[0-9]{2}"
    rf"|[0-9]{{1,2}}[-/. ]{{1,2}}[IVX]{{1,4}}[-/. ]{{1,2}}(?:19|20)?[0-9]{{2}}|(?:19|20)?[0-9]{{2}} ?[年년./-] ?[0-9]{{1,2}} ?[月월./-] ?[0-9]{{1,2}} ?[日일]?"
    rf"|[0-9]{{1,2}}(?:st|nd|rd|th|\.|er|º|o)?[-/. ]{{1,2}}(?:of |de |di )?{_MONTH}\.?(?:,? de[l]?)?[-/., ]{{1,2}}'?[0-9]{{2,4}}"
    r"|(?:19|20)[0-9]{2}\.? [^\W\d_]{3,12}\.? [0-9]{1,2}"
    r"|[0-9]{1,2}(?:st|nd|rd|th|\.|er)? (?:of )?[^\W\d_]{3,10}\.?,? [0-9]{4}"
    rf"|{_MONTH}\.?[-/. ]{{1,2}}(?:[0-9]{{1,2}}(?:st|nd|rd|th)?,?[-/. ]{{1,2}})?(?:de )?'?[0-9]{{4}}"
    r"|[^\W\d_]{3,10}\.? [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4})"
)
_BORN = "|".join(
    sorted(
        {
            normalise(word).text
            for word in [
                "f",
                "ur",
                "nar",
                "synt",
                "szül",
                "geb",
                "rod",
                "roj",
                "gim",
                "dzim",
                "sünd",
                "b",
                "né",
                "née",
                "nasc",
                "nac",
                "γεν",
                "нар",
                "род",
            ]
        }
    )
)
"""Abbreviations before a date of birth. Their full stop is required because most are words as well."""
_GAP = r"[ .\n/-]?"
_STRONG_NATIONAL = re.compile(
    rf"(?i)(?<![A-Z0-9])([0-9]{{6}}[-+A-FU-Y][0-9]{{3}}[0-9A-Z]"
    rf"|[1-478](?:{_GAP}[0-9]){{4}}{_GAP}(?:[0-9]{_GAP}[0-9]|2{_GAP}[AB])(?:{_GAP}[0-9]){{8}}"
    rf"|[A-Z]{{6}}[0-9](?:{_GAP}[0-9A-Z]){{9}}"
    rf"|[XYZ][0-9](?:{_GAP}[0-9]){{6}}{_GAP}[A-Z]"
    rf"|7{_GAP}5{_GAP}6(?:{_GAP}[0-9]){{10}})(?![A-Z0-9])"
)
_NATIONAL = re.compile(
    r"(?i)(?<![A-Z0-9])([A-Z]{0,6}[0-9](?:(?:[ ./-]?[A-Z0-9]){6,16}|(?:\n?[A-Z0-9]){6,16}))(?![A-Z0-9])"
)
_VAT = (
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "EL", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT", "LT", "LU",
    "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK", "XI",
)  # fmt: skip

PATTERNS: tuple[Pattern, ...] = (
    *MAILS,
    Pattern(
        Kind.URL,
        re.compile(r"(?i)\b((?:https?|ftps?|file|sftp|ssh)://[^\s<>\"'`{}|\\^]+[^\s<>\"'`{}|\\^.,;:!?)\]])"),
        starts.at_text("://", back=5),
    ),
    Pattern(
        Kind.URL,
        re.compile(r"(?i)(?<![\w.@/-])(www[0-9]?\.[^\s<>\"'`]+[^\s<>\"'`.,;:!?)\]])"),
        starts.at_words(b"www"),
    ),
    Pattern(
        Kind.URL,
        re.compile(rf"(?i)(?<![\w.@/-])({HOST}{TLD}(?::[0-9]{{2,5}})?/[^\s<>\"'`]*[^\s<>\"'`.,;:!?)\]])"),
        starts.at_hosts,
    ),
    Pattern(
        Kind.IBAN,
        re.compile(
            r"(?i)(?:(?<![A-Z0-9])|(?<=IBAN))([A-Z]{2}[0-9]{2}(?:(?:[ \n./_|·•,:-]|  )?[A-Z0-9]){11,30})(?![A-Z0-9])"
        ),
        starts.at_ibans,
        numbers.is_iban,
    ),
    Pattern(
        Kind.CREDIT_CARD,
        re.compile(
            rf"(?<![0-9])(?<![0-9][.,])(?:(?<!\+)|(?=[0-9]{{16}}))([56][0-9]{{11}}|[0-9]{{8}}{_CARD_GAP}[0-9]{{8}}|[0-9]{{5}}(?: [0-9]{{5}}){{2}} [0-9]{{1,4}}|[0-9]{{13,19}}|[0-9]{{4}}(?:{_CARD_GAP}[0-9]{{4}}){{2,3}}(?:{_CARD_GAP}[0-9]{{1,4}})?"
            rf"|[0-9]{{4}}{_CARD_GAP}[0-9]{{6}}{_CARD_GAP}[0-9]{{4,5}}|[0-9]{{6}}{_CARD_GAP}[0-9]{{6,13}}|[0-9](?: [0-9]){{12,18}})(?![0-9])"
        ),
        starts.at_shape(
            rb"0(?<!00)(?=0{3}(?:[ ./_|?,:-]{1,3}0{4}|0{8}|00[ ./_|?,:-]{1,3}0{6}|0{4}[ ./_|?,:-]{1,3}0{8}|0 0{5} )|(?: 0){12})"
        ),
        numbers.is_card,
    ),
    Pattern(
        Kind.CRYPTO_WALLET,
        re.compile(r"\b([13][1-9A-HJ-NP-Za-km-z]{25,34})\b"),
        starts.at_words(rb"[13](?=[a-z0-9]{25})"),
        numbers.is_base58_wallet,
    ),
    Pattern(
        Kind.CRYPTO_WALLET,
        re.compile(r"(?i)\b((?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{11,71})\b"),
        starts.at_words(b"bc1", b"tb1", b"ltc1"),
        numbers.is_bech32,
    ),
    Pattern(Kind.CRYPTO_WALLET, re.compile(r"\b(0x[0-9a-fA-F]{40})\b"), starts.at_words(b"0x")),
    Pattern(
        Kind.SSN,
        re.compile(
            r"(?<![\w-])([0-9]{3}-[0-9]{2}-[0-9]{4}|[0-9]{3}[\s.][0-9]{2}[\s.][0-9]{4}(?! +(?!(?:and|or|und|oder|et|ou|y|o|e|en)\b)[^\W\d_]))(?![\w-])"
        ),
        starts.at_shape(rb"000(?=[- .]00[- .]0000)"),
        numbers.is_ssn,
    ),
    Pattern(
        Kind.SSN,
        re.compile(r"(?<![\w-])([0-9]{9}|[0-9]{3}[\s.][0-9]{2}[\s.][0-9]{4})(?![\w-])"),
        SOCIAL.starts,
        numbers.is_ssn,
        SOCIAL,
    ),
    Pattern(Kind.NATIONAL_ID, _STRONG_NATIONAL, starts.at_numbers, numbers.is_strong_national_id),
    Pattern(Kind.NATIONAL_ID, _NATIONAL, NATIONAL.starts, numbers.is_national_id, NATIONAL),
    Pattern(
        Kind.NATIONAL_ID,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{2}[ -][0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{2}[ -]?[A-D])(?![A-Z0-9])"),
        NATIONAL.starts,
        numbers.is_national_id,
        NATIONAL,
    ),
    Pattern(
        Kind.VAT_ID,
        re.compile(rf"(?i)(?<![A-Z0-9])((?:{'|'.join(_VAT)})[ -]?[0-9A-Z](?:[ .-]?[0-9A-Z]){{6,12}})(?![A-Z0-9])"),
        starts.at_words(
            rb"(?:at|b[eg]|c[yz]|d[ek]|e[els]|f[ir]|gr|h[ru]|i[et]|l[tuv]|mt|nl|p[lt]|ro|s[eik]|xi)(?: ?[0-9a-z]){0,2}(?: ?[0-9]){5}"
        ),
        numbers.is_vat,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(r"(?i)(?<![A-Z0-9])([A-Z]{0,2}[0-9]{6,9}[A-Z]?)(?![A-Z0-9])"),
        PASSPORT.starts,
        None,
        PASSPORT,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(r"(?i)(?<![A-Z0-9])((?=(?:[A-Z]*[0-9]){3})[A-Z0-9]{7,10})(?![A-Z0-9])"),
        PASSPORT.starts,
        None,
        PASSPORT,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(r"(P[A-Z<][A-Z]{3}[A-Z<]{10,39}(?:\s+[A-Z0-9<]{44})?)"),
        starts.at_shape(b"A(?=[A<]A{3}[A<]{10})"),
    ),
    Pattern(
        Kind.IP,
        re.compile(
            r"(?<![\w.])(?<!§ )(?<!line )(?<!tion )(?<!item )(?<!pter )(?<!Kapitel )(?<!Ziffer )"
            r"(?<!ersion )(?<!ersion: )(?<!ersión )(?<!ersja )(?<!ersie )(?<!ersione )(?<!elease )(?<!uild )(?<!irmware )"
            r"(?!(?:(?<=\n)|(?<![\s\S]))(?:[1-9][0-9]?\.){4} [^\W\d_a-z])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?![\w]|\.[0-9])"
        ),
        starts.at_shape(rb"0\.(?=0{1,3}\.0{1,3}\.0)", back=2),
        numbers.is_large_ip,
    ),
    Pattern(
        Kind.IP,
        re.compile(r"(?<![\w.])((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?![\w]|\.[0-9])"),
        HOST_NAMES.starts,
        numbers.is_ip,
        HOST_NAMES,
        is_close=True,
    ),
    Pattern(
        Kind.IP,
        re.compile(
            r"(?<![\w:.])([0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){1,7}:(?:[0-9A-Fa-f]{1,4}|(?:[0-9]{1,3}\.){3}[0-9]{1,3}))(?![\w:])"
        ),
        starts.at_shape(b":(?=[0Aa]{0,4}:)", back=4),
        numbers.is_ip,
    ),
    Pattern(
        Kind.DATE_OF_BIRTH,
        re.compile(rf"(?i)(?<![A-Za-z0-9])({_DATE}(?:T[0-9:.+Z-]{{5,29}})?)(?![A-Za-z0-9])"),
        BIRTH.starts,
        numbers.is_birth_date,
        BIRTH,
    ),
    Pattern(
        Kind.DATE_OF_BIRTH,
        re.compile(rf"(?i)(?<![^\W_])(?:{_BORN})\. ?({_DATE})(?![A-Za-z0-9])"),
        starts.at_short_words,
        numbers.is_birth_date,
    ),
    Pattern(
        Kind.DATE_OF_BIRTH,
        re.compile(
            r"(?:(?<=\*)|(?<=\* ))([0-9]{1,2}\. ?[0-9]{1,2}\. ?(?:19|20)[0-9]{2})(?! ?[-–])(?=,? (?:in|zu|à|a|en) [^\W\d_a-z]|[ ,;]{0,2}(?:†|[)]))"
        ),
        starts.behind_stars,
    ),
    *LABELLED,
    Pattern(
        Kind.PLATE, re.compile(r"(?<![\w-])([A-Z]{2}-[0-9]{3}-[A-Z]{2})(?![\w-])"), starts.at_shape(b"AA(?=-000-AA)")
    ),
    Pattern(
        Kind.PLATE,
        re.compile(r"(?<![\w-])([A-Z0-9]{1,4}[- ]?[A-Z0-9]{2,4}(?:[- ]?[A-Z0-9]{1,4})?)(?![\w-])"),
        PLATE.starts,
        lambda value: any(c.isdigit() for c in value) and any(c.isalpha() for c in value),
        PLATE,
    ),
    *ADDRESSES,
    Pattern(
        Kind.PERSON,
        re.compile(
            r"(?i)\b(?:linkedin\.com/in|xing\.com/profile|facebook\.com/profile\.php\?id=|instagram\.com|t\.me)/?([\w.%-]{3,60})"
        ),
        starts.at_words(b"linkedin com in", b"xing com profile", b"facebook com profile", b"instagram com", b"t me"),
    ),
    Pattern(
        Kind.LOCATION,
        re.compile(
            r"(?<![\w.])(?<![0-9][,;] )(?<![0-9],)(-?[1-8]?[0-9]\.[0-9]{5,8} ?[,;] ?-?(?:1[0-7]|[1-9])?[0-9]\.[0-9]{5,8})(?!\w|\.[0-9]|[,;] ?-?[0-9])"
        ),
        starts.at_shape(rb"\.(?=0{5})", back=3),
        numbers.is_position,
    ),
    *SECRET_PATTERNS,
)


class RegexDetector:
    """The default engine: all patterns above and phone numbers, overlaps settled by precedence."""

    name = "regex"
    version = "9"

    def __init__(self, *, urls: bool = True) -> None:
        """Without `urls` addresses on the web are not looked for: they name no person."""
        self._patterns = tuple(pattern for pattern in PATTERNS if urls or pattern.kind is not Kind.URL)
        self._torn = tuple(pattern for pattern in self._patterns if pattern.kind in TORN and not pattern.is_whole)
        self.version = RegexDetector.version + ("" if urls else "-no-urls")

    def detect(self, text: str) -> list[Hit]:
        """Hits in a normalised text, sorted and without overlaps."""
        return _detect(text, self._patterns)

    def detect_torn(self, text: str) -> list[Hit]:
        """Those of the kinds of `TORN`."""
        return _detect(text, self._torn)


def _detect(text: str, patterns: Iterable[Pattern]) -> list[Hit]:
    clues = Clues(text)
    hits = chain(
        find_phones(clues), find_national(clues), find_mrz(clues), *(pattern.find(clues) for pattern in patterns)
    )
    return join_addresses(text, settle(with_towns(text, hits)))
