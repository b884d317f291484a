"""The embedder's memory: texts of ever new lengths leave nothing behind."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.long, pytest.mark.nightly]
ROOT = Path(__file__).resolve().parents[4]
MOST_MB = 60
"""Between the 20th and the 100th length: 10 of passages, 40 of questions; 200 where the engine keeps what it made."""
PROGRAM = """
from quire.models.neural.embed.minilm import MiniLm
def resident_mb():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 1e6
model, sizes = MiniLm(), []
for length in range(1, 101):
    model.{call}(["rope " * length])
    sizes.append(resident_mb())
print(round(sizes[99] - sizes[19]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("call", ["embed", "embed_queries"])
def test_a_text_of_a_new_length_leaves_no_kernel_behind(call: str) -> None:
    program = PROGRAM.replace("{call}", call)
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(done.stdout) < MOST_MB
