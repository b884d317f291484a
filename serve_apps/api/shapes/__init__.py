"""Response shapes, and the rendering of rows into them."""
