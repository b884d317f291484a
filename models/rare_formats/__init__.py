"""Readers of rare and legacy formats, each opened by its name in the group `quire.formats` of entry points."""
