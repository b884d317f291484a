"""Text files: plain text in any encoding, CSV and TSV, Markdown. Bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.text.delimited import open_csv
from quire.models.extract.formats.text.markdown import open_markdown
from quire.models.extract.formats.text.plain import open_text

__all__ = ["open_csv", "open_markdown", "open_text"]
