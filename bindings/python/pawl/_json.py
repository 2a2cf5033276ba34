"""JSON texts, and texts that the library gives."""

from typing import Any

from pawl._lib import call, ffi, lib


def taken(out: Any, length: Any) -> str:
    try:
        return bytes(ffi.buffer(out[0], length[0])).decode()
    finally:
        lib.pawl_free(out[0])


def texts(function: Any, *arguments: Any) -> str:
    """Of a function that gives a text and its length first."""
    out, length = ffi.new("char **"), ffi.new("size_t *")
    call(function, out, length, *arguments)
    return taken(out, length)


def canonical(text: str) -> str:
    """The canonical form (RFC 8785) of a JSON text."""
    data = text.encode()
    return texts(lib.pawl_json_canonical, data, len(data))


def hash(text: str) -> str:
    """The input hash of a JSON text: 64 hex digits."""
    out, data = ffi.new("char[65]"), text.encode()
    call(lib.pawl_json_hash, out, data, len(data))
    return ffi.string(out).decode()
