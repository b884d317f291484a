"""Style sheets applied to a page: parts that they hide, show, number and add become attributes and text.

`tinycss2` reads the sheets and `cssselect2` their selectors. All work is bounded; nothing is fetched.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import cssselect2
import tinycss2
from lxml import etree

from quire.models.extract.formats.common.xml import Element, tag_of
from quire.models.extract.formats.flow.counting import alphabetic, roman

MAX_CSS_CHARS: Final = 1_000_000
"""Characters of a page's style sheets that are read."""
MAX_RULES: Final = 2_000
"""Selectors that state something that is used."""
MAX_SELECTOR: Final = 500
"""Characters of one selector."""
MAX_CHECKS: Final = 1_000_000
"""Comparisons of an element with a part of a selector; after so many, the rest of the page keeps no styles."""
MAX_ADDED: Final = 200_000
"""Characters that style sheets add to a page."""
MAX_COUNT: Final = 1_000_000
"""Largest number that a counter is set to, or raised by."""
SCREEN_WIDTH: Final = 1280.0
"""Width in pixels of the screen for which media queries are answered."""
AS_BLOCK: Final = "data-shown-as-block"
"""Attribute of an element that a style sheet makes a block."""
_USED: Final = frozenset(
    ("display", "visibility", "content", "counter-reset", "counter-increment", "list-style", "list-style-type")
)
_SLOW: Final = (":has", "-of-type", "nth-last", " of ")
"""Parts of selectors that look through all elements beside or below each element."""
_INLINE_SHOWN: Final = re.compile(r"(?:^|;)\s*display\s*:\s*(?!none)[a-z-]+", re.IGNORECASE)
_INLINE_HIDDEN: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)[^;]*", re.IGNORECASE)
_INLINE_VISIBILITY: Final = re.compile(r"(?:^|;)\s*visibility\s*:\s*([a-z]+)", re.IGNORECASE)
_WIDTH: Final = re.compile(r"\(\s*(min|max)-(?:device-)?width\s*:\s*(\d*\.?\d+)\s*(px|em|rem)?\s*\)", re.IGNORECASE)
_BLOCK: Final = frozenset(("block", "flex", "grid", "list-item", "flow-root", "table", "table-row", "table-caption"))
_APART: Final = frozenset(("inline-block", "inline-flex", "inline-grid", "inline-table", "table-cell"))
_INLINE: Final = frozenset(("span", "a", "b", "strong", "i", "em", "label", "small", "font", "cite", "code", "time"))
CSS_TABLE: Final = "css-table"
"""Role of an element that a style sheet makes a table."""
_TABLE_ROLES: Final = {"table": CSS_TABLE, "inline-table": CSS_TABLE, "table-row": "row", "table-cell": "cell"}
_NUMBERS: Final = {
    "lower-alpha": "a", "lower-latin": "a", "upper-alpha": "A", "upper-latin": "A", "lower-roman": "i",
    "upper-roman": "I", "decimal": "1", "decimal-leading-zero": "01", "lower-greek": "α", "none": "none",
    "disc": "none", "circle": "none", "square": "none",
}  # fmt: skip

Stated = dict[str, tuple[bool, list[Any]]]
"""Properties with their values, and whether each is important."""


class _TooMuch(Exception):
    """The page and its style sheets need more comparisons than are allowed."""


@dataclass(slots=True)
class _Budget:
    checks: int = MAX_CHECKS
    added: int = MAX_ADDED

    def spend(self, checks: int) -> None:
        self.checks -= checks
        if self.checks < 0:
            raise _TooMuch


class _Node(cssselect2.ElementWrapper):  # type: ignore[misc]
    """An element as selectors see it; looking at others costs from the budget."""

    budget: _Budget

    @property
    def ancestors(self) -> Iterator["_Node"]:
        node = self.parent
        while node is not None:
            self.budget.spend(1)
            yield node
            node = node.parent

    @property
    def previous_siblings(self) -> Iterator["_Node"]:
        node = self.previous
        while node is not None:
            self.budget.spend(1)
            yield node
            node = node.previous


