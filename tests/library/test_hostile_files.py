"""A file that crashes, spins or fills the memory of its child is an error with a code; the caller's program goes on."""

import random
import resource
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest

import quire
from quire import library
from quire.actors.reading.forkserver import ForkServer
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.errors import ErrorCode
from tests.actors.sandbox.conftest import ENTRY, SMALL
from tests.actors.sandbox.servers.probe import probe_document
from tests.packages.bulk.corpora import write_pdf

DEADLY = {
    "segfault": ErrorCode.PARSER_CRASH,
    "abort": ErrorCode.PARSER_CRASH,
    "exit": ErrorCode.PARSER_CRASH,
    "garbage": ErrorCode.PARSER_CRASH,
    "spin": ErrorCode.TIMEOUT,
    "eat-memory": ErrorCode.RESOURCE_LIMIT,
    "flood": ErrorCode.RESOURCE_LIMIT,
}


def limits(formats: tuple[str, ...], *, locked: bool) -> SandboxLimits:
    return replace(SMALL, formats=formats, locked=locked)


@pytest.fixture(scope="module", autouse=True)
def probing() -> Iterator[library._Library]:
    """The library, with small limits and children that read probe documents."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(library, "ForkServer", partial(ForkServer, entry=ENTRY))
        patched.setattr(library, "SandboxLimits", limits)
        probing = library._Library()
        patched.setattr(library, "_LIBRARY", probing)
        yield probing
        probing.close()


@pytest.mark.parametrize("sandbox", [True, False])
@pytest.mark.parametrize("order", DEADLY)
def test_hostile_file_is_an_error_with_its_code(order: str, sandbox: bool) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(quire.ReadError) as caught:
        quire.read(probe_document(order), sandbox=sandbox)
    assert caught.value.code is DEADLY[order]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 100_000  # kB
    assert "still here" in quire.read(write_pdf("still here"), sandbox=sandbox).markdown


@pytest.mark.parametrize("seed", range(20))
def test_hostile_page_fails_alone(seed: int) -> None:
    chance = random.Random(seed)
    pages = [f"words {number}" for number in range(chance.randint(2, 6))]
    place, order = chance.randint(0, len(pages)), list(DEADLY)[seed % len(DEADLY)]
    document = quire.read(probe_document(*pages[:place], order, *pages[place:]))
    assert [block.text for block in document.blocks] == pages
    assert [page.number for page in document.pages if page.status == "failed"] == [place + 1]
    assert document.coverage is not None
    assert not document.coverage.complete


def test_without_sandbox_the_child_keeps_the_rights_of_the_caller(probing: library._Library) -> None:
    kept = {}
    for locked in (True, False):
        with probing.reader(library._ReaderKind(("pdf",), None, False, locked)) as reader:
            kept[locked] = reader.server.layers
    assert (kept[True]["no_new_privs"], kept[True]["unprivileged"]) == (True, True)
    assert not any(on for name, on in kept[False].items() if name not in {"rlimits", "unprivileged"})
    assert kept[False]["rlimits"]


def test_same_trees_with_and_without_sandbox() -> None:
    data = write_pdf("First line.", "Second line.")
    assert quire.read(data).tree == quire.read(data, sandbox=False).tree
