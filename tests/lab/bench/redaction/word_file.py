"""Word files put together part by part, with a value in places that Word shows, hides or keeps for itself."""

import random
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from io import BytesIO

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml"


@dataclass
class WordFile:
    """`body` holds paragraphs as XML; `parts` whole parts by name with their content type."""

    body: list[str] = field(default_factory=list)
    parts: dict[str, tuple[str, str]] = field(default_factory=dict)
    relations: list[tuple[str, str, str, bool]] = field(default_factory=list)
    """Id, type, target, outside the package."""
    section: str = ""

    def part(self, name: str, xml: str, kind: str, relation: str) -> str:
        """Add a part next to the document; return the id of its relation."""
        self.parts[f"word/{name}"] = (xml, f"{_MAIN}.{kind}+xml")
        return self.relate(relation, name)

    def relate(self, relation: str, target: str, outside: bool = False) -> str:
        self.relations.append((f"rId{len(self.relations) + 1}", relation, target, outside))
        return self.relations[-1][0]

    def finish(self) -> bytes:
        made = BytesIO()
        body = f"<w:body>{''.join(self.body)}<w:sectPr>{self.section}</w:sectPr></w:body>"
        document = f"<w:document {_W} {_R}>{body}</w:document>"
        links = "".join(
            f'<Relationship Id="{name}" Type="{_TYPES}/{kind}" Target="{escape(target)}"'
            + (' TargetMode="External"/>' if outside else "/>")
            for name, kind, target, outside in self.relations
        )
        types = "".join(
            f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, (_, kind) in self.parts.items()
        )
        with zipfile.ZipFile(made, "w") as file:
            file.writestr(
                "[Content_Types].xml",
                f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.'
                'openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>'
                '<Default Extension="bin" ContentType="application/octet-stream"/>'
                f'<Override PartName="/word/document.xml" ContentType="{_MAIN}.document.main+xml"/>{types}</Types>',
            )
            file.writestr(
                "_rels/.rels",
                f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
                f'Type="{_TYPES}/officeDocument" Target="word/document.xml"/></Relationships>',
            )
            file.writestr(
                "word/_rels/document.xml.rels",
                f'<Relationships xmlns="{_PACKAGE}/relationships">{links}</Relationships>',
            )
            file.writestr("word/document.xml", document)
            for name, (content, _) in self.parts.items():
                file.writestr(name, content)
        return made.getvalue()


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{escape(text)}</w:t></w:r>'


def paragraph(*runs: str) -> str:
    return f"<w:p>{''.join(runs)}</w:p>"


Plant = Callable[[WordFile, str, random.Random], None]


def _body(draw: Callable[[str, random.Random], str]) -> Plant:
    def plant(file: WordFile, value: str, dice: random.Random) -> None:
        file.body.append(draw(value, dice))

    return plant


def _text(value: str, dice: random.Random) -> str:
    return paragraph(run(f"Please note {value} for later."))


def _runs(value: str, dice: random.Random) -> str:
    return paragraph(run("Please note "), *(run(char, "<w:b/>" if dice.random() < 0.5 else "") for char in value))


def _marked_runs(value: str, dice: random.Random) -> str:
    """Bookmarks and spelling marks stand between the runs."""
    cut = dice.randint(1, len(value) - 1)
    mark = '<w:bookmarkStart w:id="9" w:name="here"/><w:proofErr w:type="spellStart"/><w:bookmarkEnd w:id="9"/>'
    return paragraph(run(value[:cut]), mark, run(value[cut:]))


def _disguised(value: str, dice: random.Random) -> str:
    writings = (
        "\u200b".join(value), value[:3] + "\u00ad" + value[3:], value.replace(" ", "\u00a0"),
        "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in value),
    )  # fmt: skip
    return paragraph(run(f"Please note {dice.choice(writings)} for later."))


def _cell(value: str, dice: random.Random) -> str:
    cells = [paragraph(run("Entry")), paragraph(run(value))]
    row = "".join(f"<w:tc><w:tcPr/>{cell}</w:tc>" for cell in cells)
    return f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/><w:gridCol/></w:tblGrid><w:tr>{row}</w:tr></w:tbl>{paragraph()}"


def _nested_table(value: str, dice: random.Random) -> str:
    row = f"<w:tr><w:tc><w:tcPr/>{_cell(value, dice)}</w:tc></w:tr>"
    return f"<w:tbl><w:tblPr/><w:tblGrid><w:gridCol/></w:tblGrid>{row}</w:tbl>{paragraph()}"


def _hidden(value: str, dice: random.Random) -> str:
    return paragraph(run("Nothing to see. "), run(value, "<w:vanish/>"))


def _deleted(value: str, dice: random.Random) -> str:
    gone = f"<w:r><w:delText>{escape(value)}</w:delText></w:r>"
    return paragraph(
        run("Before "), f'<w:del w:id="7" w:author="{escape(value)}" w:date="2026-01-01T00:00:00Z">{gone}</w:del>'
    )


def _inserted(value: str, dice: random.Random) -> str:
    return paragraph(f'<w:ins w:id="8" w:author="{escape(value)}">{run(f"Added: {value}")}</w:ins>')


def _moved(value: str, dice: random.Random) -> str:
    return paragraph(f'<w:moveFrom w:id="5" w:author="x">{run(value)}</w:moveFrom>', run("Moved away."))


