"""The style sheet of a workbook: the format code of each cell style. A root element in, codes out."""

from models.extract.formats.common.xml import Element, number
from models.extract.formats.sheets.formats import BUILT_IN
from models.extract.formats.sheets.xlsx.names import S


def read_codes(styles: Element | None) -> list[str]:
    """Format codes by the index of the cell style."""
    if styles is None:
        return ["General"]
    own = {
        number(node.get("numFmtId")): node.get("formatCode") or "General"
        for node in styles.iterfind(f"{S}numFmts/{S}numFmt")
    }
    codes = BUILT_IN | own
    return [codes.get(number(node.get("numFmtId")), "General") for node in styles.iterfind(f"{S}cellXfs/{S}xf")]
