"""References inside a file lead to the block that they name, whatever the format, the mark and the place."""

from random import Random

import pytest

from quire.models.cdom.span import Span
from quire.models.cdom.tree import Block, Tree
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import read_tree
from tests.models.extract.formats.opendocument.test_odf import opendocument
from tests.models.extract.formats.word.docx.files import make_docx, table
from tests.models.extract.formats.word.docx.files import row as docx_row

WORDS = ("Lieferung", "Оплата", "支払い", "garantie", "φόρος", "Costs & risks", "عقد")
ODT_ROW = "<table:table><table:table-row><table:table-cell>{}</table:table-cell></table:table-row></table:table>"
PLACES = ("heading", "paragraph", "item", "cell")


def _plan(seed: int) -> tuple[Random, list[tuple[str, str, str]], list[tuple[int, bool]]]:
    """Targets as (place, name, text), and references as (index of the target, in a cell)."""
    random = Random(seed)
    targets = [
        (random.choice(PLACES), f"_Ref{random.randrange(10**6)}{at}", f"{random.choice(WORDS)} {at}") for at in range(5)
    ]
    return random, targets, [(random.randrange(5), random.random() < 0.4) for _ in range(6)]


def _escape(text: str) -> str:
    return text.replace("&", "&amp;")


def _docx(seed: int) -> bytes:
    random, targets, references = _plan(seed)
    parts = []
    for number, (place, name, text) in enumerate(targets):
        run = f'<w:r><w:t xml:space="preserve">{_escape(text)}</w:t></w:r>'
        start, end = f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>', f'<w:bookmarkEnd w:id="{number}"/>'
        marked = random.choice([start + run + end, run + start + end, f"<w:smartTag>{start}{run}</w:smartTag>{end}"])
        level = {"heading": '<w:outlineLvl w:val="0"/>'}.get(place, "")
        made = f"<w:p><w:pPr>{level}</w:pPr>{marked}</w:p>"
        if random.random() < 0.3 and place != "cell":
            made = f"{start}<w:p><w:pPr>{level}</w:pPr>{run}</w:p>{end}"
        parts.append(table(docx_row(f"<w:tc>{made}</w:tc>")) + "<w:p/>" if place == "cell" else made)
    for index, in_cell in references:
        name, shown = targets[index][1], "<w:r><w:t>see there</w:t></w:r>"
        code = random.choice(
            [f" REF {name} \\h ", f" PAGEREF {name} \\h ", f' HYPERLINK \\l "{name}" ', f"REF {name} \\r \\h"]
        )
        made = random.choice(
            [
                f'<w:hyperlink w:anchor="{name}">{shown}</w:hyperlink>',
                f'<w:fldSimple w:instr="{code.replace(chr(34), "&quot;")}">{shown}</w:fldSimple>',
                '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve">'
                f'{code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>{shown}'
                '<w:r><w:fldChar w:fldCharType="end"/></w:r>',
            ]
        )
        made = f'<w:p><w:r><w:t xml:space="preserve">To </w:t></w:r>{made}</w:p>'
        parts.insert(random.randrange(len(parts) + 1), table(docx_row(f"<w:tc>{made}</w:tc>")) if in_cell else made)
    return make_docx("".join(parts))


def _html(seed: int) -> bytes:
    random, targets, references = _plan(seed)
    parts = []
    for place, name, text in targets:
        tag = {"heading": "h2", "item": "li", "cell": "td"}.get(place, "p")
        before = random.choice([f'<a name="{name}"></a>', f'<span id="{name}">', ""])
        close = "</span>" if before.startswith("<span") else ""
        made = (
            f"<{tag}>{before}{_escape(text)}{close}</{tag}>"
            if before
            else f'<{tag} id="{name}">{_escape(text)}</{tag}>'
        )
        wrap = {"item": "<ul>{}</ul>", "cell": "<table><tr>{}<td>1</td></tr><tr><td>a</td><td>2</td></tr></table>"}
        made = wrap.get(place, random.choice(["{}", "<div><section>{}</section></div>"])).format(made)
        parts.append(made)
    for index, in_cell in references:
        made = f'To <a href="#{targets[index][1]}">see there</a>'
        row = f"<table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>{made}</td></tr></table>"
        parts.insert(random.randrange(len(parts) + 1), row if in_cell else f"<p>{made}</p>")
    return f"<!DOCTYPE html><html><body>{''.join(parts)}</body></html>".encode()


