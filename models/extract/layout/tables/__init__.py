"""Tables of a page: where they are (rules, shading, aligned text) and what their cells hold."""
