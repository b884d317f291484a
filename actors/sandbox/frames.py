"""Messages on a socket: a 4-byte length, then msgpack. The same on both sides; never pickle.

The parent reads with a cap and treats every field as hostile: `Frame` getters raise `BadFrame` on a wrong type.
"""

import struct
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgpack

_LENGTH = struct.Struct("!I")
_MOST_AT_ONCE = 1 << 20  # bytes read from a socket at a time
_MOST_FIELDS = 16
"""Fields of a message; the largest of ours has seven. No message holds a list: small ones cost 80 times their bytes."""
T = TypeVar("T")


class BadFrame(Exception):
    """The other side sent an invalid message."""


class EndOfFrames(Exception):
    """The other side closed."""


class TooMuchOutput(Exception):
    """The other side passed the cap of bytes."""


LARGE_BYTES: Final = 1 << 20
"""Data of a message from which it is not copied into the frame."""


def encode(message: dict[str, Any]) -> bytes:
    """Return the message as a length-prefixed frame."""
    return b"".join(encode_parts(message))


def encode_parts(message: dict[str, Any]) -> list[bytes]:
    """Return the parts of the message's frame; data of more than a megabyte is not copied."""
    packer = msgpack.Packer()
    parts: list[bytes] = [packer.pack_map_header(len(message))]
    for key, value in message.items():
        parts.append(packer.pack(key))
        if isinstance(value, bytes) and len(value) > LARGE_BYTES:
            parts += [b"\xc6" + len(value).to_bytes(4, "big"), value]
        else:
            parts.append(packer.pack(value))
    return [_LENGTH.pack(sum(map(len, parts))), *parts]


class Frame:
    """One decoded message with typed getters."""

    def __init__(self, body: bytes) -> None:
        self.size = len(body)
        try:
            fields = msgpack.unpackb(
                body, strict_map_key=True, max_array_len=0, max_map_len=_MOST_FIELDS, max_ext_len=0
            )
        except Exception as error:
            raise BadFrame("not msgpack") from error
        if not isinstance(fields, dict):
            raise BadFrame("not a map")
        self._fields: dict[Any, Any] = fields

    @property
    def kind(self) -> str:
        """Return the kind of message."""
        return self.text("kind")

    def text(self, name: str) -> str:
        """Return a string field."""
        return self._typed(name, str)

    def number(self, name: str) -> int:
        """Return an integer field."""
        return self._typed(name, int)

    def real(self, name: str) -> float:
        """Return a float field."""
        return self._typed(name, float)

    def data(self, name: str) -> bytes:
        """Return a bytes field."""
        return self._typed(name, bytes)

    def flags(self, name: str) -> dict[str, bool]:
        """Return a field of named booleans."""
        flags: dict[Any, Any] = self._typed(name, dict)
        return {str(key): value is True for key, value in flags.items()}

    def _typed(self, name: str, kind: type[T]) -> T:
        value = self._fields.get(name)
        if not isinstance(value, kind):
            raise BadFrame(f"{name}: not {kind.__name__}")
        return value


class FrameReader:
    """Frames out of a byte source; `receive(n)` gives up to n bytes, b"" at the end. No frame is over `cap` bytes."""

    def __init__(self, receive: Callable[[int], bytes], cap: int) -> None:
        self._receive, self._cap = receive, cap
        self._buffer = bytearray()

    @property
    def has_leftover(self) -> bool:
        """Whether bytes after the last frame have been read already."""
        return len(self._buffer) > 0

    def next(self) -> Frame:
        """Return the next frame.

        Raises:
            EndOfFrames: The other side closed the channel.
            BadFrame: The frame is invalid.
            TooMuchOutput: The frame is longer than the limit.
        """
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > self._cap:
            raise TooMuchOutput
        return Frame(self._exactly(length))

    def _exactly(self, count: int) -> bytes:
        while len(self._buffer) < count:
            part = self._receive(min(max(65536, count - len(self._buffer)), _MOST_AT_ONCE))
            if not part:
                raise EndOfFrames
            self._buffer += part
        taken = bytes(self._buffer[:count])
        del self._buffer[:count]
        return taken
