"""Charts with known data in Office and OpenDocument files: by seed, kind of fault and format."""

import random
from dataclasses import dataclass, field

from tests.models.extract.formats.opendocument.test_odf import NAMES, opendocument
from tests.models.extract.formats.sheets.workbooks import R, number_cell, relations, sheet, text_cell, workbook
from tests.models.extract.formats.slides.decks import deck, slide
from tests.models.extract.formats.word.docx.files import make_docx, paragraph, relationships

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
C = "http://schemas.openxmlformats.org/drawingml/2006/chart"
CX = "http://schemas.microsoft.com/office/drawing/2014/chartex"
XDR = "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"
OFFICE = ("docx", "pptx", "xlsx")
FAULTS = ("own-x", "levels", "formats", "axes", "no-copy", "new-kind")
OPEN = ("odt", "ods")
OPEN_FAULTS = ("own-x", "axes", "plain")
_NEW_KINDS = {"waterfall": "waterfall", "treemap": "treemap", "sunburst": "sunburst", "funnel": "funnel",
              "clusteredColumn": "histogram", "boxWhisker": "box", "regionMap": "map"}  # fmt: skip


@dataclass
class Made:
    """A chart: its XML, and what the tree must state. `cells` are those of its workbook."""

    xml: str
    rows: list[list[str]]
    kind: str
    axes: list[str] = field(default_factory=list)
    cells: str = ""
    values: list[str] = field(default_factory=list)


def make_chart(fault: str, seed: int) -> Made:
    """Return a chart of Office that shows the fault."""
    rng = random.Random(f"{fault} {seed}")
    return _MAKERS[fault](rng)


def _points(values: list[str], code: str = "General") -> str:
    points = "".join(f'<c:pt idx="{index}"><c:v>{value}</c:v></c:pt>' for index, value in enumerate(values) if value)
    return f'<c:formatCode>{code}</c:formatCode><c:ptCount val="{len(values)}"/>{points}'


def _numbers(name: str, values: list[str], code: str = "General") -> str:
    return (
        f"<c:{name}><c:numRef><c:f>S!$B$2</c:f><c:numCache>{_points(values, code)}</c:numCache></c:numRef></c:{name}>"
    )


def _texts(name: str, values: list[str]) -> str:
    return f"<c:{name}><c:strRef><c:f>S!$A$2</c:f><c:strCache>{_points(values)}</c:strCache></c:strRef></c:{name}>"


def _title(text: str) -> str:
    return f"<c:title><c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>" if text else ""


def _axis(kind: str, name: int, side: str, title: str = "", scaling: str = "", code: str = "General") -> str:
    return (
        f'<c:{kind}><c:axId val="{name}"/><c:scaling>{scaling}</c:scaling><c:axPos val="{side}"/>{_title(title)}'
        f'<c:numFmt formatCode="{code}" sourceLinked="0"/></c:{kind}>'
    )


def _space(plots: str, title: str = "Report", before: str = "") -> str:
    return (
        f'<c:chartSpace xmlns:c="{C}" xmlns:a="{A}">{before}<c:chart>{_title(title)}<c:plotArea><c:layout/>{plots}'
        "</c:plotArea></c:chart></c:chartSpace>"
    )


def _ids(*names: int) -> str:
    return "".join(f'<c:axId val="{name}"/>' for name in names)


def _draw_values(rng: random.Random, count: int) -> list[str]:
    return [str(rng.randrange(10, 900)) for _ in range(count)]


