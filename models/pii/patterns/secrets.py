"""Credentials by their makers' own prefixes and shapes: keys that open something if they leave the house."""

import re

from quire.models.pii.kinds import Kind
from quire.models.pii.patterns.clues import at_text, at_webhooks, at_words
from quire.models.pii.patterns.context import KEY_NAMES, PASSWORD_NAMES
from quire.models.pii.patterns.pattern import Pattern

SECRETS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b((?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16})\b",
        r"\b(gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})\b",
        r"\b(glpat-[A-Za-z0-9_-]{20,})",
        r"\b(xox[abposr]-[A-Za-z0-9-]{10,})",
        r"\b((?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,})\b",
        r"\b(sk-(?:ant-|proj-)?[A-Za-z0-9_-]{20,})",
        r"\b(AIza[A-Za-z0-9_-]{35})\b",
        r"\b(ya29\.[A-Za-z0-9_-]{20,})",
        r"\b(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
        r"\b(npm_[A-Za-z0-9]{36}|pypi-[A-Za-z0-9_-]{40,}|hf_[A-Za-z0-9]{30,})",
        r"\b(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    )
)
SECRET_PREFIXES = at_words(
    rb"(?:akia|asia|aroa|aida|gh[pousr] |github pat |glpat |xox[abposr] |[srp]k |aiza|ya29 |sg |npm |pypi |hf |eyj)"
)
"""Possible starts of `SECRETS`, whole or torn."""

PRIVATE_KEY = re.compile(
    r"(-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]{16,8000}?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|\Z))"
)
_AFTER_SIGN = r"(?:(?<=[:=|>])|(?<=[:=|>] )|(?<=[:=|>][\"'])|(?<=[:=|>] [\"']))"
PASSWORD = re.compile(rf"{_AFTER_SIGN}((?=[^\s,;|\"']{{6}}|[^\s,;|\"']*[0-9])(?!\[REDACTED|[(<])[^\s,;|\"']{{4,}})")
SHORT_PASSWORD = re.compile(rf"{_AFTER_SIGN}([^\W_]{{4,5}})(?=[.,;|)\"'”]?(?:\s*\Z|\s*\n|[,;|]))")
"""Four or five letters after a sign, with nothing behind them in their line."""
SAID_PASSWORD = re.compile(r"(?<![^\s\"'“„«:=|])([^\s,;|\"'“”«»:=]{5,})")
"""A password after a verb, a line end or nothing; only values that are no plain words count."""
PASS = re.compile(r"(?i)(?<![^\W_])pass\s?[:=]\s?[\"']?([^\s,;|\"']{5,})")
"""`pass` alone also means that a test succeeded, so it needs its sign and a value that is no word."""
PASSWORD_PHRASE = re.compile(
    r"(?i)(?<![^\W_])(?:password|passwort|kennwort|passphrase|wachtwoord|contraseña|mot de passe|lösenord|hasło|heslo|пароль)"
    r"[^.\n:=;0-9]{1,40}(?:[:=]| (?:is|ist|lautet|est|es|è|är|er|to|jest|je))[ ]?[\"'“„«]?([^\s,;|\"'“”«»]{5,})"
)
"""A password with some words between its label and the verb."""
KEY_VALUE = re.compile(rf"{_AFTER_SIGN}([A-Za-z0-9+/=_.~!@#$%^&*-]{{8,}})")
LONG_KEY = re.compile(r"(?<![\w/.=~+-])((?=(?:[A-Za-z+/=_~-]{0,32}[0-9]){4})[A-Za-z0-9+/=_~-]{16,256})(?![\w/.-])")
"""A key without a sign before it."""
AUTHORIZATION = re.compile(
    r"(?i)(?<![a-z0-9])(?:authorization[\"']?\s?[:=]\s?[\"']?(?:basic|bearer|token|digest|apikey|negotiate|aws4-hmac-sha256)?|bearer|x-api-key\s?:)"
    r"[ ]?([A-Za-z0-9+/=_.~-]{12,})"
)
WEBHOOK = re.compile(
    r"(?i)(?<![a-z0-9])(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks|[\w-]{1,63}\.webhook\.office\.com/webhookb2)/([\w/@-]{8,})"
)
URL_LOGIN = re.compile(r"(?i)\b[a-z][a-z0-9+]{2,20}://[^\s:/@]{0,64}:([^\s:/@]{3,64})@")
PIN = re.compile(
    r"(?i)(?<![a-z0-9])(?:pin|pin[ _-]?code|puk|tan|cvv2?|cvc2?|otp|pin-nummer|sicherheitscode|security code|security pin)\s?(?:is|ist|[:=#])\s?([0-9]{3,8})(?![0-9])(?!-[0-9])"
)
AUTHORIZATION_WORDS = at_words(b"authorization", b"bearer", b"x api key")


