"""Run axe-core in a page of the browser."""

import importlib.util
from pathlib import Path

from tests.ui.browser.chromium import Browser

_NEWEST = Path(__file__).parents[1] / "axe" / "node_modules" / "axe-core" / "axe.min.js"
"""The version that `make test SUITE=ui` installs."""


def read_script() -> str:
    """Return the newest installed axe-core; the tests' requirements contain an older one."""
    if _NEWEST.exists():
        return _NEWEST.read_text()
    package = importlib.util.find_spec("axe_core_python")
    assert package is not None
    assert package.origin is not None
    return Path(package.origin).with_name("axe.min.js").read_text()


def find_violations(browser: Browser) -> list[str]:
    """Return every violation in the page as it stands, of any impact."""
    browser.run(read_script() + "; true")
    result = browser.run("axe.run(document, { iframes: false }).then((result) => result.violations)")
    return [
        f"{violation['impact']}: {violation['id']}: {violation['help']}: {violation['nodes'][0]['html'][:160]}"
        for violation in result
    ]
