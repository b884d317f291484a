"""View of one document: a page with the boxes of its blocks, and one of the tabs next to it.

The dashboard calls the API in its process, the console a remote engine; both are a `DocumentSource`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from starlette.responses import Response

from quire.models.cdom.original import DRAWN_FORMATS
from quire.models.export import OUTPUTS
from quire.models.export.page_blocks import blocks_of_page, flagged_pages
from quire.models.redaction.redact import REDACTABLE
from quire.serve_apps.viewer.markdown_page import render_markdown
from quire.serve_apps.viewer.sheet import TableSheet, open_table
from quire.serve_apps.viewer.slides import Slide, draw_slide

TABS = {
    "blocks": "Text",
    "tables": "Tables",
    "fields": "Fields",
    "semantics": "Entities",
    "chunks": "Passages",
    "markdown": "Markdown",
    "html": "HTML",
    "details": "Details",
}
FOLLOWING = ("tables", "fields", "chunks")
"""Tabs that show the content of the current page, or of the whole document on request."""
PREVIEW_POLICY = "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; sandbox; frame-ancestors 'self'"
_MARKDOWN, _HTML = OUTPUTS["markdown"].path, OUTPUTS["html"].path
_SHOWN = 1000  # blocks written into a page before it points to the tree


class NoPageToShow(Exception):
    """The document has no page of that number."""


class DocumentSource(Protocol):
    """Source of a document's outputs. Both methods raise errors that the surrounding page handles."""

    async def read_json(self, output: str, *, redacted: bool) -> Any:
        """Return a JSON output of the document."""

    async def read_text(self, output: str, *, redacted: bool) -> str:
        """Return a text output of the document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewPlace:
    """Addresses of a view.

    `address`: the page. `outputs`: prefix of pictures, parts and downloads. `exports`: names of plugins. `pages`:
    further tabs with pages of their own, as address and text. `job`: address of the job's page, `job_name` its name.
    """

    address: str
    outputs: str
    exports: Sequence[str] = ()
    pages: Sequence[tuple[str, str]] = ()
    job: str = ""
    job_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewDownload:
    """A line of the download menu; without a file name the service chooses it."""

    address: str
    text: str
    file_name: str = ""
    for_programs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentView:
    """Content of `viewer.html`. `content` belongs to the tab; `marked` are ids of blocks that the address names.

    `opened` is the block whose table fills the view, and `sheet` its rows.
    """

    address: str
    outputs: str
    document: Mapping[str, Any]
    name: str
    tree: Mapping[str, Any]
    number: int
    numbers: list[int]
    page: Mapping[str, Any] | None
    blocks: list[dict[str, Any]]
    flagged: frozenset[int]
    drawn: bool
    slide: Slide | None
    tab: str
    content: Any
    follows: bool
    redacted: bool
    source: bool
    marked: list[str]
    downloads: list[ViewDownload]
    places: dict[str, int]
    pages: Sequence[tuple[str, str]] = ()
    job: str = ""
    job_name: str = ""
    opened: Mapping[str, Any] | None = None
    sheet: TableSheet | None = None
    tabs: Mapping[str, str] = field(default_factory=lambda: TABS)
    following: tuple[str, ...] = FOLLOWING
    shown: int = _SHOWN

    @property
    def at(self) -> int:
        """Return the index of the page among the pages that were read."""
        return self.numbers.index(self.number) if self.page else 0


async def view_document(
    source: DocumentSource, place: ViewPlace, document: Mapping[str, Any], query: Mapping[str, str]
) -> DocumentView:
    """Return the view that an address requests.

    Raises:
        NoPageToShow: The page does not exist. Errors of the source pass through.
    """
    redacted = bool(query.get("redacted"))
    tree = await source.read_json("tree", redacted=redacted)
    number = _page_number(query.get("page"), tree)
    page = next((page for page in tree["pages"] if page["number"] == number), None)
    blocks = blocks_of_page(tree, number)
    tab = query["tab"] if query.get("tab") in TABS else "blocks"
    content = _tables(tree) if tab == "tables" else await _tab_content(source, tab, redacted=redacted)
    opened = next((block for block in tree["blocks"] if block["table"] and block["id"] == query.get("table")), None)
    follows = tab in FOLLOWING and len(tree["pages"]) > 1 and not query.get("all")
    return DocumentView(
        address=place.address,
        outputs=place.outputs,
        document=document,
        name="Redacted document" if redacted else document["source_file"],
        tree=tree,
        number=number,
        numbers=[page["number"] for page in tree["pages"]],
        page=page,
        blocks=blocks,
        flagged=frozenset(flagged_pages(tree)),
        drawn=has_page_pictures(tree, document),
        slide=draw_slide(tree, page, blocks),
        tab=tab,
        content=of_page(content, number) if follows else content,
        follows=follows,
        redacted=redacted,
        source=query.get("as") == "source",
        marked=(query.get("blocks") or "").split(","),
        downloads=_downloads(place, document["document_id"], tree, redacted=redacted),
        places={block["id"]: block["page"] for block in tree["blocks"]},
        pages=() if redacted else place.pages,
        job="" if redacted else place.job,
        job_name=place.job_name,
        opened=opened,
        sheet=open_table(opened, query) if opened else None,
    )


async def preview_document(source: DocumentSource, query: Mapping[str, str]) -> Response:
    """Return the HTML export or the rendered Markdown, for a frame without script and origin."""
    redacted = bool(query.get("redacted"))
    if query.get("as") == "markdown":
        text = render_markdown(await source.read_text(_MARKDOWN, redacted=redacted))
    else:
        text = await source.read_text(_HTML, redacted=redacted)
    text = text.replace("<main", '<main tabindex="0"', 1)  # a frame without links is scrolled by keyboard too
    return Response(text, 200, {"Content-Security-Policy": PREVIEW_POLICY, "Cache-Control": "no-store"}, "text/html")


def of_page(content: list[dict[str, Any]], page: int) -> list[dict[str, Any]]:
    """Return the chunks or fields on a page, and those without a page."""
    return [item for item in content if (span := _pages_of(item)) is None or span[0] <= page <= span[-1]]


def _downloads(place: ViewPlace, document_id: str, tree: Mapping[str, Any], *, redacted: bool) -> list[ViewDownload]:
    """Return the lines for readers, then those for programs."""
    masked, name = ("?redacted=true", f"{document_id}-redacted") if redacted else ("", document_id)
    downloads = []
    if not redacted or tree["source"]["format"] in REDACTABLE:
        text = "Redacted file" if redacted else "Original file"
        downloads.append(ViewDownload(address=f"{place.outputs}/original{masked}", text=text))
    for for_programs in (False, True):
        downloads += [
            ViewDownload(
                address=f"{place.outputs}/{output.path}{masked}",
                text=output.title,
                file_name=f"{name}.{output.ending}",
                for_programs=for_programs,
            )
            for output in OUTPUTS.values()
            if output.for_programs == for_programs
        ]
        if not for_programs and any(block["table"] for block in tree["blocks"]):
            address = f"{place.outputs}/tables{masked or '?'}{'&' if masked else ''}format=xlsx"
            downloads.append(ViewDownload(address=address, text="Tables (XLSX)", file_name=f"{name}.xlsx"))
    if not redacted:
        file_name = f"{name}.coverage.json"
        address = f"{place.outputs}/coverage"
        text = "Coverage statement (JSON)"
        downloads.append(ViewDownload(address=address, text=text, file_name=file_name, for_programs=True))
    downloads += [
        ViewDownload(address=f"{place.outputs}/export/plugin/{export}{masked}", text=export, for_programs=True)
        for export in place.exports
    ]
    return downloads


def has_page_pictures(tree: Mapping[str, Any], document: Mapping[str, Any]) -> bool:
    """Return whether the service can draw the document's pages: by its format, and from its stored original."""
    return tree["source"]["format"] in DRAWN_FORMATS and bool(tree["pages"]) and document["sha256"] is not None