_HINTS = frozenset(
    """
    allows always are benutzername bestätigen bitte blank can change changed char choose click confirm confirmation
    contact contains create default defines describes description eingeben empty encrypted enter erforderlich
    escriba expired facultatif false field geben has hasło hidden holds ihr indicates inserire introduzca
    is ist kennwort leer length login mandatory maximum may mindestens minimum muss must name never nicht none not
    note notes null obbligatorio obligatoire obligatorio obrigatório only opcional opcjonalne optional optioneel
    password passwords passwort patrz pflicht pflichtfeld please podaj press protected remark repeat requerido
    required requis reset returns retype saisir saisissez same see select sets should siehe specifies stores string
    text that the this true type unknown use used user username using value varchar vedi ver vereist vergessen
    verplicht voer voir votre wachtwoord was when where wiederholen will wird with without wpisz wymagane yes your
    zie ändern
    """.split()  # noqa: SIM905 - one word per line would be two hundred lines
)
"""Words that say something of a password."""


def is_no_hint(value: str) -> bool:
    """Return True for a value that is not a word about passwords."""
    return value.strip(".:!?()*_<>[]{}").casefold() not in _HINTS and any(map(str.isalnum, value))


def is_no_word(value: str) -> bool:
    """Return True for a value that is more than a word: it has a figure next to letters, or a sign within."""
    value = value.rstrip(".:!?)")
    figures = any(char.isdigit() for char in value)
    return len(value) >= 5 and figures and any(char.isalpha() for char in value)


def is_key(value: str) -> bool:
    """Return True for a key or token: figures and letters and a length that words do not have."""
    return len(value) >= 6 and is_no_word(value) and not _VERSION.fullmatch(value)


_VERSION = re.compile(r"(?i)v?[0-9]+(?:\.[0-9a-z]+)*|[a-z]+[0-9]")

TORN_SECRET = re.compile(
    r"\b((?:AKIA|ASIA|AROA|AIDA|gh[pousr]_|github_pat_|glpat-|xox[abposr]-|(?:sk|rk|pk)_(?:live|test)_|sk-|AIza|ya29\.|SG\.|npm_|pypi-|hf_|eyJ)"
    r"[A-Za-z0-9_.-]{0,255}[ \n][A-Za-z0-9_.-]{1,255})\b"
)
"""A key with one blank in it, as where a line ended."""


def is_torn_secret(value: str) -> bool:
    """Whole only without its blank."""
    left, *others = value.split()
    return not is_secret(left) and is_secret(left + "".join(others))


def is_secret(value: str) -> bool:
    """One of the shapes, from end to end."""
    return any(pattern.fullmatch(value) for pattern in SECRETS)


SECRET_PATTERNS: tuple[Pattern, ...] = (
    *(Pattern(Kind.SECRET, regex, SECRET_PREFIXES) for regex in SECRETS),
    Pattern(Kind.SECRET, TORN_SECRET, SECRET_PREFIXES, is_torn_secret),
    Pattern(Kind.SECRET, PRIVATE_KEY, at_text("-----BEGIN")),
    Pattern(Kind.SECRET, PASSWORD, PASSWORD_NAMES.starts, is_no_hint, PASSWORD_NAMES, is_close=True),
    Pattern(
        Kind.SECRET, SHORT_PASSWORD, PASSWORD_NAMES.starts, is_no_hint, PASSWORD_NAMES, is_close=True, is_whole=True
    ),
    Pattern(
        Kind.SECRET, SAID_PASSWORD, PASSWORD_NAMES.starts, is_no_word, PASSWORD_NAMES, is_close=True, is_whole=True
    ),
    Pattern(Kind.SECRET, PASS, at_words(b"pass"), is_no_word),
    Pattern(
        Kind.SECRET,
        PASSWORD_PHRASE,
        at_words(b"pass", b"kennwort", b"wachtwoord", b"contrase", b"mot de passe", b"l senord", b"has o", b"heslo"),
        is_no_word,
    ),
    Pattern(Kind.SECRET, KEY_VALUE, KEY_NAMES.starts, is_key, KEY_NAMES, is_close=True),
    Pattern(Kind.SECRET, LONG_KEY, KEY_NAMES.starts, is_key, KEY_NAMES, is_close=True),
    Pattern(Kind.SECRET, AUTHORIZATION, AUTHORIZATION_WORDS),
    Pattern(Kind.SECRET, WEBHOOK, at_webhooks),
    Pattern(Kind.SECRET, URL_LOGIN, at_text("://", back=21)),
    Pattern(Kind.SECRET, PIN, at_words(b"pin", b"puk", b"tan", b"cvv", b"cvc", b"otp", b"sicherheitsc", b"security c")),
)
