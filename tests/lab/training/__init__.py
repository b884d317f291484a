"""Learning of the small decisions in the page pipeline from documents with truth: `make train SETS=folder`.

LightGBM is needed here only; what it learns is kept as flat arrays that `layout.learned.forest` walks.
"""
