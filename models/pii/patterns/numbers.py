"""Checksums and ranges of numbers that identify people and accounts (python-stdnum, ipaddress)."""

import hashlib
import ipaddress
import re
from types import ModuleType

import stdnum.be.nn
import stdnum.br.cpf
import stdnum.ch.ssn
import stdnum.de.idnr
import stdnum.dk.cpr
import stdnum.es.dni
import stdnum.es.nie
import stdnum.fi.hetu
import stdnum.fr.nir
import stdnum.gb.nhs
import stdnum.in_.aadhaar
import stdnum.it.codicefiscale
import stdnum.nl.bsn
import stdnum.no.fodselsnummer
import stdnum.pl.pesel
import stdnum.pt.nif
import stdnum.se.personnummer
from stdnum import ean, iban, luhn
from stdnum.eu import vat
from stdnum.us import ssn

STRONG: dict[int, ModuleType] = {15: stdnum.fr.nir, 16: stdnum.it.codicefiscale, 9: stdnum.es.nie, 13: stdnum.ch.ssn}
"""Numbers by their length whose shape and checksum together make a chance hit rare: no context word is asked for."""

WEAK: tuple[ModuleType, ...] = (
    stdnum.es.dni,
    stdnum.de.idnr,
    stdnum.nl.bsn,
    stdnum.pl.pesel,
    stdnum.se.personnummer,
    stdnum.be.nn,
    stdnum.br.cpf,
    stdnum.pt.nif,
    stdnum.gb.nhs,
    stdnum.in_.aadhaar,
    stdnum.dk.cpr,
    stdnum.no.fodselsnummer,
)
"""Checksums that about one number in ten passes by chance; they need a context word."""

LEAST_DIGITS = 6
"""Digits of the national number with the fewest (Britain)."""
LARGEST_SECTION = 99
"""Largest part of a number of four parts that is read as a section or version if its first part has one digit."""
_SEPARATOR = re.compile(r"[\s./_|·•,:-]")
_PADDED = re.compile(r"(?<![0-9A-Fa-f:])[0-9]{3}(?=\.)|(?<=\.)[0-9]{3}(?![0-9])")
"""Parts of an IPv4 address filled up to three figures."""
_NINO = re.compile(r"(?i)(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]")
_HETU = re.compile(r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Z]")
_PERIOD = re.compile(r"(?:19|20)[0-9]{2} ?[-/] ?(?:19|20)[0-9]{2}")
_STRONG = re.compile(r"[1-478]\d{4}(?:\d\d|2[AB])\d{8}|[A-Z]{6}[0-9A-Z]{10}|[XYZ]\d{7}[A-Z]|756\d{10}")
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def _compact(value: str) -> str:
    return _SEPARATOR.sub("", value).upper()


def is_iban(value: str) -> bool:
    """Country's length and the mod-97 checksum (national account checks are not asked for)."""
    return bool(iban.is_valid(_compact(value), check_country=False))


EAN_DIGITS = 13
"""Digits of article numbers. Cards of 13 digits are no longer issued, so a valid article number is none."""
_DATE_PARTS = re.compile(r"[0-9]+")
_CARD = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11,16}|35\d{14,17}"
    r"|(?:1800|2131)\d{11}|6(?:011|4[4-9]\d|5\d\d|2\d\d)\d{12,15}|(?:50|5[6-9]|6\d)\d{10,17}"
)


def is_card(value: str) -> bool:
    """Return whether the issuer's first digits, the length and the Luhn checksum fit; all-equal digits do not."""
    digits = _compact(value)
    if len(digits) == EAN_DIGITS and ean.is_valid(digits):
        return False
    return bool(_CARD.fullmatch(digits)) and len(set(digits)) > 1 and bool(luhn.is_valid(digits))


def is_ssn(value: str) -> bool:
    """US social security number: areas, groups and serials that were issued."""
    return bool(ssn.is_valid(re.sub(r"[-\s.]", "-", value)))


