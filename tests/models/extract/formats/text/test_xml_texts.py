"""FictionBook, DocBook, RSS and Atom by seed: headings, paragraphs, lists, tables, links and notes in order."""

import base64
import random
from html import escape

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import of_type, read_tree, rows_of

PIXEL = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()
WORDS = ("Haus", "книга", "本文", "naïve", "R&D", "a<b", "x", "Wort")


def text_of(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 5)))


@pytest.mark.parametrize("seed", range(24))
def test_feeds_have_a_heading_and_text_for_each_entry(seed: int) -> None:
    chance = random.Random(seed)
    kind = ("rss", "atom", "rdf")[seed % 3]
    entries = [(text_of(chance), text_of(chance)) for _ in range(chance.randint(1, 5))]
    markup = chance.choice(("escaped", "text", "cdata"))
    parts = []
    for title, text in entries:
        body = {
            "escaped": escape(f"<p>{escape(text)} <b>bold</b></p>"),
            "text": escape(escape(f"{text} bold")) if kind != "atom" else escape(f"{text} bold"),
            "cdata": f"<![CDATA[<p>{escape(text)} <b>bold</b></p>]]>",
        }[markup]
        head = f"<title>{escape(escape(title))}</title>"
        if kind == "atom":
            type_ = "text" if markup == "text" else "html"
            head = f'<title type="html">{escape(escape(title))}</title>'
            parts.append(f'<entry>{head}<content type="{type_}">{body}</content></entry>')
        else:
            parts.append(f"<item>{head}<description>{body}</description></item>")
    inside = "".join(parts)
    page = {
        "rss": f'<rss version="2.0"><channel><title>Feed</title>{inside}</channel></rss>',
        "atom": f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Feed</title>{inside}</feed>',
        "rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">'
        f"<channel><title>Feed</title></channel>{inside}</rdf:RDF>",
    }[kind]
    tree = read_tree(('<?xml version="1.0" encoding="utf-8"?>\n' + page).encode())

    headings = of_type(tree, BlockType.HEADING)
    assert [(block.level, block.text) for block in headings] == [(1, "Feed"), *((2, title) for title, _ in entries)]
    assert [block.text for block in of_type(tree, BlockType.PARAGRAPH)] == [f"{text} bold" for _, text in entries]


@pytest.mark.parametrize("seed", range(20))
def test_books_have_their_parts_in_order(seed: int) -> None:
    chance = random.Random(seed)
    chapters = [(text_of(chance), text_of(chance)) for _ in range(chance.randint(1, 4))]
    sections = "".join(
        f"<section><title><p>{escape(title)}</p></title><p>{escape(text)} <strong>bold</strong>"
        f'<a l:href="#n1" type="note">[1]</a></p><poem><stanza><v>one</v><v>two</v></stanza></poem></section>'
        for title, text in chapters
    )
    book = (
        '<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l='
        '"http://www.w3.org/1999/xlink"><description><title-info><author><first-name>A</first-name> <last-name>B'
        "</last-name></author><book-title>Book</book-title></title-info></description><body><title><p>Book</p></title>"
        f'<image l:href="#c.gif"/>{sections}</body><body name="notes"><section id="n1"><title><p>1</p></title><p>Note.'
        f'</p></section></body><binary id="c.gif" content-type="image/gif">{PIXEL}</binary></FictionBook>'
    )
    tree = read_tree(book.encode())

    heads = [block.text for block in of_type(tree, BlockType.HEADING)]
    assert heads == ["Book", *(title for title, _ in chapters), "1"]
    paragraphs = [block.text for block in of_type(tree, BlockType.PARAGRAPH)]
    assert paragraphs == ["A B", *(p for _, text in chapters for p in (f"{text} bold[1]", "one", "two")), "Note."]
    assert len(of_type(tree, BlockType.PICTURE)) == 1
    assert PIXEL[:20] not in tree_to_markdown(tree)


@pytest.mark.parametrize("seed", range(20))
def test_docbook_keeps_its_structure(seed: int) -> None:
    chance = random.Random(seed)
    is_old, root = chance.random() < 0.5, chance.choice(("book", "article"))
    part = "chapter" if root == "book" else chance.choice(("section", "sect1"))
    titles = [text_of(chance) for _ in range(chance.randint(1, 4))]
    rows = [[text_of(chance), text_of(chance)] for _ in range(chance.randint(1, 3))]
    cells = "".join(f"<row>{''.join(f'<entry>{escape(cell)}</entry>' for cell in row)}</row>" for row in rows)
    table = (
        '<table><title>Cap</title><tgroup cols="2"><colspec/><thead><row><entry>A</entry><entry>B</entry></row></thead>'
        f"<tbody>{cells}</tbody></tgroup></table>"
    )
    link = '<ulink url="https://a.example/">link</ulink>' if is_old else '<link x:href="https://a.example/">link</link>'
    body = "".join(
        f'<{part}><title>{escape(title)}</title><para>Text <emphasis role="bold">bold</emphasis> {link}<footnote><para>'
        "aside</para></footnote>.</para><itemizedlist><listitem><para>one</para></listitem></itemizedlist>"
        f'<programlisting language="python">x = 1\n  y</programlisting></{part}>'
        for title in titles
    )
    names = "" if is_old else ' xmlns="http://docbook.org/ns/docbook" xmlns:x="http://www.w3.org/1999/xlink"'
    type_ = f'<!DOCTYPE {root} PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "docbookx.dtd">\n' if is_old else ""
    page = f'<?xml version="1.0"?>\n{type_}<{root}{names}><title>Guide</title>{body}{table}</{root}>'
    tree = read_tree(page.encode())

    assert [(block.level, block.text) for block in of_type(tree, BlockType.HEADING)] == [
        (1, "Guide"), *((2, title) for title in titles),
    ]  # fmt: skip
    assert [block.text for block in of_type(tree, BlockType.PARAGRAPH)] == ["Text bold link (aside)."] * len(titles)
    assert len(of_type(tree, BlockType.LIST_ITEM)) == len(of_type(tree, BlockType.CODE)) == len(titles)
    (grid,) = of_type(tree, BlockType.TABLE)
    assert rows_of(grid) == [["A", "B"], *rows]
    assert "[link](https://a.example/)" in tree_to_markdown(tree)


@pytest.mark.parametrize(
    "page",
    [
        "<rss>" + "<channel>" * 5_000,
        "<rss><channel>" + "<item><title>x</title></item>" * 20_000 + "</channel></rss>",
        '<FictionBook xmlns="x"><body>' + "<section>" * 200 + "x" + "</section>" * 200 + "</body></FictionBook>",
        '<!DOCTYPE book PUBLIC "-//OASIS//DTD DocBook XML V4.5//EN" "x" [<!ENTITY a "b">]><book>&a;</book>',
        '<article xmlns="http://docbook.org/ns/docbook"><para>' + "<footnote>" * 100 + "x" + "</footnote>" * 100
        + "</para></article>",
    ],
)  # fmt: skip
def test_hostile_files_are_read_or_shown_as_text(page: str) -> None:
    assert read_tree(page.encode()).blocks
