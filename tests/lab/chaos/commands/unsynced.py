"""`make drill NAME=unsynced` (as root): power cuts on a disk that loses everything that was not synced.

One service on `tests.lab.chaos.commands.lossy_disk` accepts documents and reads them. Each of `--cuts` cuts kills all
processes and goes on with the synced data alone. Exits 1 if a document that was accepted does not end or is not found,
its original or a tree that was served before differs, or a start fails. Needs `pip install mfusepy`, in any environment
that `LOSSY_PYTHON` names.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from tests.lab.chaos.commands.night import SOON_S, Night
from tests.lab.chaos.processes import processes_of_session, send
from tests.waiting import until

ROOT = Path(__file__).resolve().parents[4]


class Disk:
    """A folder on the file system that loses data."""

    def __init__(self, folder: Path) -> None:
        self.live, self.durable, self.mount = (folder / name for name in ("live", "durable", "disk"))
        for path in (self.live, self.durable, self.mount):
            path.mkdir(mode=0o711)
        self._server: subprocess.Popen[bytes] | None = None

    def attach(self, seed: int) -> None:
        program = [os.environ.get("LOSSY_PYTHON", sys.executable), "tests/lab/chaos/commands/lossy_disk.py"]
        paths = [str(path) for path in (self.live, self.durable, self.mount)]
        self._server = subprocess.Popen([*program, *paths, str(seed)], cwd=ROOT)
        while not self.mount.is_mount():
            if self._server.poll() is not None:
                sys.exit("the file system did not start: pip install mfusepy, and see that /dev/fuse is there")
            time.sleep(0.1)

    def crash(self) -> int:
        """Cut the power; return how many files lost data."""
        assert self._server is not None
        self._server.kill()
        self._server.wait()
        subprocess.run(["fusermount3", "-u", "-z", self.mount], check=True)
        paths = [
            path.relative_to(self.live) for path in self.live.rglob("*") if path.is_file() and not path.is_symlink()
        ]
        lost = [path for path in paths if not _is_equal(self.live / path, self.durable / path)]
        shutil.rmtree(self.live)
        subprocess.run(["cp", "-a", self.durable, self.live], check=True)
        return len(lost)

    def detach(self) -> None:
        if self.mount.is_mount():
            subprocess.run(["fusermount3", "-u", "-z", self.mount], check=False)


def _is_equal(one: Path, other: Path) -> bool:
    return other.is_file() and one.stat().st_size == other.stat().st_size and one.read_bytes() == other.read_bytes()


def cut(night: Night, disk: Disk, seconds: float) -> None:
    """Upload, wait so long, kill every process of the service and of its database, and keep what was synced."""
    for _ in range(10):
        night.expect("upload before the cut", night.upload()[0], 201)
    time.sleep(seconds)
    ended = [name for name in night.accepted if night.status_of(name) == "succeeded"]
    trees = {name: night.call("GET", f"{night.path(name)}/tree") for name in ended}
    assert night.service is not None
    lines = (night.workdir / "postgres" / "postmaster.pid").read_text().splitlines()
    for process in processes_of_session(night.service.session):
        send(process, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(int(lines[0]), signal.SIGKILL)
    night.report.setdefault("files_that_lost_data", []).append(disk.crash())
    disk.attach(night.number)
    night.report.setdefault("start_after_cut_s", []).append(night.up())
    night.settle("after the cut")
    if "SVC_RAG_DB" in os.environ:
        until(lambda: not _not_found(night), SOON_S)
        night.expect("documents that search does not find", _not_found(night), [])
    for name, tree in trees.items():
        night.expect(f"tree of {name}", night.call("GET", f"{night.path(name)}/tree") == tree, True)


def _not_found(night: Night) -> list[str]:
    """Return the documents in which a search finds nothing."""
    answers = {name: night.call("GET", f"/v1/search?q=ledger&document_id={name}")[1] for name in night.accepted}
    return [name for name, answer in answers.items() if b'"document_id"' not in answer]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--port", type=int, default=8760)
    parser.add_argument("--index", action="store_true", help="with search, whose index is on the disk too")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory(prefix="qu", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)
        disk = Disk(folder)
        disk.attach(options.seed)
        night = Night(disk.mount, options.port)
        if options.index:
            os.environ["SVC_RAG_DB"] = str(night.workdir / "index")
        try:
            night.up()
            for _ in range(options.cuts):
                cut(night, disk, dice.choice((0.0, 0.5, 2.0, 8.0)))
        finally:
            night.down()
            disk.detach()
    print(json.dumps({**night.report, "documents": night.number, "load": os.getloadavg()[0]}, indent=1))
    return 1 if night.report["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
