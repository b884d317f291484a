"""Outlook messages (.msg): bytes in, an `OpenDocument` out, attachments beside it."""

from models.extract.readers.msg.message import open_msg

__all__ = ["open_msg"]
