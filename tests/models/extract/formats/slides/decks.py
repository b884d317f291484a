"""Small slide decks for tests, written part by part."""

from tests.models.extract.flow_trees import zipped
from tests.models.extract.formats.sheets.workbooks import R, relations

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
NAMES = f'xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}"'


def shape(*paragraphs: str, kind: str = "", box: tuple[int, int, int, int] | None = None) -> str:
    """A shape; `kind` is a placeholder's type, `box` x, y, width and height in points."""
    holder = f'<p:ph type="{kind}"/>' if kind else ""
    place = ""
    if box is not None:
        x, y, width, height = (side * 12700 for side in box)
        place = f'<a:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></a:xfrm>'
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr id='1' name='x'/><p:cNvSpPr/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>"
        f"<p:spPr>{place}</p:spPr><p:txBody>{''.join(paragraphs)}</p:txBody></p:sp>"
    )


def paragraph(text: str, properties: str = "") -> str:
    return f"<a:p>{properties}<a:r><a:t>{text}</a:t></a:r></a:p>"


def slide(*shapes: str, attributes: str = "") -> str:
    return f"<p:sld {NAMES} {attributes}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def deck(*slides: str, more: dict[str, str | bytes] | None = None) -> bytes:
    """A package of those slides, 720 by 540 points."""
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(slides) + 1))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": (
            f"<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst>"
            '<p:sldSz cx="9144000" cy="6858000"/></p:presentation>'
        ),
        "ppt/_rels/presentation.xml.rels": relations(
            *((f"r{n}", "slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1))
        ),
    }
    parts |= {f"ppt/slides/slide{n}.xml": content for n, content in enumerate(slides, start=1)}
    return zipped(parts | (more or {}))
