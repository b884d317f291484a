"""Loading a plugin makes a process accept old import names; here only while a test runs."""

import sys

import pytest


@pytest.fixture(autouse=True)
def finders_of_each_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test its own list of import finders."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
