"""Style sheets hide, show, add and number: the words of a page are those that a browser shows, in order."""

import random

import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from tests.models.extract.flow_trees import of_type, read_tree, rows_of

SHOWN = (
    ("div:not(.no).x{display:none}", "<div class=x>gone</div><p>One</p>", "One"),
    ("hr + .x{display:none}", "<hr><p class=x>gone</p><p class=x>One</p>", "One"),
    ("hr ~ .x{display:none}", "<p class=x>One</p><hr><b>Two</b><p class=x>gone</p>", "One Two"),
    (":is(.x, .y){display:none}", "<p class=y>gone</p><p>One</p>", "One"),
    ("p:nth-child(2){display:none}", "<p>One</p><p>gone</p><p>Two</p>", "One Two"),
    (".x{visibility:hidden}.y{visibility:visible}", "<div class=x>gone<p class=y>One</p>gone</div>", "One"),
    (".x{display:none}", "<dialog>gone</dialog><dialog open>One</dialog><div popover>gone</div>", "One"),
    ("p::before{content:'Note: '}", "<p>One</p>", "Note: One"),
    ("p:after{content:' ' '(' attr(data-a) ')'}", "<p data-a=Two>One</p>", "One (Two)"),
    ("p::after{content:'gone';display:none}", "<p>One</p>", "One"),
    ("p{counter-reset:n 1e999}p::before{content:counter(n) ' '}", "<p>One</p>", "1000000 One"),
    ("p{counter-increment:n -1e999}p::before{content:counter(n,upper-roman) ' '}", "<p>One</p>", "-1000000 One"),
    ("p::before{content:counter() counters(n) attr()}", "<p>One</p>", "0One"),
    ("p::before{content:'\\e001'}", "<p>One</p>", "One"),
    (
        "div{counter-reset:n 3}p::before{counter-increment:n;content:counter(n) '. '}",
        "<div><p>A<p>B</div>",
        "4. A 5. B",
    ),
    (
        "div{counter-reset:n}p::before{counter-increment:n;content:counters(n,'.') ' '}",
        "<div><p>A</p><div><p>B</p><p>C</p></div><p>D</p></div>",
        "1 A 1.1 B 1.2 C 2 D",
    ),
    ("h2{counter-increment:n}h2::before{content:counter(n,upper-roman) ' '}", "<h2>A</h2><h2>B</h2>", "I A II B"),
    ("ol{list-style:upper-roman}", "<ol><li>One<li>Two</ol>", "I. One II. Two"),
    ("ol{list-style-type:lower-greek}", "<ol><li>One<li>Two</ol>", "α. One β. Two"),
    ("ol{list-style:none}", "<ol><li>One<li>Two</ol>", "One Two"),
    ("span{display:block}", "<div><span>One</span><span>Two</span></div>", "One Two"),
    ("div{display:flex}", "<div><span>One</span><span>Two</span></div>", "One Two"),
    ("i{display:inline-block}", "<p><i>One</i><i>Two</i></p>", "One Two"),
    ("p{display:none}", "<iframe srcdoc='<style>b{display:none}</style><p>One</p><b>gone</b>'></iframe>", "One"),
    ("q::before{content:none}", "<object data=a.swf><p>One</p></object><progress>gone</progress>", "One"),
    (
        ".x{display:none}",
        "<a-b><template shadowrootmode=open><style>.y{display:none}</style><p class=y>gone</p><p class=x>One</p>"
        "</template></a-b><p class=y>Two</p>",
        "One Two",
    ),
)


@pytest.mark.parametrize(("css", "body", "expected"), SHOWN)
def test_style_sheets_change_the_words_of_a_page(css: str, body: str, expected: str) -> None:
    place = random.Random(css).choice(("{}", "<main>{}</main>", "<table role=presentation><tr><td>{}</table>"))
    tree = read_tree(f"<html><head><style>{css}</style></head><body>{place.format(body)}</body></html>".encode())

    shown = [block.text.removeprefix("• ") for block in tree.blocks if HIDDEN_TEXT not in block.flags]
    assert " ".join(" ".join(shown).split()) == expected
    assert tree.coverage is not None
    assert tree.coverage.complete


@pytest.mark.parametrize("seed", range(20))
def test_tables_of_style_sheets_are_tables(seed: int) -> None:
    chance = random.Random(seed)
    rows, cols = chance.randint(2, 5), chance.randint(2, 4)
    row, cell = chance.choice((("div", "span"), ("div", "div"), ("p", "span"), ("section", "div")))
    body = "".join(
        f"<{row} class=r>{''.join(f'<{cell} class=c>{r} {c}</{cell}>' for c in range(cols))}</{row}>"
        for r in range(rows)
    )
    css = ".t{display:table}.r{display:table-row}.c{display:table-cell}"
    tree = read_tree(f"<html><head><style>{css}</style></head><body><div class=t>{body}</div></body></html>".encode())

    (table,) = of_type(tree, BlockType.TABLE)
    assert rows_of(table) == [[f"{r} {c}" for c in range(cols)] for r in range(rows)]


@pytest.mark.parametrize("seed", range(20))
def test_frames_of_saved_pages_are_read_where_they_stand(seed: int) -> None:
    chance = random.Random(seed)
    depth, by_id = chance.randint(1, 3), chance.random() < 0.5
    tag = chance.choice(("iframe", "frame"))
    parts = []
    for level in range(depth + 1):
        source = f"cid:f{level + 1}@made" if by_id else f"https://a.example/{level + 1}"
        frame = f'<{tag} src="{source}"></{tag}>' if level < depth else ""
        inside = (
            f"<frameset>{frame}</frameset>" if tag == "frame" and frame else f"<body><p>Level {level}</p>{frame}</body>"
        )
        parts.append(
            f"Content-Type: text/html; charset=utf-8\r\nContent-ID: <f{level}@made>\r\n"
            f"Content-Location: https://a.example/{level}\r\n\r\n<html>{inside}</html>\r\n"
        )
    data = (
        "From: <Saved by Blink>\r\nSubject: x\r\nMIME-Version: 1.0\r\nSnapshot-Content-Location: https://a.example/0\r\n"
        'Content-Type: multipart/related; type="text/html"; boundary="b"\r\n\r\n'
        + "".join(f"--b\r\n{part}" for part in parts) + "--b--\r\n"
    )  # fmt: skip
    tree = read_tree(data.encode())

    levels = range(depth + 1) if tag == "iframe" else (depth,)
    assert [block.text for block in tree.blocks] == [f"Level {level}" for level in levels]
