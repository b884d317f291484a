"""Names of the flags a block can carry, and all codes of a tree's warnings with their texts.

A reviewer decides `pii:<kind>` flags; the others are facts of reading.
"""

from collections.abc import Mapping
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


WARNINGS: Mapping[str, str] = {
    "areas-not-read": "The page or parts of it needed a recogniser, and none was available.",
    "assets-left-out": "Pictures beyond the limit on their number or size are not stored.",
    "chart-unread": "A chart of the page was not read as a table. Its labels are the text of the picture.",
    "damaged": "The file is cut off or damaged. It was read as far as possible; ask for a complete copy.",
    "embedded-document": "A document inside the document was not read. Send it as a separate file.",
    "embedded-object": "An embedded object was not read. Open the file to see it.",
    "encoding-uncertain": "The encoding of the text was guessed. Check letters with accents.",
    "encrypted-attachment": "An attachment is encrypted and was not read. Send it with its password.",
    "encrypted-part": "A part of the mail is encrypted and was not read. Send it decrypted.",
    "external-data": "The file refers to data outside it, which was not fetched. Stored values were read.",
    "external-field": "A field refers to a file outside the document. Its stored text was read.",
    "external-image": "A picture is stored outside the file and was not fetched.",
    "formula-without-value": "A formula has no stored value and is shown itself. Save the file in its application.",
    "hidden-cells": "The sheet has hidden rows or columns. They are in the tree with the flag hidden-text.",
    "hidden-sheet": "The sheet is hidden. It is in the tree with the flag hidden-text.",
    "hidden-slide": "The slide is hidden. It is in the tree with the flag hidden-text.",
    "macros": "The file has macros, which are never run. Their code is not read.",
    "member-left-out": "A member of the package has an unsafe or repeated name and was left out.",
    "nested-too-deep": "The markup is nested too deeply. Its text was read without structure.",
    "not-reproducible": "A vision model read the page. Another run may give other text.",
    "ocr-doubtful": "The page reads badly in every installed script. Compare it with its picture.",
    "ocr-language-missing": "The page is in a script that no installed recogniser reads. Install its language.",
    "ocr-script-": "Names the script of a page that no installed recogniser reads.",
    "part-unreadable": "A part of the file could not be read and was left out.",
    "picture-not-drawn": "The pictures of the page could not be drawn and were left out. Its text was read.",
    "picture-unreadable": "A picture could not be read and was left out.",
    "pictures-left-out": "Pictures beyond the limit on their number are not stored.",
    "repaired": "The file is damaged and was repaired. Parts of it may be missing.",
    "rows-left-out": "Rows beyond SVC_MAX_CELLS are left out. Divide the file, or raise it with SVC_CHILD_MEMORY_MB.",
    "second-engine": "A second PDF engine read the words of the page, because the first did not.",
    "step-": "Names the step of reading that failed.",
    "step-failed": "A step of reading failed and was left out. The text is complete, its structure may be poorer.",
    "tags-ignored": "The author's tags contradict the page, which was read by what it shows.",
    "text-lost": "Characters that the page shows are in no block. The coverage statement counts them.",
    "tracked-changes": "The document has tracked changes. Deleted text is not read.",
    "vlm-fallback": "The vision model did not read the page. The built-in recogniser did.",
    "vlm-truncated": "The vision model stopped before the end of the page. Text may be missing.",
    "vlm-unplaced": "The vision model's text could not be placed on the page. Blocks have no boxes.",
    "xfa-form": "The form also has an XFA description, which is not read. Its pages and fields are.",
}
"""Texts of the guide's table and of the viewer. A code that ends in a hyphen is the start of codes that name something.

A page that could not be read has its error code as a warning instead.
"""
