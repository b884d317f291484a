"""Host headers of this console: loopback names, plain addresses and the names in the settings. Pure."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from quire.serve_apps.access.loopback import LOOPBACK_NAMES
from quire.serve_apps.console.context.resources import ConsoleResources


def is_known_host(resources: ConsoleResources, host: str) -> bool:
    """Return whether the host is a plain address or a known name. A third party can point only names elsewhere."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    names = {name.lower() for name in resources.allowed_hosts} | {urlsplit(resources.public_url or "").hostname}
    return name in names or name in LOOPBACK_NAMES or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
