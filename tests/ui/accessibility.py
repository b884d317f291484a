"""`python -m tests.ui.accessibility [FOLDER] [STAGE …]`: axe-core on every page, state and window; pictures there.

Fails on any violation that axe calls serious or critical, and on anything wider than the window. A stage is nothing,
little or much; without one, all are looked at.
"""

import sys
import tempfile
from pathlib import Path

from storage.store import open_store
from tests.postgres import test_server
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living
from tests.ui.browser.stages import Pages, fill_little, fill_much, fill_nothing, staged

AXE = Path(__file__).with_name("axe") / "node_modules" / "axe-core" / "axe.min.js"
SCREENS = (
    ("light", 1280, 800, False),
    ("dark", 1280, 800, True),
    ("narrow", 360, 740, False),
    ("wide", 1920, 1080, False),
)
GRAVE = {"serious", "critical"}
STAGES = ("nothing", "little", "much")


def main(arguments: list[str]) -> int:
    """0 when no page has a serious violation; 2 when axe-core is not installed."""
    if not AXE.exists():
        print("axe-core is missing: make test-ui installs it (npm ci in tests/ui/axe)", file=sys.stderr)
        return 2
    stages = [one for one in arguments if one in STAGES] or list(STAGES)
    folders = [one for one in arguments if one not in STAGES]
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        pictures = Path(folders[0]) if folders else Path(folder)
        pictures.mkdir(parents=True, exist_ok=True)
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with staged(store, dsn, Path(folder)) as service:
            found = [line for stage in stages for line in _check_stage(service, pictures, stage, Path(folder))]
        store.close()
    for line in found:
        print(line)
    print(f"{len(found)} serious violations")
    return 1 if found else 0


def _check_stage(service: Living, pictures: Path, stage: str, folder: Path) -> list[str]:
    pages: Pages
    match stage:
        case "nothing":
            pages = fill_nothing(service)
        case "little":
            pages = fill_little(service, folder)
        case _:
            pages = fill_much(service, folder)
    service.browser.call("Page.setBypassCSP", enabled=True)  # axe is put into the page from outside
    found = _check(service, pictures, f"{stage}-login", "/ui/login") if stage == "nothing" else []
    service.sign_in()
    for name, path in pages.items():
        found += _check(service, pictures, f"{stage}-{name}", path)
    service.browser.open(f"{service.url}/ui")
    service.sign_out()
    print(f"{stage}: {len(pages)} pages × {len(SCREENS)} windows", flush=True)
    return found


def _check(service: Living, pictures: Path, name: str, path: str) -> list[str]:
    browser, found = service.browser, []
    for screen, width, height, dark in SCREENS:
        browser.screen(width, height, dark=dark)
        browser.open(service.url + path)
        browser.until("[...document.images].every((image) => image.complete || image.loading === 'lazy')")
        if "refused" not in name and browser.run("document.querySelector('.refused') !== null"):
            found.append(f"{name} {screen}: {browser.run('document.title')}")
        browser.picture(pictures / f"{name}-{screen}.png")
        if browser.run("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            found.append(f"{name} {screen}: wider than the window")
        found += [f"{name} {screen}: {line}" for line in _violations(browser)]
    return found


def _violations(browser: Browser) -> list[str]:
    browser.run(AXE.read_text() + "; true")
    result = browser.run("axe.run(document, { iframes: false }).then((result) => result.violations)")
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:160]}" for one in result if one["impact"] in GRAVE]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
