"""The HTTP port while the service ends."""

import socket

import httpx

from quire.cluster.machine.ports import is_free
from quire.cluster.serve.closed_port import answer_closed

PORT = next(port for port in range(18_700, 18_800) if is_free(port))


def test_closing_port_answers_503_once_the_proxy_has_left_it() -> None:
    with socket.socket() as proxy:
        proxy.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        proxy.bind(("127.0.0.1", PORT))
        proxy.listen()
        answer_closed("127.0.0.1", PORT)
    transport = httpx.HTTPTransport(retries=10)
    with httpx.Client(transport=transport, timeout=10) as client:
        asked = client.get(f"http://127.0.0.1:{PORT}/v1/jobs")
        sent = client.post(f"http://127.0.0.1:{PORT}/v1/jobs", content=b"x" * 3_000_000)
    for answer in (asked, sent):
        assert (answer.status_code, answer.json()["code"], answer.headers["retry-after"]) == (503, "unavailable", "2")
