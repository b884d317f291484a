"""Names of the flags a block can carry. A reviewer decides `pii:<kind>` flags; the others are facts of reading."""

from dataclasses import dataclass

HIDDEN_TEXT = "hidden-text"
LOW_CONFIDENCE = "low-confidence"
GARBLED_TEXT = "garbled-text"
"""The font's letters are not what the page shows, and no recogniser has read it."""
UNDECODED = "undecoded-characters"
"""Some glyphs of the block do not say which letters they are."""
LIGATURES_RESTORED = "ligatures-restored"
"""Glyphs that do not say so were read as the ligatures that they look like."""
CHECK_FAILED = "check-failed"
"""On a table, and at the cells in question: a sum that the table states is not that of its figures."""
COMMENT = "comment"
"""On a footnote block: a reviewer's comment, not a note of the text."""
SPEAKER_NOTES = "speaker-notes"
"""On a footnote block: what the speaker of a slide reads."""
QUOTED = "quoted"
"""Text of a mail that repeats an earlier one."""
PII_PREFIX = "pii:"


def is_pii_flag(flag: str) -> bool:
    """Return whether the flag is `pii:<kind>`."""
    return flag.startswith(PII_PREFIX)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedPlace:
    """One flagged value of one block. `place` (hex) is equal wherever the same text occurs in the same place.

    `value` (hex) is equal for the same value of the same kind in any spelling; `confidence` (0 to 1) is the certainty
    that the value is of that kind. `page` is 1-based, `order` the block's place in reading order.
    """

    block_id: str
    flag: str
    place: str
    page: int
    order: int
    value: str = ""
    confidence: float = 1.0
