"""Fine-tune records of the caller's own form: a JSON object whose texts are Jinja templates.

A template may insert values, choose between texts and use a few filters. It cannot loop, call or compute, so a record
takes no longer than its texts.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from jinja2 import StrictUndefined, Template, TemplateError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

NAMES = frozenset({"text", "heading", "section", "pages", "document"})
"""Values of a record: the chunk's text, its last heading, all headings joined by ` > `, page numbers, document id."""
_SAMPLE = {"text": "Text.", "heading": "Heading", "section": "Heading", "pages": [1, 1], "document": "doc_1"}
FILTERS = frozenset({"upper", "lower", "title", "capitalize", "trim", "length", "first", "last", "join", "default"})
MAX_TEMPLATE_CHARS = 4_000  # characters of the JSON; a record repeats its text at most 500 times
_ALLOWED = (
    nodes.Template, nodes.Output, nodes.TemplateData, nodes.Name, nodes.Const, nodes.Filter, nodes.Keyword, nodes.If,
    nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.Not, nodes.And, nodes.Or, nodes.EvalContextModifier,
)  # fmt: skip
_ENVIRONMENT = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False, cache_size=0)
Form: TypeAlias = dict[str, Any]
"""An object like the record, with a compiled template in place of each text."""


class InvalidTemplate(ValueError):
    """The template is no JSON object of texts, or uses more than insertion, choice and the listed filters."""

    code = "invalid-template"


def check_template(text: str) -> None:
    """Raise `InvalidTemplate` if records cannot be written in this form."""
    fill_template(text, _SAMPLE)  # types are wrong in every record or in none


@lru_cache(maxsize=64)
def read_template(text: str) -> Form:
    """Return the compiled form. Raises `InvalidTemplate`."""
    if len(text) > MAX_TEMPLATE_CHARS:
        raise InvalidTemplate(f"the template has more than {MAX_TEMPLATE_CHARS} characters")
    try:
        form = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidTemplate("the template is not JSON") from None
    if not isinstance(form, dict) or not form:
        raise InvalidTemplate("the template is not a JSON object with members")
    compiled: Form = _compile(form)
    return compiled


@lru_cache(maxsize=64)
def needs_heading(text: str) -> bool:
    """Return whether records in this form need the heading of a chunk."""
    return any(name in text for name in ("heading", "section"))


def fill_template(text: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record with these `NAMES`. Raises `InvalidTemplate`."""
    try:
        record: dict[str, Any] = _fill(read_template(text), values)
    except (TemplateError, TypeError, ValueError) as error:
        raise InvalidTemplate(str(error)) from None
    return record


def _compile(part: Any) -> Any:
    match part:
        case str():
            return _compile_text(part)
        case dict():
            return {name: _compile(value) for name, value in part.items()}
        case list():
            return [_compile(value) for value in part]
        case _:
            return part


def _compile_text(text: str) -> Template:
    try:
        tree = _ENVIRONMENT.parse(text)
        for node in [tree, *tree.find_all(nodes.Node)]:
            if not isinstance(node, _ALLOWED):
                raise InvalidTemplate(f"templates have no {type(node).__name__.lower()}")
            if isinstance(node, nodes.Name) and node.name not in NAMES:
                raise InvalidTemplate(f"{node.name}: expected one of {', '.join(sorted(NAMES))}")
            if isinstance(node, nodes.Filter) and node.name not in FILTERS:
                raise InvalidTemplate(f"{node.name}: the filters are {', '.join(sorted(FILTERS))}")
        return _ENVIRONMENT.from_string(text)
    except (TemplateError, RecursionError) as error:
        raise InvalidTemplate(str(error)) from None


def _fill(part: Any, values: Mapping[str, Any]) -> Any:
    match part:
        case Template():
            return part.render(values)
        case dict():
            return {name: _fill(value, values) for name, value in part.items()}
        case list():
            return [_fill(value, values) for value in part]
        case _:
            return part
