"""Uploads as real clients send them: sizes, keys, ways to send a body, and uploads that stop in the middle."""

import http.client
import random
import socket
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import requests

HERE = Path(__file__).parent
LIMIT_MB = 4
"""SVC_MAX_UPLOAD_MB of the services under test."""
TYPE = "multipart/form-data; boundary=XX"
PATIENCE_S = 120
"""Seconds after which a request counts as hanging, also on a busy machine."""
CUT, HANGS = "cut", "hangs"
MODES = ("plain", "expect", "chunked", "expect,chunked")


@dataclass(frozen=True, slots=True)
class Case:
    """One upload. `cut`: bytes of the body after which the client gives up; 0 sends all."""

    url: str
    key: str
    file: Path
    mode: str
    cut: int
    statuses: frozenset[str]

    @property
    def line(self) -> str:
        return "\t".join((self.url, self.key, TYPE, str(self.file), self.mode, str(self.cut)))

    @property
    def name(self) -> str:
        return f"{self.file.name} key={'right' if '401' not in self.statuses else 'wrong'} {self.mode} cut={self.cut}"


def write_bodies(folder: Path, limit_mb: int = LIMIT_MB) -> dict[str, Path]:
    """Write one body of each size and return the files by name."""
    head = b'--XX\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
    text = random.Random(1).randbytes(1 << 20).hex().encode()
    sizes = {"3-mb": 3 << 20, "limit-and-one": (limit_mb << 20) + 1}
    bodies = {"nothing": b"", "one-byte": b"x"}
    bodies |= {name: head + (text * (1 + size // len(text)))[:size] + b"\r\n--XX--\r\n" for name, size in sizes.items()}
    for name, body in bodies.items():
        (folder / name).write_bytes(body)
    return {name: folder / name for name in bodies}


def all_cases(base_url: str, key: str, bodies: dict[str, Path], modes: tuple[str, ...] = MODES) -> Iterator[Case]:
    """Yield each size with each way to send it and both keys, and uploads that are cut off in the middle."""
    taken = {"nothing": "422", "one-byte": "422", "3-mb": "201", "limit-and-one": "413"}
    url = f"{base_url}/v1/jobs"
    for name, status in taken.items():
        for mode in modes:
            yield Case(url, key, bodies[name], mode, 0, frozenset({status}))
            yield Case(url, "wrong", bodies[name], mode, 0, frozenset({"401"}))
    for mode in modes:
        yield Case(url, key, bodies["3-mb"], mode, 1 << 20, frozenset({CUT}))
        yield Case(url, "wrong", bodies["3-mb"], mode, 1 << 20, frozenset({CUT, "401"}))


def curl(case: Case) -> str:
    length = ["-H", "Transfer-Encoding: chunked"] if "chunked" in case.mode else []
    expectation = "Expect: 100-continue" if "expect" in case.mode else "Expect:"
    body = ["-X", "POST", "-H", f"Content-Type: {TYPE}", "--data-binary", f"@{case.file}"]
    stop = ["--limit-rate", str(case.cut), "--max-time", "1"] if case.cut else ["--max-time", str(PATIENCE_S)]
    answer = ["-s", "-o", "/dev/null", "-w", "%{http_code}"]
    command = ["curl", *answer, *stop, "-H", f"X-API-Key: {case.key}", "-H", expectation, *length, *body, case.url]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 28:
        return CUT if case.cut else HANGS
    return done.stdout


def http_client(case: Case) -> str:
    """Send with http.client, which does not wait for `100 Continue`."""
    address, body = urlsplit(case.url), case.file.read_bytes()
    connection = http.client.HTTPConnection(address.netloc, timeout=PATIENCE_S)
    parts: bytes | Iterator[bytes] = body
    if "chunked" in case.mode or case.cut:
        parts = _parts(body, case.cut)
    headers = _headers(case) | ({} if "chunked" in case.mode else {"Content-Length": str(len(body))})
    try:
        connection.request("POST", address.path, parts, headers, encode_chunked="chunked" in case.mode)
        return str(connection.getresponse().status)
    except _CutError:
        return CUT
    except TimeoutError:
        return HANGS
    except (ConnectionError, http.client.HTTPException) as error:
        return type(error).__name__
    finally:
        connection.close()


def with_requests(case: Case) -> str:
    body = case.file.read_bytes()
    data = _parts(body, case.cut) if "chunked" in case.mode or case.cut else body
    try:
        answer = requests.post(case.url, data=data, headers=_headers(case), timeout=PATIENCE_S)
    except _CutError:
        return CUT
    except requests.Timeout:
        return HANGS
    except requests.RequestException as error:
        return type(error).__name__
    return str(answer.status_code)


def _headers(case: Case) -> dict[str, str]:
    headers = {"X-API-Key": case.key, "Content-Type": TYPE}
    if "chunked" in case.mode:
        headers["Transfer-Encoding"] = "chunked"
    return headers | ({"Expect": "100-continue"} if "expect" in case.mode else {})


class _CutError(Exception):
    """The client gives up."""


def _parts(body: bytes, cut: int) -> Iterator[bytes]:
    for start in range(0, len(body), 1 << 16):
        if cut and start >= cut:
            raise _CutError
        yield body[start : start + (1 << 16)]


IN_PROCESS: dict[str, Callable[[Case], str]] = {
    "curl": curl,
    "Python http.client": http_client,
    "Python requests": with_requests,
}
PROGRAMS = {
    "Node": ["node", str(HERE / "upload.mjs")],
    "Java HttpClient": ["java", str(HERE / "Upload.java")],
    "Go": ["go", "run", str(HERE / "upload.go")],
}
"""Programs that read one case per line and write one result per line."""


def half_sent(base_url: str, key: str, count: int) -> list[socket.socket]:
    """Return connections with uploads of which a half has been sent, each a different way."""
    address, half, opened = urlsplit(base_url), b"x" * 1_500_000, list[socket.socket]()
    length, chunk = b"Content-Length: 3000000\r\n", b"%x\r\n%s\r\n" % (len(half), half)
    ways = [
        (length, half),
        (length + b"Expect: 100-continue\r\n", half),
        (b"Transfer-Encoding: chunked\r\n", chunk),
        (b"Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n", chunk),
        (length + b"Expect: 100-continue\r\n", b""),
    ]
    for number in range(count):
        headers, body = ways[number % len(ways)]
        connection = socket.create_connection((address.hostname or "", address.port or 80), PATIENCE_S)
        name = key if number % 3 else "wrong"
        head = f"POST /v1/jobs HTTP/1.1\r\nHost: q\r\nX-API-Key: {name}\r\nContent-Type: {TYPE}\r\n"
        opened.append(connection)
        try:
            connection.sendall(head.encode() + headers + b"\r\n" + body)
        except ConnectionError:  # refused in the middle
            continue
    return opened


def answers_health(base_url: str) -> bool:
    """Return whether the health is answered at all."""
    connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=PATIENCE_S)
    try:
        connection.request("GET", "/v1/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