class _Selectors(cssselect2.Matcher):  # type: ignore[misc]
    """The selectors of a page; each comparison costs from the element's budget."""

    def add_relevant_selectors(self, element: _Node, selectors: list[Any], relevant_selectors: list[Any]) -> None:
        element.budget.spend(len(selectors))
        super().add_relevant_selectors(element, selectors, relevant_selectors)


@dataclass(slots=True)
class _Cascade:
    """The state of a walk through a page: its rules, open counters, and the work that may still be done."""

    rules: _Selectors
    budget: _Budget
    counters: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def count(self, stated: Stated, depth: int) -> None:
        """Set and raise the counters that an element states; end the counters of deeper elements.

        As in browsers, a counter of an earlier sibling counts only where no outer one has its name.
        """
        for name, opened in list(self.counters.items()):
            while opened and opened[-1][0] > depth - (len(opened) > 1):
                opened.pop()
            if not opened:
                del self.counters[name]
        for name, value in _read_counters(stated.get("counter-reset"), 0):
            opened = self.counters.setdefault(name, [])
            if opened and opened[-1][0] == depth:
                opened.pop()
            opened.append((depth, value))
        for name, step in _read_counters(stated.get("counter-increment"), 1):
            opened = self.counters.setdefault(name, [(depth, 0)])
            opened[-1] = (opened[-1][0], opened[-1][1] + step)

    def content_of(self, stated: Stated, node: Element, depth: int) -> str:
        """Count what the text before or after an element states, and return that text."""
        if not stated:
            return ""
        self.count(stated, depth)
        is_hidden = _word(stated, "display") == "none" or _word(stated, "visibility") == "hidden"
        if "content" not in stated or is_hidden or self.budget.added < 0:
            return ""
        out = ""
        for token in stated["content"][1]:
            if token.type == "literal" and token.value == "/":
                break  # what follows is for speech
            if token.type == "string":
                out += token.value
            elif token.type == "function":
                out += self._of_function(token, node)
            elif token.type == "ident":
                out += {"open-quote": "“", "close-quote": "”"}.get(token.lower_value, "")
        out = "".join(sign for sign in out if not "\ue000" <= sign <= "\uf8ff")
        self.budget.added -= len(out)
        return out if self.budget.added >= 0 else ""

    def _of_function(self, token: Any, node: Element) -> str:
        parts = [part for part in token.arguments if part.type in ("ident", "string")]
        if not parts:
            return ""
        if token.lower_name == "attr":
            return node.get(parts[0].value.lower()) or ""
        if token.lower_name not in ("counter", "counters"):
            return ""
        values = [value for _, value in self.counters.get(parts[0].value, [(0, 0)])]
        style = parts[-1].lower_value if len(parts) > 1 and parts[-1].type == "ident" else "decimal"
        if token.lower_name == "counter":
            return write_number(values[-1], _NUMBERS.get(style, "1"))
        between = parts[1].value if len(parts) > 1 else "."
        return str(between).join(write_number(value, _NUMBERS.get(style, "1")) for value in values)


def write_number(number: int, style: str) -> str:
    """Return a number as a list of that style writes it: `a`, `A`, `i`, `I`, `01`, `α`, `none`, else digits."""
    match style:
        case "a" | "A":
            text = alphabetic(number)
        case "i" | "I":
            text = roman(number)
        case "01":
            text = f"{number:02d}"
        case "α":
            text = "αβγδεζηθικλμνξοπρστυφχψω"[number - 1] if 1 <= number <= 24 else str(number)
        case "none":
            text = ""
        case _:
            text = str(number)
    return text.upper() if style in ("A", "I") else text


def apply_styles(root: Element) -> None:
    """Change a page or the template of a shadow root in place to what its style sheets show.

    Hidden elements get `hidden`, lists their kind of number as `type`, elements that are blocks or tables `AS_BLOCK` or
    a role, and text that the sheets add becomes text of the page.
    """
    rules = _read_rules(root)
    if rules is None:
        return
    budget = _Budget()
    top = _Node.from_html_root(root)
    top.budget = budget
    try:
        _walk(_Cascade(rules, budget), top, depth=0, hidden=False, numbers="")
    except _TooMuch:
        return


