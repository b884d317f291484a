"""Exact boxes of flagged values on a page, for drawing on its picture.

They are found in the page's glyphs on request, because the tree stores only boxes of blocks and cells.
"""

from collections.abc import Sequence
from typing import Any

from starlette.responses import Response

from quire.models.cdom.geometry import Bbox
from quire.models.cdom.ports import PageMark
from quire.models.pii.marks import FlagMark, mark_flags, place_flags
from quire.serve_apps.access.operations import Operations
from quire.serve_apps.access.scopes import DOCUMENT, READ
from quire.serve_apps.api.context.deps import Call, CallDep, DocumentIdDep, JobIdDep
from quire.serve_apps.api.shapes.bodies import Body
from quire.serve_apps.api.shapes.rendering import json_response
from quire.storage.jobs.documents import PublishedTree, locate_original, locate_tree
from quire.storage.values.errors import NotFound
from quire.storage.values.rows import DocumentId, JobId

router = Operations("review")
LEAST_DPI = 36
"""Dots per inch of the unused picture that comes with the boxes: the minimum for a page."""
DECIMALS = 2
"""Hundredths of a point: finer than any screen."""


class FlagBoxes(Body):
    """A flagged value on a page. `boxes` are in points, one per line.

    If `exact`, they enclose the value, otherwise its cell or block. The list is empty for text without a known place.
    """

    block_id: str
    flag: str
    place: str
    exact: bool
    boxes: list[tuple[float, float, float, float]]


@router.operation(f"GET {DOCUMENT}/pages/{{page}}/flags", "list_flag_boxes", READ, list[FlagBoxes])
async def read_flag_boxes(job_id: JobIdDep, document_id: DocumentIdDep, page: int, call: CallDep) -> Response:
    """List the boxes of the flagged values on a page, in reading order; empty for a page without any."""
    where = await call.running.sql.run(locate_tree, call.store.db, call.scope, job_id, document_id)
    marks = await call.running.disk.run(_find_marks, call, where, document_id, page)
    page_marks = [mark.mark for mark in marks if mark.mark is not None]
    found_boxes = await _look_up(call, job_id, document_id, page, page_marks) if page_marks else []
    return json_response([_render(mark, boxes) for mark, boxes in place_flags(marks, found_boxes)])


def _find_marks(call: Call, where: PublishedTree, document_id: DocumentId, page: int) -> list[FlagMark]:
    """Return the flagged values of a page. Blocks.

    Raises:
        NotFound: The page does not exist.
    """
    tree = call.running.trees.get(call.store, document_id, where.attempt)
    if all(sheet.number != page for sheet in tree.pages):
        raise NotFound("no such page")
    return mark_flags(tree, page)


async def _look_up(
    call: Call, job_id: JobId, document_id: DocumentId, page: int, marks: Sequence[PageMark]
) -> Sequence[Sequence[Bbox]]:
    """Return the exact boxes; empty without page drawing or a stored original, so the tree's boxes are used."""
    port = call.running.resources.ports.render_page
    if port is None:
        return []
    try:
        original = await call.running.sql.run(locate_original, call.store, call.scope, job_id, document_id)
        async with call.running.drawing.entered():
            image = await port.render_page(original.sha256, page, LEAST_DPI, original.options.password, marks=marks)
    except NotFound:
        return []
    return image.boxes


def _render(mark: FlagMark, boxes: list[Bbox]) -> dict[str, Any]:
    shown = boxes or ([mark.within] if mark.within is not None else [])
    return {
        "block_id": mark.flag.block_id,
        "flag": mark.flag.flag,
        "place": mark.flag.place,
        "exact": bool(boxes),
        "boxes": [[round(coordinate, DECIMALS) for coordinate in box] for box in shown],
    }
