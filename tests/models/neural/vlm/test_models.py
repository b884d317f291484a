import json
from pathlib import Path

import pytest

from models.cdom.errors import MlUnavailable
from models.cdom.ports import RecognisedBlock, Word
from models.cdom.tree import BlockType
from models.neural.vlm.contract import Answer, AnswerEnd, BadAnswer, PageRegion
from models.neural.vlm.dots import Dots
from models.neural.vlm.grounding import ground
from models.neural.vlm.lightonocr import LightOnOcr
from models.neural.vlm.paddleocr_vl import PaddleOcrVl
from models.neural.vlm.registry import VLM_MODELS, identify_directory, load_model
from models.neural.vlm.repetition import cut_loop, finds_loop
from models.neural.vlm.tables import read_otsl
from tests.models.neural.vlm.pages import cells, make_page, outline

PAGE = make_page()
DOTS_ANSWER = json.dumps(
    [
        {"bbox": [100, 50, 700, 120], "category": "Title", "text": "# A Study"},
        {"bbox": [100, 200, 400, 240], "category": "Section-header", "text": "## 1 Scope"},
        {"bbox": [100, 250, 700, 400], "category": "Text", "text": "It is **bold**."},
        {"bbox": [100, 420, 700, 500], "category": "Table", "text": "<table><tr><td>a</td><td>b</td></tr></table>"},
        {"bbox": [100, 520, 700, 560], "category": "Formula", "text": "$$x^2$$"},
        {"bbox": [100, 600, 700, 900], "category": "Picture"},
        {"bbox": [-50, 1000, 9000, 1090], "category": "Page-footer", "text": "3"},
    ]
)


def read_dots(text: str, ending: AnswerEnd = AnswerEnd.STOP) -> list[RecognisedBlock]:
    model = Dots()
    return model.read(PAGE, (), model.ask(PAGE, ()), [Answer(text=text, ending=ending)])


def test_dots_elements_become_blocks_with_boxes_in_points() -> None:
    blocks = read_dots(DOTS_ANSWER)
    assert outline(blocks) == [
        ("title", "A Study"),
        ("heading", "1 Scope"),
        ("paragraph", "It is bold."),
        ("table", ""),
        ("formula", "x^2"),
        ("picture", ""),
        ("page_footer", "3"),
    ]
    (ask,) = Dots().ask(PAGE, ())
    assert all(side % 28 == 0 for side in ask.size)
    assert blocks[0].bbox == pytest.approx(
        (100 / ask.size[0] * 612, 50 / ask.size[1] * 792, 700 / ask.size[0] * 612, 120 / ask.size[1] * 792)
    )
    assert blocks[1].level == 2
    assert blocks[6].bbox is not None
    assert blocks[6].bbox[0] == 0
    assert blocks[6].bbox[2] == pytest.approx(612)


@pytest.mark.parametrize("at", [len(DOTS_ANSWER) - 3, len(DOTS_ANSWER) - 60, 300, 120])
def test_a_cut_dots_answer_keeps_its_whole_elements(at: int) -> None:
    whole = outline(read_dots(DOTS_ANSWER))
    kept = outline(read_dots(DOTS_ANSWER[:at], AnswerEnd.LENGTH))
    assert 0 < len(kept) < len(whole)
    assert kept == whole[: len(kept)]


RECORDED_DOTS = r"""```json
[{"bbox": [80, 28, 220, 115], "category": "Picture"}, {"bbox": [309, 52, 473, 104], "category": "Section-header", \
"text": "## 2 Method"}, {"bbox": [60, 130, 475, 181], "category": "List-item", "text": "- first\n- second"},
{"bbox": [60, 184, 465, 237], "category": "Text", "text": "Let $G=(V,E)$ be a graph with {braces}."},
{"bbox": [60, 240, 465, 290], "category": "Formula", "text": "$$\\frac{1}{2} \\alpha$$"}]
```""".replace("\\\n", "")
"""In the form the model writes: one array, fenced or not, several elements a line, LaTeX with doubled backslashes."""


