"""A fault is reported by the source line that raised it."""

import numpy as np
import pytest

from quire.models.faults import own_fault


def catch(code: str, place: str) -> BaseException:
    """The exception that code raises at a place, without the frames of this test."""
    with pytest.raises(Exception) as caught:
        exec(compile(code, place, "exec"), {"np": np})
    assert caught.value.__traceback__ is not None
    return caught.value.with_traceback(caught.value.__traceback__.tb_next)


@pytest.mark.parametrize("code", ["[][1]", "1 / 0", "next(iter(()))", "int('x')", "np.concatenate([])", "np.stack([])"])
def test_every_python_error_of_the_pdf_reader_is_ours(code: str) -> None:
    fault = own_fault(catch(code, "models/extract/formats/pdf/text/undecoded.py"))
    assert fault is not None
    assert fault.endswith("at models/extract/formats/pdf/text/undecoded.py:1")


@pytest.mark.parametrize("parser", ["models/extract/formats/rtf/document.py", "models/rare_formats/xls/cells.py"])
def test_error_of_a_hand_written_parser_is_of_the_file(parser: str) -> None:
    assert own_fault(catch("int('x')", parser)) is None


def test_error_of_another_library_is_of_the_file() -> None:
    assert own_fault(catch("int('x')", "/lib/python3/site-packages/lxml/etree.py")) is None


def test_own_fault_names_the_source_of_compiled_code() -> None:
    code = compile("[][1]", "models/extract/layout/page.py", "exec")  # compiled code names its source like this
    with pytest.raises(IndexError) as caught:
        exec(code)
    assert caught.value.__traceback__ is not None
    caught.value.__traceback__ = caught.value.__traceback__.tb_next
    assert own_fault(caught.value) == "IndexError at models/extract/layout/page.py:1"
