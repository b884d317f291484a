"""A mail as a document of one page: its fields, then its body; attachments become embedded files."""

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from lxml import etree

from quire.models.cdom.flags import QUOTED
from quire.models.cdom.original import Embedded, Format, ReadOptions
from quire.models.cdom.tree import BlockType, Metadata
from quire.models.extract.formats.common.html.browser import prepare
from quire.models.extract.formats.common.html.page import path_maker, read_html
from quire.models.extract.formats.common.html.parse import parse_html
from quire.models.extract.formats.common.html.pictures import PagePictures
from quire.models.extract.formats.common.html.walk import HtmlWalker
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowBlock, FlowPage, InlineMarkup, StyledRun, join_runs
from quire.models.extract.formats.flow.document import FlowDocument, FlowFile, HeldAssets, open_flow
from quire.models.extract.formats.mail.bodies import (
    Contents,
    default_name,
    part_bytes,
    part_name,
    part_text,
    safe_name,
    sort_parts,
)
from quire.models.extract.formats.mail.calendar import read_events
from quire.models.extract.formats.mail.headers import decode_header, parse_addresses, parse_date
from quire.models.extract.formats.mail.mime import MimePart, parse_message

_ORIGINAL: Final = re.compile(
    r"^\s*-{2,}\s*(?:original message|ursprüngliche nachricht|message d'origine|forwarded message)\s*-{2,}\s*$", re.I
)
_MARK: Final = re.compile(r"^\s*>")
_CLASSES: Final = ("gmail_quote", "moz-cite-prefix", "yahoo_quoted", "protonmail_quote")


def read_plain(text: str) -> list[FlowBlock]:
    """Return the paragraphs of a plain body; flag quoted ones and all after a forwarding line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    history = next((index for index, line in enumerate(lines) if _ORIGINAL.match(line)), len(lines))
    kinds = [
        (index, line, "blank" if not line.strip() else ("quoted" if _MARK.match(line) or index >= history else "own"))
        for index, line in enumerate(lines, start=0)
    ]
    blocks: list[FlowBlock] = []
    for kind, group in groupby(kinds, key=lambda numbered: numbered[2]):
        if kind == "blank":
            continue
        part = list(group)
        shown, _ = join_runs([StyledRun("\n".join(line for _, line, _ in part))])
        first, last = part[0][0] + 1, part[-1][0] + 1
        path = f"body line {first}" if first == last else f"body lines {first}-{last}"
        if shown:
            flags = (QUOTED,) if kind == "quoted" else ()
            blocks.append(FlowBlock(BlockType.PARAGRAPH, shown, flags=flags, path=path))
    return blocks


def find_quoted(root: Element, blocks: list[FlowBlock]) -> list[FlowBlock]:
    """Return the blocks whose text is inside a quotation by the mail program."""
    texts: set[str] = set()
    for node in root.iter("blockquote", "div"):
        is_quote = node.tag == "blockquote" and (node.get("type") == "cite" or "quote" in (node.get("class") or ""))
        if is_quote or any(name in (node.get("class") or "") for name in _CLASSES):
            texts.add(" ".join("".join(node.itertext()).split()))
    if not texts:
        return []
    quoted_text = "\n".join(texts)
    return [block for block in blocks if block.text and " ".join(block.text.split()) in quoted_text]


ENGINE: Final = "mime"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A message of any mail format. Addresses are (name, address); `html` and `plain` may be empty.

    `events` are labels and values of the fields of calendar parts.
    """

    subject: str
    sender: list[tuple[str, str]]
    to: list[tuple[str, str]]
    cc: list[tuple[str, str]]
    bcc: list[tuple[str, str]]
    date: str = ""
    created: str | None = None
    plain: str = ""
    html: str = ""
    events: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    attached: tuple[Embedded, ...] = ()


