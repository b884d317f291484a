"""Documents for Haystack, read by a Quire service: `QuireConverter`."""

from quire_haystack.converter import QuireConverter

__all__ = ["QuireConverter"]
