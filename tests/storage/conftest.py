"""An S3 server on loopback: one per session, a bucket per test."""

import secrets
from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer

from tests.storage.bucket import Bucket


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3_endpoint: str) -> Bucket:
    name = f"quire-{secrets.token_hex(4)}"
    credentials = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    boto3.client("s3", endpoint_url=s3_endpoint, region_name="us-east-1", **credentials).create_bucket(Bucket=name)
    options = {"endpoint": s3_endpoint, "region": "us-east-1", "client_options": {"allow_http": True}, **credentials}
    return Bucket(f"s3://{name}/some/prefix", options)
