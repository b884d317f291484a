"""Compound files (OLE 2), in which old Office and Outlook keep their streams."""
