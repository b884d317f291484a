"""Tagged PDFs made object by object: elements of a structure tree, each with its text."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from quire.models.cdom.tree import Tree
from quire.models.extract.formats.pdf.engine import pymupdf
from tests.models.extract.formats.pdf.paper import read_tree

HEIGHT = 600


@dataclass
class Words:
    """One line of text; `y` counts from the top of the page."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False


@dataclass
class Element:
    """A structure element with what it holds."""

    role: str
    inside: Sequence["Element | Words"] = field(default_factory=list)


def make_tagged(elements: Sequence[Element], *, loose: Sequence[Words] = (), reverse: bool = False) -> bytes:
    """A page of tagged text; `loose` stands outside every element, `reverse` turns the author's order around."""
    file = pymupdf.open()
    page = file.new_page(width=420, height=HEIGHT)
    page.insert_text((0, -50), "x", fontname="helv")
    page.insert_text((0, -50), "x", fontname="hebo")
    root, kids_of_page = file.get_new_xref(), []
    numbers, drawn = count(), []

    def place(words: Words) -> str:
        shown = words.text.replace("(", r"\(").replace(")", r"\)")
        at = f"{words.x} {HEIGHT - words.y} Td ({shown}) Tj ET"
        return f"BT /{'hebo' if words.bold else 'helv'} {words.size} Tf {at}"

    def write(element: Element, parent: int) -> int:
        own = int(file.get_new_xref())
        kids = []
        for child in element.inside:
            if isinstance(child, Words):
                number = next(numbers)
                drawn.append(f"/{element.role} <</MCID {number}>> BDC {place(child)} EMC")
                kids_of_page.append(own)
                kids.append(str(number))
            else:
                kids.append(f"{write(child, own)} 0 R")
        entries = f"/Type/StructElem/S/{element.role}/P {parent} 0 R/Pg {page.xref} 0 R/K[{' '.join(kids)}]"
        file.update_object(own, f"<<{entries}>>")
        return own

    tops = [write(element, root) for element in elements]
    tops = tops[::-1] if reverse else tops
    tree = f"<</Nums[0[{' '.join(f'{xref} 0 R' for xref in kids_of_page)}]]>>"
    file.update_object(
        root, f"<</Type/StructTreeRoot/K[{' '.join(f'{xref} 0 R' for xref in tops)}]/ParentTree {tree}>>"
    )
    catalog: Any = file.pdf_catalog()
    file.xref_set_key(catalog, "StructTreeRoot", f"{root} 0 R")
    file.xref_set_key(catalog, "MarkInfo", "<</Marked true>>")
    file.xref_set_key(page.xref, "StructParents", "0")
    drawn = drawn[::-1] if reverse else drawn
    content = "\n".join(drawn + [place(words) for words in loose])
    file.update_stream(page.get_contents()[0], content.encode())
    for more in page.get_contents()[1:]:
        file.update_stream(more, b" ")
    return bytes(file.tobytes())


def read_tagged(elements: Sequence[Element], **how: Any) -> Tree:
    return read_tree(make_tagged(elements, **how))
