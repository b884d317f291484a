"""Pages as a browser shows them: variants by seed of style sheets, roles, formulas, shadow roots and layout tables."""

import random

import pytest

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import read_tree, rows_of

HIDING = (
    (".x{display:none}", 'class="x"'),
    (".a .x{display: none !important}", 'class="x" style="display:block"'),
    ("#h{visibility:hidden}", 'id="h"'),
    ("div.x, p.y{display:none}", 'class="x"'),
    ("@media screen{.x{display:none}}", 'class="x"'),
    ("@media (min-width:600px){.x{display:none}}", 'class="x"'),
    ("@import url(a.css);.x{color:red;display:none}", 'class="x y"'),
    ("/* { } */ .x{display:none}", 'class="x"'),
    ('[data-a="b"]{display:none}', 'data-a="b"'),
    (".a > .x{display:none} .x{color:red}", 'class="x"'),
    ("@supports (display:grid){.x{display:none}}", 'class="x"'),
    (".x{display:block}.x{display:none}", 'class="x"'),
)
SHOWING = (
    ("@media print{.x{display:none}}", 'class="x"'),
    ("@media (max-width:600px){.x{display:none}}", 'class="x"'),
    (".x{display:none}.a .x{display:block}", 'class="x"'),
    (".b .x{display:none}", 'class="x"'),
    (".x:hover{display:none}", 'class="x"'),
    (".x{display:none}", 'class="x" style="display:block"'),
    (".x{display:none}#h{display:inline}", 'class="x" id="h"'),
    ("@media only print and (min-width:1px){.x{display:none}}", 'class="x"'),
    (".x{color:red", 'class="x"'),
    (".x2{display:none}", 'class="x"'),
    ("h1 + .x{display:none}", 'class="x"'),
    (".x{display:none!important}.a .x{display:block!important}", 'class="x"'),
)


@pytest.mark.parametrize(("seed", "hides"), [(n, True) for n in range(12)] + [(n, False) for n in range(12)])
def test_style_sheets_hide_and_show(seed: int, hides: bool) -> None:
    css, attributes = (HIDING if hides else SHOWING)[seed]
    chance = random.Random(seed)
    inner = chance.choice(("secret words", "<p>secret words</p>", "<ul><li>secret words</ul>"))
    page = (
        f"<html><head><style>{css}</style></head><body><p>Shown.</p><div class=a>"
        f"<div {attributes}>{inner}</div></div></body></html>"
    )

    tree = read_tree(page.encode())

    (block,) = [block for block in tree.blocks if "secret" in block.text]
    assert (HIDDEN_TEXT in block.flags) is hides
    assert ("secret" in tree_to_markdown(tree)) is not hides
    assert tree.coverage is not None
    assert tree.coverage.complete


FORMULAS = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>E</mi></mrow><annotation '
    'encoding="application/x-tex">E=mc^2</annotation></semantics></math></span><span class="katex-html" '
    'aria-hidden="true">E=mc2</span></span>',
    '<script type="math/tex">E=mc^2</script>',
    '<span class="MathJax_Preview"></span><span class="MathJax">E=mc2</span><script type="math/tex">E=mc^2</script>',
    '<mjx-container><mjx-math aria-hidden="true">E=mc2</mjx-math><mjx-assistive-mml><math><semantics><mrow><mi>E</mi>'
    '</mrow><annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math></mjx-assistive-mml>'
    "</mjx-container>",
)


@pytest.mark.parametrize(
    "place", ["<p>{}</p>", "<table border=1><tr><td>{}<td>b<tr><td>c<td>d</table>", "<ul><li>{}</ul>"]
)
@pytest.mark.parametrize("formula", FORMULAS)
def test_formulas_are_there_once(formula: str, place: str) -> None:
    tree = read_tree(f"<html><body>{place.format('Energy ' + formula + ' here')}</body></html>".encode())

    text = tree_to_markdown(tree)
    assert "Energy $E=mc^2$ here" in text
    assert "mc2" not in text


