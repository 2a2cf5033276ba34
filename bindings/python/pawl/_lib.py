"""What every part needs of the C library: its failures, its texts and its structs as Python's own."""

import functools
import inspect
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from pawl._pawl import ffi, lib

__all__ = ["Error", "Handle", "Record", "call", "check", "checked_options", "encode", "ffi", "lib", "needed", "new", "record", "takes", "text"]


class Error(Exception):
    """A call that failed: `status` is its name, such as "PAWL_EHELD", `code` its number."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.status = ffi.string(lib.pawl_status_name(code)).decode()
        self.message = message


_TEXT = ffi.typeof("pawl_text")


class Record(SimpleNamespace):
    """A struct of the library, copied: texts are str (bytes where they are no UTF-8) or None."""


def text(value: Any) -> Any:
    """A pawl_text as str, or bytes where it is no UTF-8; None where it is absent."""
    if value.data == ffi.NULL:
        return None
    data = bytes(ffi.buffer(value.data, value.len))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _array(struct: Any, field: str, kind: Any, names: dict[str, Any]) -> Any:
    """A pointer whose length stands beside it: items and n, steps and n_steps."""
    count = "n" if field == "items" else f"n_{field}"
    if count not in names:
        pointer = getattr(struct, field)
        if pointer == ffi.NULL:
            return None
        return record(pointer[0]) if kind.item.kind == "struct" and kind.item.fields else None
    return [_value(getattr(struct, field), i, kind.item) for i in range(getattr(struct, count))]


def _value(pointer: Any, index: int, kind: Any) -> Any:
    return record(pointer[index]) if kind.kind == "struct" else pointer[index]


def record(struct: Any) -> Record:
    """Copy a struct, and what it points to."""
    kind = ffi.typeof(struct)
    if kind.kind == "pointer":
        struct, kind = struct[0], kind.item
    names = dict(kind.fields)
    out = {}
    for name, field in names.items():
        value, of = getattr(struct, name), field.type
        if of is _TEXT:
            out[name] = text(value)
        elif of.kind == "struct":
            out[name] = record(value)
        elif of.cname == "char *":
            out[name] = None if value == ffi.NULL else ffi.string(value).decode(errors="replace")
        elif of.kind == "array":
            out[name] = bytes(ffi.buffer(value)) if "unsigned char" in of.cname else ffi.string(value).decode(errors="replace")
        elif of.kind == "pointer":
            out[name] = _array(struct, name, of, names)
        elif of.cname == "char":
            out[name] = value.decode("latin-1").strip("\0")
        elif of.kind in ("primitive", "enum"):
            out[name] = value
    for name in [name for name in out if name == "n" and "items" in out or name.startswith("n_") and name[2:] in out]:
        del out[name]
    return Record(**out)


def encode(value: Any) -> Any:
    """A C string that lives as long as the result; NULL for None."""
    if value is None:
        return ffi.NULL
    data = os.fsencode(value)
    if b"\0" in data:
        raise ValueError("a text holds a NUL")
    return ffi.new("char[]", data)


def needed(what: str, value: Any) -> Any:
    """The same of what must be there."""
    if value is None:
        raise TypeError(f"{what}: is None; name one")
    return encode(value)


class new:
    """An options struct with its initial values and what is set; keeps what it points to alive."""

    def __init__(self, kind: str, **values: Any) -> None:
        self.struct = ffi.new(f"{kind} *")
        self.alive: list[Any] = []
        getattr(lib, f"py_init_{kind}")(self.struct)
        fields = dict(ffi.typeof(kind).fields)
        for name, value in values.items():
            of = fields[name].type
            if value is None:
                continue
            if of.cname == "char *":
                value = encode(value)
            elif of.cname == "char * *":
                strings = [encode(v) for v in value]
                self.alive += strings
                setattr(self.struct, f"n_{name}", len(strings))
                value = ffi.new("char *[]", strings)
            elif of is _TEXT:
                data = ffi.new("char[]", value.encode())
                self.alive.append(data)
                value = {"data": data, "len": len(value.encode())}
            self.alive.append(value)
            setattr(self.struct, name, value)


def check(code: int, message: str) -> int:
    if code < 0:
        raise Error(code, message)
    return code


def call(function: Any, *arguments: Any) -> int:
    """Call with a pawl_error as the last argument; the verdict, or Error."""
    error = ffi.new("pawl_error *")
    code = function(*arguments, error)
    return check(code, ffi.string(error.message).decode(errors="replace"))


class _Turn:
    """One thread's turn at a handle, also within a function that its call asks. A child of the process has none: there,
    nobody would give it up."""

    def __init__(self) -> None:
        self._lock, self._process, self.depth = threading.RLock(), os.getpid(), 0
        self.within = threading.RLock()  # held by a call that is made within another one

    @property
    def ours(self) -> bool:
        return os.getpid() == self._process

    def check(self) -> None:
        if not self.ours:
            raise Error(lib.PAWL_ESTATE, "handle: was opened before a fork; open it again in the child")

    def __enter__(self) -> None:
        self.check()
        self._lock.acquire()
        self.depth += 1
        if self.depth > 1:
            self.within.acquire()

    def __exit__(self, *_: object) -> None:
        if self.depth > 1:
            self.within.release()
        self.depth -= 1
        self._lock.release()


def takes(*names: str) -> Callable[[Any], Any]:
    """Name the options of a function that takes them as **options."""

    def mark(function: Any) -> Any:
        function.options = names
        return function

    return mark


def checked_options(function: Any) -> Any:
    """The function, which refuses an option that it does not have and names those that it has."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    options = [p.name for p in parameters if p.default is not p.empty] + list(getattr(function, "options", ()))
    known = {p.name for p in parameters} | set(options)

    @functools.wraps(function)
    def checked(*arguments: Any, **given: Any) -> Any:
        for name in given:
            if name not in known:
                raise TypeError(f"{function.__qualname__}: has no option {name}; its options are {', '.join(options) or 'none'}")
        return function(*arguments, **given)

    return checked


class Handle:
    """A handle of the library. One thread uses it at a time, others wait; not after a fork."""

    def __init_subclass__(cls) -> None:
        for name, member in list(vars(cls).items()):
            if isinstance(member, classmethod):
                setattr(cls, name, classmethod(checked_options(member.__func__)))
            elif inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
                setattr(cls, name, checked_options(member))

    def __init__(self, pointer: Any, free: Any) -> None:
        self._pointer, self._free, self._lock = pointer, free, _Turn()
        self._freeing = threading.Lock()  # beside what other threads may call at any time

    def _get(self) -> Any:
        if self._pointer is None:
            raise ValueError(f"{type(self).__name__} is closed")
        self._lock.check()
        return self._pointer

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """A turn that is not within a call of this handle: what that uses is changed."""
        with self._lock:
            if self._lock.depth > 1:
                raise Error(lib.PAWL_ESTATE, f"{type(self).__name__}: is at work, and this was called by one of its functions; call it later")
            yield

    def _list(self, list_fn: Any, free: Any, kind: str, *arguments: Any) -> list[Record]:
        out = ffi.new(f"{kind} **")
        with self._lock:
            call(list_fn, out, self._get(), *arguments)
        try:
            return record(out[0]).items
        finally:
            free(out[0])

    def close(self) -> None:
        """Close it; a second time does nothing. In a child of the process nothing is done."""
        if not self._lock.ours:
            self._pointer = None
            return
        with self._alone(), self._freeing:
            pointer, self._pointer = self._pointer, None
            if pointer is not None:
                self._free(pointer)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) is not None:
            self.close()
