"""Messages from a child that was taken over: refused before they become objects."""

import json
from typing import cast

import msgpack
import pytest
from pydantic import ValidationError

from quire.actors.reading.partial_document import MOST_FACTS_BYTES, PartialDocument
from quire.actors.sandbox.frames import BadFrame, Frame, TooMuchOutput
from quire.actors.sandbox.limits import SandboxLimits
from quire.models.cdom.original import ReadOptions
from quire.models.cdom.tree import DamagedTree, Source, load_tree


@pytest.mark.parametrize(
    "message",
    [
        {"kind": "page", "number": [[]] * 1000},
        {"kind": "page", "number": {str(n): n for n in range(17)}},
        {str(n): n for n in range(17)},
        {"kind": "page", "number": msgpack.ExtType(5, b"x")},
    ],
)
def test_a_frame_holds_no_lists_and_few_fields(message: dict[str, object]) -> None:
    with pytest.raises(BadFrame):
        Frame(msgpack.packb(message))


def test_a_frame_of_ours_is_read() -> None:
    frame = Frame(msgpack.packb({"kind": "ready", "layers": {"seccomp": True}, "idle_rss": 7}))
    assert (frame.kind, frame.flags("layers"), frame.number("idle_rss")) == ("ready", {"seccomp": True}, 7)


def test_facts_beyond_their_size_are_not_parsed() -> None:
    collected = PartialDocument(
        source=Source(format="", sha256="", bytes=1), options=ReadOptions(), limits=SandboxLimits()
    )
    frame = Frame(msgpack.packb({"kind": "opened", "facts": b"0" * (MOST_FACTS_BYTES + 1)}))
    with pytest.raises(TooMuchOutput):
        collected.note_facts(frame)


def test_a_tree_of_wrong_items_costs_one_error() -> None:
    block = {"id": "b0", "type": "table", "page": 1, "order": 0, "provenance": {"engine": "x"}}
    block["table"] = {"rows": 1, "cols": 1, "cells": [0] * 10_000}
    tree = {
        "source": {"format": "pdf", "sha256": "", "bytes": 1},
        "metadata": {},
        "pages": [{"number": 1, "width": 1, "height": 1}],
        "blocks": [block] * 100,
        "provenance": {"options_hash": ""},
    }
    with pytest.raises(DamagedTree) as refused:
        load_tree(json.dumps(tree).encode())
    assert cast(ValidationError, refused.value.__cause__).error_count() == 1
