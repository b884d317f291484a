"""Rich text: what its groups show, without those that describe."""

from dataclasses import dataclass, replace
from typing import Final

from models.cdom.coverage import Unseen
from models.extract.readers.rtf.tokens import read_tokens
from models.extract.readers.stated.text import NOT_SHOWN, StatedText

_SILENT: Final = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "objdata", "objclass", "objname", "fldinst", "themedata",
    "colorschememapping", "datastore", "latentstyles", "listtable", "listoverridetable", "rsidtbl", "generator",
    "xmlnstbl", "mmathPr", "filetbl", "revtbl", "bkmkstart", "bkmkend", "operator", "author", "title", "subject",
    "keywords", "comment", "doccomm", "company", "category", "manager", "hlinkbase", "creatim", "revtim",
    "printim", "buptim", "userprops", "template", "passwordhash", "pgptbl", "protusertbl", "datafield",
    "formfield", "blipuid", "sp", "sn", "sv", "wgrffmtfilter", "atnid", "atnauthor", "atnref", "atntime",
    "atndate", "atnparent", "atnicn", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "xe", "tc", "rxe", "txe",
    "listtext", "pntext", "pntxta", "pntxtb", "nonshppict", "xmlopen", "xmlattrname", "xmlattrvalue", "xmlclose",
    "factoidname", "listname", "falt", "panose",
))  # fmt: skip
_RUNNING: Final = frozenset(
    ["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "annotation"]
)
_SIGNS: Final = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
_MOST_DEPTH: Final = 10_000
"""Groups inside groups that are told apart; deeper ones are taken for the last of them."""


@dataclass(frozen=True, slots=True)
class _Group:
    """`fallback`: characters after a \\u that old readers show."""

    silent: bool = False
    running: bool = False
    hidden: bool = False
    deleted: bool = False
    fallback: int = 1


def state_rtf(data: bytes) -> StatedText:
    """Letters outside ASCII stand in code pages: they may be in the tree in another form."""
    stated, stack, group = StatedText(), list[_Group](), _Group()
    skip = 0
    first = False  # the next word says what the group is
    for token in read_tokens(data):
        if token.kind == "open":
            if len(stack) < _MOST_DEPTH:
                stack.append(group)
            first, skip = True, 0
        elif token.kind == "close":
            group, skip = stack.pop() if stack else _Group(), 0
        elif token.kind == "word":
            group = _enter(group, token.word, token.value, first=first)
            if token.word == "u":
                number = (token.value or 0) % 65536
                skip = group.fallback
                _put(stated, group, "" if 0xD800 <= number < 0xE000 else chr(number), formed=True)
            elif token.word in _SIGNS:
                _put(stated, group, _SIGNS[token.word], formed=True)
            first = False
        elif token.kind == "symbol":
            if token.word == "*":
                group = replace(group, silent=True)
                continue
            _put(stated, group, {"~": "", "_": "-", "-": ""}.get(token.word, token.word), formed=True)
            first = False
        else:
            text = token.data.decode("latin-1")
            text, skip = text[skip:], max(0, skip - len(text))
            _put(stated, group, text, formed=not text.isascii() or token.kind == "byte")
            first = False
    return stated


def _enter(group: _Group, word: str, value: int | None, *, first: bool) -> _Group:
    match word:
        case "uc":
            return replace(group, fallback=max(0, min(value if value is not None else 1, 100)))
        case "v":
            return replace(group, hidden=value != 0)
        case "deleted":
            return replace(group, deleted=value != 0)
        case "plain":
            return replace(group, hidden=False, deleted=False)
        case "shptxt" | "footnote" | "ud":
            return replace(group, silent=False)
        case "nonesttables":
            return replace(group, running=True)
        case _ if first and word in _SILENT:
            return replace(group, silent=True)
        case _ if first and word in _RUNNING:
            return replace(group, running=True)
        case _:
            return group


def _put(stated: StatedText, group: _Group, text: str, *, formed: bool) -> None:
    if group.silent or not text:
        return
    if group.deleted:
        stated.exclude(Unseen.DELETED.value, text)
    elif group.hidden:
        stated.allow(Unseen.INVISIBLE.value, text)
    elif group.running:
        stated.allow(NOT_SHOWN, text)
    elif formed:
        stated.formed.append(text)
    else:
        stated.text.append(text)