def test_dots_answer_is_read_completely() -> None:
    assert outline(read_dots(RECORDED_DOTS)) == [
        ("picture", ""),
        ("heading", "2 Method"),
        ("list_item", "first"),
        ("list_item", "second"),
        ("paragraph", "Let $G=(V,E)$ be a graph with {braces}."),
        ("formula", r"\frac{1}{2} \alpha"),
    ]


def test_unescaped_latex_backslashes_of_dots_are_repaired() -> None:
    once = RECORDED_DOTS.replace("\\\\", "\\")
    assert outline(read_dots(once))[-1] == ("formula", r"\frac{1}{2} \alpha")
    wrapped = '{"layout": ' + RECORDED_DOTS.removeprefix("```json").removesuffix("```") + "}"
    assert outline(read_dots(wrapped)) == outline(read_dots(RECORDED_DOTS))


def test_complete_dots_answer_with_an_unreadable_element_is_a_bad_answer() -> None:
    """Its text would be missing from the page unnoticed."""
    broken = RECORDED_DOTS.replace('"category": "Text", "text": "Let', '"category": "Text", "text": Let')
    with pytest.raises(BadAnswer):
        read_dots(broken)
    assert len(read_dots(broken, AnswerEnd.LENGTH)) == 5  # a cut one is flagged anyway, and keeps what is whole


def test_a_dots_element_said_again_and_again_is_one() -> None:
    element = json.dumps({"bbox": [1, 2, 30, 40], "category": "Text", "text": "again"})
    assert outline(read_dots("[" + ", ".join([element] * 500))) == [("paragraph", "again")]


@pytest.mark.parametrize(
    "text", ["Sorry, I cannot.", "", '{"bbox": [1,2,3', '[{"category": "Alien", "text": "x"}]', "{" * 5000]
)
def test_a_dots_answer_without_elements_is_a_bad_answer(text: str) -> None:
    with pytest.raises(BadAnswer):
        read_dots(text)


def test_an_empty_page_is_not_a_bad_answer() -> None:
    assert read_dots("[]") == []
    assert read_dots("```json\n[]\n```") == []


@pytest.mark.parametrize("box", [None, "x", [1, 2], [5, 5, 5, 9], [9, 9, 1, 1], [True, 0, 1, 1], [1e300, 0, 1, 1], {}])
def test_an_impossible_dots_box_is_null(box: object) -> None:
    (block,) = read_dots(json.dumps([{"bbox": box, "category": "Text", "text": "t"}]))
    assert block.bbox is None


def test_lightonocr_markdown_gets_picture_boxes_in_points() -> None:
    model = LightOnOcr()
    (ask,) = model.ask(PAGE, ())
    assert (ask.prompt, max(ask.size)) == ("", 1100)
    text = "# Head\n\nBody text.\n\n![image](image_1.png)100,200,500,600\n\nEnd."
    blocks = model.read(PAGE, (), [ask], [Answer(text=text)])
    assert outline(blocks) == [("heading", "Head"), ("paragraph", "Body text."), ("picture", ""), ("paragraph", "End.")]
    assert blocks[2].bbox == pytest.approx((61.2, 158.4, 306.0, 475.2))


def test_lightonocr_with_wrong_picture_boxes_has_none() -> None:
    model = LightOnOcr()
    text = "![image](image_1.png)900,200,500,600 text ![image](i.png) 1,1,9999,2"
    blocks = model.read(PAGE, (), model.ask(PAGE, ()), [Answer(text=text)])
    assert all(block.bbox is None for block in blocks)


def region(kind: BlockType, top: float, text: str = "") -> PageRegion:
    return PageRegion(type=kind, bbox=(50, top, 550, top + 40), text=text)