def is_strong_national_id(value: str) -> bool:
    """One of `STRONG`, or Finland's. Its shape is looked at first: tables are full of groups of digits."""
    if _HETU.fullmatch(value):
        return _passes(stdnum.fi.hetu, value)
    compact = _compact(value)
    return _STRONG.fullmatch(compact) is not None and _passes(STRONG[len(compact)], compact)


def is_national_id(value: str) -> bool:
    """Any of the national numbers known here. None has fewer than eight characters; some checks fill up zeros."""
    compact = _compact(value)
    if _PERIOD.fullmatch(value):
        return False
    return (
        sum(map(str.isdigit, compact)) >= LEAST_DIGITS
        and len(compact) >= 8
        and (
            bool(_NINO.fullmatch(compact))
            or any(
                _passes(module, compact) or _passes(module, value)
                for module in (*STRONG.values(), stdnum.fi.hetu, *WEAK)
            )
        )
    )


def _passes(module: ModuleType, value: str) -> bool:
    """Return whether a check passes; some raise an error on unsuitable input."""
    try:
        return bool(module.is_valid(value))
    except (ValueError, KeyError, IndexError):
        return False


def is_birth_date(value: str) -> bool:
    """Return whether a date has parts of a calendar: a day or month and, if it is all figures, a plausible year."""
    parts = _DATE_PARTS.findall(value)
    if len(parts) < 3 or any(char.isalpha() for char in value):
        return True
    first, middle, last = map(int, parts[:3])
    day_first = 1 <= first <= 31 and 1 <= middle <= 31 and min(first, middle) <= 12 and len(parts[2]) in (2, 4)
    year_first = len(parts[0]) in (2, 4) and 1 <= middle <= 12 and 1 <= last <= 31
    year = last if day_first else first
    return (day_first or year_first) and (year < 100 or 1850 <= year <= 2100)


def is_vat(value: str) -> bool:
    """Return whether this is a VAT number of an EU state or Northern Ireland with a valid checksum.

    Romanian numbers of fewer than seven digits are excluded because they may be page numbers.
    """
    compact = _compact(value)
    return len(compact) >= 9 and any(char.isdigit() for char in compact) and _passes(vat, compact)


def is_ip(value: str) -> bool:
    """Return whether this is an IP address; `::` alone and times such as 12:30:45 are not."""
    try:
        address = ipaddress.ip_address(_PADDED.sub(lambda part: str(int(part[0])), value))
    except ValueError:
        return False
    return address.version == 4 or (len(value) > 4 and not re.fullmatch(r"[\d:]{5,8}", value))


def is_large_ip(value: str) -> bool:
    """Return whether this is an IP address; section numbers and versions have small parts."""
    parts = value.split(".")
    return is_ip(value) and (len(parts) != 4 or len(parts[0]) > 1 or max(map(int, parts)) > LARGEST_SECTION)


def is_position(value: str) -> bool:
    """Return whether this is a latitude and a longitude except shares between 0 and 2."""
    latitude, longitude = (abs(float(part)) for part in re.split(r"[,;]", value))
    return 2 < latitude <= 90 and longitude <= 180


def is_base58_wallet(value: str) -> bool:
    """Base58Check with a correct double-SHA-256 checksum (Bitcoin address formats)."""
    number = 0
    for char in value:
        number = number * 58 + _BASE58.index(char)
    raw = number.to_bytes(25, "big") if number < 1 << 200 else b""
    return len(raw) == 25 and hashlib.sha256(hashlib.sha256(raw[:21]).digest()).digest()[:4] == raw[21:]


def is_bech32(value: str) -> bool:
    """Bech32 or Bech32m checksum (BIP 173, BIP 350)."""
    human, _, data = value.lower().rpartition("1")
    values = [ord(c) >> 5 for c in human] + [0] + [ord(c) & 31 for c in human] + [_BECH32.find(c) for c in data]
    if -1 in values:
        return False
    checksum = 1
    for item in values:
        top = checksum >> 25
        checksum = (checksum & 0x1FFFFFF) << 5 ^ item
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            checksum ^= generator if top >> bit & 1 else 0
    return checksum in (1, 0x2BC830A3)
