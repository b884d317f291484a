"""Errors that the API itself raises: short classes with a stable `code`; `problems.py` maps them to HTTP."""


class Refusal(Exception):
    """A request that cannot be served; the text is safe to show."""

    code = "refused"


class TokenRefused(Refusal):
    """The caller is neither an admin nor on this machine."""

    code = "token-refused"


class NoDefaultToken(Refusal):
    """The operator manages the keys, so a default token does not exist."""

    code = "no-default-token"


class UploadsNotConfigured(Refusal):
    """Originals are on a local disk, so clients cannot write them directly."""

    code = "uploads-not-configured"


class UnknownUpload(Refusal):
    """The upload id is malformed, expired or another tenant's."""

    code = "unknown-upload"
    loc = ("body", "upload_ids")


class UploadMissing(Refusal):
    """No file was put at the URL of the upload."""

    code = "upload-missing"


class UploadMismatch(Refusal):
    """The file differs from what was declared for the upload."""

    code = "upload-mismatch"
    loc = ("body", "upload_ids")


class NoPageImage(Refusal):
    """The document has no pages that could be drawn."""

    code = "no-page-image"


class PictureNotRedactable(Refusal):
    """A picture inside a document cannot be redacted, because its pixels were not searched for personal data."""

    code = "picture-not-redactable"


class UnknownFlag(Refusal):
    """The block exists but does not have this flag."""

    code = "unknown-flag"
    loc = ("body", "flag")


class ValueRefused(Refusal):
    """The value has too few letters and digits to search for."""

    code = "value-too-short"
    loc = ("body", "value")


class OriginalGone(Refusal):
    """The original is not stored any more, so pictures of it cannot be drawn."""

    code = "original-missing"


class NoOriginal(Refusal):
    """The requested file is not stored any more."""

    code = "original-missing"


class ScanRunning(Refusal):
    """A scan for personal data that a redacted output needs is not finished yet."""

    code = "scan-running"


class FormatNotRedactable(Refusal):
    """Files of this format cannot be redacted."""

    code = "not-redactable"


class SearchNotConfigured(Refusal):
    """This deployment has no search index."""

    code = "search-not-configured"


class SqlNotInstalled(Refusal):
    """This deployment has no SQL engine."""

    code = "sql-not-installed"


class UploadTooLarge(Refusal):
    """A file or the request exceeds its size limit."""

    code = "upload-too-large"


class EncodingRefused(Refusal):
    """The body is compressed; the text names the encoding."""

    code = "unsupported-encoding"


class RangeRefused(Refusal):
    """A file of `size` bytes has none of the requested ones."""

    code = "range-not-satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"the file has {size} bytes")
        self.headers = {"Content-Range": f"bytes */{size}"}


class BatchTooLarge(Refusal):
    """The submission has too many files."""

    code = "too-many-files"


class UrlUnreachable(Refusal):
    """An address could not be fetched; the text gives the reason."""

    code = "url-unreachable"
    loc = ("body", "url")


class UploadStalled(Refusal):
    """The client stopped sending its body."""

    code = "upload-stalled"


class InvalidUpload(Refusal):
    """The multipart body is not acceptable; `code` gives the reason, `loc` the part."""

    code = "malformed-upload"

    def __init__(self, code: str, text: str, part: str = "files") -> None:
        super().__init__(text)
        self.code, self.loc = code, ("body", part)


class OverLimit(Refusal):
    """The document needs more CPU time or memory for this output than one call may use."""

    code = "resource-limit"


class NotInTime(Refusal):
    """Reading took longer than this call allows."""

    code = "timeout"


class UnreadableFile(Refusal):
    """A file of this call cannot be read; `code` is the reader's code, `loc` names the part."""

    def __init__(self, code: str, text: str, part: str) -> None:
        super().__init__(text or code)
        self.code, self.loc = code, ("body", part)


class InvalidField(Refusal):
    """A form field or header has an unacceptable value; `loc` names it."""

    code = "invalid-field"

    def __init__(self, field: str, text: str, place: str = "body") -> None:
        super().__init__(text)
        self.loc = (place, field)


class UnusableSchema(Refusal):
    """The JSON Schema of an extraction cannot be used; `code` gives the reason, `loc` the part of the schema."""

    def __init__(self, code: str, path: str, text: str, field: str = "schema") -> None:
        super().__init__(text)
        self.code, self.loc = code, ("body", field, *path.split("/")[1:])


class NoModelEndpoint(Refusal):
    """The deployment has no language model; the rules engine needs none."""

    code = "no-model-endpoint"
    loc = ("body", "engine")


class ModelUnavailable(Refusal):
    """The language model does not answer, or not in time."""

    code = "model-unavailable"


class ModelFailed(Refusal):
    """The language model's endpoint refuses the request, or its answer is not of the form that was asked for."""

    code = "model-failed"


class UnusableCorrection(Refusal):
    """A correction does not give a value; `code` gives the reason, `loc` the part of the body."""

    def __init__(self, code: str, field: str, text: str) -> None:
        super().__init__(text)
        self.code, self.loc = code, ("body", field)


class UnknownParameter(Refusal):
    """The operation does not have this query parameter. Ignoring a misspelt one would change the result."""

    code = "unknown-parameter"

    def __init__(self, name: str) -> None:
        super().__init__("this operation has no parameter of this name")
        self.loc = ("query", name)


class RepeatedParameter(Refusal):
    """A query parameter was sent twice, so its value is ambiguous."""

    code = "repeated-parameter"

    def __init__(self, name: str) -> None:
        super().__init__("sent more than once")
        self.loc = ("query", name)
