"""Automatic numbers of headings, items and cells: variants by seed over number formats, levels and places."""

import io
import random

import docx
import pytest
from docx.oxml import parse_xml

from quire.models.export.markdown import tree_to_markdown
from quire.models.extract.formats.flow.number_formats import format_count
from tests.models.extract.flow_trees import read_tree, rows_of

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
FORMATS = {
    "chineseCounting": ("一", "二", "三"), "decimalEnclosedCircle": ("①", "②", "③"), "russianLower": ("а", "б", "в"),
    "hebrew1": ("א", "ב", "ג"), "hebrew2": ("א", "ב", "ג"), "japaneseCounting": ("一", "二", "三"),
    "arabicAlpha": ("أ", "ب", "ت"), "arabicAbjad": ("أ", "ب", "ج"), "thaiLetters": ("ก", "ข", "ค"),
    "ganada": ("가", "나", "다"), "chosung": ("ㄱ", "ㄴ", "ㄷ"), "aiueoFullWidth": ("ア", "イ", "ウ"),
    "iroha": ("ｲ", "ﾛ", "ﾊ"), "ideographTraditional": ("甲", "乙", "丙"), "upperRoman": ("I", "II", "III"),
    "lowerLetter": ("a", "b", "c"), "decimalZero": ("01", "02", "03"), "ordinal": ("1st", "2nd", "3rd"),
    "ordinalText": ("First", "Second", "Third"), "cardinalText": ("One", "Two", "Three"),
    "chineseLegalSimplified": ("壹", "贰", "叁"), "thaiNumbers": ("๑", "๒", "๓"), "hindiNumbers": ("१", "२", "३"),
    "ideographEnclosedCircle": ("㊀", "㊁", "㊂"), "decimalFullWidth": ("１", "２", "３"),
    "koreanDigital": ("일", "이", "삼"),
}  # fmt: skip
PATTERNS = ("%1、", "%1)", "(%1)", "%1", "Article %1.", "第%1条")


def document_with(place: str, format_: str, pattern: str) -> bytes:
    document, out = docx.Document(), io.BytesIO()
    numbering = document.part.numbering_part.element
    numbering.insert(0, parse_xml(
        f'<w:abstractNum xmlns:w="{W}" w:abstractNumId="77"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        f'<w:numFmt w:val="{format_}"/><w:lvlText w:val="{pattern}"/></w:lvl></w:abstractNum>'
    ))  # fmt: skip
    numbering.append(parse_xml(f'<w:num xmlns:w="{W}" w:numId="77"><w:abstractNumId w:val="77"/></w:num>'))
    table = document.add_table(3, 2) if place == "cell" else None
    for number in range(3):
        if table is not None:
            paragraph = table.cell(number, 0).paragraphs[0]
            table.cell(number, 1).text = f"word{number}"
        else:
            paragraph = document.add_paragraph(f"word{number}", style="Heading 1" if place == "heading" else None)
        paragraph._p.get_or_add_pPr().append(
            parse_xml(f'<w:numPr xmlns:w="{W}"><w:ilvl w:val="0"/><w:numId w:val="77"/></w:numPr>')
        )
    document.save(out)
    return out.getvalue()


@pytest.mark.parametrize("seed", range(len(FORMATS)))
def test_automatic_numbers_are_text(seed: int) -> None:
    chance = random.Random(seed)
    format_, numbers = list(FORMATS.items())[seed]
    place, pattern = chance.choice(("heading", "item", "cell")), chance.choice(PATTERNS)

    tree = read_tree(document_with(place, format_, pattern))

    labels = [pattern.replace("%1", number) for number in numbers]
    if place == "cell":
        assert rows_of(tree.blocks[0]) == [[label, f"word{number}"] for number, label in enumerate(labels)]
        return
    assert [block.text for block in tree.blocks] == [f"{label} word{n}" for n, label in enumerate(labels)]
    plain = tree_to_markdown(tree).replace("\\", "")
    assert all(f"{label} word" in " ".join(plain.split()) for label in labels) or format_ in ("lowerLetter",)


@pytest.mark.parametrize(
    ("count", "format_", "expected"),
    [
        (10, "chineseCounting", "十"), (21, "chineseCountingThousand", "二十一"), (105, "japaneseCounting", "一百〇五"),
        (15, "hebrew1", "טו"), (115, "hebrew1", "קטו"), (30, "russianLower", "аа"), (40, "chineseCounting", "四十"),
        (112, "ordinal", "112th"), (21, "ordinalText", "Twenty-first"), (45, "decimalEnclosedCircle", "㊺"),
        (60, "decimalEnclosedCircle", "60"), (11, "ideographTraditional", "11"), (12, "koreanLegal", "열둘"),
        (7, "zeros3", "007"), (0, "russianLower", "0"), (-3, "chineseCounting", "三"), (5, "nonsense", "5"),
    ],
)  # fmt: skip
def test_format_count_of_other_counts(count: int, format_: str, expected: str) -> None:
    assert format_count(count, format_).startswith(expected)
