"""Archives and mailboxes: the names of their members. What the members say is stated with each of them."""

from models.extract.coverage.stated.text import StatedText
from models.extract.formats.archive import is_listed, split_mailbox
from models.extract.formats.common.opc import Package


def state_zip(data: bytes) -> StatedText:
    """Raises `ExtractError` as the reader does."""
    return StatedText(text=[name for name in Package(data).names() if is_listed(name)])


def state_mbox(data: bytes) -> StatedText:
    """Every mail is listed by its number."""
    return StatedText(text=[str(number) for number, _ in enumerate(split_mailbox(data), start=1)])
