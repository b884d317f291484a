"""`python -m tests.packages.clients.live_typescript`: types, tests and documented examples of the TypeScript client.

Starts the service with a reader on a separate database and passes its address to Node.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from quire.serve_apps.clients.description import read_operations
from quire.serve_apps.clients.generate import describe_service
from quire.serve_apps.clients.typescript_code import camel
from quire.storage.store import open_store
from tests.api.harness import PDF, make_resources, reading
from tests.api.live import listening
from tests.postgres import test_server
from tests.ui.papers import PATTERN_SCAN

ROOT = Path(__file__).resolve().parents[3]
CLIENT = ROOT / "serve_apps" / "clients" / "typescript"
EXAMPLE = CLIENT / "test" / "example.ts"
USER = """import { ApiError, NotFound, QuireClient, type Page, type types } from "quire-client";
import { openFile } from "quire-client/node";
const quire: QuireClient = new QuireClient({ baseUrl: "http://127.0.0.1:9", retry: { attempts: 1 } });
const jobs: Promise<Page<types.JobListItem>> = quire.listJobs({ limit: 1 });
await jobs.catch((error: unknown) => { if (error instanceof ApiError) throw error; });
if (!(NotFound.prototype instanceof ApiError)) throw new Error("errors are no family");
console.log(typeof openFile);
"""
NO_NODE = "make test SUITE=sdk needs Node 20 or later with npm: the TypeScript client was NOT tested."


def main() -> int:
    """0 when everything passed; 2 when Node is not here."""
    if shutil.which("npm") is None:
        print(NO_NODE, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        work = Path(folder)
        (work / "invoice.pdf").write_bytes(PDF)
        store = open_store(dsn, work / "workdir", signing_key=b"a key of these tests, long enough")
        with reading(store), listening(make_resources(store, dsn=dsn, redaction_scan=PATTERN_SCAN)) as url:
            code = _run(url, work) or check_package(work)
        store.close()
    return code


def _run(url: str, work: Path) -> int:
    EXAMPLE.write_text(_example(url))
    environment = {**os.environ, "QUIRE_URL": url, "QUIRE_BINARY": ",".join(_binary_operations())}
    try:
        for command in (
            ["npm", "--prefix", str(CLIENT), "exec", "--", "tsc", "--project", str(CLIENT)],
            ["node", "--test", *map(str, _compiled_tests())],
            ["node", str(CLIENT / "dist" / "test" / "example.js")],
        ):
            code = subprocess.run(command, cwd=work, env=environment).returncode
            if code:
                return code
    finally:
        EXAMPLE.unlink()
    return 0


def check_package(work: Path) -> int:
    """Check the package as users get it: packed, installed from the file, compiled with both resolutions, and run."""
    packed = subprocess.run(
        ["npm", "pack", "--json", "--pack-destination", str(work)], cwd=CLIENT, capture_output=True, text=True
    )
    if packed.returncode:
        print(packed.stderr, file=sys.stderr)
        return packed.returncode
    (facts,) = json.loads(packed.stdout)
    names = {file["path"] for file in facts["files"]}
    print(f"packed {facts['filename']}: {len(names)} files, {facts['unpackedSize'] // 1024} kB")
    missing = {"README.md", "package.json", "dist/src/index.js", "dist/src/index.d.ts", "dist/src/node.js"} - names
    strange = {name for name in names if not name.startswith(("dist/src/", "src/", "README", "package.json"))}
    if missing or strange:
        print(f"missing {missing}, strange {strange}", file=sys.stderr)
        return 1
    user = work / "user"
    user.mkdir()
    (user / "package.json").write_text('{"type": "module"}')
    install = ["npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", str(work / facts["filename"])]
    if code := subprocess.run(install, cwd=user).returncode:
        return code
    (user / "main.ts").write_text(USER)
    types = ["--typeRoots", str(CLIENT / "node_modules" / "@types"), "--types", "node"]
    for module, resolution in (("NodeNext", "NodeNext"), ("ESNext", "Bundler")):
        kind = ["--module", module, "--moduleResolution", resolution, "--target", "ES2022", "--strict"]
        tsc = CLIENT / "node_modules" / ".bin" / "tsc"
        if code := subprocess.run([tsc, *kind, *types, "main.ts"], cwd=user).returncode:
            return code
    return subprocess.run(["node", "main.js"], cwd=user).returncode


def _binary_operations() -> list[str]:
    """Names of all operations with a binary answer, each with its number of required arguments."""
    return [
        f"{camel(operation.name)}:{len(operation.path_parameters)}"
        for operation in read_operations(describe_service())
        if operation.is_binary
    ]


def _compiled_tests() -> list[Path]:
    return [CLIENT / "dist" / "test" / f"{path.stem}.js" for path in sorted((CLIENT / "test").glob("*.test.ts"))]


def _example(url: str) -> str:
    """The TypeScript of docs/sdk.md, with this address and key."""
    found = re.findall(r"^```typescript\n(.*?)^```", (ROOT / "docs" / "sdk.md").read_text(), re.DOTALL | re.MULTILINE)
    source = "\n".join(found).replace("http://127.0.0.1:8000", url).replace('"KEY"', '"acme-write"')
    return source.replace('"quire-client/node"', '"../src/node.js"').replace('"quire-client"', '"../src/index.js"')


if __name__ == "__main__":
    sys.exit(main())