def _tables(tree: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the table blocks with the pages of their parts."""
    return [
        block | {"pages": sorted({part["page"] for part in block["table"].get("parts") or ()} or {block["page"]})}
        for block in tree["blocks"]
        if block["table"]
    ]


async def _tab_content(source: DocumentSource, tab: str, *, redacted: bool) -> Any:
    if tab not in OUTPUTS or tab == "html":
        return None
    if tab == "markdown":
        return await source.read_text(_MARKDOWN, redacted=redacted)
    output = await source.read_json(OUTPUTS[tab].path, redacted=redacted)
    return _entities(output["objects"]) if tab == "semantics" else output


def _pages_of(item: dict[str, Any]) -> list[int] | None:
    """Return the first and last page of a chunk, or the page of a field's evidence."""
    if "evidence" in item:
        page = item["evidence"].get("page")
        return None if page is None else [page]
    return item["pages"] or None


def _entities(objects: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Group entities by type, in the order of the types' first occurrence."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for item in objects:
        groups.setdefault(item["type"], []).append(item)
    return groups


def _page_number(text: str | None, tree: Mapping[str, Any]) -> int:
    numbers = [page["number"] for page in tree["pages"]]
    if not text:
        return int(numbers[0]) if numbers else 1
    if not text.isdecimal() or int(text) not in numbers:
        raise NoPageToShow("The document has no such page.")
    return int(text)
