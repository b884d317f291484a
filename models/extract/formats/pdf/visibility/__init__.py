"""Visibility of a PDF page's text: finds text that is invisible, covered, clipped or off the page."""
