"""Pawl: checkpoints and resume for long missions.

    with pawl.Log.open(".pawl/events.db") as log:
        result = pawl.Mission.load("mission.yaml").run(log)
        if result.status == "blocked":
            for conflict in log.conflicts(result.run_id): ...

Failures raise pawl.Error, which carries `status` and `message`. A run that is blocked, failed or was
interrupted is no failure of the call: its result says so. What the library gives is copied, and stays.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from typing import Any

from pawl._lib import Error, Handle, Record, call, check, encode, ffi, lib, new, record

__all__ = ["Context", "Error", "Log", "Mission", "Pipeline", "Record", "canonical", "hash", "version"]

_VERDICTS = (lib.PAWL_BLOCKED, lib.PAWL_ESTEP, lib.PAWL_EINPUTS, lib.PAWL_EINTERRUPTED)


def version() -> str:
    return ffi.string(lib.pawl_version()).decode()


def _taken(out: Any, length: Any) -> str:
    try:
        return bytes(ffi.buffer(out[0], length[0])).decode()
    finally:
        lib.pawl_free(out[0])


def _texts(function: Any, *arguments: Any) -> str:
    """Of a function that gives a text and its length first."""
    out, length = ffi.new("char **"), ffi.new("size_t *")
    call(function, out, length, *arguments)
    return _taken(out, length)


def canonical(text: str) -> str:
    """The canonical form (RFC 8785) of a JSON text."""
    data = text.encode()
    return _texts(lib.pawl_json_canonical, data, len(data))


def hash(text: str) -> str:
    """The input hash of a JSON text: 64 hex digits."""
    out, data = ffi.new("char[65]"), text.encode()
    call(lib.pawl_json_hash, out, data, len(data))
    return ffi.string(out).decode()


# ---- Callbacks: what they raise ends the call, and is raised again by it -------------------------


class _Callbacks:
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


def _of(user: Any) -> _Callbacks:
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


# ---- The log --------------------------------------------------------------------------------------


class Log(Handle):
    """An event log: a file, or with a `postgresql://` URL one of a server."""

    @classmethod
    def open(cls, path: str, *, create: bool = True, readonly: bool = False, key: bytes | None = None,
             busy_ms: int = 5000, lease_ms: int = 30000) -> "Log":
        out = ffi.new("pawl_log **")
        options = new("pawl_log_options", busy_ms=busy_ms, lease_ms=lease_ms,
                      flags=lib.PAWL_LOG_READONLY if readonly else lib.PAWL_LOG_CREATE if create else 0)
        if key is not None:
            kept = ffi.new("unsigned char[]", key)
            options.struct.key, options.struct.key_len = kept, len(key)
        call(lib.pawl_log_open, out, encode(path), options.struct)
        return cls(out[0], lib.pawl_log_close)

    def _check(self, code: int) -> int:
        return check(code, ffi.string(lib.pawl_log_errmsg(self._get())).decode(errors="replace"))

    def _list(self, list_fn: Any, free: Any, kind: str, *arguments: Any) -> list[Record]:
        out = ffi.new(f"{kind} **")
        with self._lock:
            call(list_fn, out, self._get(), *arguments)
        try:
            return record(out[0]).items
        finally:
            free(out[0])

    def head(self) -> tuple[int, str]:
        """The last event's seq and hash."""
        seq, digest = ffi.new("uint64_t *"), ffi.new("unsigned char[32]")
        with self._lock:
            self._check(lib.pawl_log_head(seq, digest, self._get()))
        return seq[0], bytes(ffi.buffer(digest)).hex()

    def events(self, since: int = 0) -> Iterator[Record]:
        """The events after `since`; `payload` is what its JSON says, None where it was pruned."""
        cursor, event = ffi.new("pawl_cursor **"), ffi.new("pawl_event *")
        with self._lock:
            self._check(lib.pawl_cursor_open(cursor, self._get(), since))
        try:
            while True:
                with self._lock:
                    self._get()
                    if self._check(lib.pawl_cursor_next(cursor[0], event)) == lib.PAWL_DONE:
                        return
                    one = record(event)
                one.payload = None if one.payload is None else json.loads(one.payload)
                one.prev, one.hash = one.prev.hex(), one.hash.hex()
                yield one
        finally:
            if self._pointer is not None:
                lib.pawl_cursor_close(cursor[0])

    async def follow(self, since: int = 0, *, every: float = 0.2) -> AsyncIterator[Record]:
        """The events after `since`, and those to come."""
        while True:
            for event in await asyncio.to_thread(lambda: list(self.events(since))):
                since = event.seq
                yield event
            await asyncio.sleep(every)

    def append(self, events: Iterable[dict[str, Any]], fence: int = 0) -> int:
        """Append events ({"type", "payload", "mission_id", ...}) as one transaction: the last one's seq."""
        given = list(events)
        array, alive, seq = ffi.new("pawl_event[]", len(given)), [], ffi.new("uint64_t *")
        for i, one in enumerate(given):
            for name, value in one.items():
                if name in ("v", "time_us"):
                    setattr(array[i], name, value)
                    continue
                data = (json.dumps(value) if name == "payload" else value).encode() if value is not None else None
                if data is not None:
                    alive.append(ffi.new("char[]", data))
                    setattr(array[i], name, {"data": alive[-1], "len": len(data)})
        with self._lock:
            self._check(lib.pawl_log_append(seq, self._get(), array, len(given), fence))
        return seq[0]

    def verify(self, anchor: tuple[int, str] | None = None) -> Record:
        """Recompute the chain; `anchor` is a head recorded earlier. A chain that is broken raises."""
        result = ffi.new("pawl_verify_result *")
        seq, digest = (anchor[0], bytes.fromhex(anchor[1])) if anchor else (0, ffi.NULL)
        with self._lock:
            self._check(lib.pawl_log_verify(result, self._get(), seq, digest))
        return record(result)

    def runs(self, status: str | None = None, limit: int = 0) -> list[Record]:
        return self._list(lib.pawl_run_list, lib.pawl_runs_free, "pawl_runs", encode(status), limit)

    def conflicts(self, run_id: str | None = None, *, resolved: bool = False) -> list[Record]:
        """Open conflicts; with `resolved` the answered ones too. The conflict itself is `conflict`."""
        return self._list(lib.pawl_conflict_list, lib.pawl_conflicts_free, "pawl_conflicts", encode(run_id), resolved)

    def senses(self, run_id: str | None = None) -> list[Record]:
        return self._list(lib.pawl_sense_list, lib.pawl_senses_free, "pawl_senses", encode(run_id))

    def resolve(self, conflict_id: str, *, pick: int = 0, define: str | None = None, scope: str | None = None,
                answer: str | None = None, dismiss: bool = False, replace: bool = False, actor: str | None = None) -> None:
        """Answer a conflict: pick a candidate, from 1, define the term, or dismiss it; or answer what a step asks people.

        With `replace` also where it was answered, as long as no step has completed by that.
        """
        said, alive = ffi.new("pawl_answer *", {"pick": pick, "dismiss": dismiss, "replace": replace}), []
        for name, value in (("define", define), ("scope", scope), ("answer", answer)):
            if value is not None:
                alive.append(ffi.new("char[]", value.encode()))
                setattr(said, name, {"data": alive[-1], "len": len(value.encode())})
        with self._lock:
            call(lib.pawl_conflict_resolve, self._get(), encode(conflict_id), said, encode(actor))

    def step_checkpoint(self, retry_token: str) -> Record:
        """The checkpoint of a step by its token."""
        out = ffi.new("pawl_step_checkpoint **")
        with self._lock:
            call(lib.pawl_step_checkpoint_load, out, self._get(), encode(retry_token))
        try:
            return record(out[0])
        finally:
            lib.pawl_step_checkpoint_free(out[0])

    def resume(self, what: str | None = None, **options: Any) -> Record:
        """Go on with a run, by its id or a token; None: the one that can be gone on with.

        Options: as for Mission.run(), and accept_changed_inputs, accept_changed_mission, rerun_changed.
        """
        return _run(lambda out, given, error: lib.pawl_mission_resume(out, self._get(), encode(what), given, error), self, options)

    # ---- Sessions ----

    def sessions(self, **where: Any) -> list[Record]:
        """Newest first; of a mission_id, a session_id or a status, and the newest `limit`."""
        of = new("pawl_session_filter", **where)
        return self._list(lib.pawl_session_list, lib.pawl_sessions_free, "pawl_sessions", of.struct)

    def start_session(self, mission_id: str, *, actor: str | None = None, take_over: bool = False, **work: Any) -> str:
        """Start a session of an agent at a mission: its id. Work: current_step, summary, completed, pending, files."""
        out, told = ffi.new("char[40]"), _work(work)
        options = new("pawl_session_options", actor=actor, take_over=take_over)
        with self._lock:
            call(lib.pawl_session_start, out, self._get(), encode(mission_id), told.struct, options.struct)
        return ffi.string(out).decode()

    def update_session(self, session_id: str, *, actor: str | None = None, **work: Any) -> None:
        told = _work(work)
        with self._lock:
            call(lib.pawl_session_update, self._get(), encode(session_id), encode(actor), told.struct)

    def checkpoint_session(self, session_id: str, reason: str = "manual", *, actor: str | None = None, **work: Any) -> int:
        seq, told = ffi.new("uint64_t *"), _work(work)
        with self._lock:
            call(lib.pawl_session_checkpoint, seq, self._get(), encode(session_id), encode(actor), encode(reason), told.struct)
        return seq[0]

    def end_session(self, session_id: str, status: str = "completed", reason: str | None = None, *,
                    actor: str | None = None, **work: Any) -> None:
        told = _work(work)
        with self._lock:
            call(lib.pawl_session_end, self._get(), encode(session_id), encode(actor), encode(status), encode(reason), told.struct)

    def handoff(self, session_id: str | None = None, summary: int = 0) -> str:
        """The handoff document of a session, or of the latest."""
        with self._lock:
            return _texts(lib.pawl_session_handoff, self._get(), encode(session_id), summary)

    # ---- The workspace ----

    def checkpoint(self, description: str | None = None, *, only_if_changed: bool = False, root: str | None = None,
                   actor: str | None = None) -> Record:
        """Take a checkpoint of the workspace: `info`, `counts` and `missed`, and whether one was `taken`."""
        out = ffi.new("pawl_workspace_capture **")
        request = new("pawl_workspace_checkpoint_request", description=description, only_if_changed=only_if_changed)
        options = new("pawl_workspace_options", root=root, actor=actor)
        with self._lock:
            code = call(lib.pawl_workspace_checkpoint, out, self._get(), request.struct, options.struct)
        try:
            capture = record(out[0])
            capture.taken = code == lib.PAWL_OK
            return capture
        finally:
            lib.pawl_workspace_capture_free(out[0])

    def checkpoints(self) -> list[Record]:
        return self._list(lib.pawl_workspace_checkpoint_list, lib.pawl_workspace_checkpoints_free, "pawl_workspace_checkpoints")

    def diff(self, a: str, b: str | None = None, *, root: str | None = None, patch: Callable[[bytes], Any] | None = None) -> Record:
        """What lies between two checkpoints, or one and the workspace; `patch` gets a unified diff piece by piece."""
        out, back = ffi.new("pawl_comparison **"), _Callbacks(patch=patch)
        options = new("pawl_workspace_options", root=root)
        with self._lock:
            code = _call_back(back, lib.pawl_workspace_compare, out, self._get(), encode(a), encode(b), options.struct,
                              lib.py_patch if patch else ffi.NULL, back.handle)
        check(*code)
        try:
            return record(out[0])
        finally:
            lib.pawl_comparison_free(out[0])

    def rollback(self, which: str, *, root: str | None = None, paths: Iterable[str] | None = None, actor: str | None = None) -> int:
        """Put the workspace back to a checkpoint: the number of the safety copy, for undo()."""
        return self._roll(lambda out, options, error: lib.pawl_workspace_rollback(
            out, self._get(), encode(which), ffi.NULL, options, error), root, paths, actor)

    def undo(self, *, root: str | None = None, actor: str | None = None) -> int:
        """Undo the last rollback or undo."""
        return self._roll(lambda out, options, error: lib.pawl_workspace_undo(
            out, self._get(), ffi.NULL, options, error), root, None, actor)

    def _roll(self, function: Any, root: Any, paths: Any, actor: Any) -> int:
        out = ffi.new("pawl_rollback_plan **")
        options = new("pawl_workspace_options", root=root, actor=actor, paths=None if paths is None else list(paths))
        with self._lock:
            call(lambda error: function(out, options.struct, error))
        try:
            return lib.pawl_rollback_plan_look(out[0]).safety
        finally:
            lib.pawl_rollback_plan_free(out[0])

    def pin(self, which: str | int, pinned: bool = True, *, actor: str | None = None) -> None:
        """Keep a checkpoint from being pruned, or no longer."""
        with self._lock:
            call(lib.pawl_workspace_checkpoint_pin, self._get(), encode(str(which)), pinned, encode(actor))

    def backup(self, path: str) -> Record:
        """Copy the log into a new file, while others write."""
        result = ffi.new("pawl_backup *")
        with self._lock:
            self._check(lib.pawl_log_backup(result, self._get(), encode(path), ffi.NULL, ffi.NULL))
        return record(result)

    def interrupt(self, on: bool = True) -> None:
        """Let the calls on this log fail, from any thread, while it is on."""
        lib.pawl_log_interrupt(self._get(), on)


