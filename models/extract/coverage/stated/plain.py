"""Plain text, Markdown and separated values: their characters, without markup and separators."""

import re
from typing import Final

from quire.models.extract.coverage.stated.text import StatedText, part_signs
from quire.models.extract.formats.sniffing.charset import decode_again
from quire.models.extract.formats.sniffing.records import split_instruction
from quire.models.extract.formats.text.known import notebook_markdown, read_known
from quire.models.extract.formats.text.xml_texts import xml_as_html

_UNSPOKEN: Final = re.compile(
    r"(<img\b[^<>]*>|\]\(<?data:[^()\s]*\)|\bsrc=[\"']?data:[^\"'<>\s]*|\]\([^()\n]{0,2000}\)"
    r"|\]\[[^\[\]\n]{0,300}\]|^ {0,3}\[(?!\^)[^\[\]\n]{1,300}\]:[^\n]*|^(?:```|~~~)[^\n]*"
    r"|<[^<>\n]{1,1000}>|&#?\w{1,32};|^\s{0,40}\d{1,9}[.)]\s"
    r"|^\s{0,40}[-*+] \[[xX]\]\s)",
    re.MULTILINE,
)
"""Link targets, code languages, tags and entities: Markdown that is not text."""


def state_text(data: bytes) -> StatedText:
    """Return the decoded text."""
    text = decode_again(data)
    if read_known(text) is not None or xml_as_html(text) is not None:
        return StatedText(formed=[text])
    return StatedText(text=[text])


def state_csv(data: bytes) -> StatedText:
    """Return letters and digits, which must be in the tree; quotes and separators may be."""
    text = decode_again(data)
    _, records = split_instruction(text)
    letters, signs = part_signs(records)
    return StatedText(text=[letters], formed=[signs, text[: len(text) - len(records)]], signs_apart=True)


def state_markdown(data: bytes) -> StatedText:
    """Return letters and digits, which must be in the tree; markup may be."""
    source = decode_again(data)
    if notebook_markdown(source) is not None:
        return StatedText(formed=[source])
    text, remarks = _part_remarks(source.replace("\r\n", "\n"))
    parts = _UNSPOKEN.split(text)
    spoken, front = " ".join(parts[::2]), ""
    if spoken.startswith("---\n") and (end := spoken.find("\n---", 4)) > 0:
        front, spoken = spoken[:end], spoken[end:]
    letters, signs = part_signs(spoken)
    return StatedText(text=[letters], formed=[signs, front, remarks, *parts[1::2]], signs_apart=True)


def _part_remarks(text: str) -> tuple[str, str]:
    """Return the text without HTML comments, and the comments."""
    first, *parts = text.split("<!--")
    spoken, remarks = [first], list[str]()
    for part in parts:
        remark, end, after = part.partition("-->")
        spoken.append(after if end else "<!--" + part)
        remarks.append(remark if end else "")
    return "".join(spoken), "".join(remarks)
