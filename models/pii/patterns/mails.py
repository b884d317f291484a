"""Mail addresses: as they are written, torn by a line's end, spelt out against robots, with blanks between letters."""

import re

from quire.models.pii.kinds import Kind
from quire.models.pii.patterns import clues as starts
from quire.models.pii.patterns.pattern import Pattern

TLD = (
    r"(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|pro|app|dev|online|site|shop|store|cloud|tech|xyz|email"
    r"|museum|travel|jobs|example|test|invalid|local)"
)
HOST = r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.)+"
_MAIL_END = rf"{HOST}[^\W\d_]{{2,24}})(?![\w@-])"
_MAIL_BEGIN = r"(?i)(?<![\w.%+-])("
_AT = r"(?: ?[\[({<] ?(?:at|a|arroba|chiocciola|@|ät) ?[\])}>] ?|[*_~|]at[*_~|]|%(?:25)?40)"
_DOT = r"(?:\.| ?[\[({<] ?(?:dot|punkt|point|punto|ponto|\.) ?[\])}>] ?)"
"""Spelt out in brackets, so that no program reads the address; people do."""
_WHOLE = re.compile(rf"[\w.%+-]{{1,64}}@{HOST}[^\W\d_]{{2,24}}")
_TORN_LOCAL = (
    r"(?i)(?<![\w.%+@-])((?:(?!\S+\.(?:com|org|net|edu|gov|info)[ \n])[^\W\d_][\w%+-]{0,30}"
    r"(?:[._+][\w%+.-]{0,30}[\w%+-]|[_+])[ \n]|[\w.%+-]{1,62}-\n)"
)
"""The first half of an address that is broken before its @: a plain word there could be any word of the sentence, so it
must have a point, underscore or plus in it and be no host, or end a line with a hyphen."""


def _is_spaced(value: str) -> bool:
    """Letters set one by one, with blanks that the setting left between them."""
    return _WHOLE.fullmatch(value.replace(" ", "")) is not None


MAILS: tuple[Pattern, ...] = (
    Pattern(Kind.EMAIL, re.compile(rf"{_MAIL_BEGIN}[\w.%+'&=~/-]{{1,64}}@{_MAIL_END}"), starts.before_at),
    Pattern(
        Kind.EMAIL,
        re.compile(rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}}(?:[ \n]@[ \n]?|@[ \n]){_MAIL_END}"),
        starts.before_at,
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(
            rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}}@(?:(?:[\w-]{{1,63}}\.){{1,4}}(?!{TLD}[ \n]))?[\w-]{{0,63}}[ \n](?:[\w-]{{0,63}}\.){{1,4}}{TLD})(?![\w@-])"
        ),
        starts.before_at,
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}}@{HOST}\n{TLD})(?![\w@-]|\.\w)"),
        starts.before_at,
    ),
    Pattern(Kind.EMAIL, re.compile(rf"{_TORN_LOCAL}[\w.%+-]{{1,64}}@{_MAIL_END}"), starts.before_at),
    Pattern(
        Kind.EMAIL,
        re.compile(
            rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}} ?@ ?[^\W_][\w-]{{0,62}}(?: ?\. ?[\w-]{{1,63}}){{0,4}}? ?\. ?{TLD})(?![\w@-])"
        ),
        starts.before_at,
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(rf"(?i)(\{{[\w.%+-]{{1,64}}(?:[,;|] ?[\w.%+-]{{1,64}}){{1,12}}\}} ?@ ?{_MAIL_END}"),
        starts.at_text("{"),
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(
            r"(?i)(?<![\w.%+/:@-])((?!(?:precision|recall|ndcg|hits?|pass|acc|mrr|map|top|success|bleu|rank)@)"
            r"[^\W\d_][\w.%+-]{1,62}[^\W_]@[^\W\d_](?=[\w-]*[^\W\d_]{2})[\w-]{2,62})(?![\w@/(:]|\.\w)"
        ),
        starts.before_at,
        is_whole=True,
    ),
    Pattern(Kind.EMAIL, re.compile(rf'(?i)("[^"\n@]{{1,64}}"@{_MAIL_END}'), starts.at_quoted),
    Pattern(
        Kind.EMAIL,
        re.compile(
            rf"{_MAIL_BEGIN}[\w%+-]{{1,64}}(?:{_DOT}[\w%+-]{{1,64}}){{0,4}}{_AT}[\w-]{{1,63}}(?:{_DOT}[\w-]{{1,63}}){{0,4}}?{_DOT}"
            r"[^\W\d_]{2,24})(?![\w@-])"
        ),
        starts.before_spelled_at,
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(
            rf"{_MAIL_BEGIN}[\w.%+-]{{1,64}} at [\w-]{{1,63}}(?: dot [\w-]{{1,63}}){{0,3}}? dot {TLD})(?![\w@])",
        ),
        starts.before_spelled_at,
    ),
    Pattern(
        Kind.EMAIL,
        re.compile(r"(?<!\S)((?:[\w.%+-]{1,2} ){2,64}[\w.%+-]{0,2} ?@ ?[\w.-]{1,2}(?: [\w.-]{1,2}){3,80})(?!\S)"),
        starts.before_at,
        _is_spaced,
    ),
)
