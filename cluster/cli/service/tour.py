"""`quire tour`: the first minute with a running service. Sends the bundled sample, shows the result and searches it.

Talks HTTP only, as any client would; the token comes from its file.
"""

import json
import mimetypes
import os
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import click

from quire.cluster.cli.shared.options import CommandStopped, settings_from, workdir_option
from quire.cluster.runtime import read_runtime, runtime_file
from quire.cluster.state import running_state

SAMPLE = Path(__file__).resolve().parents[3] / "docs" / "sample" / "quire-sample.pdf"
SHOWN = 12  # blocks printed: a screen
QUESTION = "which crane needs new brakes before winter"


@click.command()
@workdir_option
def tour(workdir: Path | None) -> None:
    """Send a sample document to the running service and show the first blocks of its tree."""
    settings = settings_from(workdir)
    state = running_state(settings.workdir)
    if state is None or not state.ready:
        raise CommandStopped("quire is down; start it with: quire up --detach")
    token_file = read_runtime(runtime_file(settings.workdir)).token_file
    if token_file is None:
        click.echo(f"base URL    {state.base_url}\ntoken       one of the keys in SVC_API_KEYS")
        return
    started = time.monotonic()
    answer = send(state.base_url, token_file.read_text().strip(), SAMPLE)
    click.echo("\n".join(_show(answer, time.monotonic() - started)))
    if read_runtime(runtime_file(settings.workdir)).settings.rag_db:
        click.echo("\n".join(_search(state.base_url, token_file.read_text().strip())))
    shown = os.path.relpath(SAMPLE) if SAMPLE.is_relative_to(Path.cwd()) else str(SAMPLE)
    click.echo(
        f"\nbase URL    {state.base_url}\ntoken file  {token_file}\ntry         "
        f'curl -H "X-API-Key: $(cat {token_file})" -F file=@{shown} {state.base_url}/v1/parse'
    )


def send(base_url: str, token: str, document: Path) -> dict[str, Any]:
    """POST /v1/parse with one file; the answer's JSON. Raises `CommandStopped` with the service's own words."""
    boundary = os.urandom(12).hex()
    kind = mimetypes.guess_type(document.name)[0] or "application/octet-stream"
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{document.name}"\r\n'
        f"Content-Type: {kind}\r\n\r\n"
    )
    request = urllib.request.Request(  # noqa: S310
        base_url + "/v1/parse",
        data=head.encode() + document.read_bytes() + f"\r\n--{boundary}--\r\n".encode(),
        headers={"X-API-Key": token, "Content-Type": f"multipart/form-data; boundary={boundary}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=90) as response:  # noqa: S310
            answer = json.loads(response.read())
    except urllib.error.HTTPError as error:
        raise CommandStopped(f"the service answered {error.code}: {error.read(500).decode(errors='replace')}") from None
    except (OSError, ValueError) as error:
        raise CommandStopped(f"the service cannot be reached: {error}") from None
    assert isinstance(answer, dict)
    return answer


def _search(base_url: str, token: str) -> list[str]:
    """Return the index's answer to one question about the sample, as lines."""
    query = urllib.parse.urlencode({"q": QUESTION, "mode": "hybrid", "limit": 3})
    request = urllib.request.Request(f"{base_url}/v1/search?{query}", headers={"X-API-Key": token})  # noqa: S310
    started = time.monotonic()
    try:
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
            hits = json.loads(response.read())
    except (OSError, ValueError) as error:
        raise CommandStopped(f"the search failed: {error}") from None
    lines = ["", f"search “{QUESTION}”: {len(hits)} hits in {(time.monotonic() - started) * 1000:.0f} ms"]
    return lines + [
        f"  p{hit['pages'][0]}  {hit['score']:.3f}  {' '.join(hit['snippet'].split())[:90]}" for hit in hits
    ]


def _show(answer: dict[str, Any], seconds: float) -> list[str]:
    tree = answer.get("tree")
    if tree is None:
        documents = (answer.get("job") or {}).get("documents") or [{}]
        raise CommandStopped(f"the sample could not be read: {documents[0].get('error', answer)}")
    lines = [f"{SAMPLE.name}: {len(tree['pages'])} pages, {len(tree['blocks'])} blocks in {seconds:.2f} s", ""]
    lines += [_line(block) for block in tree["blocks"][:SHOWN]]
    return [*lines, f"  … {len(tree['blocks']) - SHOWN} more"] if len(tree["blocks"]) > SHOWN else lines


def _line(block: dict[str, Any]) -> str:
    """One block: page, kind, level, text."""
    table = block.get("table")
    text = f"{table['rows']} × {table['cols']} cells" if table else " ".join(block["text"].split())
    kind = block["type"] + (f" {block['level']}" if block["type"] == "heading" and block.get("level") else "")
    return f"  p{block['page']}  {kind:<12} {text[:90]}{'…' if len(text) > 90 else ''}"
