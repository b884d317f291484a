"""Mailboxes in address headers: names, angle brackets, comments, groups and frequent syntax errors."""

import re
from typing import Final

MAX_ADDRESSES: Final = 5_000
"""Addresses of one header: a mailing to more people hides them."""
_TOKEN: Final = re.compile(
    r"\"(?:\\.|[^\"\\])*\"?|<[^<>]*>?|\((?:\\.|[^()\\]|\([^()]*\))*\)?|[,;:]|[^\"<(,;:]+", re.DOTALL
)
_ESCAPED: Final = re.compile(r"\\(.)")


def split_addresses(text: str) -> list[tuple[str, str]]:
    """Return (name, address) of each mailbox; the members of a group are included without its name."""
    mailboxes: list[tuple[str, str]] = []
    words: list[str] = []
    address, comment = "", ""
    for token in [*_TOKEN.findall(text), ","]:
        if len(mailboxes) >= MAX_ADDRESSES:
            break
        match token[0]:
            case "," | ";":
                if address or words:
                    mailboxes.append(_make_pair(words, address, comment))
                words, address, comment = [], "", ""
            case ":":
                words = [] if "@" not in "".join(words) else [*words, ":"]
            case "<":
                address = token.strip("<> \t\r\n") or address
            case "(":
                comment = token.strip("() ")
            case '"':
                words.append(_ESCAPED.sub(r"\1", token[1:].removesuffix('"')))
            case _:
                words.append(token)
    return [pair for pair in mailboxes if pair[1] or pair[0]]


def _make_pair(words: list[str], address: str, comment: str) -> tuple[str, str]:
    text = " ".join("".join(words).split())
    if address:
        return text or comment, address
    if "@" in text and " " not in text:
        return comment, text
    parts = text.split(" ")
    if "@" in parts[-1]:
        return " ".join(parts[:-1]), parts[-1]
    return (text, "") if "@" not in text else ("", text)
