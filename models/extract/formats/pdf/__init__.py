"""PDF pages read with MuPDF: bytes in, page contents and PNGs out. Decides nothing about the document as a whole."""
