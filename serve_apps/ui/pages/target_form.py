"""Form of a new target: the settings of each built-in kind with their help. Kinds of plug-ins have lines of text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SETTING = "setting."
"""Start of the name of a field that is a setting."""


@dataclass(frozen=True, slots=True)
class TargetField:
    """A setting; `usual` is the value that the kind takes without one."""

    name: str
    label: str
    help: str
    usual: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class TargetForm:
    """Fields of a kind, and what its secret is. `secret` is empty for a kind that reads none."""

    title: str
    fields: tuple[TargetField, ...]
    secret: str
    secret_required: bool = False


_USER = TargetField("user", "User", "Without a user, no password is sent.")
FORMS: Mapping[str, TargetForm] = {
    "http": TargetForm(
        "HTTP receiver",
        (TargetField("url", "Address", "Receives a POST for each group of passages, for example https://example.org/chunks.",
                     required=True),),
        "Signs each request. Without a secret, requests are not signed.",
    ),
    "postgres": TargetForm(
        "PostgreSQL",
        (
            TargetField("url", "Address", "postgresql://user@host/database, without a password.", required=True),
            TargetField("table", "Table", "Made by Quire if it does not exist.", "quire_chunks"),
            TargetField("sslmode", "Encryption", "prefer, require, verify-ca, verify-full or disable.", "prefer"),
        ),
        "Password of the user.",
    ),
    "qdrant": TargetForm(
        "Qdrant",
        (
            TargetField("url", "Address", "For example http://qdrant.internal:6333.", required=True),
            TargetField("collection", "Collection", "Made by Quire if it does not exist.", "quire_chunks"),
        ),
        "API key.",
    ),
    "opensearch": TargetForm(
        "OpenSearch",
        (
            TargetField("url", "Address", "For example https://search.internal:9200.", required=True),
            TargetField("index", "Index", "Made by Quire if it does not exist.", "quire-chunks"),
            _USER,
        ),
        "Password of the user.",
    ),
    "kafka": TargetForm(
        "Kafka",
        (
            TargetField("servers", "Servers", "host:port, separated by commas.", required=True),
            TargetField("topic", "Topic", "Receives a message for each passage.", "quire-chunks"),
            _USER,
        ),
        "Password of the user.",
    ),
    "s3": TargetForm(
        "S3 bucket",
        (
            TargetField("uri", "Bucket", "s3://bucket/prefix; receives Parquet files.", required=True),
            TargetField("access_key_id", "Access key", "The id of the key that may write there.", required=True),
            TargetField("region", "Region", "Region of the bucket.", "us-east-1"),
            TargetField("endpoint", "Endpoint", "Address of another store than AWS, for example http://minio.internal:9000."),
        ),
        "Secret access key.",
        secret_required=True,
    ),
}  # fmt: skip


def read_target(form: Mapping[str, str]) -> dict[str, Any]:
    """Return the API request for the target of a sent form; settings are fields, or lines such as `name=value`."""
    lines = [line.partition("=") for line in form.get("settings", "").splitlines() if line.strip()]
    settings = {name.strip(): value.strip() for name, _, value in lines}
    settings |= {
        name.removeprefix(_SETTING): value.strip()
        for name, value in form.items()
        if name.startswith(_SETTING) and value.strip()
    }
    named = {name: form[name] for name in ("name", "secret") if form.get(name)}
    return {"kind": form.get("kind", "").strip(), "settings": settings} | named
