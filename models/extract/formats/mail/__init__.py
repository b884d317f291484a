"""Mail (.eml, .mhtml): bytes in, an `OpenDocument` out, attachments beside it."""

from models.extract.formats.mail.message import open_eml, open_mhtml

__all__ = ["open_eml", "open_mhtml"]
