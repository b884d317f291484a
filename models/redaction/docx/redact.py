"""A Word file without what is masked. In: the original, its tree, the decisions. Out: a file, or a refusal."""

from quire.models.cdom.tree import Tree
from quire.models.pii.kinds import Detector
from quire.models.pii.redact import Decisions
from quire.models.redaction.docx.clean import clean_part
from quire.models.redaction.office.package import OfficePackage, parse, write
from quire.models.redaction.office.runs import mask_parts, mask_runs
from quire.models.redaction.planning.leaks import require_proof
from quire.models.redaction.planning.plan import Reread, plan_redaction


def redact_docx(data: bytes, tree: Tree, decisions: Decisions, detector: Detector, reread: Reread) -> bytes:
    """Redact a Word file.

    Raises:
        PiiIncomplete: The PII scan of the tree is not complete.
        RedactionUnproven: A masked value may still be in the file.

    Parsers raise their own errors on broken files.
    """
    plan = plan_redaction(tree, decisions)
    package = OfficePackage(data)
    for name in package.texts():
        root = parse(package.parts[name])
        clean_part(root)
        mask_runs(root, plan, detector)
        package.parts[name] = write(root)
    mask_parts(package, plan, detector)
    return require_proof(package.write(), plan, reread)