def open_eml(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the message in `data`.

    Raises:
        ExtractError: The message is nested too deep or has too many parts.
    """
    return open_flow(lambda: read_eml(data), options)


def read_eml(data: bytes) -> FlowFile:
    """Return a flow file of a MIME message."""
    message = parse_message(data)
    contents = sort_parts(message)
    pictures = PagePictures(lambda source: _find_inline(contents, source))
    html = "\n".join(part_text(part) for part in contents.html)
    mail = Mail(
        subject=decode_header(message.header("subject")),
        sender=_addresses(message, "from") or _addresses(message, "sender"),
        to=_addresses(message, "to"),
        cc=_addresses(message, "cc"),
        bcc=_addresses(message, "bcc"),
        date=_show_date(message),
        created=parse_date(message.header("date")),
        plain="\n\n".join(part_text(part) for part in contents.plain),
        html=html,
        events=tuple(field for part in contents.calendar for field in read_events(part_text(part))),
        warnings=tuple(contents.warnings),
        attached=tuple(_embed(part) for part in contents.attached),
    )
    return make_mail(mail, Format.EML, pictures)


def make_mail(mail: Mail, format_: Format, pictures: PagePictures) -> FlowFile:
    """Return a flow file of one page from a message."""
    page = FlowPage(blocks=_make_head(mail))
    body = _read_html(mail.html, pictures) if mail.html else []
    if not any(block.text or block.table for block in body if block.type is not BlockType.PICTURE):
        body = [*read_plain(mail.plain), *(block for block in body if block.asset)]
    page.blocks += body
    page.blocks += [_make_field(label, value, path="calendar") for label, value in mail.events]
    return FlowFile(
        format=format_,
        pages=[page],
        engine=ENGINE,
        version=etree.__version__,
        reason="mail",
        metadata=Metadata(
            title=mail.subject[:1000] or None,
            author=", ".join(name or address for name, address in mail.sender)[:1000] or None,
            created=mail.created,
        ),
        warnings=tuple(dict.fromkeys((*mail.warnings, *pictures.warnings))),
        assets=HeldAssets(pictures.held),
        embedded=mail.attached,
    )


def _make_head(mail: Mail) -> list[FlowBlock]:
    blocks: list[FlowBlock] = []
    if subject := join_runs([StyledRun(mail.subject)])[0]:
        blocks.append(_make_field("Subject", subject))
    fields = [("From", mail.sender), ("To", mail.to), ("Cc", mail.cc), ("Bcc", mail.bcc)]
    for name, addresses in fields:
        if shown := ", ".join(_show_address(*mailbox) for mailbox in addresses):
            blocks.append(_make_field(name, shown))
    if mail.date:
        blocks.append(_make_field("Date", mail.date))
    return blocks


def _make_field(name: str, value: str, *, path: str = "header") -> FlowBlock:
    text, spans = join_runs([StyledRun(f"{name}:", InlineMarkup(bold=True)), StyledRun(f" {value}")])
    return FlowBlock(BlockType.KEY_VALUE, text, spans, path=f"{path} {name.lower()}")


def _show_address(name: str, address: str) -> str:
    if not address or name == address:
        return name or address
    return f"{name} <{address}>" if name else address


def _addresses(message: MimePart, name: str) -> list[tuple[str, str]]:
    return parse_addresses([value for key, value in message.headers if key == name])


def _show_date(message: MimePart) -> str:
    """Return the date as `2007-11-18 19:56 +11:00`, or the stated text when it cannot be parsed."""
    stated = parse_date(message.header("date"))
    if stated is None:
        return decode_header(message.header("date"))
    day, _, time = stated.partition("T")
    return f"{day} {time[:5]} {time[8:]}".strip()


def _read_html(html: str, pictures: PagePictures) -> list[FlowBlock]:
    root = parse_html(html)
    if root is None:
        return []
    prepare(root)
    blocks = HtmlWalker(path_maker("body "), pictures.take).read(root)
    for block in find_quoted(root, blocks):
        block.flags = (*block.flags, QUOTED)
    return blocks


def _find_inline(contents: Contents, source: str) -> bytes | None:
    part = contents.inline.get(source[4:] if source[:4].lower() == "cid:" else source)
    return part_bytes(part) if part is not None else None


def _embed(part: MimePart) -> Embedded:
    """Return an attached file; a message without a file name is named after its subject."""
    name = part_name(part)
    data = part_bytes(part)
    if not name and part.kind == "message/rfc822":
        subject = decode_header(parse_message(data[:100_000]).header("subject")) if data else ""
        name = safe_name(f"{subject[:100]}.eml") if subject else ""
    return Embedded(path=f"{part.path}/{name or default_name(part)}", name=name or default_name(part), data=data)


_PAGES: Final = frozenset(("text/html", "application/xhtml+xml"))


def open_mhtml(data: bytes, options: ReadOptions) -> FlowDocument:
    """Open the page in `data`.

    Raises:
        ExtractError: A limit is exceeded.
    """
    return open_flow(lambda: _read(data), options)


def _read(data: bytes) -> FlowFile:
    parts = parse_message(data).walk()
    page = next((part for part in parts if part.kind in _PAGES), None)
    if page is None:
        return replace(read_eml(data), format=Format.MHTML)
    by_location: dict[str, MimePart] = {}
    for part in parts:
        if part.kind.startswith("image/"):
            by_location.update(dict.fromkeys(_names_of(part), part))

    def find(source: str) -> bytes | None:
        return part_bytes(by_location[source]) if source in by_location else None

    frames = {name: part for part in parts if part.kind in _PAGES and part is not page for name in _names_of(part)}

    def frame(source: str) -> str | None:
        return part_text(frames[source]) if source in frames else None

    return read_html(part_text(page), Format.MHTML, PagePictures(find), frame)


def _names_of(part: MimePart) -> tuple[str, str]:
    """Return the address of a part, and the one by which its content id is named."""
    return decode_header(part.header("content-location")), "cid:" + decode_header(part.header("content-id")).strip("<>")
