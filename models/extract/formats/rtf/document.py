"""An RTF file: tokens in, a flow file out. Objects, macros and unknown parts are skipped; nothing is run."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from quire.models.cdom.flags import COMMENT
from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.span import Span
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.flow.blocks import BULLET, FlowBlock, StyledRun, join_runs
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, HeldAssets, open_flow
from quire.models.extract.formats.rtf.build import RtfBlocks, is_bullet
from quire.models.extract.formats.rtf.state import RtfParagraph, RtfState
from quire.models.extract.formats.rtf.tables import RtfTables
from quire.models.extract.formats.rtf.tokens import MAX_DEPTH, RtfToken, read_tokens

ENGINE: Final = "rtf"
_TABLES: Final = frozenset(("fonttbl", "stylesheet", "listtable", "listoverridetable"))
_SKIPPED: Final = frozenset(
    (
        "colortbl", "objdata", "themedata", "colorschememapping", "datastore", "latentstyles", "rsidtbl", "generator",
        "xmlnstbl", "wgrffmtfilter", "nonshppict", "objclass", "bkmkstart", "bkmkend", "datafield", "filetbl", "revtbl",
        "pgptbl", "listpicture", "nonesttables", "tc", "xe", "template", "operator", "company", "category", "userprops",
        "upr", "sp", "shprslt",
    )
)  # fmt: skip
_TEXT: Final = {
    "tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“",
    "rdblquote": "”", "bullet": "•", "emspace": " ", "enspace": " ", "~": "\xa0", "_": "‑", "\\": "\\", "{": "{",
    "}": "}",
}  # fmt: skip
_INFO: Final = frozenset(("title", "author", "subject", "keywords", "doccomm", "creatim", "revtim"))
_LINK: Final = re.compile(r"HYPERLINK\s+(?:\\\w\s+)*\"?([^\"\s]+)")
_MACROS: Final = ("DDE", "DDEAUTO")


def open_rtf(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: A table is too large.
    """
    return open_flow(lambda: RtfReader().read(data), options)


