"""Pictures of a document: assets that its tree refers to, and whole pages drawn from the original on demand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Path, Query, Request
from starlette.responses import Response

from quire.models.cdom.errors import ExtractError
from quire.models.cdom.original import DRAWN_FORMATS, IMAGE_FORMATS, Format
from quire.models.cdom.ports import PageImage, PageMark, PortUnavailable
from quire.models.cdom.tree import Page, Tree
from quire.models.extract.formats.sniffing.signatures import HEAD_BYTES, sniff
from quire.models.pii.paint import Place, mark_values, paint_page, view_page
from quire.models.pii.redact import Decisions, require_scan
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.context.drawn_pictures import draw_picture, find_picture
from quire.serve_apps.api.documents.published import Redacted
from quire.serve_apps.api.documents.redacting import locate_scanned, read_block_decisions
from quire.serve_apps.api.documents.trees import read_page_sizes
from quire.serve_apps.api.http.etags import answer_cached
from quire.serve_apps.api.http.refusals import NoPageImage, OriginalGone, PictureNotRedactable
from quire.storage.jobs.documents import Original, PublishedTree, locate_original, locate_tree
from quire.storage.objects.artifacts import ASSETS
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, JobId

router = Operations("documents")
MEDIA_TYPES = {format: f"image/{format.value}" for format in IMAGE_FORMATS}
_PICTURE = {200: {"content": {"image/png": {"schema": {"type": "string", "format": "binary"}}}}}
OTHER = "application/octet-stream"
Dpi = Annotated[int, Query(ge=36, le=300)]


@router.operation(
    f"GET {DOCUMENT}/assets/{{asset_path}}",
    "get_asset",
    READ,
    refusals={304: "Unchanged (If-None-Match)."},
    response_class=Response,
    responses=_PICTURE,
)
async def read_asset(
    request: Request,
    job_id: JobIdDep,
    document_id: DocumentIdDep,
    asset_path: Annotated[str, Path(max_length=200)],
    call: CallDep,
    redacted: bool = False,
) -> Response:
    """Return a picture by its asset_ref from the document's list of assets. redacted=true is refused (403)."""
    tree = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)
    if redacted:
        require_scan(await call.running.disk.run(call.running.trees.get, call.store, document_id, tree.attempt))
        raise PictureNotRedactable("pictures are not available redacted; use the page picture")
    name = ASSETS + asset_path
    if name not in tree.manifest:
        return await _read_drawn(request, call, tree, job_id, document_id, asset_path)

    async def read() -> Response:
        data = await call.running.disk.run(call.store.artifacts.read, document_id, tree.attempt, name)
        return _as_download(data)

    return await answer_cached(request, tree.manifest[name]["sha256"], read)


def _as_download(data: bytes) -> Response:
    """Return a download. Only raster pictures get an image type: assets of a Word file may be EMF or SVG."""
    try:
        media_type = MEDIA_TYPES.get(sniff(data), OTHER)
    except ExtractError:
        media_type = OTHER
    return Response(data, media_type=media_type, headers={"Content-Disposition": "attachment"})


async def _read_drawn(
    request: Request, call: Call, where: PublishedTree, job_id: JobId, document_id: DocumentId, asset_ref: str
) -> Response:
    """Return a picture that has no stored file, drawn from the original at its place in the tree.

    Raises:
        NotFound: The tree has no such picture.
        OriginalGone: The store does not have the original any longer.
    """
    tree = await call.running.disk.run(call.running.trees.get, call.store, document_id, where.attempt)
    block = find_picture(tree, asset_ref)
    if where.format != Format.PDF:
        raise NotFound("no such asset")
    key = (document_id, where.attempt, asset_ref)

    async def read() -> Response:
        picture = call.running.drawn.get(key)
        if picture is None:
            try:
                original = await call.running.sql.run(locate_original, call.store, call.scope, job_id, document_id)
                async with call.running.drawing.entered():
                    picture = await draw_picture(call.running.resources.ports.render_page, original, block)
            except NotFound:
                raise OriginalGone("the original is no longer stored") from None
            call.running.drawn.keep(key, picture)
        return _as_download(picture)

    return await answer_cached(request, f"{where.manifest['tree.json']['sha256']}.{asset_ref}", read)


