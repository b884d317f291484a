"""Map docling-serve's form fields to engine fields. Fields without a counterpart (pipelines, …) are ignored."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class OutputFormat(StrEnum):
    """Output formats of a conversion."""

    MD = "md"
    HTML = "html"
    TEXT = "text"
    JSON = "json"
    DOCTAGS = "doctags"


LONGEST_BREAK = 100
"""Characters between two pages of Markdown, as the engine takes them."""


class InvalidOption(ValueError):
    """A field has an unacceptable value."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


class TargetNotOffered(InvalidOption):
    """The requested result target does not exist. docling's client reads the reason and then asks for the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    """Options. `fields` are the engine's form fields; `page_break` separates the pages of Markdown."""

    formats: frozenset[OutputFormat]
    fields: dict[str, str]
    zipped: bool
    page_break: str = ""


def read_options(sent: Sequence[tuple[str, str]]) -> ConvertOptions:
    """Read conversion options. Lists are repeated fields, or one field with commas. Raises InvalidOption."""
    values: dict[str, list[str]] = {}
    for name, value in sent:
        values.setdefault(name, []).extend(part.strip() for part in value.split(",") if part.strip())
    try:
        formats = frozenset(OutputFormat(text) for text in values.get("to_formats", [])) or {OutputFormat.MD}
    except ValueError:
        raise InvalidOption("to_formats", f"allowed are {', '.join(OutputFormat)}") from None
    target = values.get("target_type", ["inbody"])[-1]
    if target not in ("inbody", "zip"):  # clients that prefer an address search for these words
        raise TargetNotOffered("target_type", f"{target}: input should be 'inbody' or 'zip'")
    page_break = [value for name, value in sent if name == "md_page_break_placeholder"][-1:]
    if page_break and len(page_break[0]) > LONGEST_BREAK:
        raise InvalidOption("md_page_break_placeholder", f"at most {LONGEST_BREAK} characters")
    return ConvertOptions(
        formats=frozenset(formats), fields=_fields(values), zipped=target == "zip", page_break="".join(page_break)
    )


def _fields(values: dict[str, list[str]]) -> dict[str, str]:
    fields = {}
    if _is_true(values, "force_ocr", default=False):
        fields["ocr"] = "always"
    elif not _is_true(values, "do_ocr", default=True):
        fields["ocr"] = "never"
    if pages := values.get("page_range"):
        if len(pages) != 2 or not all(page.isdecimal() and len(page) < 20 for page in pages):
            raise InvalidOption("page_range", "expected a first and a last page")
        if int(pages[1]) < 1 << 31:  # docling's own default is the largest integer: all pages
            fields["pages"] = f"{pages[0]}-{pages[1]}"
    if password := values.get("document_password"):
        fields["password"] = password[-1]
    return fields


def _is_true(values: dict[str, list[str]], name: str, *, default: bool) -> bool:
    text = values.get(name, [str(default)])[-1].lower()
    if text not in ("true", "false", "1", "0", "yes", "no", "on", "off"):
        raise InvalidOption(name, "expected true or false")
    return text in ("true", "1", "yes", "on")
