"""`python -m tests.ui.accessibility [FOLDER] [STAGE …]`: axe-core on every page, state and window; pictures there.

Fails on any violation, on anything wider than the window, and on anything that a keyboard does not reach or a screen
reader does not name. A stage is nothing, little, kinds, much, errors or guide; without one, all are looked at. The
guide must be built (`make guide`).
"""

import sys
import tempfile
from pathlib import Path

from quire.serve_apps.guide.site import BUILT
from quire.storage.store import Store, open_store
from tests.postgres import test_server
from tests.ui.browser.axe import find_violations
from tests.ui.browser.living import Living
from tests.ui.browser.stages import Pages, fill_errors, fill_little, fill_much, fill_nothing, staged
from tests.ui.walks.keyboard import walk
from tests.ui.walks.kinds import fill_kinds
from tests.ui.walks.states import signed_out_states, states

SCREENS = (
    ("light", 1280, 800, False),
    ("dark", 1280, 800, True),
    ("narrow", 360, 740, False),
    ("narrow-dark", 360, 740, True),
    ("wide", 1920, 1080, False),
)
STAGES = ("nothing", "little", "kinds", "much", "errors", "guide")
WALKED = ("light", "narrow")
"""Windows in which the keyboard is walked: the side and the bar have different controls."""
FIRST_OF_GUIDE = "guide-."
"""The page of the guide on which the keyboard is walked: the way around is the same on all."""


def main(arguments: list[str]) -> int:
    """Return 0 when no page has a violation."""
    stages = [one for one in arguments if one in STAGES] or list(STAGES)
    folders = [one for one in arguments if one not in STAGES]
    with tempfile.TemporaryDirectory() as folder, test_server() as server, server.database() as dsn:
        pictures = Path(folders[0]) if folders else Path(folder)
        pictures.mkdir(parents=True, exist_ok=True)
        store = open_store(dsn, Path(folder) / "workdir", signing_key=b"a key of these tests, long enough")
        with staged(store, dsn, Path(folder)) as service:
            found = [line for stage in stages for line in _check_stage(service, store, pictures, stage, Path(folder))]
        store.close()
    print(f"{len(found)} violations")
    return 1 if found else 0


def _check_stage(service: Living, store: Store, pictures: Path, stage: str, folder: Path) -> list[str]:
    pages: Pages
    match stage:
        case "nothing":
            pages = fill_nothing(service)
        case "little":
            pages = fill_little(service, folder)
        case "kinds":
            pages = fill_kinds(service, store)
        case "errors":
            pages = fill_errors(service, store)
        case "guide":
            folders = {path.parent.relative_to(BUILT) for path in BUILT.rglob("index.html")}
            names = sorted(folder.as_posix() for folder in folders if folder.parent.name != "decisions")
            assert names, "the guide is not built: make guide"
            pages = {f"{name.replace('/', '-')}": f"/guide/{'' if name == '.' else f'{name}/'}" for name in names}
        case _:
            pages = fill_much(service, folder)
    service.browser.call("Page.setBypassCSP", enabled=True)  # axe is put into the page from outside
    found = [] if stage == "guide" else _check_sign_in(service, pictures, stage)
    for name, path in pages.items():
        found += _check(service, pictures, f"{stage}-{name}", path)
    for name, act in states(service, folder) if stage == "errors" else ():
        act()
        found += _look(service, pictures, f"{stage}-{name}")
    if stage != "guide":
        service.browser.open(f"{service.url}/ui")
        service.sign_out()
    print(
        *found, f"{stage}: {len(pages)} pages × {len(SCREENS)} windows, {len(found)} violations", sep="\n", flush=True
    )
    return found


def _check_sign_in(service: Living, pictures: Path, stage: str) -> list[str]:
    """Look at the sign-in page once, then sign in."""
    found = _check(service, pictures, f"{stage}-login", "/ui/login") if stage == "nothing" else []
    for name, act in signed_out_states(service) if stage == "errors" else ():
        act()
        found += _look(service, pictures, f"{stage}-{name}")
    service.sign_in()
    return found


def _check(service: Living, pictures: Path, name: str, path: str) -> list[str]:
    service.browser.open(service.url + path)
    return _look(service, pictures, name)


def _look(service: Living, pictures: Path, name: str) -> list[str]:
    """Check the page as it stands, in every window."""
    browser, found = service.browser, []
    for screen, width, height, dark in SCREENS:
        browser.screen(width, height, dark=dark)
        browser.hold_still(dark=dark)
        browser.until("[...document.images].every((image) => image.complete || image.loading === 'lazy')")
        is_refused = browser.run("document.querySelector('.refused') !== null")
        if is_refused and not name.startswith("errors") and "refused" not in name:
            found.append(f"{name} {screen}: {browser.run('document.title')}")
        browser.picture(pictures / f"{name}-{screen}.png")
        if browser.run("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            found.append(f"{name} {screen}: wider than the window")
        found += [f"{name} {screen}: {line}" for line in find_violations(browser)]
        if screen in WALKED and (not name.startswith("guide-") or name == FIRST_OF_GUIDE):
            found += [f"{name} {screen}: {line}" for line in walk(browser)]
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