def _make_own_x(rng: random.Random) -> Made:
    has_sizes = rng.random() < 0.4
    kind, y = ("bubble", "yVal") if has_sizes else ("scatter", "yVal")
    rows = [["", "Hours", "Tonnes", *(["size"] if has_sizes else [])]]
    series = ""
    for name in ("North", "South", "West")[: rng.choice((2, 3))]:
        count = rng.choice((3, 4, 5))
        xs = [f"{rng.randrange(1, 99) / 4:g}" for _ in range(count)]
        ys, sizes = _draw_values(rng, count), _draw_values(rng, count)
        series += f"<c:ser>{_texts('tx', [name])}{_numbers('xVal', xs)}{_numbers(y, ys)}"
        series += (_numbers("bubbleSize", sizes) if has_sizes else "") + "</c:ser>"
        rows += [[name, x, v, *([s] if has_sizes else [])] for x, v, s in zip(xs, ys, sizes, strict=True)]
    plots = f"<c:{kind}Chart>{series}{_ids(1, 2)}</c:{kind}Chart>"
    plots += _axis("valAx", 1, "b", "Hours") + _axis("valAx", 2, "l", "Tonnes")
    return Made(_space(plots), rows, "scatter", ["Tonnes", "Hours"])


def _make_levels(rng: random.Random) -> Made:
    years, months = ["2019", "2020", "2021"][: rng.choice((2, 3))], ["Jan", "Feb", "Mar"][: rng.choice((2, 3))]
    count = len(years) * len(months)
    values = _draw_values(rng, count)
    inner = "".join(f'<c:pt idx="{n}"><c:v>{months[n % len(months)]}</c:v></c:pt>' for n in range(count))
    outer = "".join(f'<c:pt idx="{n * len(months)}"><c:v>{year}</c:v></c:pt>' for n, year in enumerate(years))
    levels = f"<c:multiLvlStrCache><c:lvl>{inner}</c:lvl><c:lvl>{outer}</c:lvl></c:multiLvlStrCache>"
    named = f"<c:cat><c:multiLvlStrRef><c:f>S!$A$2</c:f>{levels}</c:multiLvlStrRef></c:cat>"
    plots = f"<c:barChart><c:ser>{_texts('tx', ['Sales'])}{named}{_numbers('val', values)}</c:ser></c:barChart>"
    rows = [[years[n // len(months)], months[n % len(months)], value] for n, value in enumerate(values)]
    return Made(_space(plots), [["", "", "Sales"], *rows], "bar")


def _make_formats(rng: random.Random) -> Made:
    code, values, shown = rng.choice((
        ("0.0%", ["0.15", "0.2", "0.0875"], ["15.0%", "20.0%", "8.8%"]),
        ("#,##0", ["12500", "900", "4321.4000000000005"], ["12,500", "900", "4,321"]),
        ("0.00", ["4.4000000000000004", "1", "2.5"], ["4.40", "1.00", "2.50"]),
    ))  # fmt: skip
    date = rng.choice(("mmm yyyy", "yyyy-mm-dd"))
    is_by_axis = rng.random() < 0.5
    days = {"mmm yyyy": ["Jan 2020", "Feb 2020", "Mar 2020"], "yyyy-mm-dd": ["2020-01-01", "2020-02-01", "2020-03-01"]}
    named = _numbers("cat", ["43831", "43862", "43891"], "General" if is_by_axis else date)
    kind = rng.choice(("line", "area", "bar"))
    series = f"<c:ser>{_texts('tx', ['Share'])}{named}{_numbers('val', values, code)}</c:ser>"
    plots = f"<c:{kind}Chart>{series}{_ids(1, 2)}</c:{kind}Chart>"
    plots += _axis("dateAx", 1, "b", code=date) + _axis("valAx", 2, "l")
    rows = [["", "Share"], *([day, text] for day, text in zip(days[date], shown, strict=True))]
    plain = [f"{float(value):.15g}" for value in values]
    return Made(_space(plots), rows, kind, [""], values=[p for p, s in zip(plain, shown, strict=True) if p != s])


def _make_axes(rng: random.Random) -> Made:
    names, first, second = ["Q1", "Q2", "Q3"], _draw_values(rng, 3), _draw_values(rng, 3)
    left, right = rng.sample(["Tonnes", "EUR million", "Persons"], 2)
    cat = _texts("cat", names)
    plots = (
        f"<c:barChart><c:ser>{_texts('tx', ['Output'])}{cat}{_numbers('val', first)}</c:ser>{_ids(1, 2)}</c:barChart>"
        f"<c:lineChart><c:ser>{_texts('tx', ['Sales'])}{cat}{_numbers('val', second)}</c:ser>{_ids(3, 4)}</c:lineChart>"
        + _axis("catAx", 1, "b", "Quarter")
        + _axis("valAx", 2, "l", left, '<c:min val="0"/><c:max val="1000"/>')
        + _axis("valAx", 4, "r", right, '<c:logBase val="10"/>')
        + _axis("catAx", 3, "b")
    )
    rows = [["Quarter", f"Output ({left})", f"Sales ({right})"]]
    rows += [[name, a, b] for name, a, b in zip(names, first, second, strict=True)]
    return Made(_space(plots, rng.choice(("", "Report"))), rows, "combined", [left, right])


def _make_no_copy(rng: random.Random) -> Made:
    years = ["2020", "2021"]
    values = _draw_values(rng, 4)
    names = [(years[n // 2], f"H{n % 2 + 1}") for n in range(4)]
    has_two = rng.random() < 0.5
    cells = f"<row>{text_cell('C1', 'Turnover')}</row>"
    for n, (year, half) in enumerate(names):
        row = n + 2
        own = text_cell(f"A{row}", year) + text_cell(f"B{row}", half) + number_cell(f"C{row}", values[n])
        cells += f"<row>{own}</row>"
    area = "$A$2:$B$5" if has_two else "$B$2:$B$5"
    plots = (
        f"<c:barChart><c:ser><c:tx><c:strRef><c:f>Sheet1!$C$1</c:f></c:strRef></c:tx><c:cat><c:multiLvlStrRef>"
        f"<c:f>Sheet1!{area}</c:f></c:multiLvlStrRef></c:cat><c:val><c:numRef><c:f>'Sheet1'!$C$2:$C$5</c:f></c:numRef>"
        "</c:val></c:ser></c:barChart>"
    )
    rows = [[*([""] if has_two else []), "", "Turnover"]]
    rows += [[*([year] if has_two else []), half, v] for (year, half), v in zip(names, values, strict=True)]
    return Made(_space(plots), rows, "bar", cells=cells)


def _make_new_kind(rng: random.Random) -> Made:
    layout = rng.choice(sorted(_NEW_KINDS))
    names, values = ["Opening", "Gain", "Loss", "Closing"], _draw_values(rng, 4)
    inner = "".join(f'<cx:pt idx="{n}">{name}</cx:pt>' for n, name in enumerate(names))
    has_outer = layout in ("treemap", "sunburst")
    outer = '<cx:lvl><cx:pt idx="0">Plan</cx:pt><cx:pt idx="2">Fact</cx:pt></cx:lvl>' if has_outer else ""
    numbers = "".join(f'<cx:pt idx="{n}">{value}</cx:pt>' for n, value in enumerate(values))
    xml = (
        f'<cx:chartSpace xmlns:cx="{CX}" xmlns:a="{A}"><cx:chartData><cx:data id="0"><cx:strDim type="cat">'
        f"<cx:lvl>{inner}</cx:lvl>{outer}</cx:strDim>"
        f'<cx:numDim type="val"><cx:lvl formatCode="#,##0">{numbers}</cx:lvl></cx:numDim>'
        "</cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Report</a:t></a:r></a:p></cx:rich>"
        f'</cx:tx></cx:title><cx:plotArea><cx:plotAreaRegion><cx:series layoutId="{layout}"><cx:tx><cx:txData>'
        '<cx:v>Cash</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion>'
        '<cx:axis id="0"><cx:catScaling/></cx:axis><cx:axis id="1"><cx:valScaling min="0"/>'
        "<cx:title><cx:tx><cx:txData><cx:v>EUR</cx:v></cx:txData></cx:tx></cx:title></cx:axis></cx:plotArea></cx:chart></cx:chartSpace>"
    )
    groups = ["Plan", "Plan", "Fact", "Fact"]
    rows = [[*([group] if has_outer else []), n, v] for group, n, v in zip(groups, names, values, strict=True)]
    return Made(xml, [[*([""] if has_outer else []), "", "Cash"], *rows], _NEW_KINDS[layout], ["EUR"])


_MAKERS = {"own-x": _make_own_x, "levels": _make_levels, "formats": _make_formats, "axes": _make_axes,
           "no-copy": _make_no_copy, "new-kind": _make_new_kind}  # fmt: skip


def wrap_chart(made: Made, format_: str) -> bytes:
    """Return a file of that format with the chart; cells are in its own or in an embedded workbook."""
    is_new = made.xml.startswith("<cx")
    node = (
        f'<cx:chart xmlns:cx="{CX}" xmlns:r="{R}" r:id="c"/>'
        if is_new
        else f'<c:chart xmlns:c="{C}" xmlns:r="{R}" r:id="c"/>'
    )
    name = "chartEx1.xml" if is_new else "chart1.xml"
    embedded = workbook(sheet(made.cells)) if made.cells else b""
    if format_ == "docx":
        files = {f"word/charts/{name}": made.xml.encode()}
        if embedded:
            files |= {
                "word/embeddings/book.xlsx": embedded,
                f"word/charts/_rels/{name}.rels": relationships([("e", "package", "../embeddings/book.xlsx")]).encode(),
            }
        xml = f"<w:r><w:drawing>{node}</w:drawing></w:r>"
        return make_docx(paragraph("Text", inside=xml), relations=[("c", "chart", f"charts/{name}")], files=files)
    more: dict[str, str | bytes]
    if format_ == "pptx":
        frame = (
            '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="9" name="c"/></p:nvGraphicFramePr><a:graphic>'
            f"<a:graphicData>{node}</a:graphicData></a:graphic></p:graphicFrame>"
        )
        more = {
            "ppt/slides/_rels/slide1.xml.rels": relations(("c", "chart", f"../charts/{name}")),
            f"ppt/charts/{name}": made.xml,
        }
        if embedded:
            more["ppt/embeddings/book.xlsx"] = embedded
            more[f"ppt/charts/_rels/{name}.rels"] = relations(("e", "package", "../embeddings/book.xlsx"))
        return deck(slide(frame), more=more)
    anchor = (
        "<xdr:oneCellAnchor><xdr:from><xdr:col>6</xdr:col><xdr:row>3</xdr:row></xdr:from><xdr:graphicFrame>"
        f'<xdr:nvGraphicFramePr><xdr:cNvPr id="1" name="x"/></xdr:nvGraphicFramePr>{node}</xdr:graphicFrame>'
        "</xdr:oneCellAnchor>"
    )
    more = {
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("d", "drawing", "../drawings/d.xml")),
        "xl/drawings/d.xml": f'<xdr:wsDr xmlns:xdr="{XDR}" xmlns:a="{A}" xmlns:r="{R}">{anchor}</xdr:wsDr>',
        "xl/drawings/_rels/d.xml.rels": relations(("c", "chart", f"../charts/{name}")),
        f"xl/charts/{name}": made.xml,
    }
    return workbook(sheet(made.cells or f"<row>{text_cell('A1', 'x')}</row>"), more=more)


def make_open_chart(fault: str, seed: int) -> Made:
    """Return the content of a chart of OpenDocument."""
    rng = random.Random(f"{fault} {seed}")
    is_local = rng.random() < 0.5
    count = 4
    texts = [["Q1", "Q2", "Q3", "Q4"], *(_draw_values(rng, count) for _ in range(4 if fault == "own-x" else 2))]
    heads = ["", "x1", "North", "x2", "South"] if fault == "own-x" else ["", "North", "South"]
    columns = [[head, *values] for head, values in zip(heads, texts, strict=True)]
    places = [(f"local-table.$%s$2:.$%s${count + 1}" if is_local else f"Data.%s2:Data.%s{count + 1}") % (c, c)
              for c in "ABCDE"]  # fmt: skip
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="{"float" if row and col else "string"}">'
            f"<text:p>{column[row]}</text:p>"
            + (f"<draw:g><svg:desc>{places[col]}</svg:desc></draw:g>" if row == 1 and not is_local else "")
            + "</table:table-cell>"
            for col, column in enumerate(columns)
        )
        + "</table:table-row>"
        for row in range(count + 1)
    )
    kind = "scatter" if fault == "own-x" else "bar"
    pairs = [(2, 1), (4, 3)] if fault == "own-x" else [(1, None), (2, None)]
    series = "".join(
        f'<chart:series chart:values-cell-range-address="{places[col]}" chart:class="chart:{own}" '
        f'chart:attached-axis="{axis}-y">'
        + (f'<chart:domain table:cell-range-address="{places[x]}"/>' if x is not None else "")
        + "</chart:series>"
        for (col, x), own, axis in zip(
            pairs,
            (kind, "line" if fault == "axes" else kind),
            ("primary", "secondary" if fault == "axes" else "primary"),
            strict=True,
        )
    )
    title = "<chart:title><text:p>{}</text:p></chart:title>"
    axes = (
        f'<chart:axis chart:dimension="x" chart:name="primary-x">{title.format("Hours")}</chart:axis>'
        '<chart:axis chart:dimension="y" chart:name="primary-y" chart:style-name="ch1">'
        f"{title.format('Tonnes')}</chart:axis>"
    )
    if fault == "axes":
        axes += f'<chart:axis chart:dimension="y" chart:name="secondary-y">{title.format("EUR")}</chart:axis>'
    style = (
        '<style:style style:name="ch1" style:family="chart"><style:chart-properties chart:minimum="0" '
        'chart:maximum="1000" chart:logarithmic="false"/></style:style>'
    )
    xml = (
        f'<office:document-content {NAMES} xmlns:chart="urn:oasis:names:tc:opendocument:xmlns:chart:1.0">'
        f"<office:automatic-styles>{style}</office:automatic-styles><office:body><office:chart>"
        f'<chart:chart chart:class="chart:{kind}">{title.format("Report")}'
        f"<chart:plot-area>{axes}{series}</chart:plot-area>"
        f'<table:table table:name="local-table">{rows}</table:table></chart:chart></office:chart></office:body>'
        "</office:document-content>"
    )
    if fault == "own-x":
        wanted = [["", "Hours", "Tonnes"]]
        wanted += [
            [name, x, y]
            for name, c in (("North", 1), ("South", 3))
            for x, y in zip(texts[c], texts[c + 1], strict=True)
        ]
        return Made(xml, wanted, "scatter", ["Tonnes", "Hours"])
    names = ["North (Tonnes)", "South (EUR)"] if fault == "axes" else ["North", "South"]
    wanted = [["Hours", *names], *([*row] for row in zip(*texts, strict=True))]
    return Made(
        xml, wanted, "combined" if fault == "axes" else "bar", ["Tonnes", *(["EUR"] if fault == "axes" else [])]
    )


def wrap_open_chart(made: Made, format_: str) -> bytes:
    """Return an OpenDocument file with the chart."""
    frame = (
        '<draw:frame xmlns:xlink="http://www.w3.org/1999/xlink"><draw:object xlink:href="./Chart"/>'
        '<draw:image xlink:href="./x.png"/></draw:frame>'
    )
    body = f"<text:p>Text</text:p><text:p>{frame}</text:p>"
    if format_ == "ods":
        row = f"<table:table-row><table:table-cell>{frame}</table:table-cell></table:table-row>"
        body = f'<table:table table:name="Data">{row}</table:table>'
    return opendocument("text" if format_ == "odt" else "spreadsheet", body, **{"Chart/content.xml": made.xml})
