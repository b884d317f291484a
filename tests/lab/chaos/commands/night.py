"""`make drill NAME=night` (as root: it mounts a small disk): full disk, backup, power cut and upgrade, again and again.

One service runs for an hour (`ARGS="--minutes N"`). Each round takes the disk to 200, 10 and 0 MB free, starts, deletes
and uploads there; backs up, damages and restores; kills all processes at once; and opens the stored deployments of
earlier releases. Exits 1 if an accepted document is lost or an answer is not the promised one.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from quire.storage.objects.durable_files import free_bytes
from tests.lab.chaos.papers import make_paper
from tests.lab.chaos.processes import processes_of_session, send
from tests.lab.chaos.service import QUIRE, Service, start, stop

DISK_MB = 1000
MEGABYTE = 1024 * 1024
LEFT_MB = (200, 10, 0)
SOON_S = 300.0  # seconds until accepted documents must have ended


class Night:
    """One service on a small disk, and the documents that it accepted."""

    def __init__(self, disk: Path, port: int) -> None:
        self.workdir, self.port, self.disk = disk / "w", port, disk
        self.service: Service | None = None
        self.accepted: dict[str, bytes] = {}
        self.jobs: dict[str, str] = {}
        self.number = 0
        self.report: dict[str, Any] = {"rounds": 0, "wrong": []}

    def up(self) -> float:
        started = time.monotonic()
        self.service = start(self.workdir, self.port)
        return round(time.monotonic() - started, 1)

    def down(self) -> None:
        if self.service is not None:
            stop(self.service)
            self.service = None

    def call(self, method: str, path: str, body: bytes = b"", kind: str = "application/json") -> tuple[int, bytes]:
        assert self.service is not None
        headers = {"Authorization": f"Bearer {self.service.token}", "Content-Type": kind}
        request = urllib.request.Request(self.service.base_url + path, body or None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def upload(self) -> tuple[int, dict[str, Any]]:
        self.number += 1
        paper = make_paper(66, self.number, pages=3)
        head = f'--b\r\nContent-Disposition: form-data; name="files"; filename="{paper.name}"\r\n\r\n'
        status, answer = self.call(
            "POST", "/v1/jobs", head.encode() + paper.data + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"
        )
        facts: dict[str, Any] = json.loads(answer)
        if status == 201:
            document = facts["pending"][0]["document_id"]
            self.accepted[document] = paper.data
            self.jobs[document] = facts["id"]
        return status, facts

    def expect(self, what: str, found: object, wanted: object) -> None:
        if found != wanted:
            self.report["wrong"].append(f"{what}: {found} instead of {wanted}")

    def settle(self, when: str) -> None:
        """Wait until every accepted document has succeeded, then compare the originals."""
        until, waiting = time.monotonic() + SOON_S, set(self.accepted)
        while waiting and time.monotonic() < until:
            waiting = {name for name in waiting if self.status_of(name) != "succeeded"}
            time.sleep(0.5)
        self.expect(f"{when}: documents that did not end", sorted(waiting), [])
        for name, data in self.accepted.items():
            status, found = self.call("GET", f"{self.path(name)}/original")
            self.expect(f"{when}: original of {name} ({status})", (status, found == data), (200, True))

    def path(self, name: str) -> str:
        return f"/v1/jobs/{self.jobs[name]}/documents/{name}"

    def status_of(self, name: str) -> str:
        status, body = self.call("GET", f"/v1/documents/{name}")
        return str(json.loads(body).get("status")) if status == 200 else str(status)


def full_disk(night: Night, *, restart: bool) -> None:
    """Take the disk to few free bytes with the service stopped and running: reads and deletions work, uploads not."""
    for left in LEFT_MB:
        for _ in range(3):
            night.upload()
        night.settle(f"{left} MB")
        if restart:
            night.down()
        with filled(night.disk, left * MEGABYTE):
            if restart:
                night.report[f"start_at_{left}_mb_s"] = night.up()
            status, facts = night.upload()
            night.expect(f"upload at {left} MB", (status, facts.get("code")), (507, "disk-full"))
            night.report[f"upload_at_{left}_mb"] = f"{status} {facts.get('detail')}"
            health, _ = night.call("GET", "/v1/health?deep=true")
            night.expect(f"deep health at {left} MB", health, 503)
            name = next(iter(night.accepted))
            night.expect(f"read at {left} MB", night.call("GET", f"{night.path(name)}/tree")[0], 200)
            night.expect(f"delete at {left} MB", night.call("DELETE", f"/v1/documents/{name}")[0], 204)
            night.expect(f"deleted at {left} MB", night.call("GET", f"{night.path(name)}/tree")[0], 404)
            del night.accepted[name]
        until = time.monotonic() + 60
        while (status := night.upload()[0]) != 201 and time.monotonic() < until:
            time.sleep(0.5)
        night.expect(f"upload after {left} MB", status, 201)
        night.settle(f"after {left} MB")


@contextmanager
def filled(disk: Path, left: int) -> Iterator[None]:
    """Leave this many bytes free on the disk, also after the database's reserve was released before."""
    ballast = disk / "ballast"
    with suppress(OSError), ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, free_bytes(disk) - left))
    try:
        yield
    finally:
        ballast.unlink()