def _field_code(value: str, dice: random.Random) -> str:
    begin, middle, end = (f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>' for kind in ("begin", "separate", "end"))
    code = f'<w:r><w:instrText> HYPERLINK "mailto:{escape(value)}" </w:instrText></w:r>'
    return paragraph(begin, code, middle, run("write here"), end)


def _control(value: str, dice: random.Random) -> str:
    facts = f'<w:sdtPr><w:alias w:val="{escape(value)}"/><w:tag w:val="{escape(value)}"/></w:sdtPr>'
    return f"<w:sdt>{facts}<w:sdtContent>{paragraph(run(f'Chosen: {value}'))}</w:sdtContent></w:sdt>"


def _bookmark(value: str, dice: random.Random) -> str:
    return paragraph(
        f'<w:bookmarkStart w:id="3" w:name="{escape(value)}"/>', run("Marked."), '<w:bookmarkEnd w:id="3"/>'
    )


def _text_box(value: str, dice: random.Random) -> str:
    inner = f"<w:txbxContent>{paragraph(run(f'Boxed {value}'))}</w:txbxContent>"
    return paragraph(
        '<w:r><w:pict xmlns:v="urn:schemas-microsoft-com:vml">'
        f'<v:shape alt="{escape(value)}"><v:textbox>{inner}</v:textbox></v:shape></w:pict></w:r>'
    )


def _furniture(file: WordFile, value: str, dice: random.Random) -> None:
    kind = dice.choice(("header", "footer"))
    tag = "hdr" if kind == "header" else "ftr"
    name = file.part(f"{kind}1.xml", f"<w:{tag} {_W}>{paragraph(run(f'Ask {value}'))}</w:{tag}>", kind, kind)
    file.section += f'<w:{kind}Reference w:type="default" r:id="{name}"/>'


def _note(file: WordFile, value: str, dice: random.Random) -> None:
    kind = dice.choice(("footnote", "endnote"))
    notes = f'<w:{kind} w:id="2">{paragraph(run(f"See {value}"))}</w:{kind}>'
    file.part(f"{kind}s.xml", f"<w:{kind}s {_W}>{notes}</w:{kind}s>", f"{kind}s", f"{kind}s")
    file.body.append(paragraph(run("A remark"), f'<w:r><w:{kind}Reference w:id="2"/></w:r>'))


def _comment(file: WordFile, value: str, dice: random.Random) -> None:
    said = f'<w:comment w:id="1" w:author="{escape(value)}">{paragraph(run(f"Call {value}"))}</w:comment>'
    file.part("comments.xml", f"<w:comments {_W}>{said}</w:comments>", "comments", "comments")
    file.body.append(
        paragraph('<w:commentRangeStart w:id="1"/>', run("A remark."), '<w:r><w:commentReference w:id="1"/></w:r>')
    )


def _link(file: WordFile, value: str, dice: random.Random) -> None:
    name = file.relate("hyperlink", f"mailto:{value}", outside=True)
    file.body.append(
        paragraph(f'<w:hyperlink r:id="{name}" w:tooltip="{escape(value)}">{run("write here")}</w:hyperlink>')
    )


def _settings(file: WordFile, value: str, dice: random.Random) -> None:
    kept = f'<w:docVars><w:docVar w:name="x" w:val="{escape(value)}"/></w:docVars>'
    file.part("settings.xml", f"<w:settings {_W}>{kept}</w:settings>", "settings", "settings")


def _embedded(file: WordFile, value: str, dice: random.Random) -> None:
    file.parts["word/embeddings/one.bin"] = (value, "application/octet-stream")
    file.relate("oleObject", "embeddings/one.bin")


def _custom(file: WordFile, value: str, dice: random.Random) -> None:
    file.parts["customXml/item1.xml"] = (f"<data>{escape(value)}</data>", "application/xml")
    file.relate("customXml", "../customXml/item1.xml")


def _properties(file: WordFile, value: str, dice: random.Random) -> None:
    core = f"<cp:coreProperties xmlns:cp='{_PACKAGE}/metadata/core-properties' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
    said = f"<dc:creator>{escape(value)}</dc:creator><dc:title>{escape(value)}</dc:title>"
    file.parts["docProps/core.xml"] = (
        f"{core}{said}</cp:coreProperties>", "application/vnd.openxmlformats-package.core-properties+xml"
    )  # fmt: skip


def _style(file: WordFile, value: str, dice: random.Random) -> None:
    style = f'<w:style w:type="paragraph" w:styleId="A"><w:name w:val="{escape(value)}"/></w:style>'
    file.part("styles.xml", f"<w:styles {_W}>{style}</w:styles>", "styles", "styles")


WORD_PLACES: dict[str, Plant] = {
    **{
        draw.__name__.strip("_"): _body(draw)
        for draw in (
            _text, _runs, _marked_runs, _disguised, _cell, _nested_table, _hidden, _deleted, _inserted, _moved,
            _field_code, _control, _bookmark, _text_box,
        )
    },
    **{
        plant.__name__.strip("_"): plant
        for plant in (
            _furniture, _note, _comment, _link, _settings, _embedded, _custom, _properties, _style,
        )
    },
}  # fmt: skip
