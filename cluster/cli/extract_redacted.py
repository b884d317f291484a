"""`quire extract --redacted`: what was read, without personal data. Nobody reviews here, so every flag is masked."""

from dataclasses import replace

from models.cdom.ports import ReadOutcome

HIDDEN_NAME = "[REDACTED]"


def redact_outcome(outcome: ReadOutcome) -> ReadOutcome:
    """The outcome with its tree masked and without pictures. Raises `PiiIncomplete`."""
    from actors.scanning import scan
    from models.cdom.tree import dump_tree
    from models.pii.engines import make_flagger
    from models.pii.redact import redact_tree

    scanned = scan(outcome, make_flagger("regex"))
    if scanned.tree is None:
        return scanned
    tree = redact_tree(scanned.tree, {})
    return replace(scanned, tree=tree, tree_json=dump_tree(tree), assets={})


def name_without_names(count: int, suffix: str) -> list[str]:
    """Results by number: a file's name may hold what is masked inside."""
    return [f"document-{number:05}{suffix}" for number in range(1, count + 1)]
