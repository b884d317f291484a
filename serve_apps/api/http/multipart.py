"""Incremental multipart parser: bytes in, files and fields out, with all limits enforced.

Synchronous and without I/O: the content of file parts waits in `pending` until the owner moves it to a store.
"""

from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from quire.models.cdom.original import clean_name
from quire.models.extract.formats.sniffing.signatures import HEAD_BYTES
from quire.serve_apps.api.http.part_names import decode_text, find_file_name
from quire.serve_apps.api.http.refusals import BatchTooLarge, InvalidUpload, UploadTooLarge

_MAX_FIELDS = 16  # form fields in addition to files; the interface has five
_MAX_FIELD_BYTES = 64 * 1024  # bytes of one field
_MAX_HEADERS = 16  # headers of one part
_MAX_HEADER_BYTES = 16 * 1024  # a file name of 4,000 characters fits in any script


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRules:
    """Limits of an upload: part names that may carry files (None: any), number of files and bytes per file."""

    names: frozenset[str] | None
    max_files: int
    max_file_bytes: int


@dataclass(slots=True)
class FilePart:
    """One file of the upload. `pending` has been received but not stored; `head` is its first bytes."""

    name: str
    part: str = "files"
    size: int = 0
    head: bytes = b""
    pending: list[bytes] = field(default_factory=list)
    complete: bool = False


class PartsReader:
    """Feeds a parser and enforces the limits. Raises `UploadTooLarge`, `BatchTooLarge` or `InvalidUpload`."""

    def __init__(self, content_type: str, rules: PartRules) -> None:
        self.files: list[FilePart] = []
        self.fields: dict[str, str] = {}
        self.pending_bytes = 0
        self._rules = rules
        self._headers: dict[bytes, bytes] = {}
        self._name, self._value = b"", b""
        self._file: FilePart | None = None
        self._field: tuple[str, bytearray] | None = None
        self._ended = False
        self._parser = self._make_parser(_boundary(content_type))

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body."""
        try:
            self._parser.write(data)
        except FormParserError:
            raise InvalidUpload("malformed-upload", "the body is not valid multipart/form-data") from None

    def finish(self) -> None:
        """Check that the body is complete and contains at least one file."""
        if not self._ended:
            raise InvalidUpload("malformed-upload", "the body ended before its last boundary")
        if not self.files:
            raise InvalidUpload("no-file", f"no file was sent; expected part: {self._expected}", self._expected)

    @property
    def _expected(self) -> str:
        return max(self._rules.names or {"files"})

    def _make_parser(self, boundary: bytes) -> MultipartParser:
        try:
            return MultipartParser(
                boundary,
                {
                    "on_part_begin": self._begin_part,
                    "on_header_field": self._header_name,
                    "on_header_value": self._header_value,
                    "on_header_end": self._end_header,
                    "on_headers_finished": self._end_headers,
                    "on_part_data": self._part_data,
                    "on_part_end": self._end_part,
                    "on_end": self._end,
                },
                max_header_count=_MAX_HEADERS,
                max_header_size=_MAX_HEADER_BYTES,
            )
        except FormParserError:
            raise InvalidUpload("malformed-upload", "the boundary is too long") from None

    def _begin_part(self) -> None:
        self._headers, self._file, self._field = {}, None, None

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._name += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]

    def _end_header(self) -> None:
        self._headers[self._name.lower()] = self._value
        self._name, self._value = b"", b""

    def _end_headers(self) -> None:
        disposition = self._headers.get(b"content-disposition", b"")
        _, options = parse_options_header(disposition)
        name = decode_text(options.get(b"name", b""))
        file_name = find_file_name(disposition, options.get(b"filename"))
        if file_name is not None:
            self._begin_file(name, file_name)
        else:
            self._begin_field(name)

    def _begin_file(self, part: str, file_name: str) -> None:
        if self._rules.names is not None and part not in self._rules.names:
            raise InvalidUpload("unknown-part", f"send files in part {self._expected} only", self._expected)
        if len(self.files) >= self._rules.max_files:
            raise BatchTooLarge(f"at most {self._rules.max_files} files in one request")
        self._file = FilePart(file_name, part)

    def _begin_field(self, name: str) -> None:
        if len(self.fields) >= _MAX_FIELDS:
            raise InvalidUpload("too-many-parts", f"at most {_MAX_FIELDS} fields in addition to the files")
        self._field = (name, bytearray())

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self._file is not None:
            self._file_data(self._file, data[start:end])
        elif self._field is not None:
            self._field[1].extend(data[start:end])
            if len(self._field[1]) > _MAX_FIELD_BYTES:
                raise InvalidUpload("field-too-large", f"a field may have {_MAX_FIELD_BYTES} bytes", self._field[0])

    def _file_data(self, file: FilePart, data: bytes) -> None:
        file.size += len(data)
        if file.size > self._rules.max_file_bytes:
            raise UploadTooLarge(f"a file may have {self._rules.max_file_bytes} bytes")
        if len(file.head) < HEAD_BYTES:
            file.head += data[: HEAD_BYTES - len(file.head)]
        if not file.pending:
            self._keep(file)
        file.pending.append(data)
        self.pending_bytes += len(data)

    def _keep(self, file: FilePart) -> None:
        if not self.files or self.files[-1] is not file:
            self.files.append(file)

    def _end_part(self) -> None:
        if self._file is not None:
            self._end_file(self._file)
        elif self._field is not None:
            self._end_field(*self._field)

    def _end_file(self, file: FilePart) -> None:
        """Complete a file. A part without name and content is ignored: browsers send it for an empty form field."""
        if file.size == 0 and file.name:
            raise InvalidUpload("empty-file", "the file is empty", self._expected)
        file.name = clean_name(file.name)
        file.complete = True

    def _end_field(self, name: str, value: bytearray) -> None:
        try:
            self.fields[name] = value.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidUpload("malformed-upload", "a field is not UTF-8", name) from None

    def _end(self) -> None:
        self._ended = True


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise InvalidUpload("multipart-required", "the body must be multipart/form-data with a boundary")
    return options[b"boundary"]