@router.operation(f"GET {DOCUMENT}/pages/{{page}}", "get_page", READ, response_class=Response, responses=_PICTURE)
async def read_page(
    job_id: JobIdDep, document_id: DocumentIdDep, page: int, call: CallDep, redacted: Redacted, dpi: Dpi = 110
) -> Response:
    """Return a page as PNG, drawn in the sandbox; a stand-alone image is returned as sent.

    Headers give the page's size in points. redacted=true: show only text that was read and cleared, on white; drawn
    for each request, without metadata.
    """
    if redacted:
        tree = await locate_scanned(call, job_id, document_id)
    else:
        tree = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)
    sheet = await call.running.disk.run(_find_sheet, call, tree, document_id, page) if redacted else None
    count, (width, height) = await call.running.disk.run(_page_size, call, tree, document_id, page)
    try:
        original = await call.running.sql.run(locate_original, call.store, call.scope, job_id, document_id)
        if tree.format not in DRAWN_FORMATS and not await call.running.disk.run(_can_be_drawn, call, original):
            raise NoPageImage("this format has no page pictures")
        marks = sheet.marks if sheet is not None else {}
        image = await _picture(call, original, page, dpi, tuple(marks.values()), alone=count == 1 and sheet is None)
    except NotFound:
        raise OriginalGone("the original is no longer stored") from None
    if sheet is not None:
        painted = await call.running.disk.run(_paint, image, sheet)
        image = replace(image, png=painted, media_type="image/png")
    headers = {
        "X-Page-Width": f"{width:g}",
        "X-Page-Height": f"{height:g}",
        "X-Page-Count": str(count),
        "Content-Disposition": "inline",
    }
    return Response(image.png, media_type=image.media_type, headers=headers)


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A page to be shown redacted, and the values on it whose exact places are needed."""

    page: Page
    tree: Tree
    decisions: Decisions
    marks: dict[Place, PageMark]


def _find_sheet(call: Call, where: PublishedTree, document_id: DocumentId, number: int) -> _Sheet:
    """Return the page with its marks for redaction. Blocks.

    Raises:
        NotFound: The page does not exist.
        PiiIncomplete: The tree has no finished scan.
    """
    tree = call.running.trees.get(call.store, document_id, where.attempt)
    decisions = read_block_decisions(call.store, document_id, tree)
    marks = mark_values(tree, decisions, number)
    page = next((page for page in tree.pages if page.number == number), None)
    if page is None:
        raise NotFound("no such page")
    return _Sheet(page, tree, decisions, marks)


def _paint(image: PageImage, sheet: _Sheet) -> bytes:
    """Cover the values whose exact places are known, otherwise their whole cell or block. Blocks."""
    exact = dict(zip(sheet.marks, image.boxes, strict=True)) if image.boxes else {}
    return paint_page(image.png, sheet.page, view_page(sheet.tree, sheet.decisions, sheet.page.number, exact))


async def _picture(
    call: Call, original: Original, page: int, dpi: int, marks: Sequence[PageMark], *, alone: bool
) -> PageImage:
    """Return a page picture.

    `alone`: the document has only this page, so an image file is its own picture. Raises `NotFound`, `ExtractError`.
    """
    if alone and original.format in MEDIA_TYPES:
        data = await call.running.disk.run(_read_original, call, original)
        return PageImage(png=data, width=0, height=0, page_count=1, media_type=MEDIA_TYPES[Format(original.format)])
    port = call.running.resources.ports.render_page
    if port is None:
        raise PortUnavailable("render_page", "not part of this deployment")
    async with call.running.drawing.entered():
        return await port.render_page(original.sha256, page, dpi, original.options.password, marks=marks)


def _page_size(call: Call, tree: PublishedTree, document_id: DocumentId, page: int) -> tuple[int, tuple[float, float]]:
    """Return the number of pages and the size of this page in points. Blocks.

    Raises:
        NotFound: The page does not exist.
    """
    sizes = read_page_sizes(call.store, document_id, tree)
    if page not in sizes:
        raise NotFound("no such page")
    return len(sizes), sizes[page]


def _can_be_drawn(call: Call, original: Original) -> bool:
    """Return whether the original's first bytes show a drawable format. Blocks.

    An ingested tree may name any format.
    """
    try:
        with call.store.blobs.open(original.sha256) as file:
            return sniff(file.read(HEAD_BYTES)) in DRAWN_FORMATS
    except ExtractError:
        return False


def _read_original(call: Call, original: Original) -> bytes:
    with call.store.blobs.open(original.sha256) as file:
        return file.read()
