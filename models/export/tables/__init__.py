"""Tables of a tree as data: one row per cell with its place, and files of spreadsheets and data tools."""
