"""The panel of coverage in HTML, and hidden text: in no export unless it is asked for, then apart and escaped."""

from dataclasses import replace

from quire.models.cdom.coverage import CharacterCount, Coverage, PageCoverage, PictureCoverage
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import BlockType, Tree
from quire.models.export.html import tree_to_html
from quire.models.export.markdown import tree_to_markdown
from tests.builders import make_block, make_tree

SECRET = "White <b>words</b> on white"


def paper(*, lost: int = 0, unknown: tuple[int, ...] = ()) -> Tree:
    tree = make_tree(
        make_block(BlockType.PARAGRAPH, "Seen words"),
        make_block(BlockType.PARAGRAPH, SECRET, flags=(HIDDEN_TEXT,), unseen="same_colour"),
    )
    counts = CharacterCount(painted=1309 + lost, placed=1284, excluded={"same_colour": 25}, lost=lost)
    stated = Coverage(
        characters=counts,
        pages=(PageCoverage(number=1, characters=counts),),
        pictures=PictureCoverage(),
        complete=not lost and not unknown,
        unknown=unknown,
    )
    return replace(tree, coverage=stated)


def test_html_shows_the_coverage_of_characters() -> None:
    text = tree_to_html(paper())
    assert '<details class="coverage"><summary>Coverage: Everything that the original shows is here' in text
    assert "1,284 of 1,309 characters" in text
    assert "<td>25</td><td>page 1</td>" in text


def test_the_panel_is_open_where_something_is_lost_or_was_not_judged() -> None:
    for tree, said in ((paper(lost=3), "lost</th><td>3</td><td>page 1"), (paper(unknown=(1,)), "not judged")):
        text = tree_to_html(tree)
        assert '<details class="coverage" open="">' in text
        assert said in text


def test_a_tree_without_a_statement_has_no_panel() -> None:
    assert "coverage" not in tree_to_html(make_tree(make_block(BlockType.PARAGRAPH, "x"))).split("</style>")[1]


def test_hidden_text_is_listed_apart_only_when_asked_for() -> None:
    tree = paper()
    assert "White" not in tree_to_html(tree)
    assert "White" not in tree_to_markdown(tree)
    shown = tree_to_html(tree, hidden=True)
    assert "<span>page 1, same colour: </span><q>White &lt;b&gt;words&lt;/b&gt; on white</q>" in shown
    assert shown.index("Seen words") < shown.index("</main>") < shown.index("Hidden text")
    written = tree_to_markdown(tree, hidden=True)
    assert written.endswith("## Hidden text\n\n- page 1, same colour: White \\<b>words\\</b> on white\n")


def test_nothing_hidden_adds_nothing() -> None:
    tree = make_tree(make_block(BlockType.PARAGRAPH, "x"))
    assert tree_to_markdown(tree, hidden=True) == tree_to_markdown(tree)
    assert tree_to_html(tree, hidden=True) == tree_to_html(tree)
