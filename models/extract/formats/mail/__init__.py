"""Mail (.eml, .mhtml): bytes in, an `OpenDocument` with attachments out."""

from quire.models.extract.formats.mail.message import open_eml, open_mhtml

__all__ = ["open_eml", "open_mhtml"]
