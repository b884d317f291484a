"""Values that only the word next to them identifies: bank accounts, phones in short forms, devices, vehicles, wallets."""

import re

from stdnum import luhn

from models.pii.kinds import Kind
from models.pii.patterns import clues as starts
from models.pii.patterns import numbers
from models.pii.patterns.context import ACCOUNT, CARD, DEVICE, PASSPORT, PHONE, SEED, VEHICLE, WALLET
from models.pii.patterns.pattern import Pattern

_NOT_FIGURE = re.compile(r"[^0-9]")
_DATE = re.compile(
    r"(?<![0-9.])(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:19|20)?[0-9]{2}|(?:19|20)[0-9]{2}[./-][0-9]{1,2}[./-][0-9]{1,2})(?![0-9.])"
)
_MONTH_YEAR = re.compile(r"[0-9]{2}/(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}/[0-9]{2,4}")
_SPOKEN = (
    r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine"
    r"|null|eins|zwo|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zéro|deux|trois|quatre|cinq|sept|huit|neuf"
    r"|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)"
)
_SPOKEN_ORDER = re.compile(
    r"(?i)(?:one\W+two\W+three\W+four|eins\W+zwei\W+drei\W+vier|uno\W+dos\W+tres|deux\W+trois\W+quatre)"
)


def is_dialled(value: str) -> bool:
    """Return True for seven to fifteen digits, or six in groups, that are no date."""
    digits = _NOT_FIGURE.sub("", value)
    if _DATE.search(value) or len(set(digits)) == 1:
        return False
    return 7 <= len(digits) <= 15 or (
        len(digits) == 6 and re.fullmatch(r"[0-9]{2,3}(?:[ .-][0-9]{2,3}){1,2}", value) is not None
    )


def is_account(value: str) -> bool:
    """Return True for six to twenty digits that are no date."""
    return (
        6 <= len(_NOT_FIGURE.sub("", value)) <= 20
        and _DATE.search(value) is None
        and _MONTH_YEAR.fullmatch(value) is None
    )


def is_imei(value: str) -> bool:
    """Return True for an equipment number of 14 to 16 digits."""
    digits = _NOT_FIGURE.sub("", value)
    return len(digits) in (14, 16) or (len(digits) == 15 and bool(luhn.is_valid(digits)))


def is_mixed(value: str) -> bool:
    """Return True for a value with letters and figures."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


LABELLED: tuple[Pattern, ...] = (
    Pattern(
        Kind.PHONE,
        re.compile(
            r"(?<![\w.,])((?:\+|00)?\(?[0-9]{1,5}\)?(?:[ ]?[./-]?[ ]?\(?[0-9]{1,8}\)?){0,8})(?![\w]|[.,][0-9]|[ ]?[%€$£])"
        ),
        PHONE.starts,
        is_dialled,
        PHONE,
        is_close=True,
    ),
    Pattern(
        Kind.PHONE,
        re.compile(
            r"(?i)(?:\bwa\.me/|whatsapp\.com/send/?\?phone=|\b(?:tel|sms|callto|sip):)(\+?[0-9][0-9-]{6,17})(?![\w])"
        ),
        starts.at_words(b"wa me", b"whatsapp com", b"tel", b"sms", b"callto", b"sip"),
    ),
    Pattern(Kind.PHONE, re.compile(r"(?<!\w)(\[[0-9]{3}\][ -]?[0-9]{3}[ .-]?[0-9]{4})(?!\w)"), starts.at_text("[")),
    Pattern(
        Kind.PHONE,
        re.compile(rf"(?i)(?<!\w)((?:{_SPOKEN}[ ,-]{{1,3}}){{6,14}}{_SPOKEN})(?!\w)"),
        starts.at_words(
            rb"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|null|eins|zw|drei|vier|f nf|sechs|sieben|acht|neu|z ro|deux|trois|quatre|cinq|sept|huit|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho)[a-z]*[ ]{1,3}[a-z]"
        ),
        lambda value: _SPOKEN_ORDER.search(value) is None,
    ),
    Pattern(
        Kind.CREDIT_CARD,
        re.compile(r"(?<![0-9])([0-9](?:[ \n./_|·•,:-]{0,3}[0-9]){12,18})(?![0-9])"),
        CARD.starts,
        numbers.is_card,
        CARD,
    ),
    Pattern(
        Kind.BANK_ACCOUNT,
        re.compile(
            r"(?i)(?<![A-Z0-9])((?:[A-Z]{2,4}[- ]?)?[0-9]{1,20}(?:[ ]?[./-]?[ ]?[0-9]{1,12}){0,7})(?![A-Z0-9]|[.,][0-9]|[ ]?[%€$£])"
        ),
        ACCOUNT.starts,
        is_account,
        ACCOUNT,
        is_close=True,
    ),
    Pattern(
        Kind.PASSPORT,
        re.compile(
            r"(?i)(?<![A-Z0-9])((?:[A-Z0-9] ){6,9}[A-Z0-9]|[0-9]{2} ?[0-9]{2} ?(?:№ ?|No ?)?[0-9]{6}|[0-9]{2} [0-9]{7}|[A-Z]{1,3} ?[0-9]{5,8})(?![A-Z0-9])"
        ),
        PASSPORT.starts,
        lambda value: sum(char.isdigit() for char in value) >= 5,
        PASSPORT,
    ),
    Pattern(
        Kind.NATIONAL_ID,
        re.compile(r"(?<![0-9])([0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{6}[ -]?[0-9]{0,2})(?![0-9])"),
        DEVICE.starts,
        is_imei,
        DEVICE,
    ),
    Pattern(
        Kind.PLATE,
        re.compile(r"(?i)(?<![A-Z0-9])((?=[A-Z0-9 -]*[0-9])[A-HJ-NPR-Z0-9](?:[ -]?[A-HJ-NPR-Z0-9]){16})(?![A-Z0-9])"),
        VEHICLE.starts,
        is_mixed,
        VEHICLE,
    ),
    Pattern(
        Kind.PLATE,
        re.compile(r"(?i)(?<!\w)((?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2})(?![\w:-])"),
        starts.at_shape(rb"[0Aa]{2}[:-](?=(?:[0Aa]{2}[:-]){4}[0Aa]{2})"),
        is_mixed,
    ),
    Pattern(
        Kind.CRYPTO_WALLET,
        re.compile(r"(?<![A-Za-z0-9])([1-9A-HJ-NP-Za-km-z]{26,108})(?![A-Za-z0-9])"),
        WALLET.starts,
        is_mixed,
        WALLET,
    ),
    Pattern(
        Kind.SECRET,
        re.compile(r"(?<!\w)((?:[a-z]{3,8}[ \n,]{1,2}){11,23}[a-z]{3,8})(?!\w)"),
        SEED.starts,
        None,
        SEED,
        is_close=True,
    ),
)
