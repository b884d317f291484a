"""The console and the docling-serve door as a deployment composes them: off by default, mounted under a prefix."""

import warnings
from pathlib import Path

import httpx
import pytest

from quire.cluster.runtime import Runtime
from quire.cluster.serve.hosted import engine_key, make_console, sign_up_rules
from quire.cluster.serve.hosted_compat import make_compat
from quire.configs.parsing import SettingsError, parse_settings
from quire.serve_apps.access.default_token import load_default_token
from quire.serve_apps.console.context.page_rendering import FILES
from quire.serve_apps.console.context.resources import SignUp
from tests.conftest import SIGNING_KEY

with warnings.catch_warnings():  # Ray's own, at import
    warnings.simplefilter("ignore")
    from quire.cluster.serve.doors import CONSOLE_PREFIX, enabled_doors


def runtime_of(dsn: str, workdir: Path, **environ: str) -> Runtime:
    settings = parse_settings({"SVC_WORKDIR": str(workdir), **environ})
    token = workdir / "token"
    return Runtime(
        settings=settings,
        dsn=dsn,
        dsn_file=workdir / "dsn",
        base_url="http://127.0.0.1:9",
        license_file=workdir / "license",
        token_file=None if settings.api_keys else token,
        signing_key=SIGNING_KEY,
    )


def test_neither_is_served_unless_asked_for() -> None:
    assert enabled_doors(parse_settings({})) == []


def test_each_is_an_application_of_its_own() -> None:
    settings = parse_settings({"SVC_CONSOLE": "1", "SVC_COMPAT": "1"})
    assert [(door.name, door.prefix) for door in enabled_doors(settings)] == [
        ("console", "/console"),
        ("compat", "/compat"),
    ]


async def test_pages_of_a_console_under_a_prefix_point_below_it(dsn: str, tmp_path: Path) -> None:
    workdir = tmp_path / "workdir"
    load_default_token(workdir / "token")
    console = make_console(runtime_of(dsn, workdir))
    transport = httpx.ASGITransport(console, root_path=CONSOLE_PREFIX)
    async with (
        console.router.lifespan_context(console),
        httpx.AsyncClient(transport=transport, base_url="http://console.test/console") as pages,
    ):
        page = await pages.get("/sign-up")
        made = await pages.post("/sign-up", data={"email": "a@b.c", "password": "correct horse battery"})
        token = (await pages.post("/api/tokens", json={"name": "x"})).json()["token"]
        usage = await pages.get("/v1/usage", headers={"X-API-Key": token})
        script = await pages.get(f"/static/{FILES.version}/console.js")
    assert 'action="/console/sign-up"' in page.text
    assert (made.status_code, made.headers["location"]) == (303, "/console/")
    assert (usage.status_code, script.status_code) == (200, 200)


def test_the_default_token_is_the_engines_key_unless_another_is_named(dsn: str, tmp_path: Path) -> None:
    token = load_default_token(tmp_path / "token").token
    assert engine_key(runtime_of(dsn, tmp_path)) == token
    named = {"SVC_API_KEYS": "ops=one", "SVC_CONSOLE_KEY": "one", "SVC_CONSOLE": "1"}
    assert engine_key(runtime_of(dsn, tmp_path, **named)) == "one"


@pytest.mark.parametrize(
    "environ",
    [
        {"SVC_CONSOLE": "1", "SVC_API_KEYS": "ops=one"},
        {"SVC_CONSOLE": "1", "SVC_CONSOLE_ENGINE": "https://engine.example"},
        {"SVC_CONSOLE_URL": "console.example"},
        {"SVC_CONSOLE_ENGINE": "ftp://engine.example", "SVC_CONSOLE_KEY": "x"},
    ],
)
def test_a_console_that_could_not_work_is_refused_at_the_start(environ: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="SVC_CONSOLE"):
        parse_settings(environ)


@pytest.mark.parametrize(
    ("allow", "status"), [("", 422), ("10.0.0.7", 422), ("10.0.0.8:9000", 201)], ids=["none", "another", "this one"]
)
async def test_console_of_several_machines_applies_the_webhook_address_rules(
    dsn: str, tmp_path: Path, allow: str, status: int
) -> None:
    shared = {"SVC_API_KEYS": "console:write=one", "SVC_CONSOLE_KEY": "one", "SVC_CONSOLE": "1"}
    console = make_console(runtime_of(dsn, tmp_path / "workdir", **shared, SVC_WEBHOOK_ALLOW=allow))
    async with (
        console.router.lifespan_context(console),
        httpx.AsyncClient(transport=httpx.ASGITransport(console), base_url="http://console.test") as pages,
    ):
        await pages.post("/sign-up", data={"email": "a@b.c", "password": "correct horse battery"})
        answer = await pages.post("/api/webhooks", json={"url": "http://10.0.0.8:9000/hook"})
    assert answer.status_code == status, answer.text


def test_sign_up_rules_follow_the_settings() -> None:
    rules = sign_up_rules(
        parse_settings(
            {
                "SVC_CONSOLE_SIGN_UP": "approved",
                "SVC_CONSOLE_SIGN_UPS_PER_ADDRESS": "2",
                "SVC_CONSOLE_SIGN_UPS_PER_HOUR": "0",
                "SVC_CONSOLE_SIGN_INS": "9",
                "SVC_TRUSTED_PROXIES": "10.0.0.0/8",
            }
        )
    )
    assert (rules.mode, rules.per_address, rules.per_hour, rules.sign_ins) == (SignUp.APPROVED, 2, 0, 9)
    assert rules.trusted_proxies == ("10.0.0.0/8",)


async def test_the_docling_door_is_built_for_this_service(dsn: str, tmp_path: Path) -> None:
    door = make_compat(runtime_of(dsn, tmp_path))
    async with (
        door.router.lifespan_context(door),
        httpx.AsyncClient(transport=httpx.ASGITransport(door), base_url="http://door.test") as client,
    ):
        assert (await client.get("/health")).json() == {"status": "ok"}
