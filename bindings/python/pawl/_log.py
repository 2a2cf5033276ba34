"""The log: its events, and what is known by them."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from pawl._callbacks import RESUME_OPTIONS, Run, run_mission
from pawl._json import written
from pawl._lib import Record, call, check, encode, ffi, lib, needed, new, record, takes
from pawl._sessions import Sessions
from pawl._workspace import Workspace


_EVENT = ("type", "v", "time_us", "mission_id", "run_id", "step_id", "session_id", "actor", "payload")


_LOOK = 0.1  # seconds between two looks for new events
_BATCH = 256


def step_checkpoint(function: Any, *arguments: Any) -> Record:
    out = ffi.new("pawl_step_checkpoint **")
    call(function, out, *arguments)
    try:
        return record(out[0])
    finally:
        lib.pawl_step_checkpoint_free(out[0])


def parse_checkpoint(payload: Any) -> Record:
    """What the payload of a StepCheckpointed event says, as log.step_checkpoint() gives it."""
    data = written(payload)
    return step_checkpoint(lib.pawl_step_checkpoint_parse, data, len(data))


def opened(log: Any) -> "Log":
    """The log, which must be one."""
    if not isinstance(log, Log):
        raise TypeError(f"log: is {log!r}, not a Log; open one by Log.open()")
    return log


class Log(Sessions, Workspace):
    """An event log: a file, or with a `postgresql://` URL one of a server."""

    _run: Run | None = None  # the run that is under way
    _lease_ms: int

    @classmethod
    def open(cls, path: str, *, create: bool = True, readonly: bool = False, key: bytes | None = None,
             busy_ms: int = 5000, lease_ms: int = 30000) -> "Log":
        out = ffi.new("pawl_log **")
        options = new("pawl_log_options", busy_ms=busy_ms, lease_ms=lease_ms,
                      flags=lib.PAWL_LOG_READONLY if readonly else lib.PAWL_LOG_CREATE if create else 0)
        if key is not None:
            kept = ffi.new("unsigned char[]", key)
            options.struct.key, options.struct.key_len = kept, len(key)
        call(lib.pawl_log_open, out, needed("log", path), options.struct)
        log = cls(out[0], lib.pawl_log_close)
        log._lease_ms = lease_ms
        return log

    def _check(self, code: int) -> int:
        return check(code, ffi.string(lib.pawl_log_errmsg(self._get())).decode(errors="replace"))

    def head(self) -> tuple[int, str]:
        """The last event's seq and hash."""
        seq, digest = ffi.new("uint64_t *"), ffi.new("unsigned char[32]")
        with self._lock:
            self._check(lib.pawl_log_head(seq, digest, self._get()))
        return seq[0], bytes(ffi.buffer(digest)).hex()

    def _read(self, **where: Any) -> Iterator[Record | None]:
        """Events, and None whenever there are no more so far."""
        cursor, event, of = ffi.new("pawl_cursor **"), ffi.new("pawl_event *"), new("pawl_event_filter", **where)
        with self._lock:
            self._check(lib.pawl_cursor_find(cursor, self._get(), of.struct))
        try:
            while True:
                with self._lock:
                    self._get()
                    done = self._check(lib.pawl_cursor_next(cursor[0], event)) == lib.PAWL_DONE
                    one = None if done else record(event)
                if one is not None:
                    one.payload = None if one.payload is None else json.loads(one.payload)
                    one.prev, one.hash = one.prev.hex(), one.hash.hex()
                yield one
                if one is None:
                    with self._lock:
                        self._get()
                        self._check(lib.pawl_cursor_wait(cursor[0], 0))
        finally:
            if self._pointer is not None and self._lock.ours:
                with self._lock:
                    if self._pointer is not None:
                        lib.pawl_cursor_close(cursor[0])

    def events(self, since: int = 0, *, type: str | None = None, run_id: str | None = None, step_id: str | None = None,
               wait: float = 0) -> Iterator[Record]:
        """The events after `since`, of one type, run or step; `payload` is what its JSON says, None where it was pruned.

        With `wait` those to come, too, until none has come for so many seconds.
        """
        until = time.monotonic() + wait
        for one in self._read(since=since, type=type, run_id=run_id, step_id=step_id):
            if one is not None:
                yield one
                until = time.monotonic() + wait
            elif time.monotonic() >= until:
                return
            else:
                time.sleep(_LOOK)

    async def follow(self, since: int = 0, *, type: str | None = None, run_id: str | None = None, step_id: str | None = None,
                     every: float = 0.2) -> AsyncIterator[Record]:
        """The events after `since`, of one type, run or step, and those to come."""
        found = self._read(since=since, type=type, run_id=run_id, step_id=step_id)
        while True:
            batch = await asyncio.to_thread(lambda: list(islice(iter(partial(next, found), None), _BATCH)))
            for event in batch:
                yield event
            if not batch:
                await asyncio.sleep(every)

    def append(self, events: Iterable[dict[str, Any]], fence: int = 0) -> int:
        """Append events ({"type", "payload", "mission_id", ...}) as one transaction: the last one's seq."""
        given = list(events)
        array, alive, seq = ffi.new("pawl_event[]", len(given)), [], ffi.new("uint64_t *")
        for i, one in enumerate(given):
            for name, value in one.items():
                if name not in _EVENT:
                    raise TypeError(f"event {i}: has no {name}; leave it out")
                if name in ("v", "time_us"):
                    setattr(array[i], name, value)
                    continue
                if value is not None:
                    data = written(value) if name == "payload" else str.encode(value)
                    alive.append(ffi.new("char[]", data))
                    setattr(array[i], name, {"data": alive[-1], "len": len(data)})
        with self._lock:
            self._check(lib.pawl_log_append(seq, self._get(), array, len(given), fence))
        return seq[0]

    def verify(self, anchor: tuple[int, str] | None = None) -> Record:
        """Recompute the chain; `anchor` is a head recorded earlier. A chain that is broken raises."""
        result = ffi.new("pawl_verify_result *")
        seq, digest = (anchor[0], bytes.fromhex(anchor[1])) if anchor else (0, ffi.NULL)
        if anchor and len(digest) != 32:
            raise ValueError("anchor: its hash is not 64 hex digits; give a head as head() gave it")
        with self._lock:
            self._check(lib.pawl_log_verify(result, self._get(), seq, digest))
        return record(result)

    def find_run(self, run_id: str) -> Record:
        """One run, by its id or four characters or more that it alone begins with."""
        return self._list(lib.pawl_run_find, lib.pawl_runs_free, "pawl_runs", needed("run", run_id))[0]

    def steps(self, run_id: str, *, contents: bool = True) -> list[Record]:
        """The steps of a run, with their `inputs` and `output` as values; None where there is none, or without `contents`."""
        steps = self._list(lib.pawl_step_list, lib.pawl_steps_free, "pawl_steps", needed("run", run_id), contents)
        for step in steps:
            step.inputs, step.output = (None if text is None else json.loads(text) for text in (step.inputs, step.output))
        return steps

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
        with self._lock:
            return step_checkpoint(lib.pawl_step_checkpoint_load, self._get(), needed("token", retry_token))

    def latest_step_checkpoint(self, run_id: str, step_id: str) -> Record:
        """The newest checkpoint of a step."""
        with self._lock:
            return step_checkpoint(lib.pawl_step_checkpoint_latest, self._get(), needed("run", run_id), needed("step", step_id))

    @takes(*RESUME_OPTIONS)
    def resume(self, what: str | None = None, **options: Any) -> Record:
        """Continue a run, by its id or a token; None: the one run that can continue.

        Options: as for Mission.run(), and accept_changed_inputs, accept_changed_mission, rerun_changed; and directory, where
        the files of a run that was submitted are set up.
        """
        with self._alone():
            return run_mission(lambda out, given, error: lib.pawl_mission_resume(out, self._get(), encode(what), given, error), self, options)

    def skip(self, run_id: str, step_id: str, output: Any = None, *, actor: str | None = None) -> None:
        """Go past a step that failed, with any JSON value as its output; resume() goes on behind it."""
        data = written(output)
        with self._lock:
            call(lib.pawl_mission_skip, self._get(), encode(run_id), encode(step_id), data, len(data), encode(actor))

    def cancel(self, run_id: str, *, actor: str | None = None) -> None:
        """End a run for good, whoever holds it."""
        with self._lock:
            call(lib.pawl_mission_cancel, self._get(), encode(run_id), encode(actor))

    def backup(self, path: str) -> Record:
        """Copy the log into a new file, while others write."""
        result = ffi.new("pawl_backup *")
        with self._lock:
            self._check(lib.pawl_log_backup(result, self._get(), encode(path), ffi.NULL, ffi.NULL))
        return record(result)

    def interrupt(self, on: bool = True) -> None:
        """Let the calls on this log fail, from any thread, while it is on; a run that is under way ends instead, as by a signal."""
        self._get()
        run = self._run
        if on and run is not None:
            run.end()
            return
        with self._freeing:
            lib.pawl_log_interrupt(self._get(), on)
