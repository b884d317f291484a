"""An S3 server for the jobs, named as operators name theirs: by the AWS_* variables."""

import pytest

from tests.storage.bucket import Bucket


@pytest.fixture
def s3(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the URL of a prefix in a separate bucket, reachable by the service's own variables."""
    variables = {
        "AWS_ENDPOINT": bucket.options["endpoint"],
        "AWS_REGION": "us-east-1",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return bucket.url
