"""Speaker notes and comments of a slide: their parts in, flagged footnotes out."""

from models.cdom.flags import COMMENT, SPEAKER_NOTES
from models.cdom.tree import BlockType
from models.extract.formats.common.xml import A, Element
from models.extract.formats.flow.blocks import FlowBlock
from models.extract.formats.flow.characters import clean
from models.extract.formats.slides.inherit import placeholder_of
from models.extract.formats.slides.names import P188, P
from models.extract.formats.slides.text import plain_text


def read_notes(root: Element) -> list[FlowBlock]:
    """The notes of a slide, a block for the body of its notes page."""
    texts = []
    for shape in root.iter(P + "sp"):
        placeholder = placeholder_of(shape)
        if placeholder is not None and placeholder.type == "body":
            texts.append(clean(plain_text(shape.find(P + "txBody"))))
    text = "\n".join(text for text in texts if text)
    return [FlowBlock(BlockType.FOOTNOTE, text, flags=(SPEAKER_NOTES,))] if text else []


def read_comments(root: Element) -> list[FlowBlock]:
    """Comments on a slide, old and threaded, in the order of the part."""
    texts = [(node.findtext(P + "text") or "").strip() for node in root.iter(P + "cm")]
    for node in root.iter(P188 + "cm", P188 + "reply"):
        lines = ("".join(t.text or "" for t in line.iter(A + "t")) for line in node.iterfind(f"{P188}txBody/{A}p"))
        texts.append("\n".join(line.strip() for line in lines if line.strip()))
    return [FlowBlock(BlockType.FOOTNOTE, clean(text), flags=(COMMENT,)) for text in texts if text]
