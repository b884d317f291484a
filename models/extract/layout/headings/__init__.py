"""Decide which groups of a page are headings: features, a learned score, and the rules of `kinds` as a veto."""
