"""Tables of a page: their places (rules, shading, aligned text) and the text of their cells."""
