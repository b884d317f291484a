"""LibreOffice as one more reader of redacted files: what it makes of them as ODT, every part of that searched."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.lab.bench.redaction.canary_files import CanaryFile, search_docx

PROGRAM = "soffice"
_FILTER = {"pdf": ["--infilter=writer_pdf_import"], "docx": []}
_BATCH = 25
"""Files that one start of the program converts: a file that ends it costs no more than its batch."""
_SECONDS = 600
"""Wall time of a batch, on a loaded machine."""


class OfficeReader:
    """Takes redacted files, and their originals as a control; `leaks` converts them all and searches."""

    def __init__(self, wanted: int) -> None:
        self._wanted = wanted
        self._cases: dict[str, CanaryFile] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="quire-office-")
        self._inside = Path(self._folder.name)

    def take(self, case: CanaryFile, redacted: bytes) -> None:
        if len(self._cases) >= self._wanted:
            return
        name = f"{len(self._cases):05}"
        self._cases[name] = case
        for folder, data in (("redacted", redacted), ("original", case.data)):
            (self._inside / folder).mkdir(exist_ok=True)
            (self._inside / folder / f"{name}.{case.kind}").write_bytes(data)

    def report(self) -> dict[str, int]:
        """Count opened files, values seen in the originals, and values seen in the redacted files."""
        counts = {"opened": 0, "seen in originals": 0, "leaks": 0}
        for folder, counted in (("redacted", "leaks"), ("original", "seen in originals")):
            for name, text in self._texts(folder).items():
                counts["opened"] += folder == "redacted"
                counts[counted] += sum(needle in text for needle in self._cases[name].needles)
        self._folder.cleanup()
        return counts

    def _texts(self, folder: str) -> dict[str, str]:
        files, out = sorted((self._inside / folder).glob("*")), self._inside / f"{folder}-odt"
        for first in range(0, len(files), _BATCH):
            _convert(files[first : first + _BATCH], out, self._inside / "profile")
        return {path.stem: "\n".join(search_docx(path.read_bytes()).values()) for path in sorted(out.glob("*.odt"))}


def is_installed() -> bool:
    return shutil.which(PROGRAM) is not None


def _convert(files: list[Path], out: Path, profile: Path) -> None:
    opened = _FILTER[files[0].suffix[1:]]
    asked = ["--headless", *opened, "--convert-to", "odt", "--outdir", str(out), *map(str, files)]
    subprocess.run(
        [PROGRAM, f"-env:UserInstallation={profile.as_uri()}", *asked],
        check=False, capture_output=True, timeout=_SECONDS,
    )  # fmt: skip
