"""Missions: they are run on a log."""

import json
from contextlib import nullcontext
from typing import Any

from pawl._callbacks import RUN_OPTIONS, run_mission
from pawl._json import taken, written
from pawl._lib import Error, Handle, Record, call, encode, ffi, lib, needed, new, record, takes
from pawl._log import Log, opened


class Mission(Handle):
    """A mission file, read and checked."""

    def __init__(self, pointer: Any, free: Any) -> None:
        super().__init__(pointer, free)
        self._id = ffi.string(lib.pawl_mission_id(pointer)).decode()
        self._steps = [ffi.string(lib.pawl_mission_step_id(pointer, i)).decode() for i in range(lib.pawl_mission_steps(pointer))]

    @classmethod
    def load(cls, path: str) -> "Mission":
        out = ffi.new("pawl_mission **")
        call(lib.pawl_mission_load, out, needed("mission", path))
        return cls(out[0], lib.pawl_mission_free)

    @property
    def id(self) -> str:
        self._get()
        return self._id

    @property
    def steps(self) -> list[str]:
        self._get()
        return list(self._steps)

    @property
    def params(self) -> list[Record]:
        """Its parameters: `name`, `type`, `description` and `value`, the JSON of what was given or the default, or None."""
        out = ffi.new("pawl_mission_param **")
        with self._lock:
            return [record(out[0][i]) for i in range(lib.pawl_mission_params(self._get(), out))]

    def set_param(self, name: str, value: Any) -> None:
        """Give a parameter its value for runs to come."""
        with self._alone():
            param = next((one for one in self.params if one.name == name), None)
            if param is not None and param.type == "string" and not isinstance(value, str):
                raise Error(lib.PAWL_EINVAL, f"parameter {name}: is a string, not {value!r}; give a string")
            plain = isinstance(value, str) and (param is None or param.type == "string")
            call(lib.pawl_mission_set_param, self._get(), needed("parameter", name), encode(value) if plain else written(value))

    def load_params(self, path: str) -> None:
        """The same of a file, YAML or JSON, of names and values."""
        with self._alone():
            call(lib.pawl_mission_load_params, self._get(), needed("file", path))

    @takes("strictness", "alone", *RUN_OPTIONS)
    def run(self, log: Log, run_id: str | None = None, **options: Any) -> Record:
        """Run every step: `status` is completed, blocked, failed or interrupted; `steps`, `conflicts` (ids), `run_id`.

        Options: actor, strictness, time_limit_ms, wait_ms, home, config_home, alone; and functions: clarify(conflict) gives a candidate's
        number, {"define", "scope"}, {"dismiss"}, {"answer"} or None; confirm(change) and confirm_mission(changes) give True to continue;
        progress(stage, step_id, number, of); notice(line). They may take as long as they like: the run's claim is renewed meanwhile.
        """
        options["run_id"] = run_id
        with opened(log)._alone(), self._lock:
            return run_mission(lambda out, given, error: lib.pawl_mission_run(out, self._get(), log._get(), given, error), log, options)

    def submit(self, log: Log, run_id: str | None = None, *, actor: str | None = None, strictness: str | None = None) -> str:
        """Put a run in line for `pawl work`, its files in the log: the run's id."""
        out, options = ffi.new("char[129]"), new("pawl_run_options", run_id=run_id, actor=actor, strictness=strictness)
        with opened(log)._lock, self._lock:
            call(lib.pawl_mission_submit, out, self._get(), log._get(), options.struct)
        return ffi.string(out).decode()

    def check(self, log: Log | None = None, step_id: str | None = None) -> list[dict[str, Any]]:
        """What the gate would say of each step, writing nothing."""
        out, length = ffi.new("char **"), ffi.new("size_t *")
        with nullcontext() if log is None else opened(log)._lock, self._lock:
            call(lib.pawl_mission_check, out, length, self._get(), ffi.NULL if log is None else log._get(), encode(step_id))
        return json.loads(taken(out, length))
