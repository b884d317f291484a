"""What stands in a paragraph: runs, fields, styles, symbols, formulas, drawings."""