def test_paddleocr_vl_reads_crops_with_the_prompt_of_their_kind() -> None:
    model = PaddleOcrVl()
    regions = [region(BlockType.HEADING, 40), region(BlockType.TABLE, 100), region(BlockType.PICTURE, 200),
               region(BlockType.FORMULA, 300), region(BlockType.PARAGRAPH, 400, "cpu text")]  # fmt: skip
    asks = model.ask(PAGE, regions)
    assert [ask.prompt for ask in asks] == ["OCR:", "Table Recognition:", "Formula Recognition:", "OCR:"]
    answers = [
        Answer(text="Heading"),
        Answer(text="<ched>A<ched>B<nl><fcel>1<lcel><nl><fcel>2<ecel><nl>"),
        Answer(text="\\[ a^2 \\]"),
        Answer(text="x" * 900, ending=AnswerEnd.LOOP),
    ]
    blocks = model.read(PAGE, regions, asks, answers)
    assert outline(blocks) == [
        ("heading", "Heading"), ("table", ""), ("picture", ""), ("formula", "a^2"), ("paragraph", "cpu text"),
    ]  # fmt: skip
    assert cells(blocks[1]) == [
        (0, 0, 1, 1, "A"),
        (0, 1, 1, 1, "B"),
        (1, 0, 1, 2, "1"),
        (2, 0, 1, 1, "2"),
        (2, 1, 1, 1, ""),
    ]
    assert [block.bbox for block in blocks] == [found.bbox for found in regions]
    assert blocks[4].confidence < 1


def test_otsl_spans_join_only_rectangles() -> None:
    table = read_otsl("<fcel>a<lcel><nl><ucel><xcel><nl><lcel>b<ucel><nl>")
    assert table is not None
    assert (table.cells[0].row_span, table.cells[0].col_span) == (2, 2)
    covered = [
        (row, col)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for col in range(cell.col, cell.col + cell.col_span)
    ]
    assert len(covered) == len(set(covered))
    assert read_otsl("no tokens") is None


def word(text: str, top: float, line: int) -> Word:
    return Word(text=text, bbox=(50, top, 50 + 6 * len(text), top + 10), confidence=0.9, line=line)


def test_blocks_get_the_boxes_of_the_lines_that_support_them() -> None:
    blocks = [
        RecognisedBlock(type=BlockType.HEADING, text="Annual Report"),
        RecognisedBlock(type=BlockType.PARAGRAPH, text="Sales rose in every quarter of the year."),
        RecognisedBlock(type=BlockType.PARAGRAPH, text="invented by the model"),
    ]
    words = [word("Annual Report", 40, 0), word("Sales rose in every", 80, 1), word("quarter of the year", 95, 2)]
    grounded = ground(blocks, words)
    assert grounded[0].bbox == (50, 40, 128, 50)
    assert grounded[1].bbox is not None
    assert (grounded[1].bbox[1], grounded[1].bbox[3]) == (80, 105)
    assert grounded[2].bbox is None


@pytest.mark.parametrize("unit", ["the ", "<fcel>0<nl>", "word and another word, ", "x"])
def test_a_loop_is_found_and_cut(unit: str) -> None:
    text = "An honest beginning. " + unit * 400
    assert finds_loop(text)
    assert len(cut_loop(text)) < 60


@pytest.mark.parametrize(
    "text",
    ["", "short", "Contents " + "." * 300, " ".join(f"row {n} costs {n * 7}" for n in range(400)), "| a | b |\n" * 5],
)
def test_honest_text_is_not_a_loop(text: str) -> None:
    assert not finds_loop(text)


def test_every_registered_model_loads_without_an_engine() -> None:
    assert {load_model(name).name for name in VLM_MODELS} == set(VLM_MODELS)
    with pytest.raises(MlUnavailable, match="registered"):
        load_model("gpt")


def test_a_directory_is_known_by_its_config_and_refused_without_weights(tmp_path: Path) -> None:
    with pytest.raises(MlUnavailable, match="config"):
        identify_directory(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["LightOnOcrForConditionalGeneration"]}))
    with pytest.raises(MlUnavailable, match="weights"):
        identify_directory(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"x")
    assert identify_directory(tmp_path) == "lightonocr"
    for architecture, name in (("DotsOCRForCausalLM", "dots"), ("PaddleOCRVLForConditionalGeneration", "paddleocr-vl")):
        (tmp_path / "config.json").write_text(json.dumps({"architectures": [architecture]}))
        assert identify_directory(tmp_path) == name
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(MlUnavailable, match="not one of"):
        identify_directory(tmp_path)