def _walk(page: _Cascade, node: _Node, *, depth: int, hidden: bool, numbers: str) -> None:
    element = node.etree_element
    own, before, after = _match(page.rules, node)
    display = _apply_display(element, own)
    if element.get("hidden") is not None:
        return
    page.count(own, depth)
    numbers = _apply_numbers(element, own, numbers)
    children = [child for child in element if isinstance(child.tag, str)]
    inner_hidden = _visibility_of(element, own, hidden)
    first, previous = page.content_of(before, element, depth + 1), None
    for index, child in enumerate(children):
        if child.tag in ("template", "style", "script", "head"):
            continue
        previous = _Node(child, parent=node, index=index, previous=previous, in_html_document=True)
        previous.budget = page.budget
        _walk(page, previous, depth=depth + 1, hidden=inner_hidden, numbers=numbers)
        if display in ("flex", "grid", "inline-flex", "inline-grid"):
            child.tail = f" {child.tail or ''}"
    last = page.content_of(after, element, depth + 1)
    if inner_hidden:
        _hide_texts(element, children)
    element.text = first + (_apart(before) if first else "") + (element.text or "")
    if last:
        _append(element, _apart(after) + last)


def _append(element: Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _apart(stated: Stated) -> str:
    return " " if _word(stated, "display") in _BLOCK | _APART else ""


def _apply_display(element: Element, own: Stated) -> str:
    """Mark an element by its `display`, which is returned; the inline style wins over rules without `!important`."""
    display, style = _word(own, "display"), element.get("style") or ""
    if not display or (not own["display"][0] and "display" in style.lower() and _INLINE_SHOWN.search(style)):
        return ""
    if display == "none":
        element.set("hidden", "")
        return display
    element.attrib.pop("hidden", None)
    if own["display"][0] and style:
        element.set("style", _INLINE_HIDDEN.sub("", style))
    if display in _TABLE_ROLES and element.tag in ("div", "span", "section", "p") and not element.get("role"):
        element.set("role", _TABLE_ROLES[display])
    if tag_of(element) in _INLINE or "-" in tag_of(element):
        if display in _BLOCK:
            element.set(AS_BLOCK, "")
        elif display in _APART:
            element.tail = f" {element.tail or ''}"
    return display


def _apply_numbers(element: Element, own: Stated, inherited: str) -> str:
    """Give a list the kind of number that is stated for it or around it; return what its content inherits."""
    for name in ("list-style-type", "list-style"):
        for token in own[name][1] if name in own else ():
            if token.type == "ident" and token.lower_value in _NUMBERS:
                inherited = _NUMBERS[token.lower_value]
    if element.tag == "ol":
        if inherited and ("list-style" in own or "list-style-type" in own):
            element.set("type", inherited)
        elif inherited and not element.get("type"):
            inherited = ""  # the browser states decimal numbers for each list
    if element.tag == "li" and inherited and ("list-style" in own or "list-style-type" in own):
        parent = element.getparent()
        if parent is not None and parent.tag == "ol":
            parent.set("type", inherited)
    return inherited


def _visibility_of(element: Element, own: Stated, hidden: bool) -> bool:
    visibility = _word(own, "visibility")
    style = element.get("style") or ""
    if "visibility" in style and (match := _INLINE_VISIBILITY.search(style)):
        visibility = match[1].lower()
    return hidden if not visibility or visibility == "inherit" else visibility in ("hidden", "collapse")


def _hide_texts(element: Element, children: list[Element]) -> None:
    """Hide the texts directly in an element; an element without children is hidden."""
    if not children:
        element.set("hidden", "")
        return
    element.set("style", _INLINE_HIDDEN.sub("", element.get("style") or ""))
    for child in children:
        if child.tail and child.tail.strip():
            kept = etree.Element("span", hidden="")
            kept.text, child.tail = child.tail, None
            child.addnext(kept)
    if element.text and element.text.strip():
        kept = etree.Element("span", hidden="")
        kept.text, element.text = element.text, None
        element.insert(0, kept)


def _match(rules: _Selectors, node: _Node) -> tuple[Stated, Stated, Stated]:
    """Return what is stated for an element, and for the text before and after it."""
    found: dict[str | None, Stated] = {None: {}, "before": {}, "after": {}}
    for _, _, pseudo, stated in rules.match(node):
        target = found.get(pseudo)
        if target is None:
            continue
        for name, (important, value) in stated.items():
            if name not in target or important or not target[name][0]:
                target[name] = important, value
    return found[None], found["before"], found["after"]


def _word(stated: Stated, name: str) -> str:
    """Return the first word of a property's value, "" when it is not stated."""
    tokens = stated[name][1] if name in stated else ()
    return next((str(token.lower_value) for token in tokens if token.type == "ident"), "")


def _read_counters(stated: tuple[bool, list[Any]] | None, otherwise: int) -> Iterator[tuple[str, int]]:
    tokens = [token for token in stated[1] if token.type in ("ident", "number")] if stated else []
    for token, following in zip(tokens, [*tokens[1:], None], strict=False):
        if token.type == "ident" and token.lower_value != "none":
            is_number = following is not None and following.type == "number"
            yield token.value, int(max(min(following.value, MAX_COUNT), -MAX_COUNT)) if is_number else otherwise


def _read_rules(root: Element) -> _Selectors | None:
    """Return the rules of a page or template, without those of templates inside; None without rules."""
    css = ""
    for node in root.iter("style"):
        is_own = next(node.iterancestors("template"), root) is root
        if is_own and is_for_screen(node.get("media") or "all") and (node.get("type") or "text/css") == "text/css":
            css += (node.text or "").replace("<!--", "").replace("-->", "") + "\n"
    rules, count = _Selectors(), 0
    if not any(name in css for name in ("display", "visibility", "content", "list-style", "DISPLAY")):
        return None
    for prelude, stated in _split(tinycss2.parse_stylesheet(css[:MAX_CSS_CHARS], True, True), 0):
        for selector in _compile(prelude):
            rules.add_selector(selector, stated)
            count += 1
            if count >= MAX_RULES:
                return rules
    return rules if count else None


def _split(parsed: list[Any], depth: int) -> Iterator[tuple[list[Any], Stated]]:
    """Yield the selectors and used declarations of rules; those inside queries that the screen answers are included."""
    for rule in parsed:
        if rule.type == "qualified-rule":
            if stated := _read_declarations(rule.content):
                yield rule.prelude, stated
        elif rule.type == "at-rule" and rule.content is not None and depth < 10 and _is_read(rule):
            yield from _split(tinycss2.parse_rule_list(rule.content, True, True), depth + 1)


def _read_declarations(content: list[Any]) -> Stated:
    if not any(token.type == "ident" and token.lower_value in _USED for token in content):
        return {}
    stated: Stated = {}
    for one in tinycss2.parse_blocks_contents(content, True, True):
        name = one.lower_name if one.type == "declaration" else ""
        if name in _USED and (name not in stated or one.important or not stated[name][0]):
            stated[name] = one.important, one.value
    return stated


def _compile(prelude: list[Any]) -> Iterator[Any]:
    """Yield the selectors of a list that can be compared at a bounded cost."""
    parts: list[list[Any]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    for part in parts:
        try:
            text = tinycss2.serialize(part)
            if len(text) <= MAX_SELECTOR and not any(slow in text for slow in _SLOW):
                yield from cssselect2.compile_selector_list(part)
        except (cssselect2.SelectorError, RecursionError, SyntaxError, MemoryError):
            continue


def _is_read(rule: Any) -> bool:
    if rule.lower_at_keyword == "media":
        return is_for_screen(tinycss2.serialize(rule.prelude))
    return rule.lower_at_keyword in ("supports", "layer", "container")


def is_for_screen(query: str) -> bool:
    """Return whether a screen of `SCREEN_WIDTH` answers one of the queries."""
    return any(_answers(part.strip().lower()) for part in query.split(","))


def _answers(query: str) -> bool:
    if (
        query.startswith(("print", "speech", "not screen", "not all", "only print"))
        or "prefers-color-scheme: dark" in query
    ):
        return False
    for match in _WIDTH.finditer(query):
        pixels = float(match[2]) * (16 if match[3] and match[3] != "px" else 1)
        if (match[1] == "min") != (pixels <= SCREEN_WIDTH):
            return False
    return True
