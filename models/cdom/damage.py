"""What is said of a file that is cut off or damaged."""

from models.cdom.original import DRAWN_FORMATS
from models.cdom.tree import DAMAGED, PageStatus, Tree


def describe_damage(tree: Tree) -> str | None:
    """Return the sentence about a file of which content is missing, None for any other file."""
    damaged = {warning.page for warning in tree.warnings if warning.code == DAMAGED}
    if not damaged:
        return None
    if tree.source.format not in DRAWN_FORMATS:
        return "the file is cut off or damaged; text may be missing"
    filled = {block.page for block in tree.blocks}
    whole = [
        page
        for page in tree.pages
        if page.status is PageStatus.OK and (page.number in filled or page.number not in damaged)
    ]
    return f"the file is cut off or damaged; {len(whole)} of {len(tree.pages)} pages have content"
