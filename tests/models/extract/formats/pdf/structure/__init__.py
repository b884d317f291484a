"""Tests of the structure read from PDF pages: order, lines, cells, notes."""
