"""Archives and mailboxes: the names of their members. The text of each member is counted with that member."""

from quire.models.extract.coverage.stated.text import StatedText
from quire.models.extract.formats.archive import is_listed, split_mailbox, tar_members
from quire.models.extract.formats.common.opc import Package


def state_zip(data: bytes) -> StatedText:
    """Return the names of the listed members.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    return StatedText(text=[name for name in Package(data).names() if is_listed(name)])


def state_tar(data: bytes) -> StatedText:
    """Return the names of the members that are read.

    Raises:
        ExtractError: The reader raises it for this file as well.
    """
    return StatedText(text=[name for name, content in tar_members(data) if content is not None])


def state_mbox(data: bytes) -> StatedText:
    """Return the number of every mail, which stands for it in the list."""
    return StatedText(text=[str(number) for number, _ in enumerate(split_mailbox(data), start=1)])
