"""Corrections of extracted values: the place a person chose, and the label that it teaches."""
