"""Mouse work in headless Chromium: drop files, follow progress, search, turn pages, operate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from quire.storage.store import Store
from tests.ui.browser.chromium import Browser
from tests.ui.browser.living import Living
from tests.ui.browser.stages import RECEIVER, ingest, staged
from tests.ui.papers import HELD, write_letter, write_report

pytestmark = pytest.mark.long

SCRIPT = """document.querySelector('script[src$="/app.js"]').src.replace("app.js", "page.js")"""


@pytest.fixture
def service(store: Store, dsn: str, tmp_path: Path, browser: Browser) -> Iterator[Living]:
    with staged(store, dsn, tmp_path, browser) as running:
        running.browser.screen(1280, 900, dark=False)
        yield running
        assert running.browser.problems == []


def test_dropped_files_become_jobs_of_as_many_files_as_one_may_have(service: Living, tmp_path: Path) -> None:
    letters = [tmp_path / f"letter{number:02}.pdf" for number in range(12)]
    for number, letter in enumerate(letters):
        letter.write_bytes(write_letter(number, 0))
    service.sign_in()
    browser = service.browser
    browser.run("sessionStorage.seen = ''")
    watch = "new MutationObserver(() => { sessionStorage.seen += document.querySelector('.sending').innerText + ';' })"
    browser.run(f"{watch}.observe(document.querySelector('.sending'), {{ childList: true, subtree: true }})")
    browser.drop_files("#upload .well", *letters)
    browser.until("location.search.split('job_id=').length === 3")  # the documents of both jobs
    browser.until("document.querySelectorAll('tr[data-status=succeeded]').length === 12")
    seen = browser.run("sessionStorage.seen")
    browser.open(f"{service.url}/ui/jobs")
    names = browser.run("[...document.querySelectorAll('tbody th')].map((one) => one.innerText).join()")
    assert "letter00.pdf and 9 more" in " ".join(names.split())
    assert "letter10.pdf and 1 more" in " ".join(names.split())
    assert all(letter.name in seen for letter in letters)
    assert "stored" in seen
    assert browser.run("sessionStorage.unsent") is None


def test_files_lost_by_a_reload_are_named_on_the_next_page(service: Living, tmp_path: Path) -> None:
    letter = tmp_path / "<b>letter.pdf"
    letter.write_bytes(write_letter())
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/upload")
    browser.run("XMLHttpRequest.prototype.send = () => {}")  # a connection that never carries anything
    browser.run("window.addEventListener = () => {}")  # and no question before the page is left
    browser.choose_files("#files", letter)
    browser.until("sessionStorage.unsent !== undefined && document.querySelector('.sending li') !== null")
    browser.open(f"{service.url}/ui/upload")
    browser.until("!document.querySelector('.problem').hidden")
    assert browser.run("document.querySelector('.problem').textContent") == "Not sent, choose again: <b>letter.pdf"


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(service: Living, tmp_path: Path) -> None:
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.truncate(51 << 20)
    service.sign_in()
    service.browser.drop_files("#upload .well", large)
    assert service.browser.until(
        "document.querySelector('#upload .problem').innerText.includes('large.pdf is over 50')"
    )


def test_progress_is_seen_while_it_happens_without_a_reload(service: Living) -> None:
    job = service.send(("long.pdf", HELD + b"1"), wait=0.1)
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}")
    browser.run("window.same = true")
    assert browser.until("document.querySelector('.running-bar')?.innerText.includes('37 of 120 pages')")
    service.ask("POST", f"jobs/{job['id']}/cancel")
    assert browser.until("document.querySelector('h1 .chip.canceled') !== null && window.same")
    assert browser.until("document.querySelector('.running-bar') === null")


def test_a_job_read_again_is_followed_again(service: Living) -> None:
    job = service.send(("notes.txt", b"no document"))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}")
    for run in (2, 3):
        browser.until("document.querySelector('.acts button') !== null")
        browser.until("document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling') === null")
        browser.click(".acts button")
        document = f"documents/{job['documents'][0]['document_id']}"
        browser.until(f"fetch('/ui/v1/{document}').then((a) => a.json()).then((d) => d.run === {run})")
        browser.until(
            "document.querySelector('tbody .chip.failed') !== null && !document.querySelector('.running-bar')"
        )


def test_overview_updates_with_running_work(service: Living) -> None:
    job = service.send(("long.pdf", HELD + b"1"), wait=0.1)
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/overview")
    browser.until("document.querySelector('#newest-jobs .chip.running') !== null")
    browser.run("window.same = true")
    service.ask("POST", f"jobs/{job['id']}/cancel")
    assert browser.until("document.querySelector('#newest-jobs .chip.canceled') !== null && window.same")
    assert browser.run("document.querySelectorAll('#newest-jobs').length") == 1


def test_a_hit_opens_its_page_with_the_box_where_the_words_stand(service: Living) -> None:
    job = ingest(service, write_report(pages=6, flags=6), "report.pdf")
    service.sign_in()
    browser = service.browser
    browser.press("/")
    browser.until("location.pathname === '/ui/search' && document.activeElement.id === 'q'")
    browser.type("clerk4.0")
    browser.run("document.getElementById('mode').value = 'fts'")
    browser.press("Enter")
    browser.until("document.querySelector('.hits mark') !== null")
    assert "clerk4" in browser.run("document.querySelector('.hits mark').innerText")
    browser.click(".hits a")
    browser.until("document.querySelector('rect.hit') !== null && document.querySelector('.leaf img')?.complete")
    assert browser.run("location.pathname").startswith(f"/ui/jobs/{job['id']}/documents/")
    page = int(browser.run("document.getElementById('page').value"))
    assert page in {3, 4}  # where its chunk begins
    marked = browser.run("[...document.querySelectorAll('li.hit')].map((one) => one.innerText).join(' ')")
    assert "Chapter" in marked or "Paragraph" in marked or "clerk4" in marked
    hit, leaf = (
        browser.run(f"document.querySelector('{one}').getBoundingClientRect().toJSON()")
        for one in ("rect.hit", ".leaf img")
    )
    assert leaf["x"] < hit["x"] < hit["x"] + hit["width"] < leaf["x"] + leaf["width"]


def test_pages_turn_by_key_and_tabs_change_in_place(service: Living) -> None:
    job = service.send(("report.pdf", write_report(pages=4, flags=4)))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}")
    browser.press("ArrowRight")
    browser.until("document.getElementById('page')?.value === '2'")
    browser.run("window.same = true")
    browser.click(".views .tabs a:nth-child(3)")
    browser.until(
        "document.querySelector('#views td') !== null && location.search.includes('tab=fields') && window.same"
    )
    assert "C-0002" in browser.run("document.getElementById('views').innerText")
    browser.click("#views a.evidence")
    assert browser.until("document.querySelector('rect.hit') !== null && document.querySelector('tr.hit') !== null")
    browser.until("document.readyState === 'complete'")
    browser.press("b")
    assert browser.until("getComputedStyle(document.querySelector('.leaf rect:not(.hit)')).opacity === '0'")
    width = browser.run("document.querySelector('.leaf').offsetWidth")
    browser.press("+")
    assert browser.run("document.querySelector('.leaf').offsetWidth") > 1.2 * width


def test_the_picture_fits_its_page_and_a_phone_shows_page_or_text(service: Living) -> None:
    job = service.send(("report.pdf", write_report(pages=2, flags=1)))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}")
    browser.until("document.querySelector('.leaf img')?.complete")
    browser.click("[data-fit=page]")
    assert browser.run("document.querySelector('.leaf').offsetHeight < innerHeight")
    browser.click("[data-fit=width]")
    assert browser.run("document.querySelector('.leaf').offsetWidth === document.querySelector('.sheet').clientWidth")
    browser.screen(390, 844, dark=False)
    seen = "['.paper', '.views'].map((one) => document.querySelector(one).checkVisibility())"
    assert browser.run(seen) == [True, False]
    browser.click(".phone-switch label:last-child")
    assert browser.run(seen) == [False, True]
    browser.open(f"{service.url}{browser.run('location.pathname')}?page=2")
    assert browser.run(seen) == [False, True]


def test_the_redacted_view_paints_the_page_and_masks_the_text(service: Living) -> None:
    job = service.send(("secret name.pdf", write_letter(flags=1)))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}")
    assert "@example.org" in browser.run("document.getElementById('views').innerText")
    browser.click(".switch a:last-child")
    browser.until("location.search.includes('redacted=1') && document.querySelector('.leaf img')?.complete")
    assert "@example.org" not in browser.run("document.body.innerText")
    assert "secret name" not in browser.run("document.documentElement.innerHTML")
    assert "redacted=true" in browser.run("document.querySelector('.leaf img').src")
    assert browser.run("document.querySelector('.leaf img').naturalWidth") > 1000
    for tab in ("chunks", "markdown", "fields", "semantics"):
        browser.open(f"{service.url}{browser.run('location.pathname')}?redacted=1&tab={tab}")
        assert "@example.org" not in browser.run("document.body.innerText")


def test_the_html_preview_is_framed_without_script_or_origin(service: Living) -> None:
    job = service.send(("letter.pdf", write_letter()))
    service.sign_in()
    browser = service.browser
    here = f"/ui/jobs/{job['id']}/documents/{job['documents'][0]['document_id']}"
    browser.open(f"{service.url}{here}?tab=html")
    browser.until("document.querySelector('iframe') !== null")
    browser.run("document.querySelector('iframe').scrollIntoView()")
    assert browser.has_frame("/preview")
    assert (
        browser.run("document.querySelector('iframe').contentDocument") is None
    )  # another origin: ours cannot look in


def test_late_end_of_a_closed_question_does_not_answer_a_later_question(service: Living) -> None:
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs")
    browser.run(
        f"""import({SCRIPT}).then(({{ ask }}) => {{
            const dialog = document.getElementById('ask');
            window.first = ask('One?'); dialog.close(); window.second = ask('Two?');
            setTimeout(() => dialog.close('yes'), 50);
        }})"""
    )
    assert browser.run("Promise.all([window.first, window.second])") == [False, True]


def test_page_requested_before_a_question_is_not_swapped_under_it(service: Living) -> None:
    job = service.send(("letter.pdf", write_letter()))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}")
    browser.run("document.getElementById('live').same = true")
    browser.run(f"import({SCRIPT}).then(({{ ask }}) => {{ ask('Sure?'); }})")
    swap = "htmx.ajax('GET', location.pathname, {source: '#live', target: '#live', select: '#live', swap: 'outerHTML'})"
    browser.run(swap)
    assert browser.run("document.getElementById('live').same") is True
    browser.press("Escape")
    browser.until("!document.getElementById('ask').open")
    browser.run(swap)
    assert browser.run("document.getElementById('live').same") is None


def test_keyboard_stays_at_its_link_when_a_list_is_replaced(service: Living) -> None:
    service.send(("letter.pdf", write_letter()))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui")
    browser.run("document.querySelector('#live a.name').focus(); document.getElementById('live').same = true")
    browser.run("htmx.ajax('GET', '/ui', {source: '#live', target: '#live', select: '#live', swap: 'outerHTML'})")
    assert browser.until("document.getElementById('live').same !== true")
    assert browser.until("document.activeElement.matches('#live a.name')")


def test_a_copied_table_holds_no_formula(service: Living) -> None:
    service.sign_in()
    cells = "".join(f"<td>{text}</td>" for text in ("=1+1", "@SUM(A1)", "-cmd|x", "-2,5 %", "+3", "a=b"))
    copied = f"""import({SCRIPT}).then(({{ csvOf }}) => {{
        const table = document.createElement('table'); table.innerHTML = '<tr>{cells}</tr>';
        document.body.append(table); sessionStorage.csv = csvOf(table);
    }})"""
    service.browser.run(copied)
    assert service.browser.until("sessionStorage.csv") == "'=1+1,'@SUM(A1),'-cmd|x,\"-2,5 %\",+3,a=b"


def test_deleting_asks_first_and_then_changes_the_page_in_place(service: Living) -> None:
    job = service.send(("letter.pdf", write_letter()))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}")
    browser.run("window.same = true")
    browser.click(".acts button.danger")
    browser.until("document.getElementById('ask').open")
    browser.press("Escape")
    browser.until("!document.getElementById('ask').open")
    assert browser.run("document.querySelector('tbody .chip').innerText") == "Succeeded"
    browser.click(".acts button.danger")
    browser.until("document.getElementById('ask').open")
    browser.click("#ask .main")
    assert browser.until("document.querySelector('tbody .chip.deleted') !== null && window.same")


def test_a_source_and_a_receiver_are_added_used_and_deleted(service: Living, tmp_path: Path) -> None:
    (tmp_path / "files" / "a.pdf").write_bytes(write_letter())
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/sources")
    browser.run("document.getElementById('place').focus()")
    browser.type(str(tmp_path / "files"))
    browser.press("Enter")
    browser.until("document.querySelector('.good-news') !== null")
    browser.click(".things button.main")
    browser.until("document.querySelector('.counts')?.innerText.includes('1 added')")
    browser.open(f"{service.url}/ui/webhooks")
    browser.run("document.getElementById('url').focus()")
    browser.type(RECEIVER)
    browser.press("Enter")
    browser.until("document.getElementById('secret')?.innerText.length > 20")
    browser.click(".things .act button")
    browser.until("location.pathname.startsWith('/ui/webhooks/whk_') && document.querySelector('tbody .chip') !== null")
    assert "webhook.test" in browser.run("document.querySelector('tbody').innerText")
    browser.click(".head button.danger")
    browser.until("document.getElementById('ask').open")
    browser.click("#ask .main")
    assert browser.until("location.pathname === '/ui/webhooks' && document.body.innerText.includes('No receivers yet')")


def test_a_refused_change_is_said_and_the_page_stays(service: Living) -> None:
    job = service.send(("notes.txt", b"no document"))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/jobs/{job['id']}")
    service.ask("DELETE", f"documents/{job['documents'][0]['document_id']}")
    browser.click(".acts button")
    assert browser.until("document.getElementById('status').innerText.length > 5")
    assert browser.run("document.querySelector('tbody .chip').innerText") == "Failed"
    browser.problems.clear()  # Chromium notes the 4xx


def test_keys_are_explained_and_lead_around(service: Living) -> None:
    service.sign_in()
    browser = service.browser
    browser.press("?")
    browser.until("document.querySelector('#help:popover-open') !== null")
    browser.press("Escape")
    browser.until("document.querySelector('#help:popover-open') === null")
    for key, path in (
        ("j", "/ui/jobs"),
        ("f", "/ui/dead-letters"),
        ("u", "/ui/upload"),
        ("o", "/ui/overview"),
        ("d", "/ui"),
    ):
        browser.press("g")
        browser.press(key)
        browser.until(f"location.pathname === '{path}'")


def test_dark_is_chosen_and_kept(service: Living) -> None:
    service.sign_in()
    browser = service.browser
    light = browser.run("getComputedStyle(document.body).backgroundColor")
    browser.click(".themes [value=dark]")
    browser.until("document.documentElement.dataset.theme === 'dark'")
    browser.open(f"{service.url}/ui/jobs")
    assert browser.run("getComputedStyle(document.body).backgroundColor") != light
    assert browser.run("document.querySelector('.themes [value=dark]').ariaPressed") == "true"


def test_the_list_of_documents_is_not_wider_than_a_small_phone(service: Living) -> None:
    service.send(("letter.pdf", write_letter(1, 1)))
    service.sign_in()
    browser = service.browser
    browser.screen(360, 740, dark=False)
    browser.open(f"{service.url}/ui")
    assert browser.run("document.querySelector('.days') !== null")
    assert browser.run("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_on_a_narrow_window_the_menu_opens_over_the_page(service: Living) -> None:
    service.sign_in()
    browser = service.browser
    browser.screen(360, 740, dark=False)
    browser.open(f"{service.url}/ui")
    assert not browser.run("document.querySelector('#nav a').checkVisibility()")
    browser.click(".bar button")
    browser.until("document.querySelector('#nav:popover-open') !== null")
    browser.click("#nav a[href='/ui/jobs']")
    assert browser.until("location.pathname === '/ui/jobs'")


def test_undo_goes_back_to_the_document_before(service: Living) -> None:
    service.send(*[(f"letter{number}.pdf", write_letter(number, 1)) for number in range(2)])
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/review")
    browser.press("Enter")
    browser.until("document.querySelector('#flags > li.selected') !== null")
    first = browser.run("location.pathname")
    browser.press("a")
    browser.until(f"location.pathname !== '{first}' && document.querySelector('#flags > li.selected') !== null")
    browser.press("u")
    browser.until(f"location.pathname === '{first}' && document.querySelector('#flags > li.selected') !== null")
    assert len(service.pending()) == 2
    browser.press("r")
    assert browser.until("document.querySelector('#flags .state.rejected') !== null")
    assert len(service.pending()) == 1


def test_remaining_flags_of_a_document_are_approved_at_once(service: Living) -> None:
    service.send(("letter.pdf", write_letter(1, 6)))
    service.sign_in()
    browser = service.browser
    browser.open(f"{service.url}/ui/review")
    browser.press("Enter")
    browser.until("document.querySelector('#flags > li.selected') !== null")
    browser.press("r")
    browser.until("document.getElementById('decided').innerText === '1'")
    browser.press("A")
    browser.until("document.getElementById('ask').open")
    browser.click("#ask .main")
    browser.until("document.body.innerText.includes('No flags to review')")
    assert service.pending() == []
