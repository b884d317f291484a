"""Numbers of a page, compiled by mypyc where a compiler is: words, rows, grids and their features. No file format."""
