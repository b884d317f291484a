"""Who may knock how often: limits on signing up and in, by address and over all, on rows that all replicas share."""

from fastapi import Request

from serve_apps.console.callers.addresses import read_networks, true_address
from serve_apps.console.context.console_state import ConsoleState
from serve_apps.console.context.refusals import TooManyTries
from storage.access.rate_limits import take

_HOUR_MIN = 60.0  # minutes


async def admit_sign_up(request: Request, running: ConsoleState) -> None:
    """Raises TooManyTries. An address that is refused takes nothing of everybody's share."""
    rules, address = running.resources.sign_ups, _address(request, running)
    if address is not None and rules.per_address:
        await _take(running, f"console:sign-up:{address}", rules.per_address / _HOUR_MIN, rules.per_address)
    if rules.per_hour:
        await _take(running, "console:sign-up", rules.per_hour / _HOUR_MIN, rules.per_hour)


async def admit_sign_in(request: Request, running: ConsoleState) -> None:
    """Before a password is looked at: hashing it costs more than sending it. Raises TooManyTries."""
    rules, address = running.resources.sign_ups, _address(request, running)
    if address is not None and rules.sign_ins:
        await _take(running, f"console:sign-in:{address}", rules.sign_ins, rules.sign_ins)


async def _take(running: ConsoleState, bucket: str, per_minute: float, burst: int) -> None:
    wait = await running.sql.run(take, running.db, bucket, per_minute, burst)
    if wait > 0:
        raise TooManyTries("too many tries from here; wait a while", wait)


def _address(request: Request, running: ConsoleState) -> str | None:
    peer = request.client.host if request.client else None
    trusted = read_networks(running.resources.sign_ups.trusted_proxies)
    return true_address(peer, request.headers.getlist("x-forwarded-for"), trusted)
