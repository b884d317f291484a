"""Archives (.zip): bytes in, an `OpenDocument` out that lists the members; each is a document of its own."""

from models.extract.readers.archive.members import open_zip

__all__ = ["open_zip"]
