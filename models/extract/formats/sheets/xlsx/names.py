"""XML namespaces of spreadsheets and their drawings."""

from typing import Final

S: Final = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
XDR: Final = "{http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing}"
THREADED: Final = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
