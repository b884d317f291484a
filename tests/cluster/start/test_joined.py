"""Machines of one cluster: what must be shared, what each builds from its variables, how it joins."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from quire.cluster.bootstrap.finding import load_settings
from quire.cluster.bootstrap.shared_runtime import check_shared
from quire.cluster.cli.service.worker import worker
from quire.cluster.errors import StartRefused
from quire.cluster.machine.environment import FEW_HEAPS
from quire.cluster.runtime import derive_signing_key, keep_signing_key
from quire.cluster.start.joined import node_command, node_environment
from quire.configs.parsing import SettingsError, parse_settings
from quire.configs.settings import Settings

SHARED = {
    "SVC_DATABASE_URL": "postgresql://quire:pw@db/quire",
    "SVC_BLOBS": "s3://documents",
    "SVC_API_KEYS": "acme=s3cret-of-20-characters",
    "SVC_LICENSE": "token",
}


def settings(tmp_path: Path, **more: str) -> Settings:
    return load_settings(SHARED | {"SVC_WORKDIR": str(tmp_path)} | more)


@pytest.mark.parametrize("name", list(SHARED))
def test_local_settings_are_refused_by_name(tmp_path: Path, name: str) -> None:
    environ = {key: value for key, value in SHARED.items() if key != name} | {"SVC_WORKDIR": str(tmp_path)}
    with pytest.raises(StartRefused, match=name):
        check_shared(load_settings(environ))
    check_shared(settings(tmp_path))


def test_every_machine_derives_the_same_signing_key() -> None:
    assert derive_signing_key("acme=s3cret-of-20-characters") == derive_signing_key("acme=s3cret-of-20-characters")
    assert derive_signing_key("acme=s3cret-of-20-characters") != derive_signing_key("acme=other")


def test_single_machine_keeps_its_signing_key_until_a_key_is_set(tmp_path: Path) -> None:
    alone = load_settings({"SVC_WORKDIR": str(tmp_path)})
    (tmp_path / "run").mkdir()
    assert keep_signing_key(alone) == keep_signing_key(alone)
    told = load_settings({"SVC_WORKDIR": str(tmp_path), "SVC_SIGNING_KEY": "k" * 32})
    assert keep_signing_key(told) == derive_signing_key("k" * 32)
    with pytest.raises(SettingsError, match="SVC_SIGNING_KEY"):
        load_settings({"SVC_SIGNING_KEY": "short"})


def test_the_environment_of_a_node_holds_the_token_file_and_no_secret(tmp_path: Path) -> None:
    token = tmp_path / "token"
    with pytest.raises(StartRefused, match="token file"):
        node_environment(settings(tmp_path), token, {})
    token.write_text("t0ken")
    token.chmod(0o644)
    with pytest.raises(StartRefused, match="600"):
        node_environment(settings(tmp_path), token, {})
    token.chmod(0o600)
    base = {"SVC_API_KEYS": "acme=s3cret-of-20-characters", "RAY_ADDRESS": "x", "RAY_USE_TLS": "1", "PATH": "/bin"}
    made = node_environment(settings(tmp_path), token, base)
    assert made["RAY_AUTH_MODE"] == "token"
    assert made["RAY_AUTH_TOKEN_PATH"] == str(token)
    assert made["PATH"] == f"{Path(sys.executable).parent}:/bin"
    assert "RAY_ADDRESS" not in made
    assert made["RAY_USE_TLS"] == "1"
    assert FEW_HEAPS.items() <= made.items()
    assert not any("s3cret" in value or "t0ken" in value for value in made.values())


def test_storage_of_the_head_state_is_set_by_the_operator(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("t0ken")
    token.chmod(0o600)
    kept = {"RAY_gcs_storage": "rocksdb", "RAY_gcs_storage_path": "/srv/head", "RAY_REDIS_ADDRESS": "redis:6379"}
    made = node_environment(settings(tmp_path), token, {**kept, "RAY_gcs_storage_other": "x"})
    assert kept.items() <= made.items()
    assert "RAY_gcs_storage_other" not in made


def test_a_node_starts_with_the_labels_of_its_machine_and_yours() -> None:
    command = node_command(address="10.0.0.1:6379", labels={"pool": "scans", "accelerator": "cuda"}, cpus=8, gpus=1)
    labels = dict(pair.split("=") for pair in command[command.index("--labels") + 1].split(","))
    assert labels["pool"] == "scans"
    assert labels["accelerator"] == "cuda"
    assert labels["arch"] in ("amd64", "arm64")
    assert command[command.index("--address") + 1] == "10.0.0.1:6379"
    assert {"--num-cpus=8", "--num-gpus=1"} <= set(command)
    assert "--head" in node_command(address=None)


def test_worker_without_shared_state_reports_the_missing_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SHARED:
        monkeypatch.delenv(name, raising=False)
    token = tmp_path / "token"
    token.write_text("t")
    result = CliRunner().invoke(worker, ["--token-file", str(token), "--workdir", str(tmp_path / "w")])
    assert result.exit_code == 1
    assert "SVC_DATABASE_URL" in result.output
    assert "SVC_BLOBS" in result.output


def test_invalid_label_is_a_usage_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(worker, ["--token-file", str(tmp_path / "t"), "--label", "pool"])
    assert result.exit_code == 2


def test_proxy_of_a_joining_machine_is_that_of_the_service(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("t")
    token.chmod(0o600)
    made = node_environment(parse_settings({}, workdir=tmp_path), token, base={})
    assert made["RAY_SERVE_HTTP_PROXY_CALLBACK_IMPORT_PATH"].endswith(".proxy_middlewares")
    assert made["RAY_SERVE_RUN_ROUTER_IN_SEPARATE_LOOP"] == "1"


@pytest.mark.parametrize(
    ("variables", "location"),
    [
        ({"SVC_HOST": "0.0.0.0"}, "EveryNode"),
        ({"SVC_HOST": "::"}, "EveryNode"),
        ({"SVC_HOST": "0.0.0.0", "SVC_PROXY_NODES": "head"}, "HeadOnly"),
        ({"SVC_HOST": "10.0.0.1"}, "HeadOnly"),
    ],
)
def test_every_machine_listens_unless_the_address_is_of_one(variables: dict[str, str], location: str) -> None:
    from quire.cluster.serve.node import choose_proxy_location

    assert choose_proxy_location(parse_settings(variables)) == location