class RtfReader:
    """Follows the tokens of one file; the states of open groups are on a bounded stack."""

    def __init__(self) -> None:
        self._tables = RtfTables()
        self._blocks = RtfBlocks(self._tables)
        self._state = RtfState()
        self._stack: list[RtfState] = []
        self._over = 0
        self._paragraph = RtfParagraph()
        self._skip = 0
        self._bytes = b""
        self._link = ""
        self._info: dict[str, str] = {}
        self._hex: list[bytes] = []
        self._picture = ""
        self._apart: list[StyledRun] = []
        self._assets: dict[str, bytes] = {}
        self._warnings: list[str] = []
        self._starred = False

    def read(self, data: bytes) -> FlowFile:
        """Return a flow file of the whole text."""
        tokens = read_tokens(data)
        for token in tokens:
            if token.kind == "word" and token.word in _TABLES:
                self._tables.take(token.word, _collect(tokens))
                self._starred = False
                self._close()
                continue
            self._take_token(token)
        self._end_paragraph()
        self._blocks.end_table()
        return FlowFile(
            format=Format.RTF,
            pages=self._blocks.pages,
            engine=ENGINE,
            reason="rich-text",
            metadata=Metadata(title=self._info.get("title") or None, author=self._info.get("author") or None),
            warnings=tuple(dict.fromkeys(self._warnings)),
            assets=HeldAssets(self._assets),
        )

    def _take_token(self, token: RtfToken) -> None:
        if token.kind == "byte":
            if self._skip:
                self._skip -= 1
            else:
                self._bytes += token.data
            return
        self._flush_bytes()
        match token.kind:
            case "open":
                self._open()
            case "close":
                self._close()
            case "text":
                data = token.data[self._skip :]
                self._skip = max(0, self._skip - len(token.data))
                self._add_bytes(data)
            case "symbol":
                self._starred = token.word == "*"
                self._take_symbol(token.word)
            case _:
                self._take_word(token.word, token.value)

    def _take_symbol(self, symbol: str) -> None:
        """Take a control symbol: at a line end it ends the paragraph; others represent characters."""
        if symbol not in "\r\n":
            self._add_text(_TEXT.get(symbol, ""))
        elif self._state.target == "body" or self._state.target in _APART:
            self._end_paragraph()

    def _open(self) -> None:
        self._skip = 0
        if len(self._stack) >= MAX_DEPTH:
            self._over += 1
            return
        self._stack.append(self._state)
        self._state = replace(self._state)
        self._starred = False

    def _close(self) -> None:
        self._skip = 0
        if self._over:
            self._over -= 1
            return
        ended = self._state
        self._state = self._stack.pop() if self._stack else RtfState()
        if ended.outer is not None and self._state.outer is not ended.outer:
            self._end_paragraph()
            self._blocks.end_table()
            self._paragraph = ended.outer
        if ended.target != self._state.target:
            self._end_target(ended.target)
        if self._link and ended.target == "instruction" and self._state.target != "instruction":
            self._state.href = _find_link(self._link, self._warnings)
            if (ruby := _RUBY.search(self._link)) is not None:
                self._add_text(f"{ruby[2].strip()}({ruby[1].strip()})")
            self._link = ""

    def _end_target(self, target: str) -> None:
        if target == "picture":
            self._add_picture()
        elif target in _APART:
            text, self._apart = join_runs(self._apart)[0], []
            if text and _APART[target] is BlockType.FOOTNOTE:
                flags = (COMMENT,) if target == "comment" else ()
                self._blocks.add_note(FlowBlock(BlockType.FOOTNOTE, text, flags=flags))
            elif text:
                self._blocks.add_running(FlowBlock(_APART[target], text))

    def _take_word(self, word: str, value: int | None) -> None:
        if self._starred and word not in _STARRED and self._state.target != "repeated":
            self._state.target = "nowhere"
        self._starred = False
        state = self._state
        if self._take_group_word(word):
            return
        if word in _TARGETS:
            self._paragraph.old_list = self._paragraph.old_list or word == "pntext"
            state.target = _TARGETS[word]
        elif word in _SKIPPED:
            state.target = "repeated" if word == "shprslt" else "nowhere"
        elif word in _INFO and state.target == "info":
            state.target = f"info {word}"
        elif word in _TEXT:
            self._add_text(_TEXT[word])
        elif word in _LOOKS:
            _LOOKS[word](state, value)
        elif not self._take_character(word, value):
            self._take_structure(word, value)

    def _take_group_word(self, word: str) -> bool:
        """Take a word that begins a nested table row, a Unicode form or a text box; return False for others."""
        state = self._state
        if word == "nesttableprops":
            state.nested_row = True
        elif word == "ud" and len(self._stack) > 1:
            state.target = self._stack[-2].target
        elif word == "shptxt" or (word == "dptxbxtext" and state.target != "repeated"):
            state.target = "body"
            state.outer, self._paragraph = self._paragraph, RtfParagraph()
        else:
            return False
        return True

    def _take_character(self, word: str, value: int | None) -> bool:
        """Take a word for a character, an encoding or an embedded object; return False for others."""
        if word == "u" and value is not None:
            self._add_text(chr(value % 65536) if not 0xD800 <= value % 65536 < 0xE000 else "\ufffd")
            self._skip = self._state.blanks_after_unicode
        elif word == "ansicpg" and value:
            self._tables.codec = f"cp{value}"
        elif word == "mac":
            self._tables.codec = "mac_roman"
        elif word in ("pngblip", "jpegblip"):
            self._picture = "png" if word == "pngblip" else "jpg"
        elif word == "object":
            self._warnings.append("embedded-object")
        else:
            return False
        return True

    def _take_structure(self, word: str, value: int | None) -> None:
        """Take a word that ends a paragraph, cell or row, or describes the paragraph."""
        if self._state.target != "body":
            if self._state.target in _APART:
                self._apart.append(StyledRun(_SEPARATORS.get(word, "")))
            return
        paragraph = self._paragraph
        match word:
            case "par" | "sect":
                self._end_paragraph()
            case "page":
                self._end_paragraph()
                self._blocks.turn()
            case "pard":
                paragraph.reset()
            case "cell" | "nestcell":
                self._end_cell(nested=word == "nestcell")
            case "row" | "nestrow":
                self._blocks.tables.end_row(self._level(nested=word == "nestrow"))
            case "intbl":
                paragraph.in_table = True
            case _ if word in _PARAGRAPH:
                setattr(paragraph, _PARAGRAPH[word], value if value is not None else 0)
            case _:
                self._describe_row(word)

    def _describe_row(self, word: str) -> None:
        if word not in _ROW:
            return
        row = self._blocks.tables.row(self._level(nested=self._state.nested_row))
        match word:
            case "trowd":
                row.merges, row.header, row.pending = [], False, ""
            case "trhdr":
                row.header = True
            case "clmrg" | "clvmrg":
                row.pending = "h" if word == "clmrg" else "v"
            case "cellx":
                row.merges.append(row.pending)
                row.pending = ""

    def _add_bytes(self, data: bytes) -> None:
        if not data:
            return
        if self._state.target == "picture":
            self._hex.append(data)
            return
        self._add_text(_decode(data, self._codec()))

    def _flush_bytes(self) -> None:
        if self._bytes:
            data, self._bytes = self._bytes, b""
            self._add_text(_decode(data, self._codec()))

    def _codec(self) -> str:
        return self._tables.fonts.get(self._state.font, self._tables.codec)

    def _add_text(self, text: str) -> None:
        state = self._state
        if not text or state.deleted:
            return
        match state.target:
            case "body":
                self._paragraph.runs.append(StyledRun(text, state.style()))
            case target if target in _APART:
                self._apart.append(StyledRun(text, state.style()))
            case "list":
                self._paragraph.label += text
            case "instruction":
                self._link += text
            case target if target.startswith("info "):
                self._info[target[5:]] = self._info.get(target[5:], "") + text

    def _end_paragraph(self) -> None:
        if self._state.target in _APART:
            self._apart.append(StyledRun("\n"))
            return
        paragraph = self._paragraph
        if paragraph.in_table:
            self._blocks.tables.add_line(self._level(nested=True), *self._cell_line())
            return
        self._blocks.add_paragraph(paragraph)
        paragraph.runs, paragraph.label = [], ""

    def _level(self, *, nested: bool) -> int:
        """Return the table level of a cell or row: the outermost, or that of the current paragraph."""
        return max(1, self._paragraph.nesting) if nested else 1

    def _cell_line(self) -> tuple[str, tuple[Span, ...]]:
        """Return the text and spans of the paragraph so far as a line of a cell."""
        paragraph = self._paragraph
        label = paragraph.label.strip()
        prefix = "" if not label else BULLET if is_bullet(label) else label + " "
        line = join_runs([run for run in paragraph.runs if not run.style.hidden], prefix=prefix)
        paragraph.runs, paragraph.label = [], ""
        return line

    def _end_cell(self, *, nested: bool) -> None:
        level = max(2, self._paragraph.nesting) if nested else 1
        self._blocks.tables.add_line(level, *self._cell_line())
        self._blocks.tables.end_cell(level)

    def _add_picture(self) -> None:
        digits = re.sub(rb"[^0-9a-fA-F]", b"", b"".join(self._hex))
        self._hex = []
        name = f"picture-{len(self._assets) + 1}.{self._picture}"
        if self._picture and len(digits) > 16:
            self._assets[name] = bytes.fromhex(digits[: len(digits) // 2 * 2].decode())
            self._blocks.add(FlowBlock(BlockType.PICTURE, asset=name))
        self._picture = ""


def _collect(tokens: Iterator[RtfToken]) -> list[RtfToken]:
    """Return the tokens up to the end of the group."""
    depth = 1
    collected: list[RtfToken] = []
    for token in tokens:
        depth += (token.kind == "open") - (token.kind == "close")
        if not depth:
            break
        collected.append(token)
    return collected


def _decode(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec, "replace")
    except LookupError:
        return data.decode("cp1252", "replace")


_RUBY: Final = re.compile(r"\\s\\up ?\d{1,3} ?\(([^()]{1,200})\) ?, ?([^()]{1,200})\)")
"""A field that sets the pronunciation above its base text, which is the second group."""


def _find_link(instruction: str, warnings: list[str]) -> str | None:
    if instruction.strip().startswith(_MACROS):
        warnings.append("external-data")
    match = _LINK.search(instruction)
    return match.group(1) if match else None


_TARGETS: Final = {
    "listtext": "list", "pntext": "list", "fldinst": "instruction", "footnote": "note", "pict": "picture",
    "info": "info", "annotation": "comment", **dict.fromkeys(("header", "headerl", "headerr", "headerf"), "header"),
    **dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "footer"),
}  # fmt: skip
_APART: Final = {
    "note": BlockType.FOOTNOTE, "comment": BlockType.FOOTNOTE, "header": BlockType.PAGE_HEADER,
    "footer": BlockType.PAGE_FOOTER,
}  # fmt: skip
"""Targets whose text is apart from the paragraphs around it, and its type."""
_SEPARATORS: Final = {"par": "\n", "sect": "\n", "row": "\n", "nestrow": "\n", "cell": "\t", "nestcell": "\t"}
"""Ends of paragraphs, cells and rows in text that is apart."""
_STARRED: Final = frozenset(
    ("fldinst", "shppict", "listtable", "listoverridetable", "shpinst", "shptxt", "nesttableprops", "ud", "annotation")
)
_ROW: Final = frozenset(("trowd", "trhdr", "clmrg", "clvmrg", "cellx"))
_PARAGRAPH: Final = {
    "s": "style", "outlinelevel": "outline", "ls": "list_id", "ilvl": "level", "li": "left", "fi": "first",
    "itap": "nesting",
}  # fmt: skip


def _plain(state: RtfState, value: int | None) -> None:
    state.bold = state.italic = state.hidden = state.strike = False
    state.raised = 0


_LOOKS: Final[dict[str, Callable[[RtfState, int | None], None]]] = {
    "b": lambda state, value: setattr(state, "bold", value != 0),
    "super": lambda state, value: setattr(state, "raised", int(value != 0)),
    "sub": lambda state, value: setattr(state, "raised", -int(value != 0)),
    "nosupersub": lambda state, value: setattr(state, "raised", 0),
    "up": lambda state, value: setattr(state, "raised", int(value is None or value > 3)),
    "dn": lambda state, value: setattr(state, "raised", -int(value is None or value > 3)),
    "i": lambda state, value: setattr(state, "italic", value != 0),
    "v": lambda state, value: setattr(state, "hidden", value != 0),
    "strike": lambda state, value: setattr(state, "strike", value != 0),
    "striked": lambda state, value: setattr(state, "strike", value != 0),
    "deleted": lambda state, value: setattr(state, "deleted", value != 0),
    "plain": _plain,
    "f": lambda state, value: setattr(state, "font", value or 0),
    "uc": lambda state, value: setattr(state, "blanks_after_unicode", max(0, min(10, value or 0))),
}
