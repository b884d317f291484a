"""Spreadsheet readers: displayed values by number format, and the workbook formats."""
