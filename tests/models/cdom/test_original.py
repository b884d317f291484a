"""The hash of reading options: what can change a tree changes it, a password does not."""

from quire.models.cdom import original
from quire.models.cdom.original import OcrMode, ReadOptions


def test_options_that_change_the_tree_change_the_hash() -> None:
    plain = ReadOptions()
    others = ReadOptions(ocr=OcrMode.NEVER), ReadOptions(pages=((1, 2),)), ReadOptions(second_opinion=True)
    assert len({plain.digest(), *(one.digest() for one in others)}) == 4


def test_a_password_changes_no_hash_and_is_not_kept() -> None:
    original._digest.cache_clear()
    hashes = {ReadOptions(password=password).digest() for password in (None, "open", "sesame")}
    assert len(hashes) == original._digest.cache_info().currsize == 1
