"""Calendars, contacts, subtitles and notebooks: variants by seed over kinds, line ends, languages and escapes."""

import json
import random

import pytest

from quire.models.cdom.tree import BlockType
from quire.models.export.markdown import tree_to_markdown
from tests.models.extract.flow_trees import read_tree

WORDS = ("Budget meeting", "Besprechung", "Réunion", "Встреча", "会議")


def make(kind: str, chance: random.Random) -> tuple[str, list[str], list[str]]:
    """The text, the words that the document has, and those of the source that it must not show."""
    title, number = chance.choice(WORDS), str(chance.randrange(10**6))
    if kind == "ics":
        zone = chance.choice(("", ";TZID=Europe/Berlin"))
        text = (
            "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//x//EN\nBEGIN:VEVENT\nUID:1\n"
            f"SUMMARY:{title}\\, {number}\nDTSTART{zone}:20260105T100000\nDESCRIPTION:Bring\n  it.\nEND:VEVENT\n"
            "END:VCALENDAR\n"
        )
        return text, [f"{title}, {number}", "2026-01-05 10:00", "Bring it."], ["PRODID", "BEGIN"]
    if kind == "vcf":
        text = (
            f"BEGIN:VCARD\nVERSION:3.0\nN:{title};Ann;;;\nFN:Ann {title}\nORG:Firm {number}\\; Co\n"
            "TEL;TYPE=work:+47 22 00\nitem1.ADR:;;1 Main St;Oslo;;0150;Norway\nPHOTO;ENCODING=b:AAAA\n BBBB\n"
            "END:VCARD\n"
        )
        return (
            text,
            [f"Ann {title}", f"Firm {number}; Co", "+47 22 00", "1 Main St, Oslo, 0150, Norway"],
            ["AAAA", "VERSION"],
        )
    if kind == "srt":
        text = f"1\n00:00:01,000 --> 00:00:04,000\n<i>{title}</i>\nsecond line\n\n2\n00:00:05,000 --> 00:00:06,000\n"
        text += f"{number}\n"
        return text, [title, "second line", number], ["-->", "00:00", "<i>"]
    if kind == "vtt":
        text = (
            "WEBVTT - file\n\nNOTE hidden note\n\nSTYLE\n::cue{color:red}\n\n"
            f"c1\n00:01.000 --> 00:04.000 align:start\n<v Ann>{title}\n\n00:05.000 --> 00:06.000\n{number}\n"
        )
        return text, [f"Ann: {title}", number], ["-->", "align", "::cue"]
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": [f"# {title}\n", "\n", "Some *text*."]},
        {"cell_type": "code", "metadata": {}, "execution_count": 1, "source": f"print({number})",
         "outputs": [{"output_type": "stream", "name": "stdout", "text": [f"{number}\n"]}]},
    ]  # fmt: skip
    book = {"cells": cells, "metadata": {"kernelspec": {"language": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(book, indent=1, ensure_ascii=chance.random() < 0.5)
    return text, [f"# {title}", f"```python\nprint({number})\n```"], ["cell_type", "nbformat"]


@pytest.mark.parametrize("seed", range(25))
def test_known_texts_are_read_by_their_structure(seed: int) -> None:
    chance = random.Random(seed)
    kind = ("ics", "vcf", "srt", "vtt", "ipynb")[seed % 5]
    text, wanted, unwanted = make(kind, chance)
    data = text.replace("\n", chance.choice(("\n", "\r\n"))) if kind != "ipynb" else text

    tree = read_tree(data.encode("utf-8-sig" if chance.random() < 0.3 else "utf-8"))

    shown = tree_to_markdown(tree)
    assert [word for word in wanted if word not in shown] == []
    assert [word for word in unwanted if word in shown] == []
    assert tree.coverage is not None
    assert tree.coverage.complete


@pytest.mark.parametrize(
    "text",
    [
        "BEGIN:VCALENDAR\n" + "BEGIN:VEVENT\n" * 20_000,
        "BEGIN:VCARD\n" + "TEL:1\n" * 20_000,
        "WEBVTT\n" + "00:01.000 --> " * 20_000,
        '{"cells": ' + "[" * 20_000 + '"nbformat" "cell_type"',
    ],
)
def test_hostile_texts_are_read_or_shown_as_they_are(text: str) -> None:
    tree = read_tree(text.encode())

    assert all(block.type is not BlockType.TABLE for block in tree.blocks)
