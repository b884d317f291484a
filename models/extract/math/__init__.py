"""Printed formulas as LaTeX: glyphs with their places in, LaTeX without delimiters out. No file format, no fonts."""
