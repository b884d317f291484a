"""Pictures, displayed formulas, and floats in the reading order."""