class _work:
    """A pawl_session_work of keyword arguments."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.struct, self.alive = ffi.new("pawl_session_work *"), []
        for name, value in given.items():
            if name in ("current_step", "summary"):
                self.alive.append(encode(value))
            elif name in ("completed", "pending", "files"):
                strings = [encode(v) for v in value]
                self.alive += strings
                self.alive.append(ffi.new("char *[]", strings or [ffi.NULL]))
                setattr(self.struct, f"n_{name}", len(strings))
            else:
                raise TypeError(f"a session's work has no {name}")
            setattr(self.struct, name, self.alive[-1])


# ---- Missions -------------------------------------------------------------------------------------


def _call_back(back: _Callbacks, function: Any, *arguments: Any) -> tuple[int, str]:
    error = ffi.new("pawl_error *")
    code = function(*arguments, error)
    back.finish()
    return code, ffi.string(error.message).decode(errors="replace")


def _run(function: Any, log: Log, options: dict[str, Any]) -> Record:
    out = ffi.new("pawl_run_result **")
    back = _Callbacks(**{name: options.pop(name, None) for name in ("clarify", "confirm", "confirm_mission", "progress", "notice")})
    given = new("pawl_run_options", **options, **back.options())
    try:
        with log._lock:
            code, message = _call_back(back, function, out, given.struct)
        if code not in _VERDICTS or out[0] == ffi.NULL:
            check(code, message)
        result = record(out[0])
    finally:
        lib.pawl_run_result_free(out[0])
    result.conflicts = [conflict.id for conflict in result.conflicts]
    result.message = message or None
    return result


class Mission(Handle):
    """A mission file, read and checked."""

    @classmethod
    def load(cls, path: str) -> "Mission":
        out = ffi.new("pawl_mission **")
        call(lib.pawl_mission_load, out, encode(path))
        return cls(out[0], lib.pawl_mission_free)

    @property
    def id(self) -> str:
        return ffi.string(lib.pawl_mission_id(self._get())).decode()

    @property
    def steps(self) -> list[str]:
        count = lib.pawl_mission_steps(self._get())
        return [ffi.string(lib.pawl_mission_step_id(self._get(), i)).decode() for i in range(count)]

    @property
    def params(self) -> list[Record]:
        """Its parameters: `name`, `type`, `description` and `value`, the JSON of what was given or the default, or None."""
        out = ffi.new("pawl_mission_param **")
        return [record(out[0][i]) for i in range(lib.pawl_mission_params(self._get(), out))]

    def set_param(self, name: str, value: Any) -> None:
        """Give a parameter its value for runs to come."""
        with self._lock:
            call(lib.pawl_mission_set_param, self._get(), encode(name), encode(value if isinstance(value, str) else json.dumps(value)))

    def load_params(self, path: str) -> None:
        """The same of a file, YAML or JSON, of names and values."""
        with self._lock:
            call(lib.pawl_mission_load_params, self._get(), encode(path))

    def run(self, log: Log, run_id: str | None = None, **options: Any) -> Record:
        """Run every step: `status` is completed, blocked, failed or interrupted; `steps`, `conflicts` (ids), `run_id`.

        Options: actor, strictness, time_limit_ms, wait_ms; and functions: clarify(conflict) gives a candidate's
        number, {"define", "scope"}, {"dismiss"}, {"answer"} or None; confirm(change) and confirm_mission(changes) give True to go on;
        progress(stage, step_id, number, of); notice(line).
        """
        options["run_id"] = run_id
        with self._lock:
            return _run(lambda out, given, error: lib.pawl_mission_run(out, self._get(), log._get(), given, error), log, options)

    def check(self, log: Log | None = None, step_id: str | None = None) -> list[dict[str, Any]]:
        """What the gate would say of each step, writing nothing."""
        out, length = ffi.new("char **"), ffi.new("size_t *")
        with self._lock:
            call(lib.pawl_mission_check, out, length, self._get(), log._get() if log else ffi.NULL, encode(step_id))
        return json.loads(_taken(out, length))


# ---- The pipeline, for runners of one's own -------------------------------------------------------


class Context(Handle):
    """One step of one run, on its way through the layers."""

    def __init__(self, mission_id: str, run_id: str, step_id: str, inputs: Any = None, *, critical: bool = False,
                 strictness: str | None = None, retry_token: str | None = None) -> None:
        out = ffi.new("pawl_context **")
        call(lib.pawl_context_new, out, encode(mission_id), encode(run_id), encode(step_id))
        super().__init__(out[0], lib.pawl_context_free)
        data = (inputs if isinstance(inputs, str) else json.dumps(inputs)).encode()
        self._check(lib.pawl_context_set_inputs(out[0], data, len(data)))
        lib.pawl_context_set_critical(out[0], critical)
        if strictness is not None:
            self._check(lib.pawl_context_set_strictness(out[0], encode(strictness)))
        if retry_token is not None:
            self._check(lib.pawl_context_set_retry_token(out[0], encode(retry_token)))

    def _check(self, code: int) -> int:
        return check(code, ffi.string(lib.pawl_context_errmsg(self._get())).decode(errors="replace"))

    @property
    def retry_token(self) -> str | None:
        token = lib.pawl_context_retry_token(self._get())
        return None if token == ffi.NULL else ffi.string(token).decode()

    @property
    def input_hash(self) -> str:
        return ffi.string(lib.pawl_context_input_hash(self._get())).decode()

    @property
    def conflicts(self) -> list[Record]:
        return [record(lib.pawl_context_conflict(self._get(), i)) for i in range(lib.pawl_context_conflicts(self._get()))]

    @property
    def output(self) -> Any:
        value = lib.pawl_context_output(self._get())
        return None if value.data == ffi.NULL else json.loads(bytes(ffi.buffer(value.data, value.len)))


class Pipeline(Handle):
    """The five layers over a log, which must stay open as long."""

    def __init__(self, log: Log, *, actor: str | None = None, clarify: Any = None, confirm: Any = None) -> None:
        out = ffi.new("pawl_pipeline **")
        self._back = _Callbacks(clarify=clarify, confirm=confirm)
        self._options = new("pawl_pipeline_options", actor=actor, **self._back.options())
        self._log = log
        call(lib.pawl_pipeline_new, out, log._get(), self._options.struct)
        super().__init__(out[0], lib.pawl_pipeline_free)
        self._lock = log._lock

    def close(self) -> None:
        if self._log._pointer is None:
            self._pointer = None
        super().close()

    def _get(self) -> Any:
        self._log._get()
        return super()._get()

    def _do(self, function: Any, *arguments: Any) -> str:
        with self._lock:
            code = function(self._get(), *arguments)
            self._back.finish()
            check(code, ffi.string(lib.pawl_pipeline_errmsg(self._get())).decode(errors="replace"))
        return {lib.PAWL_BLOCKED: "blocked", lib.PAWL_DONE: "done"}.get(code, "ok")

    def seed(self, scope: str, path: str) -> None:
        self._do(lib.pawl_pipeline_seed, encode(scope), encode(path))

    def run(self, context: Context) -> str:
        """ "ok": generate; "blocked"; "done": it completed before, and context.output is what it gave."""
        return self._do(lib.pawl_pipeline_run, context._get())

    def complete(self, context: Context, output: Any) -> str:
        """Record the output: "ok", or "blocked" by it."""
        data = (output if isinstance(output, str) else json.dumps(output)).encode()
        return self._do(lib.pawl_pipeline_complete, context._get(), data, len(data))

    def failed(self, context: Context, exit_code: int, why: str) -> None:
        self._do(lib.pawl_pipeline_failed, context._get(), exit_code, encode(why))

    def renew(self, run_id: str) -> None:
        """Keep the claim on a run while its generation takes long."""
        self._do(lib.pawl_pipeline_renew, encode(run_id))

    def end_run(self, run_id: str, reason: str | None = None) -> None:
        """The run is done, or failed for a reason."""
        self._do(lib.pawl_pipeline_end_run, encode(run_id), encode(reason))
