from pathlib import Path

import pytest

from quire.models.cdom.errors import MlUnavailable
from quire.models.neural.device import missing_cpu_flags, read_cpu_flags, require_ml

CPUINFO = "processor\t: 0\nmodel name\t: x\nflags\t\t: fpu sse avx avx2 fma\n\nprocessor\t: 1\nflags\t\t: fpu\n"


def test_flags_are_those_of_the_first_processor(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(CPUINFO)
    assert read_cpu_flags(tmp_path / "cpuinfo") == {"fpu", "sse", "avx", "avx2", "fma"}


def test_system_without_reported_flags_has_no_flags(tmp_path: Path) -> None:
    assert read_cpu_flags(tmp_path / "none") == frozenset()


@pytest.mark.parametrize("machine", ["x86_64", "AMD64"])
def test_x86_needs_avx2_and_fma(machine: str) -> None:
    assert missing_cpu_flags(frozenset({"avx", "avx2"}), machine) == {"fma"}
    assert missing_cpu_flags(frozenset({"avx2", "fma", "sse"}), machine) == frozenset()
    with pytest.raises(MlUnavailable, match="lacks avx2, fma"):
        require_ml(frozenset(), machine)


def test_arm64_needs_no_flag() -> None:
    require_ml(frozenset(), "aarch64")
