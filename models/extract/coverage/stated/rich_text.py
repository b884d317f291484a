"""Rich text: the text that its groups show, without groups that describe it."""

import re
from dataclasses import dataclass, replace
from typing import Final

from quire.models.cdom.coverage import Unseen
from quire.models.extract.coverage.stated.text import NOT_SHOWN, StatedText

_SILENT: Final = frozenset((
    "fonttbl", "colortbl", "stylesheet", "info", "pict", "objdata", "objclass", "objname", "fldinst", "themedata",
    "colorschememapping", "datastore", "latentstyles", "listtable", "listoverridetable", "rsidtbl", "generator",
    "xmlnstbl", "mmathPr", "filetbl", "revtbl", "bkmkstart", "bkmkend", "operator", "author", "title", "subject",
    "keywords", "comment", "doccomm", "company", "category", "manager", "hlinkbase", "creatim", "revtim",
    "printim", "buptim", "userprops", "template", "passwordhash", "pgptbl", "protusertbl", "datafield",
    "formfield", "blipuid", "sp", "sn", "sv", "wgrffmtfilter", "atnid", "atnauthor", "atnref", "atntime",
    "atndate", "atnparent", "atnicn", "ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "xe", "tc", "rxe", "txe",
    "listtext", "pntext", "pntxta", "pntxtb", "nonshppict", "xmlopen", "xmlattrname", "xmlattrvalue", "xmlclose",
    "shprslt", "upr", "factoidname", "listname", "falt", "panose",
))  # fmt: skip
_RUNNING: Final = frozenset(["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf"])
_SIGNS: Final = {
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
}  # fmt: skip
_STATES: Final = frozenset(
    ("uc", "v", "deleted", "plain", "shptxt", "dptxbxtext", "footnote", "ud", "nonesttables", "annotation")
)
"""Words that change how the text after them is shown, anywhere in a group."""
_SAYING: Final = "|".join((*_STATES, *_SIGNS, "u", "bin")).encode()
_TOKEN: Final = re.compile(
    rb"(\{)(?:[\r\n]{0,9}(\\\*))?(?:[\r\n]{0,9}\\([a-zA-Z]{1,32})(-?\d{1,10})? ?)?|(\})|\\'([0-9a-fA-F]{2})"
    rb"|\\(" + _SAYING + rb")(?![a-zA-Z])(-?\d{1,10})? ?"
    rb"|(?:\\(?!(?:" + _SAYING + rb")(?![a-zA-Z]))[a-zA-Z]{1,32}(?:-?\d{1,10})? ?|[\r\n])+"
    rb"|\\([^a-zA-Z])|([^\\{}\r\n]+)|\\"
)
"""A group's start with its kind, its end, a byte, a word with an effect, other words at once, a sign, text."""
_TOKEN_OF_SILENT: Final = re.compile(
    rb"([{}])|\\(?:(" + b"|".join(word.encode() for word in (*_STATES, "bin")) + rb")"
    rb"(?![a-zA-Z])(-?\d{1,10})? ?|[\\{}])"
)
"""Tokens that matter in silent groups: their ends, and words that make text inside visible again."""
_TEXT, _END = 10, 5
"""Groups of the pattern: text, and the end of a group; earlier ones are its start."""
_TELLING: Final = frozenset(word.encode() for word in (*_SILENT, *_RUNNING, *_STATES, *_SIGNS, "u", "bin"))
"""Words with an effect at the start of a group."""
_MOST_DEPTH: Final = 10_000
"""Nesting depth of groups; deeper ones are treated as the deepest."""


@dataclass(frozen=True, slots=True)
class _Group:
    r"""State of a group; `fallback` is the number of characters after a \u that old readers show instead.

    `repeated`: the group shows a shape again for older programs.
    """

    silent: bool = False
    repeated: bool = False
    running: bool = False
    hidden: bool = False
    deleted: bool = False
    fallback: int = 1


def state_rtf(data: bytes) -> StatedText:
    """Return the text of a rich text file; letters outside ASCII depend on code pages, so their form may differ."""
    scan = _Scan(data)
    offset = 0
    while offset < len(data):
        offset = scan.pass_silent(offset) if scan.group.silent else scan.read(offset)
    return scan.stated


class _Scan:
    """A scan through the groups of a file, which alternates between shown and silent stretches."""

    def __init__(self, data: bytes) -> None:
        self.stated, self.group = StatedText(), _Group()
        self._data, self._stack = data, list[_Group]()
        self._skip = 0
        self._binary = 0  # bytes to skip

    def read(self, offset: int) -> int:
        """Read to the end of the file, past binary data, or to the start of a silent group; return the offset."""
        for match in _TOKEN.finditer(self._data, offset):
            kind = match.lastindex
            if kind is None:
                continue
            if kind == _TEXT:
                self._add_bytes(match[_TEXT])
            elif kind == _END:
                self._close()
            elif kind < _END:
                self._open()
                if match[2] or match[3] in _TELLING:
                    self._enter_group(match)
            else:
                self._take_token(match)
            if self.group.silent:
                return match.end(2) if kind < _END and match[2] else match.end()
            if self._binary:
                end, self._binary = match.end() + self._binary, 0
                return end
        return len(self._data)

    def _enter_group(self, match: re.Match[bytes]) -> None:
        """Apply the first word of a group."""
        if match[2]:
            self.group = replace(self.group, silent=True)
            return
        self.group = _enter(self.group, match[3].decode(), _number(match[4]), first=True)
        self._take_word(match[3], match[4])

    def _take_token(self, match: re.Match[bytes]) -> None:
        """Apply a word with an effect, a byte or a sign."""
        if match[7]:
            self._take_word(match[7], match[8])
        elif match[6]:
            self._add_bytes(bytes([int(match[6], 16)]), byte=True)
        else:
            self._take_symbol(match[9].decode("latin-1"))

    def pass_silent(self, offset: int) -> int:
        """Skip to where text is shown again; return the offset."""
        for match in _TOKEN_OF_SILENT.finditer(self._data, offset):
            if match[1] == b"{":
                self._open()
            elif match[1]:
                self._close()
            elif match[2] == b"bin":
                return match.end() + max(0, int(match[3] or 0))
            elif match[2]:
                self.group = _enter(self.group, match[2].decode(), _number(match[3]), first=False)
            if not self.group.silent:
                return match.end()
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

    def _add_bytes(self, data: bytes, *, byte: bool = False) -> None:
        if self._skip:
            data, self._skip = data[self._skip :], max(0, self._skip - len(data))
        _put(self.stated, self.group, data.decode("latin-1"), formed=byte or not data.isascii())


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
        case "shptxt" | "footnote" | "ud" | "annotation":
            return replace(group, silent=False, running=group.running or word == "annotation")
        case "dptxbxtext":
            return replace(group, silent=group.repeated)
        case "nonesttables":
            return replace(group, running=True)
        case _ if first and word in _SILENT:
            return replace(group, silent=True, repeated=group.repeated or word == "shprslt")
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
