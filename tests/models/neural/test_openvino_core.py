"""Models leave the process as they found it: its threads' signal stacks are their own, and signals are survived."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quire.models.neural.openvino_core import openvino_core, same_signal_stack, signal_stack

ROOT = Path(__file__).resolve().parents[3]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux's layout of stack_t is known")

MODELS_COME_AND_GO = """
import gc, os, signal
from quire.models.neural.embed.minilm import MiniLm

heard = []
signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
for _ in range(2):
    made = MiniLm()
    made.embed(["a text"])
    made.embed_queries(["a question"])
    del made
    gc.collect()
os.kill(os.getpid(), signal.SIGUSR1)
print(len(heard))
"""


@LINUX
def test_a_signal_is_handled_after_models_came_and_went() -> None:
    """Runs in a separate process, which would end by SIGSEGV without a signal stack."""
    done = subprocess.run([sys.executable, "-c", MODELS_COME_AND_GO], capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout.split()) == (0, ["1"]), done.stderr


@LINUX
def test_signal_stack_is_restored_after_loading_a_library() -> None:
    import openvino

    before = signal_stack()
    with same_signal_stack():
        core = openvino.Core()
        core.get_property("CPU", "FULL_DEVICE_NAME")
        inside = signal_stack()
    after = signal_stack()
    assert inside.start not in (before.start, None), "OpenVINO sets none any more: this module can go"
    assert (after.start, after.flags, after.size) == (before.start, before.flags, before.size)


def test_threads_share_one_core() -> None:
    made: list[object] = []
    threads = [threading.Thread(target=lambda: made.append(openvino_core())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 4
    assert all(core is openvino_core() for core in made)
