"""Functions of a caller: what they raise ends the call, and is raised again by it."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

from pawl._lib import Record, check, ffi, lib, new, record

_VERDICTS = (lib.PAWL_BLOCKED, lib.PAWL_ESTEP, lib.PAWL_EINPUTS, lib.PAWL_EINTERRUPTED)


_runs: set["Run"] = set()  # those that are under way
os.register_at_fork(after_in_child=lambda: [run.forget() for run in _runs])


class Run:
    """A run that is under way, and what ends it: Ctrl-C, unless the program handles that itself, and end()."""

    def __enter__(self) -> "Run":
        self.read, self._write = _pipe()
        self._lock, self._wake = threading.Lock(), None
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            pipe = _pipe()
            self._before = signal.set_wakeup_fd(pipe[1], warn_on_full_buffer=False)
            self._wake = (*pipe, threading.Thread(target=self._relay, args=(pipe[0],), daemon=True))
            self._wake[2].start()
        _runs.add(self)
        return self

    def forget(self) -> None:
        """In a child of the process: its signals are not the run's."""
        if self._wake is not None:
            signal.set_wakeup_fd(-1)
            self._wake = None

    def _relay(self, wake: int) -> None:
        while numbers := os.read(wake, 64):
            if signal.SIGINT in numbers:
                self.end()
            if self._before >= 0:
                with suppress(OSError):
                    os.write(self._before, numbers)

    def end(self) -> None:
        """As by SIGINT; what is over stays as it is."""
        with self._lock:
            if self._write >= 0:
                with suppress(BlockingIOError):  # it is full of them
                    os.write(self._write, bytes([signal.SIGINT]))

    def __exit__(self, *_: object) -> None:
        _runs.discard(self)
        if self._wake is not None:
            signal.set_wakeup_fd(self._before, warn_on_full_buffer=False)
            os.close(self._wake[1])
            self._wake[2].join()
            os.close(self._wake[0])
        with self._lock:
            os.close(self.read)
            os.close(self._write)
            self._write = -1


def _pipe() -> tuple[int, int]:
    read, write = os.pipe()
    os.set_blocking(write, False)
    return read, write


class _Renewal:
    """Renews the claims of a log while a function of the caller is called, however long it takes."""

    def __init__(self, log: Any) -> None:
        self._log, self._over = log, threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True)

    def _renew(self) -> None:
        while not self._over.wait(self._log._lease_ms / 3000):
            with self._log._lock.within:
                # A claim that is lost is refused by the next append.
                lib.pawl_log_renew_all(self._log._pointer)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


class Callbacks:
    def __init__(self, log: Any = None, **functions: Any) -> None:
        for name, function in functions.items():
            if function is not None and not callable(function):
                raise TypeError(f"{name}: is not a function; give one, or None")
        self.log = log
        self.functions = functions
        self.raised: BaseException | None = None
        self.answer: list[Any] = []
        self.run: Run | None = None
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
            with _Renewal(self.log) if self.log is not None else nullcontext():
                process = os.getpid()
                try:
                    function()
                finally:
                    if os.getpid() != process:  # C, below, would carry out the parent's call twice
                        os.write(2, b"pawl: a function returned in a process that it forked; end that by os._exit()\n")
                        os._exit(1)
        except BaseException as raised:  # noqa: BLE001 - C is below: nothing may pass through it
            self.raised = self.raised or raised
            if self.run is not None:
                self.run.end()
            return lib.PAWL_ESTATE
        return lib.PAWL_OK

    def finish(self) -> None:
        raised, self.raised, self.answer = self.raised, None, []
        if raised is not None:
            raise raised


_FUNCTIONS = ("clarify", "confirm", "confirm_mission", "progress", "notice")
RUN_OPTIONS = ("actor", "time_limit_ms", "wait_ms", "home", "config_home", *_FUNCTIONS)
RESUME_OPTIONS = (*RUN_OPTIONS, "accept_changed_inputs", "accept_changed_mission", "rerun_changed", "directory")
_ANSWER = ("pick", "define", "scope", "answer", "dismiss")


def _of(user: Any) -> Callbacks:
    return ffi.from_handle(user)


@ffi.def_extern(error=lib.PAWL_ESTATE)
def py_clarify(answer: Any, conflict: Any, user: Any) -> int:
    me = _of(user)

    def ask() -> None:
        said = me.functions["clarify"](record(conflict))
        if said is None:
            return
        if isinstance(said, int) and not isinstance(said, bool):
            answer.pick = said
            return
        if not isinstance(said, dict) or said.keys() - _ANSWER:
            raise TypeError(f"clarify: gave {said!r}; give a number, a dict of {', '.join(_ANSWER)}, or None")
        for name in ("define", "scope", "answer"):
            value = said.get(name)
            if value is not None:
                text = str.encode(value)
                me.answer.append(ffi.new("char[]", text))
                setattr(answer, name, {"data": me.answer[-1], "len": len(text)})
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


def run_mission(function: Any, log: Any, options: dict[str, Any]) -> Record:
    """In a turn of the log's that is not within one of its calls."""
    out = ffi.new("pawl_run_result **")
    back = Callbacks(log, **{name: options.pop(name, None) for name in _FUNCTIONS})
    given = new("pawl_run_options", **options, **back.options())
    try:
        with Run() as back.run:
            given.struct.signal_fd, log._run = back.run.read, back.run
            try:
                code, message = call_back(back, function, out, given.struct)
            finally:
                log._run = None
        if code not in _VERDICTS or out[0] == ffi.NULL:
            check(code, message)
        result = record(out[0])
    finally:
        lib.pawl_run_result_free(out[0])
    result.conflicts = [conflict.id for conflict in result.conflicts]
    result.message = message or None
    return result
