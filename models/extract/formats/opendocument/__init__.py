"""OpenDocument files (.odt, .ods, .odp): bytes in, an `OpenDocument` out."""

from quire.models.extract.formats.opendocument.files import open_odp, open_ods, open_odt

__all__ = ["open_odp", "open_ods", "open_odt"]
