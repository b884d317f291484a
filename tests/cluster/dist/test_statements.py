"""The statements of a release, and base images with digests."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from quire.cluster.dist import images, statements
from tests.security.audit import read_pins


def test_bill_names_every_locked_package_with_licence_and_hashes() -> None:
    bill = statements.make_bill(statements.LOCKS)
    pins = {pin for lock in statements.LOCKS for pin in read_pins(lock.read_text())}
    assert {(part["name"], part["version"]) for part in bill["components"]} == pins
    assert all(part["licenses"] and part["properties"] for part in bill["components"])
    unknown = [part["name"] for part in bill["components"] if part["licenses"] == statements._UNKNOWN]
    assert len(unknown) <= 4, unknown
    assert json.dumps(bill) == json.dumps(statements.make_bill(statements.LOCKS))


@pytest.mark.parametrize("signed", [False, True])
def test_statements_hold_the_hash_of_every_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, signed: bool) -> None:
    if signed:
        if not shutil.which("ssh-keygen"):
            pytest.skip("signs where ssh-keygen is installed")
        key = tmp_path / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        monkeypatch.setenv(statements.KEY, str(key))
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "a.whl").write_bytes(b"wheel")
    assert statements.main([str(folder)]) == 0
    sums = dict(line.split()[::-1] for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert sums == {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in ("a.whl", "quire.cdx.json", "provenance.json")
    }
    stated = json.loads((folder / "provenance.json").read_text())
    assert {"name": "a.whl", "digest": {"sha256": sums["a.whl"]}} in stated["subject"]
    assert stated["predicate"]["buildDefinition"]["resolvedDependencies"][0]["digest"].keys() == {"gitCommit"}
    if signed:
        signers = tmp_path / "signers"
        signers.write_text(f"maintainer {(tmp_path / 'key.pub').read_text()}")
        verify = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "maintainer", "-n", "quire", "-s", "SHA256SUMS.sig"]
        with (folder / "SHA256SUMS").open() as stream:
            assert subprocess.run(verify, cwd=folder, stdin=stream, check=False).returncode == 0


def test_images_are_built_from_digests_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in images.FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(images.ROOT / name, tmp_path / name)
    docker = tmp_path / "docker"
    docker.write_text(f"#!/bin/sh\necho sha256:{'a' * 64}\n")
    docker.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    images.pin(tmp_path)
    assert images.find_unpinned(tmp_path) == []
    dockerfile = (tmp_path / "configs/images/Dockerfile").read_text()
    assert f"FROM python:3.12-slim-bookworm@sha256:{'a' * 64} AS wheel" in dockerfile
    before = dockerfile
    images.pin(tmp_path)
    assert (tmp_path / "configs/images/Dockerfile").read_text() == before
    (tmp_path / "compose.yaml").write_text("    image: postgres:18\n")
    assert images.find_unpinned(tmp_path) == ["compose.yaml: postgres:18"]
