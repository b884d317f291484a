"""Errors that the API itself raises: short classes with a stable `code`; `problems.py` maps them to HTTP."""


class Refusal(Exception):
    """A request that cannot be served as it is; the text is safe to show."""

    code = "refused"


class TokenRefused(Refusal):
    """Neither an admin nor a caller on this machine."""

    code = "token-refused"


class NoDefaultToken(Refusal):
    """The operator manages the keys, so a default token does not exist."""

    code = "no-default-token"


class NoPageImage(Refusal):
    """The document has no pages that could be drawn."""

    code = "no-page-image"


class PictureNotRedactable(Refusal):
    """A picture inside a document cannot be redacted, because its pixels were not searched for personal data."""

    code = "picture-not-redactable"


class UnknownFlag(Refusal):
    """The block is there and carries no such flag."""

    code = "unknown-flag"
    loc = ("body", "flag")


class ValueRefused(Refusal):
    """A value with too few letters and figures to be looked for."""

    code = "value-too-short"
    loc = ("body", "value")


class OriginalGone(Refusal):
    """The original is not stored any more, so nothing can be drawn from it."""

    code = "original-missing"


class NoOriginal(Refusal):
    """The file itself is asked for and not stored any more."""

    code = "original-missing"


class FormatNotRedactable(Refusal):
    """No redacted file is made of this format."""

    code = "not-redactable"


class SearchNotConfigured(Refusal):
    """This deployment keeps no search index."""

    code = "search-not-configured"


class UploadTooLarge(Refusal):
    """More bytes than one file, or one request, may have."""

    code = "upload-too-large"


class BatchTooLarge(Refusal):
    """More files than one submission may hold."""

    code = "too-many-files"


class UrlUnreachable(Refusal):
    """An address could not be fetched; the text gives the reason."""

    code = "url-unreachable"
    loc = ("body", "url")


class UploadStalled(Refusal):
    """The client stopped sending its body."""

    code = "upload-stalled"


class Overloaded(Refusal):
    """Too much is going on here already; try again soon."""

    code = "overloaded"


class InvalidUpload(Refusal):
    """The multipart body cannot be used; `code` says why, `loc` where."""

    code = "malformed-upload"

    def __init__(self, code: str, text: str, part: str = "files") -> None:
        super().__init__(text)
        self.code, self.loc = code, ("body", part)


class OverLimit(Refusal):
    """This document needs more CPU time or memory for this output than one call may take."""

    code = "resource-limit"


class NotInTime(Refusal):
    """Reading took longer than this call may take."""

    code = "timeout"


class UnreadableFile(Refusal):
    """A file of this call cannot be read; `code` is the reading's own, `loc` names the part."""

    def __init__(self, code: str, text: str, part: str) -> None:
        super().__init__(text or code)
        self.code, self.loc = code, ("body", part)


class InvalidField(Refusal):
    """A form field or header says something that cannot be meant; `loc` says which."""

    code = "invalid-field"

    def __init__(self, field: str, text: str, place: str = "body") -> None:
        super().__init__(text)
        self.loc = (place, field)


class UnknownParameter(Refusal):
    """A query parameter this operation does not have: a misspelt one must not mean that nothing was asked for."""

    code = "unknown-parameter"

    def __init__(self, name: str) -> None:
        super().__init__("this operation has no parameter of this name")
        self.loc = ("query", name)


class RepeatedParameter(Refusal):
    """A query parameter said twice: of two answers to one question neither is known to be meant."""

    code = "repeated-parameter"

    def __init__(self, name: str) -> None:
        super().__init__("sent more than once")
        self.loc = ("query", name)
