"""Rich text: what its groups show, without those that describe."""

import re
from dataclasses import dataclass, replace
from typing import Final

from models.cdom.coverage import Unseen
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
_STATES: Final = frozenset(("uc", "v", "deleted", "plain", "shptxt", "footnote", "ud", "nonesttables"))
"""Words that say what becomes of the text behind them, wherever in a group they stand."""
_TOKEN: Final = re.compile(
    rb"([{}])|\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([^\\{}\r\n]+)|\\"
)
_TOKEN_OF_SILENT: Final = re.compile(
    rb"([{}])|\\(?:(uc|v|deleted|plain|shptxt|footnote|ud|nonesttables|bin)(?![a-zA-Z])(-?\d{1,10})? ?|[\\{}])"
)
"""What matters in groups that show nothing: where they end, and whether something inside shows after all."""
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
    scan = _Scan(data)
    at = 0
    while at < len(data):
        at = scan.pass_silent(at) if scan.group.silent else scan.read(at)
    return scan.stated


class _Scan:
    """Follows the groups of a file from a place to the next where another way of reading begins."""

    def __init__(self, data: bytes) -> None:
        self.stated, self.group = StatedText(), _Group()
        self._data, self._stack = data, list[_Group]()
        self._skip = 0
        self._first = False  # the next word says what the group is

    def read(self, at: int) -> int:
        """To the end of the file, of binary data, or to where a silent group begins."""
        for found in _TOKEN.finditer(self._data, at):
            match found.lastindex:
                case 6:
                    self._say(found[6].decode("latin-1"))
                case 2 | 3:
                    if found[2] == b"bin":
                        return found.end() + max(0, int(found[3] or 0))
                    self._take_word(found[2].decode(), int(found[3]) if found[3] else None)
                case 1:
                    self._take_brace(found[1])
                case 4:
                    self._say(bytes([int(found[4], 16)]).decode("latin-1"), byte=True)
                case 5:
                    self._take_symbol(found[5].decode("latin-1"))
            if self.group.silent:
                return found.end()
        return len(self._data)

    def pass_silent(self, at: int) -> int:
        """To where something is shown again."""
        for found in _TOKEN_OF_SILENT.finditer(self._data, at):
            if found[1]:
                self._take_brace(found[1])
            elif found[2] == b"bin":
                return found.end() + max(0, int(found[3] or 0))
            elif found[2]:
                self.group = _enter(self.group, found[2].decode(), int(found[3]) if found[3] else None, first=False)
            if not self.group.silent:
                return found.end()
        return len(self._data)

    def _take_brace(self, brace: bytes) -> None:
        self._skip = 0
        if brace == b"{":
            if len(self._stack) < _MOST_DEPTH:
                self._stack.append(self.group)
            self._first = True
        else:
            self.group = self._stack.pop() if self._stack else _Group()

    def _take_word(self, word: str, value: int | None) -> None:
        if self._first or word in _STATES:
            self.group = _enter(self.group, word, value, first=self._first)
            self._first = False
        if word == "u":
            number = (value or 0) % 65536
            self._skip = self.group.fallback
            _put(self.stated, self.group, "" if 0xD800 <= number < 0xE000 else chr(number), formed=True)
        elif word in _SIGNS:
            _put(self.stated, self.group, _SIGNS[word], formed=True)

    def _take_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self.group = replace(self.group, silent=True)
            return
        _put(self.stated, self.group, {"~": "", "_": "-", "-": ""}.get(symbol, symbol), formed=True)
        self._first = False

    def _say(self, text: str, *, byte: bool = False) -> None:
        if self._skip:
            text, self._skip = text[self._skip :], max(0, self._skip - len(text))
        _put(self.stated, self.group, text, formed=byte or not text.isascii())
        self._first = False


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
