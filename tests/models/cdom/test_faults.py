"""A fault is reported by the source line that raised it."""

import pytest

from models.cdom.faults import own_fault


def test_own_fault_names_the_source_of_compiled_code() -> None:
    code = compile("[][1]", "models/extract/layout/page.py", "exec")  # compiled code names its source like this
    with pytest.raises(IndexError) as caught:
        exec(code)
    assert caught.value.__traceback__ is not None
    caught.value.__traceback__ = caught.value.__traceback__.tb_next
    assert own_fault(caught.value) == "IndexError at models/extract/layout/page.py:1"
