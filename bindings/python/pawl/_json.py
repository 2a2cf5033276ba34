"""JSON texts, and texts that the library gives."""

import json
from typing import Any

from pawl._lib import Error, call, ffi, lib


def written(value: Any) -> bytes:
    """The JSON of a value. PAWL_EPARSE where it has none: NaN, an infinity, half of a surrogate pair."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError) as error:
        raise Error(lib.PAWL_EPARSE, f"value: has no JSON ({error}); give one that has") from error


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


def canonical(text: str | bytes) -> str:
    """The canonical form (RFC 8785) of a JSON text."""
    data = text if isinstance(text, bytes) else text.encode()
    return texts(lib.pawl_json_canonical, data, len(data))


def hash(text: str) -> str:
    """The input hash of a JSON text: 64 hex digits."""
    out, data = ffi.new("char[65]"), text.encode()
    call(lib.pawl_json_hash, out, data, len(data))
    return ffi.string(out).decode()
