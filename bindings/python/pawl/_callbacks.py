"""Functions of a caller: what they raise ends the call, and is raised again by it."""

from collections.abc import Callable
from typing import Any

from pawl._lib import Handle, Record, check, ffi, lib, new, record

_VERDICTS = (lib.PAWL_BLOCKED, lib.PAWL_ESTEP, lib.PAWL_EINPUTS, lib.PAWL_EINTERRUPTED)


class Callbacks:
    def __init__(self, **functions: Any) -> None:
        self.functions = functions
        self.raised: BaseException | None = None
        self.answer: list[Any] = []
        self.handle = ffi.new_handle(self)

    def options(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, function in self.functions.items():
            if function is not None:
                out[name] = getattr(lib, f"py_{name}")
                out[f"{name}_user"] = self.handle
        return out

    def guard(self, function: Callable[[], Any]) -> int:
        try:
            function()
        except BaseException as raised:  # noqa: BLE001 - C is below: nothing may pass through it
            self.raised = raised
            return lib.PAWL_ESTATE
        return lib.PAWL_OK

    def finish(self) -> None:
        if self.raised is not None:
            raise self.raised


def _of(user: Any) -> Callbacks:
    return ffi.from_handle(user)


@ffi.def_extern(error=lib.PAWL_ESTATE)
def py_clarify(answer: Any, conflict: Any, user: Any) -> int:
    me = _of(user)

    def ask() -> None:
        said = me.functions["clarify"](record(conflict))
        if said is None:
            return
        if isinstance(said, int):
            answer.pick = said
            return
        for name in ("define", "scope", "answer"):
            value = said.get(name)
            if value is not None:
                data = ffi.new("char[]", value.encode())
                me.answer.append(data)
                setattr(answer, name, {"data": data, "len": len(value.encode())})
        answer.pick = said.get("pick") or 0
        answer.dismiss = bool(said.get("dismiss"))

    return me.guard(ask)


@ffi.def_extern(error=lib.PAWL_ESTATE)
def py_confirm(yes: Any, change: Any, user: Any) -> int:
    me = _of(user)

    def ask() -> None:
        yes[0] = bool(me.functions["confirm"](record(change)))

    return me.guard(ask)


@ffi.def_extern(error=lib.PAWL_ESTATE)
def py_confirm_mission(yes: Any, changes: Any, n: int, user: Any) -> int:
    me = _of(user)

    def ask() -> None:
        yes[0] = bool(me.functions["confirm_mission"]([record(changes[i]) for i in range(n)]))

    return me.guard(ask)


_STAGES = ("checking", "running", "completed", "skipped", "blocked", "failed", "left out")


@ffi.def_extern()
def py_progress(stage: int, step_id: Any, number: int, of: int, user: Any) -> None:
    me = _of(user)
    me.guard(lambda: me.functions["progress"](_STAGES[stage], ffi.string(step_id).decode(), number, of))


@ffi.def_extern()
def py_notice(line: Any, user: Any) -> None:
    me = _of(user)
    me.guard(lambda: me.functions["notice"](ffi.string(line).decode(errors="replace")))


@ffi.def_extern(error=lib.PAWL_ESTATE)
def py_patch(data: Any, length: int, user: Any) -> int:
    me = _of(user)
    return me.guard(lambda: me.functions["patch"](bytes(ffi.buffer(data, length))))


def call_back(back: Callbacks, function: Any, *arguments: Any) -> tuple[int, str]:
    error = ffi.new("pawl_error *")
    code = function(*arguments, error)
    back.finish()
    return code, ffi.string(error.message).decode(errors="replace")


def run_mission(function: Any, log: Handle, options: dict[str, Any]) -> Record:
    out = ffi.new("pawl_run_result **")
    back = Callbacks(**{name: options.pop(name, None) for name in ("clarify", "confirm", "confirm_mission", "progress", "notice")})
    given = new("pawl_run_options", **options, **back.options())
    try:
        with log._lock:
            code, message = call_back(back, function, out, given.struct)
        if code not in _VERDICTS or out[0] == ffi.NULL:
            check(code, message)
        result = record(out[0])
    finally:
        lib.pawl_run_result_free(out[0])
    result.conflicts = [conflict.id for conflict in result.conflicts]
    result.message = message or None
    return result
