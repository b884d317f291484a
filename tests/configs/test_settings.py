"""Settings: safe defaults, readable refusals, and a row in docs/settings.md for every one of them."""

from pathlib import Path

import pytest

from quire.configs.kinds import PiiEngine, Proxy
from quire.configs.parsing import SettingsError, allowed, parse_settings, shown_default, variable
from quire.configs.settings import Settings
from tests.docs.settings_table import replace_table

DOCS = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def refused(**environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        parse_settings(environ)
    return str(caught.value)


def rows() -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in DOCS.read_text().splitlines()]
    return {row[0].strip("`"): row for row in cells if len(row) == 4 and row[0].startswith("`SVC_")}


def test_nothing_set_gives_the_safe_defaults() -> None:
    settings = parse_settings({})
    assert (settings.host, settings.port, settings.proxy) == ("127.0.0.1", 8000, Proxy.RAY)
    assert (settings.fast_mode, settings.background, settings.require_auth) == (True, False, False)
    assert (settings.lease_s, settings.beat_s, settings.retry_delays_s) == (30.0, 10.0, (10.0, 60.0))
    assert settings.pii_engine is PiiEngine.REGEX


def test_patterns_is_another_word_for_the_engine_of_patterns() -> None:
    assert parse_settings({"SVC_PII_ENGINE": "patterns"}).pii_engine is PiiEngine.REGEX


def test_the_process_environment_is_not_read_behind_the_callers_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVC_PORT", "9999")
    assert parse_settings({}).port == 8000


def test_a_value_of_the_command_line_wins_over_the_environment() -> None:
    assert parse_settings({"SVC_PORT": "9000"}, port=9001).port == 9001
    assert parse_settings({"SVC_PORT": "9000"}, port=None).port == 9000


def test_an_empty_variable_is_an_unset_one() -> None:
    settings = parse_settings({"SVC_WORKERS": "", "SVC_LICENSE": "", "SVC_API_KEYS": ""})
    assert (settings.workers, settings.license, settings.api_keys) == (None, None, None)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("SVC_PORT", "http"),
        ("SVC_PORT", "70000"),
        ("SVC_WORKERS", "-1"),
        ("SVC_WORKERS", "two"),
        ("SVC_BACKGROUND", "true"),
        ("SVC_FAST_MODE", "yes"),
        ("SVC_PII_ENGINE", "magic"),
        ("SVC_PROXY", "nginx"),
        ("SVC_MAX_UPLOAD_MB", "0"),
        ("SVC_MAX_BATCH_FILES", "201"),
        ("SVC_RETRY_DELAYS_S", "10"),
        ("SVC_RETRY_DELAYS_S", "10,60,90"),
        ("SVC_LEASE_S", "nan"),
        ("SVC_OCR_LANGS", "../etc"),
        ("SVC_HOST", "example.org"),
    ],
)
def test_invalid_value_is_refused_with_variable_and_allowed_values(name: str, text: str) -> None:
    assert refused(**{name: text}) == f"{name}: allowed is {allowed(name.removeprefix('SVC_').lower())}"


@pytest.mark.parametrize("text", ["app.example", "https://app.example/", "https://app.example/x", "https://*.example"])
def test_invalid_cors_origin_is_refused(text: str) -> None:
    assert "SVC_CORS_ORIGINS" in refused(SVC_CORS_ORIGINS=f"https://ok.example,{text}")


def test_origins_are_taken_as_a_list() -> None:
    origins = parse_settings({"SVC_CORS_ORIGINS": "https://a.example, http://localhost:3000"}).cors_origins
    assert origins == ("https://a.example", "http://localhost:3000")


def test_all_wrong_values_are_named_at_once() -> None:
    assert refused(SVC_PORT="x", SVC_WORKERS="y").count("allowed is") == 2


def test_a_secret_is_never_quoted_in_a_refusal() -> None:
    assert "hunter2" not in refused(SVC_DATABASE_URL="mysql://u:hunter2@h/d")


def test_an_unknown_variable_is_refused_with_the_name_that_was_meant() -> None:
    assert refused(SVC_WORKER="2") == "SVC_WORKER: no such setting; is SVC_WORKERS meant?"


def test_values_are_checked_against_each_other() -> None:
    assert refused(SVC_REQUIRE_AUTH="1").startswith("SVC_REQUIRE_AUTH")
    assert refused(SVC_BEAT_S="20").startswith("SVC_BEAT_S")
    assert refused(SVC_WORKERS_MIN="5", SVC_WORKERS_MAX="4").startswith("SVC_WORKERS_MIN")
    assert refused(SVC_WORKDIR="here").startswith("SVC_WORKDIR")


def test_a_crash_point_is_refused_outside_tests() -> None:
    assert refused(SVC_CRASH_AT="before-commit") == "SVC_CRASH_AT: refused outside tests"
    assert parse_settings({"SVC_CRASH_AT": "before-commit", "SVC_TESTING": "1"}).crash_at == "before-commit"


def test_old_name_of_fast_mode_works_and_must_not_contradict_the_new_name() -> None:
    assert parse_settings({"SVC_FAST_PDF": "1"}).fast_mode
    assert not parse_settings({"SVC_FAST_PDF": "0", "SVC_FAST_MODE": "0"}).fast_mode
    with pytest.raises(SettingsError, match="SVC_FAST_PDF: contradicts SVC_FAST_MODE"):
        parse_settings({"SVC_FAST_PDF": "0", "SVC_FAST_MODE": "1"})


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        parse_settings({}).port = 1  # type: ignore[misc]


@pytest.mark.parametrize("field", Settings.model_fields)
def test_documented_setting_matches_its_declaration(field: str) -> None:
    row = rows()[variable(field)]
    assert row[1].strip("`") == shown_default(field)
    assert row[2] == allowed(field)
    assert row[3] == Settings.model_fields[field].description


def test_documented_settings_are_the_declared_ones() -> None:
    assert list(rows()) == [variable(field) for field in Settings.model_fields]


def test_settings_page_is_generated() -> None:
    assert DOCS.read_text() == replace_table(DOCS.read_text())