def power_cut(night: Night) -> None:
    """Kill every process of the service and of its database at once while documents are read."""
    for _ in range(10):
        night.expect("upload before the cut", night.upload()[0], 201)
    assert night.service is not None
    lines = (night.workdir / "postgres" / "postmaster.pid").read_text().splitlines()
    pids = [process for process in processes_of_session(night.service.session)]
    for process in pids:
        send(process, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(int(lines[0]), signal.SIGKILL)
    night.report["start_after_cut_s"] = night.up()
    night.settle("after the cut")


def backup(night: Night, folder: Path) -> None:
    """Back up while documents come in, verify, refuse a damaged copy, restore quietly and compare."""
    before = dict(night.accepted)
    target, copy, restored = (folder / name for name in ("backup", "damaged", "restored"))
    for path in (target, copy, restored):
        shutil.rmtree(path, ignore_errors=True)
    night.expect("backup", _quire("backup", str(target), "--workdir", str(night.workdir)), 0)
    night.expect("verify", _quire("backup", "--verify", str(target)), 0)
    shutil.copytree(target, copy)
    original = next(path for path in (copy / "blobs").rglob("*") if path.is_file() and path.stat().st_size)
    data = bytearray(original.read_bytes())
    data[len(data) // 2] ^= 1
    original.write_bytes(data)
    night.expect("verify of a damaged backup", _quire("backup", "--verify", str(copy)), 1)
    night.expect("restore of a damaged backup", _quire("restore", str(copy), "--workdir", str(restored)), 1)
    night.expect("what a failed restore leaves", restored.exists(), False)
    night.expect("restore", _quire("restore", "--quiet", str(target), "--workdir", str(restored)), 0)
    other = Night(folder, night.port + 1)
    other.workdir, other.accepted, other.jobs, other.report = restored, before, night.jobs, night.report
    other.up()
    try:
        other.settle("restored")
    finally:
        other.down()


def upgrade(night: Night) -> None:
    """Open the stored deployments of earlier releases."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "tests/cluster/postgres/test_releases.py", "-q", "-p", "no:cacheprovider"],
        check=False,
    )
    night.expect("upgrade", done.returncode, 0)


def _quire(*arguments: str) -> int:
    return subprocess.run([QUIRE, *arguments], check=False, timeout=600).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--port", type=int, default=8740)
    parser.add_argument("--parts", default="disk,backup,power,upgrade")
    options = parser.parse_args()
    parts, until = options.parts.split(","), time.monotonic() + options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="qn", dir="/tmp") as name:
        folder, disk = Path(name), Path(name) / "disk"
        folder.chmod(0o711)
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=711", "tmpfs", disk], check=True)
        night = Night(disk, options.port)
        try:
            night.report["first_start_s"] = night.up()
            while True:
                if "disk" in parts:
                    full_disk(night, restart=True)
                if "backup" in parts:
                    backup(night, folder)
                if "power" in parts:
                    power_cut(night)
                if "upgrade" in parts:
                    upgrade(night)
                night.report["rounds"] += 1
                if time.monotonic() > until:
                    break
        finally:
            night.down()
            subprocess.run(["umount", disk], check=True)
    print(json.dumps({**night.report, "documents": night.number}, indent=1))
    return 1 if night.report["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
