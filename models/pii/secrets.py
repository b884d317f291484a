"""Credentials by their makers' own prefixes and shapes: keys that open something if they leave the house."""

import re

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
        r"(-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\S]{16,8000}?(?:-----END (?:[A-Z]+ )*PRIVATE KEY-----|\Z))",
        r"(?i)\b(?:password|passwd|passwort|mot de passe|contraseña|api[ _-]?key|secret[ _-]?key|access[ _-]?token)\s?[:=]\s?([^\s,;]{6,})",
    )
)
