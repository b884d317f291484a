"""RST: docutils reads it, without including files, and its tree becomes HTML with the lines of each block."""

import re
from html import escape
from importlib import import_module
from textwrap import dedent
from typing import Any, Final

from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser, directives

from quire.models.cdom.original import Format, ReadOptions
from quire.models.cdom.tree import Metadata
from quire.models.extract.formats.flow.document import FlowDocument
from quire.models.rare_formats.markup.writing import Converted, formula, listing, open_markup, plain

for _name in ("admonitions", "body", "images", "misc", "parts", "references", "tables"):
    import_module(f"{directives.__name__}.{_name}")  # a sandboxed child can import no more

MAX_INSIDE: Final = 2000
"""Directives of other programs (Sphinx) whose content is read."""
_SETTINGS: Final = {
    "report_level": 5, "halt_level": 6, "file_insertion_enabled": False, "raw_enabled": False,
    "syntax_highlight": "none", "warning_stream": False, "line_length_limit": 1_000_000, "_disable_config": True,
}  # fmt: skip
_TAGS: Final = {
    "paragraph": "p", "emphasis": "em", "strong": "strong", "literal": "code", "bullet_list": "ul", "list_item": "li",
    "definition_list": "dl", "term": "dt", "definition": "dd", "block_quote": "blockquote", "superscript": "sup",
    "subscript": "sub", "title_reference": "cite", "row": "tr", "caption": "figcaption", "line": "div",
    "line_block": "div", "option_list_item": "p", "table": "table", "attribution": "p", "rubric": "p", "figure": "div",
    "legend": "div", "sidebar": "div", "topic": "div", "subtitle": "h2",
}  # fmt: skip
_NOTICES: Final = frozenset(
    ("note", "tip", "warning", "caution", "danger", "error", "hint", "important", "attention", "admonition")
)
_SILENT: Final = frozenset(
    ("comment", "substitution_definition", "target", "colspec", "pending", "raw", "generated", "system_message")
)
_FACTS: Final = {"author": "author", "authors": "author", "date": "created"}
_ROLE: Final = re.compile(r":[\w:.+-]{1,60}:`[~!]?([^`]{1,1000}?)(?:\s*<([^<>`]{1,1000})>)?`")
_DIRECTIVE: Final = re.compile(r"\.\.[ ]+([\w:.+-]{1,60})::[ \t]*(.*)")
_OPTION: Final = re.compile(r"\s*:[\w-]{1,60}:(?:\s|$)")
_CODE: Final = frozenset(("code", "code-block", "sourcecode", "literalinclude", "highlight"))
_NOT_SHOWN: Final = frozenset(
    ("include", "raw", "literalinclude", "csv-table", "index", "highlight", "module", "currentmodule", "tabularcolumns")
)
"""Directives whose content is elsewhere, or which only steer a program."""