def _odt(seed: int) -> bytes:
    random, targets, references = _plan(seed)
    parts = []
    for place, name, text in targets:
        kind = random.choice(["bookmark", "reference-mark"])
        start, end = f'<text:{kind}-start text:name="{name}"/>', f'<text:{kind}-end text:name="{name}"/>'
        marked = random.choice([start + _escape(text) + end, f'<text:{kind} text:name="{name}"/>{_escape(text)}'])
        made = (
            f'<text:h text:outline-level="1">{marked}</text:h>' if place == "heading" else f"<text:p>{marked}</text:p>"
        )
        wrap = {"item": "<text:list><text:list-item>{}</text:list-item></text:list>", "cell": ODT_ROW}
        parts.append(wrap.get(place, "{}").format(made))
    for index, in_cell in references:
        name = targets[index][1]
        made = "To " + random.choice(
            [
                f'<text:bookmark-ref text:ref-name="{name}">see there</text:bookmark-ref>',
                f'<text:reference-ref text:ref-name="{name}">see there</text:reference-ref>',
                f'<text:a xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#{name}">see there</text:a>',
            ]
        )
        made = f"<text:p>{made}</text:p>"
        parts.insert(random.randrange(len(parts) + 1), ODT_ROW.format(made) if in_cell else made)
    return opendocument("text", "".join(parts))


def _links(tree: Tree) -> list[tuple[str, Span]]:
    """Every stretch that is a link, with its text."""
    holders = [(block.text, block.spans) for block in tree.blocks]
    holders += [(cell.text, cell.spans) for block in tree.blocks if block.table for cell in block.table.cells]
    return [(text[span.start : span.end], span) for text, spans in holders for span in spans if span.href]


def _text_of(block: Block) -> str:
    return block.text if block.table is None else " ".join(cell.text for cell in block.table.cells)


MAKERS = {"docx": _docx, "html": _html, "odt": _odt}


def share_right(kind: str, seed: int) -> tuple[int, int]:
    """How many references of a made file lead to the text that they name, and how many there are."""
    _, targets, references = _plan(seed)
    tree = read_tree(MAKERS[kind](seed))
    texts = {f"#{block.id}": _text_of(block) for block in tree.blocks}
    wanted = sorted(targets[index][2] for index, _ in references)
    found = [texts.get(span.href or "", "") for shown, span in _links(tree) if shown == "see there"]
    right = 0
    for text in wanted:
        hit = next((place for place in found if text in place), None)
        if hit is not None:
            found.remove(hit)
            right += 1
    return right, len(wanted)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("seed", range(4))
def test_references_lead_to_the_block_that_they_name(kind: str, seed: int) -> None:
    right, wanted = share_right(kind, seed)
    assert right == wanted


def test_references_to_nothing_are_only_text() -> None:
    tree = read_tree(b'<!DOCTYPE html><html><body><p>To <a href="#gone">see there</a> and back.</p></body></html>')
    assert [(block.text, block.spans) for block in tree.blocks] == [("To see there and back.", ())]


def test_markdown_links_headings_by_their_words() -> None:
    page = (
        b'<!DOCTYPE html><html><body><p><a href="#x">one</a> <a href="#y">two</a></p>'
        b'<h2 id="x">Costs, all</h2><p id="y">b</p></body></html>'
    )
    assert tree_to_markdown(read_tree(page)).splitlines()[0] == "[one](#costs-all) two"
