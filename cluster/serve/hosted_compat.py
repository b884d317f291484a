"""The web application of the compatible APIs: imported only where it runs, and only with the package `quire-compat`."""

from fastapi import FastAPI

from quire.cluster.bootstrap.finding import find_runtime
from quire.cluster.runtime import Runtime
from quire.serve_apps.compat.app import create_compat

MIB = 1 << 20  # bytes


def make_compat(runtime: Runtime) -> FastAPI:
    """Build the application in front of this service."""
    return create_compat(runtime.base_url, max_upload_bytes=runtime.settings.max_upload_mb * MIB)


def build_compat() -> FastAPI:
    """Build the application of a replica."""
    return make_compat(find_runtime())
