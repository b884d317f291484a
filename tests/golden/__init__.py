"""Recorded trees. The PDF engine is imported before any other module can import its library in another way."""

import quire.models.extract.formats.pdf.engine  # noqa: F401
