"""A redacted Word file reads as the original but for what is masked, and holds nothing else of it."""

import re
import zipfile
from io import BytesIO

import docx
import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from quire.models.pii.flagging.flag import flag_tree
from quire.models.pii.letters import letters
from quire.models.pii.patterns.kind_patterns import RegexDetector
from quire.models.redaction.docx import redact as redact_module
from quire.models.redaction.planning.errors import RedactionUnproven
from quire.models.redaction.redact import redact_original
from tests.lab.bench.redaction import canary_files
from tests.models.redaction.papers import SECRET, SHOWN, read, redact
from tests.security.canaries import make_case


def a_file(*paragraphs: str) -> bytes:
    document = docx.Document()
    document.add_paragraph(SHOWN)
    for text in paragraphs:
        document.add_paragraph(text)
    return saved(document)


def saved(document: docx.document.Document) -> bytes:
    written = BytesIO()
    document.save(written)
    return written.getvalue()


def everything(data: bytes) -> str:
    """The text of every part with and without its markup, and the bytes themselves."""
    found = [data.decode("latin-1")]
    with zipfile.ZipFile(BytesIO(data)) as file:
        for name in file.namelist():
            text = file.read(name).decode("utf-8", "replace")
            found += [name, text, re.sub(r"<[^>]*>", "", text)]
    return "\n".join(found)


def words(data: bytes) -> str:
    return "\n".join(paragraph.text for paragraph in docx.Document(BytesIO(data)).paragraphs)


def test_value_is_removed_and_surrounding_words_stay() -> None:
    clean = redact(a_file(f"Write to {SECRET} soon."))
    assert letters(SECRET) not in letters(everything(clean))
    assert words(clean).splitlines() == [SHOWN, "Write to █████ soon."]


def test_a_value_over_many_runs_and_a_tab_goes_whole() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Ask ")
    for char in SECRET:
        paragraph.add_run(char).bold = char in "aeiou"
    document.add_paragraph("Ask tab.zz@\tleak-tab.example too")
    clean = redact(saved(document))
    assert "example" not in words(clean)
    assert not [char for char in "janezaq" if f">{char}<" in everything(clean)]


def test_a_rejected_flag_leaves_the_value() -> None:
    original = a_file(f"Write to {SECRET} soon.")
    tree = flag_tree(read(original), RegexDetector())
    (block,) = [block for block in tree.blocks if block.flags]
    assert SECRET in words(redact_original(original, tree, {(block.id, "pii:email", 0): "rejected"}, read))


def test_text_boxes_keep_their_words_and_lose_their_values() -> None:
    document = docx.Document()
    box = (
        f"<w:r {nsdecls('w')} xmlns:v='urn:schemas-microsoft-com:vml'><w:pict><v:shape alt='{SECRET}'><v:textbox>"
        f"<w:txbxContent><w:p><w:r><w:t>Boxed words, {SECRET}</w:t></w:r></w:p></w:txbxContent>"
        "</v:textbox></v:shape></w:pict></w:r>"
    )
    document.add_paragraph("Before. ")._p.append(parse_xml(box))  # type: ignore[arg-type]
    clean = redact(saved(document))
    assert "Boxed words, █████" in words(clean)
    assert letters(SECRET) not in letters(everything(clean))


def test_only_parts_that_are_read_are_left() -> None:
    with zipfile.ZipFile(BytesIO(redact(a_file(SECRET)))) as file:
        names = set(file.namelist())
    assert "word/document.xml" in names
    assert not [name for name in names if "docProps" in name or "custom" in name or "settings" in name]


def test_the_same_file_gives_the_same_bytes() -> None:
    original = a_file(SECRET)
    assert redact(original) == redact(original)


def test_value_found_again_refuses_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redact_module, "mask_runs", lambda *_: None)
    with pytest.raises(RedactionUnproven):
        redact(a_file(SECRET))


@pytest.mark.parametrize("number", range(1, 121, 3))
def test_canaries_in_every_place_are_gone(number: int) -> None:
    case = make_case(number)
    clean = redact(case.data)
    found = letters(everything(clean))
    assert [place for needle, place in case.needles.items() if needle in found] == []
    docx.Document(BytesIO(clean))


@pytest.mark.parametrize("number", range(40))
def test_values_in_any_part_of_a_file_are_gone(number: int) -> None:
    case = canary_files.make_docx(number)
    seen, left = canary_files.search_docx(case.data), canary_files.search_docx(redact(case.data))
    for needle, place in case.needles.items():
        assert any(needle in text for text in seen.values()), place
        assert [way for way, text in left.items() if needle in text] == [], place


def test_style_with_a_personal_name_is_renamed_everywhere() -> None:
    document = docx.Document()
    document.styles.add_style(f"For {SECRET}", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Styled words.", style=f"For {SECRET}")
    clean = redact(saved(document))
    assert letters(SECRET) not in letters(everything(clean))
    used = next(one for one in docx.Document(BytesIO(clean)).paragraphs if one.text == "Styled words.")
    assert used.style is not None
    assert used.style.name == "For █████"


def test_part_with_a_personal_name_is_refused() -> None:
    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = "Words"
    renamed = BytesIO()
    with zipfile.ZipFile(BytesIO(saved(document))) as old, zipfile.ZipFile(renamed, "w") as new:
        for name in old.namelist():
            new.writestr(name.replace("header1", SECRET), old.read(name).replace(b"header1", SECRET.encode()))
    with pytest.raises(RedactionUnproven):
        redact(renamed.getvalue())
