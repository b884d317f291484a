"""Redacted PDFs: glyphs removed by MuPDF, everything that is not seen left behind by qpdf, proven by two engines."""
