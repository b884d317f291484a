import json
import time
from pathlib import Path

import pytest

from quire.actors.vlm.models.contract import Answer, AnswerEnd, BadAnswer, PageRegion
from quire.actors.vlm.models.crops import CropModel
from quire.actors.vlm.models.doctags import MAX_ELEMENTS, read_doctags
from quire.actors.vlm.models.dots import Dots
from quire.actors.vlm.models.glm_ocr import GlmOcr
from quire.actors.vlm.models.granite_docling import GraniteDocling
from quire.actors.vlm.models.grounding import ground
from quire.actors.vlm.models.lightonocr import LightOnOcr
from quire.actors.vlm.models.paddleocr_vl import PaddleOcrVl
from quire.actors.vlm.models.registry import VLM_MODELS, identify_directory, load_model
from quire.actors.vlm.models.repetition import cut_loop, finds_loop
from quire.actors.vlm.models.tables import read_otsl
from quire.models.cdom.errors import MlUnavailable
from quire.models.cdom.ports import PictureKind, RecognisedBlock, Word
from quire.models.cdom.tree import BlockType
from tests.packages.gpu.models.pages import cells, make_page, outline

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


def read_lightonocr(text: str) -> list[RecognisedBlock]:
    model = LightOnOcr()
    return model.read(PAGE, (), model.ask(PAGE, ()), [Answer(text=text)])


def test_lightonocr_blocks_have_the_boxes_of_their_markers_in_points() -> None:
    (ask,) = LightOnOcr().ask(PAGE, ())
    assert (ask.prompt, max(ask.size)) == ("grounding", 1100)
    blocks = read_lightonocr(
        "![title](100,50,900,90) # Head\n![list](100,100,900,200)\n- one\n- two\n"
        "![table](100,200,500,600) <table><tr><td>a</td></tr></table>\n![formula](0,700,100,800) $$x^2$$\n"
        "![image](1,2,3,4) A harbour\n![novel_label](500,900,600,950) End."
    )
    assert outline(blocks) == [
        ("title", "Head"), ("list_item", "one"), ("list_item", "two"), ("table", ""), ("formula", "x^2"),
        ("picture", "A harbour"), ("paragraph", "End."),
    ]  # fmt: skip
    assert blocks[3].bbox == pytest.approx((61.2, 158.4, 306.0, 475.2))
    assert all(block.bbox for block in blocks)


def test_lightonocr_block_that_continues_the_one_before_joins_it() -> None:
    (block,) = read_lightonocr("![text](50,500,450,950) Rivers **and**\n![text+](550,50,950,100) *bridges*.")
    assert block.text == "Rivers and bridges."
    assert [block.text[span.start : span.end] for span in block.spans] == ["and", "bridges"]
    assert block.bbox == pytest.approx((30.6, 39.6, 581.4, 752.4))


@pytest.mark.parametrize("box", ["900,200,500,600", "1,1,9999,2"])
def test_impossible_lightonocr_box_is_null(box: str) -> None:
    assert [block.bbox for block in read_lightonocr(f"![text]({box}) text")] == [None]


def test_lightonocr_answer_without_markers_is_plain_markdown() -> None:
    assert outline(read_lightonocr("# Head\n\nBody.")) == [("heading", "Head"), ("paragraph", "Body.")]


@pytest.mark.parametrize("at", range(0, 400, 7))
def test_cut_doctags_keep_their_written_elements(at: int) -> None:
    text = (
        "<doctag><text><loc_10><loc_10><loc_90><loc_20>First <b> text</text><otsl><loc_10><loc_30><loc_90><loc_60>"
        "<ched>A<ched>B<nl><fcel>1<fcel>2<nl></otsl><ordered_list><list_item><loc_10><loc_70><loc_90><loc_80>one"
        "</list_item></ordered_list><inline><text>see</text><code>x</code></inline><text>end</text></doctag>"
    )
    whole = [text for _, text in outline(read_doctags(text, 612, 792))]
    assert whole == ["First <b> text", "", "one", "see x", "end"]
    for (_, kept), full in zip(outline(read_doctags(text[:at], 612, 792)), whole, strict=False):
        assert full.startswith(kept.split("<")[0].strip())


@pytest.mark.parametrize("text", ["Sorry, I cannot.", "<alien>x</alien>", "text <loc_1><loc_2>"])
def test_docling_answer_without_elements_is_a_bad_answer(text: str) -> None:
    model = GraniteDocling()
    with pytest.raises(BadAnswer):
        model.read(PAGE, (), model.ask(PAGE, ()), [Answer(text=text)])
    assert model.read(PAGE, (), model.ask(PAGE, ()), [Answer(text="<doctag></doctag>")]) == []


def test_hostile_doctags_end_soon_and_stay_bounded() -> None:
    begun = time.process_time()
    for piece in ("<text>", "<inline>", "<ordered_list><list_item>", "<picture><caption>", "<loc_1>", "<", "</text>"):
        assert len(read_doctags(piece * 40_000, 612, 792)) <= MAX_ELEMENTS
    assert time.process_time() - begun < 20


@pytest.mark.parametrize("model", [PaddleOcrVl(), GlmOcr()])
def test_text_that_looks_like_a_list_keeps_its_number(model: CropModel) -> None:
    regions = [region(BlockType.PARAGRAPH, 40)]
    blocks = model.read(PAGE, regions, model.ask(PAGE, regions), [Answer(text="7. 4.1 Joints")])
    assert outline(blocks) == [("paragraph", "7. 4.1 Joints")]


def test_charts_and_seals_have_prompts_and_other_pictures_have_none() -> None:
    model = PaddleOcrVl()
    regions = [
        PageRegion(type=BlockType.PICTURE, bbox=(0, 0, 9, 9)),
        PageRegion(type=BlockType.PICTURE, bbox=(0, 9, 99, 99), picture=PictureKind.CHART, text="10 20"),
        PageRegion(type=BlockType.PICTURE, bbox=(0, 99, 99, 199), picture=PictureKind.SEAL),
    ]
    asks = model.ask(PAGE, regions)
    assert [ask.prompt for ask in asks] == ["Chart Recognition:", "Seal Recognition:"]
    blocks = model.read(PAGE, regions, asks, [Answer(text="no table"), Answer(text="Seal of Harbour")])
    assert outline(blocks) == [("picture", ""), ("picture", "10 20"), ("paragraph", "Seal of Harbour")]


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
    for architecture, name in (
        ("DotsOCRForCausalLM", "dots"),
        ("GlmOcrForConditionalGeneration", "glm-ocr"),
        ("PaddleOCRVLForConditionalGeneration", "paddleocr-vl"),
    ):
        (tmp_path / "config.json").write_text(json.dumps({"architectures": [architecture]}))
        assert identify_directory(tmp_path) == name
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(MlUnavailable, match="does not say which"):
        identify_directory(tmp_path)


def test_chart_of_a_model_is_a_picture_with_its_data() -> None:
    model = PaddleOcrVl()
    regions = [PageRegion(type=BlockType.PICTURE, bbox=(0, 9, 99, 99), picture=PictureKind.CHART) for _ in range(2)]
    answers = [Answer(text="Year | Cost\n2024 | 7.1"), Answer(text="no table")]

    read, unread = model.read(PAGE, regions, model.ask(PAGE, regions), answers)

    assert [(block.type, block.picture and block.picture.kind) for block in (read, unread)] == [
        (BlockType.PICTURE, "chart"), (BlockType.PICTURE, "chart"),
    ]  # fmt: skip
    assert (cells(read)[-1], unread.table) == ((1, 1, 1, 1, "7.1"), None)
