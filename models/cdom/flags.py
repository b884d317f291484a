"""Names of the flags a block can carry. `pii:<kind>` flags are decided by a reviewer; the others are facts of reading."""

HIDDEN_TEXT = "hidden-text"
LOW_CONFIDENCE = "low-confidence"
COMMENT = "comment"
"""On a footnote block: a reviewer's comment, not a note of the text."""
PII_PREFIX = "pii:"


def is_pii_flag(flag: str) -> bool:
    """True for `pii:<kind>`."""
    return flag.startswith(PII_PREFIX)
