"""`python -m quire.cluster.dist.images`: pin the base images by digest, refuse tags, and build the images.

A tag can name other bytes tomorrow. Digests are asked from the registry, written behind the tag in the Dockerfiles and
compose files, and committed with them.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ("configs/images/Dockerfile", "configs/images/Dockerfile.gpu", "compose.yaml", "configs/compose/postgres.yaml")
_BASE = re.compile(r"^(?:FROM| +image:) (?!quire:)([\w./-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?", re.MULTILINE)
_ASK = ("docker", "buildx", "imagetools", "inspect", "--format", "{{.Manifest.Digest}}")


def find_unpinned(folder: Path = ROOT) -> list[str]:
    """Return the base images without digest, each with its file."""
    return [
        f"{name}: {image}"
        for name in FILES
        for image, digest in _BASE.findall((folder / name).read_text())
        if not digest
    ]


def pin(folder: Path = ROOT) -> None:
    """Write the digest behind each tag that has none. Raises CalledProcessError where the registry does not answer."""
    for name in FILES:
        path = folder / name
        path.write_text(_BASE.sub(lambda match: match[0] if match[2] else f"{match[0]}@{_digest(match[1])}", path.read_text()))


def _digest(image: str) -> str:
    return subprocess.run([*_ASK, image], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Pin, check and build."""
    try:
        pin()
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"digests cannot be asked for: {error}", file=sys.stderr)
    if unpinned := find_unpinned():
        print("without a digest:", *unpinned, sep="\n  ", file=sys.stderr)
        return 1
    return subprocess.run(["docker", "buildx", "bake", "-f", "configs/images/docker-bake.hcl"], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
