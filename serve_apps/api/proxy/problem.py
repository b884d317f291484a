"""Bodies of the proxy's own refusals, in the form of the API's; its process does not load the API."""

import json


def problem_bytes(status: int, code: str, title: str, detail: str) -> bytes:
    """Return the JSON of a problem."""
    body = {"type": f"urn:quire:problem:{code}", "title": title, "status": status, "detail": detail, "code": code}
    return json.dumps(body).encode()