def open_rst(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the text in `data`.

    Raises:
        ResourceLimit: The text is too long.
    """
    return open_markup(data, options, Format.RST, lambda text: _Rst().convert(text))


def _parse(text: str) -> Any:
    settings: Any = frontend.get_default_settings(Parser)
    for name, value in _SETTINGS.items():
        setattr(settings, name, value)
    document = utils.new_document("text", settings)
    Parser().parse(text, document)
    return document


class _Rst:
    """The tree of one text, as HTML."""

    def __init__(self) -> None:
        self._facts: dict[str, str] = {}
        self._notes: list[str] = []
        self._words: dict[str, Any] = {}
        self._inside = 0

    def convert(self, text: str) -> Converted:
        """Return the HTML and the metadata."""
        html = self._read_text(text, 1, 0)
        title = re.search(r"<h1[^<>]*>(.*?)</h1>", html)
        metadata = Metadata(
            title=plain(title[1]) if title else None,
            author=self._facts.get("author"),
            created=self._facts.get("created"),
        )
        return html + "".join(self._notes), metadata

    def _read_text(self, text: str, level: int, shift: int) -> str:
        document = _parse(text)
        for node in document.findall(nodes.substitution_definition):
            self._words.update(dict.fromkeys(node["names"], node))
        return self._children(document, level, shift)

    def _children(self, node: Any, level: int, shift: int) -> str:
        return "".join(self._show(child, level, shift) for child in node.children)

    def _show(self, node: Any, level: int, shift: int) -> str:  # noqa: C901 - one branch for each kind of node
        name = type(node).__name__
        if name == "Text":
            return escape(str(node), quote=False)
        where = f'data-lines="line {node.line + shift}"' if node.line else ""
        if (tag := _TAGS.get(name)) is not None:
            return f"<{tag} {where}>{self._children(node, level, shift)}</{tag}>"
        match name:
            case "system_message":
                return self._read_foreign(node, level, shift)
            case "section":
                return self._children(node, level + 1, shift)
            case "title":
                if type(node.parent).__name__ == "table":
                    return f"<caption>{self._children(node, level, shift)}</caption>"
                tag = f"h{max(1, min(level - 1, 6))}" if type(node.parent).__name__ == "section" else "p"
                return f"<{tag} {where}>{self._children(node, level, shift)}</{tag}>"
            case "enumerated_list":
                style = {"loweralpha": "a", "upperalpha": "A", "lowerroman": "i", "upperroman": "I"}
                kind = style.get(node.get("enumtype", ""), "1")
                return f'<ol type="{kind}" start="{node.get("start", 1)}">{self._children(node, level, shift)}</ol>'
            case "entry":
                tag = "th" if type(node.parent.parent).__name__ == "thead" else "td"
                spans = f'rowspan="{node.get("morerows", 0) + 1}" colspan="{node.get("morecols", 0) + 1}"'
                return f"<{tag} {spans}>{self._children(node, level, shift)}</{tag}>"
            case "field":
                return self._read_field(node, level, shift)
            case "transition":
                return "<hr>"
            case "option_group" | "description":
                return f"{self._children(node, level, shift)} "
            case "literal_block" | "doctest_block":
                language = next((word for word in node.get("classes", ()) if word != "code"), "")
                return listing(node.astext(), language, where)
            case "math_block":
                return f"<div {where}>{formula(node.astext(), is_block=True)}</div>"
            case "footnote" | "citation":
                label, *rest = node.children
                note = f"{escape(label.astext())} {self._beside(rest, level, shift)}"
                self._notes.append(f"<p {where}>{note}</p>")
                return ""
        if name in _NOTICES:
            title = f"<strong>{name.capitalize()}</strong> " if name != "admonition" else ""
            return f"<blockquote {where}><p>{title}{self._beside(node.children, level, shift)}</blockquote>"
        return "" if name in _SILENT else self._show_inline(node, name, level, shift)

    def _show_inline(self, node: Any, name: str, level: int, shift: int) -> str:
        match name:
            case "math":
                return formula(node.astext())
            case "reference":
                href = escape(node.get("refuri", ""))
                words = self._children(node, level, shift)
                return f'<a href="{href}">{words}</a>' if href else words
            case "image":
                return f'<img src="{escape(node.get("uri", ""))}" alt="{escape(node.get("alt", ""))}">'
            case "footnote_reference" | "citation_reference":
                return f"<sup>{self._children(node, level, shift)}</sup>"
            case "substitution_reference":
                known = self._words.pop(node["refname"], None)  # out while it is shown: it may name itself
                if known is None:
                    return self._children(node, level, shift)
                shown = self._children(known, level, shift)
                self._words[node["refname"]] = known
                return shown
            case "problematic":
                role = _ROLE.fullmatch(node.astext())
                return escape(role[1] if role else node.astext(), quote=False)
        return self._children(node, level, shift)

    def _read_field(self, node: Any, level: int, shift: int) -> str:
        label, body = node.children[0].astext(), node.children[1]
        if (fact := _FACTS.get(label.lower())) is not None:
            self._facts.setdefault(fact, body.astext()[:1000])
        return (
            f"<p><strong>{escape(label)}</strong>: {self._beside(body.children, level, shift)}</p>"
            if body.children
            else ""
        )

    def _beside(self, children: list[Any], level: int, shift: int) -> str:
        """Return blocks; the first one follows a label on its line."""
        first, *rest = [*children, nodes.comment()]
        show = self._children if isinstance(first, nodes.paragraph) else self._show
        shown = show(first, level, shift)
        return shown + "".join(self._show(child, level, shift) for child in rest)

    def _read_foreign(self, message: Any, level: int, shift: int) -> str:
        """Return the content of a directive that docutils does not know or does not run."""
        source = next((child.astext() for child in message.children if isinstance(child, nodes.literal_block)), "")
        first, _, rest = source.partition("\n")
        match = _DIRECTIVE.match(first)
        self._inside += 1
        if match is None or self._inside > MAX_INSIDE:
            return ""
        lines = rest.split("\n")
        while lines and _OPTION.match(lines[0]):
            lines.pop(0)
        body, name, line = dedent("\n".join(lines)).strip("\n"), match[1], (message.get("line") or 1) + shift
        if name in _CODE and body:
            language = match[2] if re.fullmatch(r"[\w+#-]{1,30}", match[2]) else ""
            return listing(body, language, f'data-lines="line {line}"')
        if name in _NOT_SHOWN or name.startswith("auto"):
            return ""
        title = f"<p>{escape(match[2], quote=False)}</p>" if match[2] else ""
        return title + (self._read_text(body, level, line) if body else "")
