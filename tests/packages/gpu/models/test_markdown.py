import time

from hypothesis import given, settings
from hypothesis import strategies as st

from quire.actors.vlm.models.markdown import MAX_CHARS, read_markdown
from quire.models.cdom.tree import BlockType
from tests.packages.gpu.models.pages import cells, outline

PAGE = """# Annual Report

Revenue **rose** by $x_1 * y_2$ percent, see [the note](https://example.org/n).

## Results

- first point
- second point
  - below

$$
E = mc^2
$$

| Year | Sales |
|------|-------|
| 2024 | 10 |

```python
print("a_b")
```

![Figure 1: growth](image_1.png)

[^1]: Unaudited.
"""


def test_a_page_of_markdown_becomes_typed_blocks_in_order() -> None:
    blocks = read_markdown(PAGE)
    assert outline(blocks) == [
        ("heading", "Annual Report"),
        ("paragraph", "Revenue rose by $x_1 * y_2$ percent, see the note."),
        ("heading", "Results"),
        ("list_item", "first point"),
        ("list_item", "second point"),
        ("list_item", "below"),
        ("formula", "E = mc^2"),
        ("table", ""),
        ("code", 'print("a_b")'),
        ("picture", "Figure 1: growth"),
        ("footnote", "[^1]: Unaudited."),
    ]
    assert [block.level for block in blocks[:6]] == [1, None, 2, 1, 1, 2]
    assert cells(blocks[7]) == [(0, 0, 1, 1, "Year"), (0, 1, 1, 1, "Sales"), (1, 0, 1, 1, "2024"), (1, 1, 1, 1, "10")]


def test_styles_and_links_are_spans_of_the_text() -> None:
    block = read_markdown(PAGE)[1]
    styled = {
        block.text[span.start : span.end]: (span.bold, span.href) for span in block.spans if span.end <= len(block.text)
    }
    assert styled == {"rose": (True, None), "the note": (False, "https://example.org/n")}


def test_items_of_an_ordered_list_keep_their_numbers() -> None:
    blocks = read_markdown("7. the *first*\n8) second\n\n   more of it\n")
    assert [block.text for block in blocks] == ["7. the first", "8) second", "more of it"]
    assert [blocks[0].text[span.start : span.end] for span in blocks[0].spans] == ["first"]


def test_an_html_table_with_spans_becomes_cells() -> None:
    blocks = read_markdown(
        "Before\n<table><tr><th colspan='2'>Head</th></tr><tr><td rowspan=\"2\">a</td><td>b<br>c</td></tr>"
        "<tr><td>d</td></tr></table>\nafter"
    )
    assert outline(blocks) == [("paragraph", "Before"), ("table", ""), ("paragraph", "after")]
    assert cells(blocks[1]) == [(0, 0, 1, 2, "Head"), (1, 0, 2, 1, "a"), (1, 1, 1, 1, "b\nc"), (2, 1, 1, 1, "d")]


def test_a_cut_html_table_keeps_its_whole_cells() -> None:
    (block,) = read_markdown("<table><tr><td>a</td><td>b</td></tr><tr><td>c")
    assert [cell[-1] for cell in cells(block)] == ["a", "b", "c"]


def test_an_answer_in_one_fence_is_read_as_markdown() -> None:
    assert outline(read_markdown("```markdown\n# Title\n\ntext\n```")) == [("heading", "Title"), ("paragraph", "text")]


def test_absurd_spans_stay_within_the_table() -> None:
    (block,) = read_markdown(
        "<table><tr><td colspan='99999' rowspan='99999'>a</td><td rowspan='-1'>b</td></tr></table>"
    )
    assert block.table is not None
    assert block.table.rows == 1
    assert block.table.cols <= 200


def test_deep_nesting_and_long_answers_end_soon() -> None:
    begun = time.process_time()
    for text in ("> " * 50_000, "- " * 50_000, "<table>" * 20_000, "[" * 50_000, "$" * 100_000, "*a " * 50_000):
        read_markdown(text * 4)
    assert time.process_time() - begun < 60
    assert sum(len(block.text) for block in read_markdown("word " * MAX_CHARS)) <= MAX_CHARS


@given(st.text(alphabet=st.sampled_from("ab \n#*_$|<>/tabledr[]()`-\\1.\ue000\ue001"), max_size=300))
@settings(max_examples=200)
def test_no_text_breaks_the_parser_and_spans_lie_in_their_text(text: str) -> None:
    for block in read_markdown(text):
        assert all(0 <= span.start <= span.end <= len(block.text) for span in block.spans)
        assert "\ue000" not in block.text
        assert block.type is not BlockType.TABLE or block.table is not None
