"""Values that only the word next to them identifies: bank accounts, phones in short forms, devices, vehicles, wallets."""

import re

from stdnum import luhn

from quire.models.pii.kinds import Kind
from quire.models.pii.patterns import clues as starts
from quire.models.pii.patterns import numbers
from quire.models.pii.patterns.context import (
    ACCOUNT,
    CARD,
    CARD_DETAIL,
    DEVICE,
    PAPERS,
    PASSPORT,
    PHONE,
    RESIDENCE,
    SEED,
    VEHICLE,
    WALLET,
)
from quire.models.pii.patterns.pattern import Pattern

_NOT_FIGURE = re.compile(r"[^0-9]")
_DATE = re.compile(
    r"(?<![0-9.])(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:19|20)?[0-9]{2}|(?:19|20)[0-9]{2}[./-][0-9]{1,2}[./-][0-9]{1,2})(?![0-9.])"
)
LEAST_PAPER_FIGURES = 5
"""Figures of the shortest number of a paper that its label alone identifies."""
_YEARS = re.compile(r"(?:19|20)[0-9]{2}(?: ?[-/.] ?(?:(?:19|20)?[0-9]{2}))+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_AMOUNT = re.compile(r"[0-9]{1,3}(?:[.,' ]?[0-9]{3}){0,4}[.,][0-9]{2}")
_CAPITAL = re.compile(r"[^\W\d_a-zß-öø-ÿ][^\W\d_]{2}")
_WEB = re.compile(r"(?i)[0-9]\.[0-9]|https?:|www\.|[0-9]\.[0-9]+\.[0-9]+\.[0-9]|0x[0-9a-f]{4}")
_MONTH_YEAR = re.compile(r"[0-9]{2}/(?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}/[0-9]{2,4}")
_SPOKEN = (
    r"(?:zero|oh|nought|one|two|three|four|five|six|seven|eight|nine"
    r"|null|eins|zwo|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zéro|deux|trois|quatre|cinq|sept|huit|neuf"
    r"|cero|uno|dos|tres|cuatro|cinco|seis|siete|ocho|nueve)"
)
_SPOKEN_STARTS = (
    b"zero ", b"oh ", b"nought ", b"one ", b"two ", b"three ", b"four ", b"five ", b"six ", b"seven ", b"eight ", b"nine ", b"null ", b"eins ", b"zwo ",
    b"zwei ", b"drei ", b"vier ", b"f nf ", b"sechs ", b"sieben ", b"acht ", b"neun ", b"z ro ", b"deux ", b"trois ", b"quatre ", b"cinq ", b"sept ",
    b"huit ", b"neuf ", b"cero ", b"uno ", b"dos ", b"tres ", b"cuatro ", b"cinco ", b"seis ", b"siete ", b"ocho ", b"nueve ",
)  # fmt: skip
_SPOKEN_ORDER = re.compile(
    r"(?i)(?:one\W+two\W+three\W+four|eins\W+zwei\W+drei\W+vier|uno\W+dos\W+tres|deux\W+trois\W+quatre)"
)


def is_dialled(value: str) -> bool:
    """Return True for seven to fifteen digits, or six in groups, except dates."""
    digits = _NOT_FIGURE.sub("", value)
    if _DATE.search(value) or _AMOUNT.fullmatch(value) or len(set(digits)) == 1:
        return False
    return 7 <= len(digits) <= 15 or (
        len(digits) == 6 and re.fullmatch(r"[0-9]{2,3}(?:[ .-][0-9]{2,3}){1,2}", value) is not None
    )


def is_account(value: str) -> bool:
    """Return True for four to twenty-eight digits, except dates and years."""
    return (
        4 <= len(_NOT_FIGURE.sub("", value)) <= 28
        and _DATE.search(value) is None
        and _AMOUNT.fullmatch(value) is None
        and _YEARS.search(value) is None
        and _YEAR.fullmatch(value) is None
        and _MONTH_YEAR.fullmatch(value) is None
    )


def is_imei(value: str) -> bool:
    """Return True for an equipment number of 14 to 16 digits."""
    digits = _NOT_FIGURE.sub("", value)
    return len(digits) in (14, 16) or (len(digits) == 15 and bool(luhn.is_valid(digits)))


def is_mixed(value: str) -> bool:
    """Return True for a value with letters and figures."""
    return any(char.isdigit() for char in value) and any(char.isalpha() for char in value)


def is_paper_number(value: str) -> bool:
    """Return True for the number of a paper: five figures, or four next to letters, except dates and years."""
    figures = len(_NOT_FIGURE.sub("", value))
    return (
        figures >= LEAST_PAPER_FIGURES - (value[:1].isalpha() and len(value) > LEAST_PAPER_FIGURES)
        and _DATE.search(value) is None
        and _YEARS.fullmatch(value) is None
    )


def is_residence(value: str) -> bool:
    """Return True for the lines of an address: figures and words with capitals, and no address on the web."""
    return any(char.isdigit() for char in value) and _CAPITAL.search(value) is not None and _WEB.search(value) is None


LABELLED: tuple[Pattern, ...] = (
    Pattern(
        Kind.NATIONAL_ID,
        re.compile(
            r"(?<![A-Za-z0-9])((?:[A-Z]{1,6}[ -]?)?[0-9](?:[A-Z]|[ ./-]{0,2}[0-9]|-[A-Z]){4,22}(?: ?[A-Z]{2} ?[0-9])?\)?)"
            r"(?![A-Za-z0-9]|[.,][0-9]|[ ]?[%€$£])"
        ),
        PAPERS.starts,
        is_paper_number,
        PAPERS,
        is_close=True,
    ),
    Pattern(
        Kind.ADDRESS,
        re.compile(
            r"(?<![\w.@/])((?:[^\W\d_]{1,4}\. )?(?:[^\W_a-zß-öø-ÿ][\w.'’/-]{0,30}(?:,? |,)(?:(?![^\W_a-zß-öø-ÿ])[^\W\d_]{1,5}\.? ?){0,3}){0,14}"
            r"[^\W_a-zß-öø-ÿ][\w'’/-]{0,30})(?![\w@])"
        ),
        RESIDENCE.starts,
        is_residence,
        RESIDENCE,
        is_close=True,
    ),
    Pattern(
        Kind.SECRET,
        re.compile(r"(?<![A-Za-z0-9])([0-9]{3,4})(?![0-9]|[.,/-][0-9])"),
        CARD_DETAIL.starts,
        None,
        CARD_DETAIL,
        is_close=True,
    ),
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
        starts.at_words(*_SPOKEN_STARTS),
        lambda value: _SPOKEN_ORDER.search(value) is None,
    ),
    Pattern(
        Kind.CREDIT_CARD,
        re.compile(r"(?<![A-Za-z0-9])([0-9](?:[ \n./_|·•,:-]{0,3}[0-9]){12,18})(?![0-9])"),
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
        re.compile(r"(?<![A-Za-z0-9])([0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{6}[ -]?[0-9]{0,2})(?![0-9])"),
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
        starts.at_shape(rb"[:-](?=[0Aa]{2}[:-][0Aa]{2}[:-][0Aa]{2}[:-])", back=2),
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
