"""Credentials by their makers' own prefixes and shapes: keys that open something if they leave the house."""

import re

from models.pii.patterns.clues import at_words

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
PASSWORD = re.compile(
    r"(?i)\b(?:password|passwd|passwort|passphrase|pwd|kennwort|wachtwoord|mot de passe|contraseña|senha|api[ _-]?key|secret[ _-]?key|access[ _-]?token)\s?[:=]"
    r"\s?([^\s,;]{6,})"
)
PASSWORD_WORDS = at_words(
    b"passw",
    b"passphrase",
    b"pwd",
    b"kennwort",
    b"wachtwoord",
    b"senha",
    b"mot de passe",
    b"contrase",
    b"api ?key",
    b"secret ?key",
    b"access ?token",
)

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
