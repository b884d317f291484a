"""Write the generated half of both clients: `python -m quire.serve_apps.clients.generate` (`--check` compares only).

It reads the OpenAPI document of an app that is built but never started, so it needs no database.
"""

import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from quire.serve_apps.access.keys import KeyRing
from quire.serve_apps.access.license import License
from quire.serve_apps.access.license_holder import LicenseHolder
from quire.serve_apps.api.app import create_app
from quire.serve_apps.api.context.resources import Resources
from quire.serve_apps.clients import python_code, typescript_code
from quire.serve_apps.clients.description import Schema, read_operations
from quire.storage.store import open_store

HERE = Path(__file__).parent
PYTHON = HERE / "python" / "quire_client"
_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_UNUSED = License(
    license_id="",
    customer="",
    plan="",
    features=(),
    max_pages_per_month=0,
    issued_at=_DAY,
    not_before=_DAY,
    expires_at=_DAY,
)
TYPESCRIPT = HERE / "typescript" / "src"


def describe_service() -> Schema:
    """Return the OpenAPI document."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store("host=never.invalid", Path(folder), signing_key=bytes(32))
        return create_app(Resources(store=store, keys=KeyRing(), license=LicenseHolder(_UNUSED, {}))).openapi()


def make_sources(document: Schema) -> dict[Path, str]:
    """Return the text of every generated file."""
    operations = list(read_operations(document))
    schemas = document["components"]["schemas"]
    return {
        PYTHON / "types.py": _formatted(python_code.write_types(schemas)),
        PYTHON / "operations.py": _formatted(python_code.write_operations(operations, is_async=False)),
        PYTHON / "async_operations.py": _formatted(python_code.write_operations(operations, is_async=True)),
        TYPESCRIPT / "types.ts": typescript_code.write_types(schemas),
        TYPESCRIPT / "operations.ts": typescript_code.write_operations(operations),
    }


def main(arguments: list[str]) -> int:
    """Write or check the generated files and return the exit status."""
    stale = {
        path: text
        for path, text in make_sources(describe_service()).items()
        if not path.exists() or path.read_text() != text
    }
    if "--check" in arguments:
        for path in stale:
            print(f"out of date: {path.relative_to(HERE)}; run python -m quire.serve_apps.clients.generate")
        return 1 if stale else 0
    for path, text in stale.items():
        path.write_text(text)
        print(f"wrote {path.relative_to(HERE)}")
    return 0


def _formatted(source: str) -> str:
    ruff = Path(sys.executable).with_name("ruff")
    for command in (["check", "--fix-only", "--quiet"], ["format"]):
        done = subprocess.run(
            [ruff, *command, "--stdin-filename", str(PYTHON / "generated.py"), "-"],
            input=source,
            capture_output=True,
            text=True,
            check=True,
        )
        source = done.stdout
    return source


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
