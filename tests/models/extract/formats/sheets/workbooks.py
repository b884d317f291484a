"""Small Excel packages for tests, written part by part."""

from tests.models.extract.flow_trees import zipped

S = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELS = "http://schemas.openxmlformats.org/package/2006/relationships"


def relations(*targets: tuple[str, str, str]) -> str:
    lines = "".join(f'<Relationship Id="{i}" Type="{R}/{kind}" Target="{target}"/>' for i, kind, target in targets)
    return f'<Relationships xmlns="{RELS}">{lines}</Relationships>'


def sheet(rows: str, *, before: str = "", after: str = "") -> str:
    return f'<worksheet xmlns="{S}" xmlns:r="{R}">{before}<sheetData>{rows}</sheetData>{after}</worksheet>'


def text_cell(place: str, text: str, style: int = 0) -> str:
    return f'<c r="{place}" t="inlineStr" s="{style}"><is><t>{text}</t></is></c>'


def number_cell(place: str, value: float | str, style: int = 0) -> str:
    return f'<c r="{place}" s="{style}"><v>{value}</v></c>'


def workbook(
    *sheets: str,
    codes: tuple[str, ...] = (),
    attributes: str = "",
    states: tuple[str, ...] = (),
    more: dict[str, str | bytes] | None = None,
) -> bytes:
    """A package of those worksheets (Sheet1, Sheet2, …); style n+1 has format code n."""
    entries = "".join(
        f'<sheet name="Sheet{n}" sheetId="{n}" r:id="r{n}" state="{states[n - 1] if states else "visible"}"/>'
        for n in range(1, len(sheets) + 1)
    )
    formats = "".join(f'<numFmt numFmtId="{164 + n}" formatCode="{code}"/>' for n, code in enumerate(codes))
    styles = '<xf numFmtId="0"/>' + "".join(f'<xf numFmtId="{164 + n}"/>' for n in range(len(codes)))
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": "<Types/>",
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'<workbook xmlns="{S}" xmlns:r="{R}"><workbookPr {attributes}/><sheets>{entries}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": relations(
            ("rs", "styles", "styles.xml"),
            *((f"r{n}", "worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)),
        ),
        "xl/styles.xml": (
            f'<styleSheet xmlns="{S}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
        ),
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": content for n, content in enumerate(sheets, start=1)}
    return zipped(parts | (more or {}))
