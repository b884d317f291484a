"""The redacted file is made in the sandbox: with a real child, behind the lockdown."""

import io

import pytest

from actors.reading.read_document import DocumentReader
from actors.sandbox.limits import SandboxLimits
from models.cdom.original import ReadOptions
from models.cdom.ports import ReadOutcome, RedactionRefused
from models.cdom.tree import dump_tree
from models.pii.flag import flag_tree
from models.pii.letters import letters
from models.pii.patterns.kind_patterns import RegexDetector
from tests.models.redaction import test_formats as formats
from tests.models.redaction.papers import SECRET, everything, in_text


def test_a_locked_down_child_makes_and_proves_the_file_or_refuses() -> None:
    original = in_text()
    reader = DocumentReader(SandboxLimits())
    try:
        outcome = reader.read_until_pixels(io.BytesIO(original), ReadOptions())
        assert isinstance(outcome, ReadOutcome)
        assert outcome.tree is not None
        tree = flag_tree(outcome.tree, RegexDetector())
        made = reader.redact(io.BytesIO(original), dump_tree(tree), {})
        with pytest.raises(RedactionRefused) as refused:
            reader.redact(io.BytesIO(original), dump_tree(outcome.tree), {})
    finally:
        reader.close()
    assert made.startswith(b"%PDF")
    assert SECRET not in everything(made)
    assert refused.value.code == "pii-incomplete"


def test_a_locked_down_child_redacts_every_other_format_too() -> None:
    reader = DocumentReader(SandboxLimits())
    try:
        for name, make in formats.FILES.items():
            outcome = reader.read_until_pixels(io.BytesIO(make()), ReadOptions())
            assert isinstance(outcome, ReadOutcome), name
            assert outcome.tree is not None, name
            made = reader.redact(io.BytesIO(make()), dump_tree(flag_tree(outcome.tree, RegexDetector())), {})
            assert letters(SECRET) not in letters(formats.everything(made)), name
    finally:
        reader.close()
