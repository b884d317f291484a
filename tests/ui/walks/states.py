"""States of pages that an act brings about: a file that asks for its password, an open menu, a decided flag."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tests.ui.browser.living import Living
from tests.ui.browser.stages import ingest, page_of
from tests.ui.papers import write_letter, write_locked_letter

State = tuple[str, Callable[[], object]]
LEAVE = "window.onbeforeunload = null; for (const one of document.querySelectorAll('.locked .quiet')) one.click()"
"""Leaves out the files that ask for a password, so that the page may be left."""


def states(service: Living, folder: Path) -> Iterator[State]:
    """Yield a name and the act for each state. An act stands on those before it."""
    yield from _states_of_upload(service, folder)
    yield from _states_of_lists(service)
    yield from _states_of_documents(service)
    yield from _states_of_forms(service)


def signed_out_states(service: Living) -> Iterator[State]:
    """Yield the states of the sign-in page: a wrong key, and a session that ended under the reader."""
    browser = service.browser

    def wrong_key() -> None:
        browser.open(f"{service.url}/ui/login")
        browser.run("document.getElementById('key').focus()")
        browser.type("no such key")
        browser.press("Enter")
        browser.until("document.querySelector('.problem') !== null")

    yield "login-wrong", wrong_key
    yield "login-asked", lambda: browser.open(f"{service.url}/ui/review?kind=pii:email")


def _states_of_upload(service: Living, folder: Path) -> Iterator[State]:
    browser = service.browser
    locked, letter, empty = (folder / name for name in ("locked.pdf", f"{'long name ' * 20}.pdf", "empty.txt"))
    locked.write_bytes(b"\n" + write_locked_letter())
    letter.write_bytes(write_letter(50, 1))
    empty.write_bytes(b"")

    def choose(*files: Path) -> None:
        browser.open(f"{service.url}/ui/upload")
        browser.choose_files("#files", *files)

    def ask_password() -> None:
        choose(locked, letter)
        browser.until("document.querySelector('.sending .bad') !== null")

    def wrong_password() -> None:
        browser.run("document.querySelector('.locked input').focus()")
        browser.type("wrong")
        browser.press("Enter")
        browser.until("document.querySelector('.locked input').matches('[aria-invalid]')")

    def refuse() -> None:
        browser.run(LEAVE)
        choose(empty)
        browser.until("!document.querySelector('.problem').hidden")

    def tell_unsent() -> None:
        browser.run("sessionStorage.setItem('unsent', JSON.stringify(['a.pdf', 'b.pdf']))")
        browser.open(f"{service.url}/ui/upload")
        browser.until("!document.querySelector('.problem').hidden")

    yield "upload-password", ask_password
    yield "upload-wrong-password", wrong_password
    yield "upload-refused", refuse
    yield "upload-unsent", tell_unsent
    yield "upload-options", lambda: browser.run("document.querySelector('.options').open = true")


def _states_of_lists(service: Living) -> Iterator[State]:
    browser = service.browser

    def tick() -> None:
        browser.open(f"{service.url}/ui")
        browser.run("document.querySelector('[data-all]').click()")

    def keys() -> None:
        browser.open(f"{service.url}/ui/jobs")
        browser.press("?")

    def far() -> None:
        ingest(service, write_letter(70, 0), "indexed.pdf")
        browser.open(f"{service.url}/ui/search?q=zebra+walrus&mode=vector")
        browser.run("document.querySelector('.closer').open = true")

    yield "documents-ticked", tick
    yield "documents-question", lambda: browser.run("document.querySelector('[data-confirm]').click()")
    yield "keys", keys
    yield "menu-of-pages", lambda: browser.run("document.getElementById('help').hidePopover(); nav.showPopover?.()")
    yield "search-far", far


def _states_of_documents(service: Living) -> Iterator[State]:
    """Yield open menus of the viewer and a review under way."""
    browser = service.browser
    here = page_of(service.send(("walked.pdf", write_letter(60, 4)), ("walked too.pdf", write_letter(61, 1))))

    def open_menus() -> None:
        browser.open(f"{service.url}{here}")
        browser.run("for (const one of document.querySelectorAll('main details')) one.open = true")
        browser.press("j")

    def review() -> None:
        browser.open(f"{service.url}{here}/review?group=place")
        browser.press("a")
        browser.until("document.querySelector('#flags .done') !== null")

    def undo() -> None:
        browser.open(f"{service.url}{here}/review?kind=pii:email")
        browser.run("document.querySelectorAll('.acts-row [data-confirm] button')[1].click()")
        browser.until("document.querySelector('dialog[open]') !== null")

    def decided() -> None:
        browser.run("document.querySelector('dialog [value=yes]').click()")
        browser.until("document.querySelector('.line[role=status]') !== null")

    yield "document-menus", open_menus
    yield "review-decided", review
    yield "review-question", undo
    yield "review-undo", decided
    yield "review-none", lambda: browser.open(f"{service.url}{here}/review?kind=pii:iban")
    yield "extract-empty", lambda: browser.open(f"{service.url}{here}/extract")
    yield "extract-suggested", lambda: browser.open(f"{service.url}{here}/extract?suggest=1")
    rows = "field=Invoice+number&kind=text&list=&about=&field=Total&kind=number&list=Rows&about=as+printed"
    yield "extract-form", lambda: browser.open(f"{service.url}{here}/extract?{rows}")
    yield (
        "extract-open",
        lambda: browser.run("for (const one of document.querySelectorAll('main details')) one.open = true"),
    )


def _states_of_forms(service: Living) -> Iterator[State]:
    browser = service.browser

    def target(kind: str) -> Callable[[], object]:
        return lambda: browser.open(f"{service.url}/ui/targets?kind={kind}")

    def check_source() -> None:
        browser.open(f"{service.url}/ui/sources?kind=folder")
        browser.run("place.value = '/nowhere'; document.querySelector('[name=test]').click()")
        browser.until("document.querySelector('#tested .problem') !== null")

    browser.open(f"{service.url}/ui/targets")
    for kind in browser.run("[...document.querySelectorAll('.kinds a')].map((one) => one.search.slice(6))"):
        yield f"target-{kind}", target(kind)
    yield "source-tested", check_source
