"""Rich text: what its groups show, without those that describe."""

import re
from dataclasses import dataclass, replace
from typing import Final

from models.cdom.coverage import Unseen
from models.extract.coverage.stated.text import NOT_SHOWN, StatedText

_SILENT: Final = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "objdata", "objclass", "objname", "fldinst", "themedata",
    "colorschememapping", "datastore", "latentstyles", "listtable", "listoverridetable", "rsidtbl", "generator",
    "xmlnstbl", "mmathPr", "filetbl", "revtbl", "bkmkstart", "bkmkend", "operator", "author", "title", "subject",
    "keywords", "comment", "doccomm", "company", "category", "manager", "hlinkbase", "creatim", "revtim",
    "printim", "buptim", "userprops", "template", "passwordhash", "pgptbl", "protusertbl", "datafield",
    "formfield", "blipuid", "sp", "sn", "sv", "wgrffmtfilter", "atnid", "atnauthor", "atnref", "atntime",
    "atndate", "atnparent", "atnicn", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "xe", "tc", "rxe", "txe",
    "listtext", "pntext", "pntxta", "pntxtb", "nonshppict", "xmlopen", "xmlattrname", "xmlattrvalue", "xmlclose",
    "shprslt", "factoidname", "listname", "falt", "panose",
))  # fmt: skip
_RUNNING: Final = frozenset(
    ["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "annotation"]
)
_SIGNS: Final = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
_STATES: Final = frozenset(("uc", "v", "deleted", "plain", "shptxt", "footnote", "ud", "nonesttables"))
"""Words that say what becomes of the text behind them, wherever in a group they stand."""
_SAYING: Final = "|".join((*_STATES, *_SIGNS, "u", "bin")).encode()
_TOKEN: Final = re.compile(
    rb"(\{)(?:[\r\n]{0,9}(\\\*))?(?:[\r\n]{0,9}\\([a-zA-Z]{1,32})(-?\d{1,10})? ?)?|(\})|\\'([0-9a-fA-F]{2})"
    rb"|\\(" + _SAYING + rb")(?![a-zA-Z])(-?\d{1,10})? ?"
    rb"|(?:\\(?!(?:" + _SAYING + rb")(?![a-zA-Z]))[a-zA-Z]{1,32}(?:-?\d{1,10})? ?|[\r\n])+"
    rb"|\\([^a-zA-Z])|([^\\{}\r\n]+)|\\"
)
"""A group's beginning with the word that says what it is, its end, a byte, a word that says something, other words at
once, a sign, text."""
_TOKEN_OF_SILENT: Final = re.compile(
    rb"([{}])|\\(?:(uc|v|deleted|plain|shptxt|footnote|ud|nonesttables|bin)(?![a-zA-Z])(-?\d{1,10})? ?|[\\{}])"
)
"""What matters in groups that show nothing: where they end, and whether something inside shows after all."""
_TEXT, _END = 10, 5
"""Groups of the pattern: text, and the end of a group; those before it are its beginning."""
_TELLING: Final = frozenset(word.encode() for word in (*_SILENT, *_RUNNING, *_STATES, *_SIGNS, "u", "bin"))
"""Words that say something where a group begins."""
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
        self._binary = 0  # bytes to pass

    def read(self, at: int) -> int:
        """To the end of the file, of binary data, or to where a silent group begins."""
        for found in _TOKEN.finditer(self._data, at):
            kind = found.lastindex
            if kind is None:
                continue
            if kind == _TEXT:
                self._say(found[_TEXT])
            elif kind == _END:
                self._close()
            elif kind < _END:
                self._open()
                if found[2] or found[3] in _TELLING:
                    self._begin(found)
            else:
                self._take(found)
            if self.group.silent:
                return found.end(2) if kind < _END and found[2] else found.end()
            if self._binary:
                end, self._binary = found.end() + self._binary, 0
                return end
        return len(self._data)

    def _begin(self, found: re.Match[bytes]) -> None:
        """The first word of a group."""
        if found[2]:
            self.group = replace(self.group, silent=True)
            return
        self.group = _enter(self.group, found[3].decode(), _number(found[4]), first=True)
        self._take_word(found[3], found[4])

    def _take(self, found: re.Match[bytes]) -> None:
        """A word that says something, a byte, a sign."""
        if found[7]:
            self._take_word(found[7], found[8])
        elif found[6]:
            self._say(bytes([int(found[6], 16)]), byte=True)
        else:
            self._take_symbol(found[9].decode("latin-1"))

    def pass_silent(self, at: int) -> int:
        """To where something is shown again."""
        for found in _TOKEN_OF_SILENT.finditer(self._data, at):
            if found[1] == b"{":
                self._open()
            elif found[1]:
                self._close()
            elif found[2] == b"bin":
                return found.end() + max(0, int(found[3] or 0))
            elif found[2]:
                self.group = _enter(self.group, found[2].decode(), _number(found[3]), first=False)
            if not self.group.silent:
                return found.end()
        return len(self._data)

    def _open(self) -> None:
        self._skip = 0
        if len(self._stack) < _MOST_DEPTH:
            self._stack.append(self.group)

    def _close(self) -> None:
        self._skip = 0
        self.group = self._stack.pop() if self._stack else _Group()

    def _take_word(self, word: bytes, number: bytes | None) -> None:
        value = _number(number)
        if word == b"bin":
            self._binary = max(0, value or 0)
        elif word == b"u":
            code = (value or 0) % 65536
            self._skip = self.group.fallback
            _put(self.stated, self.group, "" if 0xD800 <= code < 0xE000 else chr(code), formed=True)
        elif (sign := _SIGNS.get(word.decode())) is not None:
            _put(self.stated, self.group, sign, formed=True)
        else:
            self.group = _enter(self.group, word.decode(), value, first=False)

    def _take_symbol(self, symbol: str) -> None:
        if symbol == "*":
            self.group = replace(self.group, silent=True)
            return
        _put(self.stated, self.group, {"~": "", "_": "-", "-": ""}.get(symbol, symbol), formed=True)

    def _say(self, said: bytes, *, byte: bool = False) -> None:
        if self._skip:
            said, self._skip = said[self._skip :], max(0, self._skip - len(said))
        _put(self.stated, self.group, said.decode("latin-1"), formed=byte or not said.isascii())


def _number(digits: bytes | None) -> int | None:
    return int(digits) if digits else None


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
