"""All codes of a tree's warnings, each with its text. The guide's table and the viewer are made from it.

A page that could not be read has its error code as a warning instead.
"""

from collections.abc import Mapping

WARNINGS: Mapping[str, str] = {
    "areas-not-read": "The page or parts of it needed a recogniser, and none was available.",
    "assets-left-out": "Pictures beyond the limit on their number or size are not stored.",
    "damaged": "The file is cut off or damaged. It was read as far as possible; ask for a complete copy.",
    "embedded-document": "A document inside the document was not read. Send it as a file of its own.",
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
    "ocr-language-missing": "The page is in a script that no installed recogniser reads. Install its language.",
    "ocr-script-": "Names the script of a page that no installed recogniser reads.",
    "part-unreadable": "A part of the file could not be read and was left out.",
    "picture-not-drawn": "The pictures of the page could not be drawn and were left out. Its text was read.",
    "picture-unreadable": "A picture could not be read and was left out.",
    "pictures-left-out": "Pictures beyond the limit on their number are not stored.",
    "repaired": "The file is damaged and was repaired. Parts of it may be missing.",
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
"""A code that ends in a hyphen is the start of codes that name something."""
