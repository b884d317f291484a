"""Typeset pages with tables whose truth is known, of kinds that the documents at hand lack."""
