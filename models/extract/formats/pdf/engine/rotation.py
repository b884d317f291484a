"""Page rotation: MuPDF's text page is unrotated, so its boxes, origins and directions are rotated here."""

from typing import Any

from quire.models.cdom.geometry import Bbox


def turn_box(box: Bbox, matrix: Any) -> Bbox:
    """Return the box after the page's rotation."""
    xs = (box[0] * matrix.a + box[1] * matrix.c + matrix.e, box[2] * matrix.a + box[3] * matrix.c + matrix.e)
    ys = (box[0] * matrix.b + box[1] * matrix.d + matrix.f, box[2] * matrix.b + box[3] * matrix.d + matrix.f)
    return (min(xs), min(ys), max(xs), max(ys))


def turn_blocks(blocks: list[dict[str, Any]], matrix: Any) -> None:
    """Rotate every block of a page dictionary in place (by a multiple of 90 degrees)."""
    for block in blocks:
        block["bbox"] = turn_box(block["bbox"], matrix)
        for line in block.get("lines", ()):
            line["bbox"] = turn_box(line["bbox"], matrix)
            x, y = line["dir"]
            line["dir"] = (x * matrix.a + y * matrix.c, x * matrix.b + y * matrix.d)
            for span in line["spans"]:
                x, y = span["origin"]
                span["origin"] = (x * matrix.a + y * matrix.c + matrix.e, x * matrix.b + y * matrix.d + matrix.f)