def test_roles_make_tables_headings_and_lists() -> None:
    page = (
        "<html><body><div role=heading aria-level=3>Head</div><div role=list><div role=listitem>one</div>"
        "<div role=listitem>two</div></div><div role=table><div role=rowgroup><div role=row>"
        "<span role=columnheader>City</span><span role=columnheader>People</span></div></div><div role=row>"
        "<span role=cell>Oslo</span><span role=cell>7</span></div></div></body></html>"
    )
    tree = read_tree(page.encode())

    assert (tree.blocks[0].type, tree.blocks[0].level) == (BlockType.HEADING, 3)
    assert [block.text for block in tree.blocks if block.type is BlockType.LIST_ITEM] == ["one", "two"]
    assert rows_of(tree.blocks[-1]) == [["City", "People"], ["Oslo", "7"]]


def test_role_table_with_text_between_its_cells_keeps_the_text() -> None:
    page = "<div role=grid><div role=row>loose <span role=cell>a</span><span role=cell>b</span></div></div>"

    assert "loose" in tree_to_markdown(read_tree(f"<html><body>{page}</body></html>".encode()))


def test_declarative_shadow_roots_are_shown_with_their_slots() -> None:
    page = (
        "<html><body><my-card><template shadowrootmode=open><h2><slot name=t>none</slot></h2><p><slot></slot></p>"
        "<div>Shadow foot</div></template><span slot=t>Title</span>Light text</my-card></body></html>"
    )
    text = tree_to_markdown(read_tree(page.encode()))

    assert [part in text for part in ("## Title", "Light text", "Shadow foot", "none")] == [True, True, True, False]


@pytest.mark.parametrize(
    "page",
    [
        "<template shadowrootmode=open>" * 10_000 + "deep" + "</template>" * 10_000,
        "<style>" + ".a " * 50_000 + "{display:none}" * 5 + "</style><p class=a>x</p>",
        "<style>" + "@media screen{" * 20_000 + ".a{display:none}" + "</style><p class=a>x</p>",
        f"<style>{''.join(f'.a{n} .b{{display:none}}' for n in range(5_000))}</style>" + "<p class=b>x</p>" * 5_000,
        "<style>" + "{" * 100_000 + "</style><p>x</p>",
        "<div role=table>" * 5_000 + "x",
        f"<style>{'div ' * 30}b p{{display:none}}</style>" + "<div>" * 100 + "<p>x</p>" * 500,
        f"<style>{'p ~ ' * 20}b{{display:none}}</style>" + "<p>x</p>" * 5_000 + "<b>y</b>" * 500,
        f"<style>{''.join(f'p:nth-of-type({n}):has(b){{display:none}}' for n in range(9_999))}</style>" + "<p>x" * 999,
        "<style>" + ":not(" * 10_000 + "a" + ")" * 10_000 + "{display:none}</style><p>x",
        "<style>p::before{content:'" + "long " * 20_000 + "'}</style>" + "<p>x" * 2_000,
        '<iframe srcdoc="' + "&lt;iframe srcdoc=x&gt;" * 5_000 + '"></iframe>' * 5,
    ],
)  # fmt: skip
def test_hostile_pages_are_bounded(page: str) -> None:
    assert read_tree(f"<html><body>Start {page}</body></html>".encode()).blocks


@pytest.mark.parametrize("seed", range(20))
def test_layout_tables_are_opened_and_data_tables_kept(seed: int) -> None:
    chance = random.Random(seed)
    attributes = chance.choice(('width="100%"', 'cellpadding="0" cellspacing="0" border="0"', 'role="presentation"'))
    data = "<table border=1><tr><th>Item<th>Price</tr><tr><td>Lamp<td>30</tr><tr><td>Rope<td>12</tr></table>"
    parts = ["<h1>Your order</h1>", "<p>Hello Ann</p>", data, '<a href="https://example.org/t">Track it</a>']
    rows = "".join(f"<tr><td>{part}</td></tr>" for part in parts)
    page = f"<table {attributes}>{rows}</table>"
    for _ in range(chance.randrange(3)):
        page = f"<table {attributes}><tr><td>{page}</td></tr></table>"

    tree = read_tree(f"<html><body>{page}</body></html>".encode())

    text = tree_to_markdown(tree)
    assert text.startswith("# Your order\n\nHello Ann\n\n| Item | Price |")
    assert text.endswith("[Track it](https://example.org/t)\n")
    assert tree.coverage is not None
    assert tree.coverage.complete
