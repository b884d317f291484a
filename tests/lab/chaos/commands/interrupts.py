"""Ctrl-C at many moments of a command: `python -m tests.lab.chaos.commands.interrupts extract --moments 100`.

Each try starts the command in a new process group, sends SIGINT to the group after a pause, and reports status,
traceback, slow ends, and what is left running. The moments are spread evenly.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pymupdf

from quire.cluster.postgres.embedded import EmbeddedPostgres
from quire.cluster.state import read_state, session_members

QUIRE = (str(Path(sys.executable).with_name("quire")),)
BULK = (sys.executable, "-m", "quire.cluster.jobs.bulk_extract")
MOST_S = 30.0  # seconds after which a command counts as hanging
QUICK_S = 2.0  # seconds within which a command should have ended
SETTLE_S = 0.3  # seconds until killed processes are gone from /proc
ROOT = Path(__file__).resolve().parents[4]


@dataclass(frozen=True, slots=True)
class Ending:
    """How one try ended."""

    status: int | None
    is_quick: bool
    has_traceback: bool
    left: tuple[str, ...]

    @property
    def verdict(self) -> str:
        """Return `ok`, `finished` for a command that was done before, or what is wrong."""
        if self.status is None:
            return "hang"
        if self.has_traceback:
            return "traceback"
        if self.left:
            return "left running"
        if self.status == 0:
            return "finished"
        if self.status != 130:
            return f"status {self.status}"
        return "ok" if self.is_quick else "slow"


def interrupt(command: list[str], pause_s: float, find_left: Callable[[], tuple[str, ...]], folder: Path) -> Ending:
    """Start the command, send SIGINT to its group after `pause_s`, and wait for its end."""
    with tempfile.TemporaryFile("w+b") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, process_group=0, cwd=ROOT
        )
        try:
            process.wait(pause_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGINT)
        asked = time.monotonic()
        try:
            status: int | None = process.wait(MOST_S)
        except subprocess.TimeoutExpired:
            status = None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        took = time.monotonic() - asked
        time.sleep(SETTLE_S)
        left = () if status == 0 else find_left()
        output.seek(0)
        text = output.read()
    has_traceback = b"Traceback" in text or b"KeyboardInterrupt" in text
    if has_traceback or left or status not in (0, 130):
        (folder / f"{pause_s:.3f}.txt").write_bytes(text)
    return Ending(status, took <= QUICK_S, has_traceback, left)


def processes_of(*words: str) -> tuple[str, ...]:
    """Return command lines of running processes that hold one of the words, in a place or an argument."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                place = str((entry / "cwd").readlink())
            except OSError:
                continue
            if any(word in line or word in place for word in words):
                found.append(line[:100])
    return tuple(found)


def _paper(path: Path) -> None:
    with pymupdf.open() as paper:
        for number in range(12):
            page = paper.new_page()
            page.insert_text((72, 72), f"Page {number}: the quick brown fox jumps over the lazy dog")
        paper.save(path)


def main() -> int:
    """Run the sweep and return 1 if a try ended in another way than with 130."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["extract", "up", "migrate", "backup", "bulk", "help"])
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--spread", type=float, default=2.4, help="seconds over which the moments are spread")
    parser.add_argument("--port", type=int, default=8155)
    chosen = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="stores-ctrl-", dir="/tmp"))
    folder.chmod(0o711)
    papers, workdir, said = folder / "papers", folder / "w", folder / "said"
    papers.mkdir()
    said.mkdir()
    for number in range(8):
        _paper(papers / f"{number}.pdf")
    word = str(folder)
    endings: list[Ending] = []
    try:
        for number in range(chosen.moments):
            shutil.rmtree(folder / "out", ignore_errors=True)
            command = {
                "extract": [*QUIRE, "extract", str(papers), "-o", str(folder / "out"), "--to", "md"],
                "up": [*QUIRE, "up", "--detach", "--workdir", str(workdir), "--port", str(chosen.port)],
                "migrate": [*QUIRE, "migrate", "--workdir", str(workdir)],
                "backup": [*QUIRE, "backup", str(folder / "out"), "--workdir", str(workdir)],
                "bulk": [*BULK, str(papers), "-o", str(folder / "out"), "--to", "md"],
                "help": [*QUIRE, "extract", "--help"],
            }[chosen.command]
            pause = chosen.spread * (number + 0.5) / chosen.moments
            ending = interrupt(command, pause, lambda: processes_of(word), said)
            endings.append(ending)
            if ending.verdict not in ("ok", "finished"):
                print(f"{pause:.3f} s: {ending.verdict} {ending.left}", flush=True)
            if ending.status in (0, None) or ending.left:
                subprocess.run([*QUIRE, "down", "--workdir", str(workdir)], capture_output=True, check=False, cwd=ROOT)
    finally:
        drafts = [path.name for path in (folder / "out").glob(".*")] if (folder / "out").is_dir() else []
        if (workdir / "run").is_dir():
            state = read_state(workdir)
            for member in session_members(state.supervisor.pid, workdir) if state else ():
                os.kill(member.pid, signal.SIGKILL)
            EmbeddedPostgres(workdir).stop()
    counts = Counter(ending.verdict for ending in endings)
    print(f"{chosen.command}: {dict(counts)}, half-written results: {drafts}; outputs of others in {said}")
    return 0 if set(counts) <= {"ok", "finished", "slow"} else 1


if __name__ == "__main__":
    sys.exit(main())
