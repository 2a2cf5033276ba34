"""The pipeline, for runners of one's own."""

import json
from contextlib import nullcontext
from typing import Any

from pawl._callbacks import Callbacks
from pawl._lib import Handle, Record, call, check, encode, ffi, lib, new, record
from pawl._json import canonical, written
from pawl._log import Log, opened


def _json(value: Any) -> tuple[bytes, int]:
    data = written(value)
    return data, len(data)


class Context(Handle):
    """One step of one run, on its way through the layers. Inputs are any JSON value: a string is one."""

    def __init__(self, mission_id: str, run_id: str, step_id: str, inputs: Any = None, *, critical: bool = False,
                 strictness: str | None = None, metadata: Any = None, retry_token: str | None = None) -> None:
        out = ffi.new("pawl_context **")
        call(lib.pawl_context_new, out, encode(mission_id), encode(run_id), encode(step_id))
        super().__init__(out[0], lib.pawl_context_free)
        self._pipeline: Pipeline | None = None
        self._check(lib.pawl_context_set_inputs(out[0], *_json({} if inputs is None else inputs)))
        if metadata is not None:
            self._check(lib.pawl_context_set_metadata(out[0], *_json(metadata)))
        lib.pawl_context_set_critical(out[0], critical)
        if strictness is not None:
            self._check(lib.pawl_context_set_strictness(out[0], encode(strictness)))
        if retry_token is not None:
            self._check(lib.pawl_context_set_retry_token(out[0], encode(retry_token)))

    def _check(self, code: int) -> int:
        return check(code, ffi.string(lib.pawl_context_errmsg(self._get())).decode(errors="replace"))

    @property
    def retry_token(self) -> str | None:
        with self._lock:
            token = lib.pawl_context_retry_token(self._get())
            return None if token == ffi.NULL else ffi.string(token).decode()

    @property
    def input_hash(self) -> str:
        with self._lock:
            return ffi.string(lib.pawl_context_input_hash(self._get())).decode()

    @property
    def input_change(self) -> Record | None:
        """How the inputs differ, after a pass that failed with PAWL_EINPUTS: `diff`, `checkpoint_hash`, `current_hash`."""
        with self._lock:
            change = lib.pawl_context_input_diff(self._get())
            return None if change == ffi.NULL else record(change)

    @property
    def conflicts(self) -> list[Record]:
        with self._lock:
            return [record(lib.pawl_context_conflict(self._get(), i)) for i in range(lib.pawl_context_conflicts(self._get()))]

    @property
    def terms(self) -> list[Record]:
        """What the generation is to be told, after a pass: terms that the inputs use, or that were answered for the step."""
        if self._pipeline is None:
            return []
        out = ffi.new("pawl_glossary_terms *")
        with self._pipeline._lock, self._lock:
            self._pipeline._get()
            self._check(lib.pawl_context_terms(out, self._get()))
            return record(out).items

    @property
    def output(self) -> Any:
        with self._lock:
            value = lib.pawl_context_output(self._get())
            return None if value.data == ffi.NULL else json.loads(bytes(ffi.buffer(value.data, value.len)))


class Pipeline(Handle):
    """The five layers over a log, which must stay open as long."""

    def __init__(self, log: Log, *, actor: str | None = None, store_inputs: bool = True, accept_inputs: bool = False,
                 clarify: Any = None, confirm: Any = None) -> None:
        out = ffi.new("pawl_pipeline **")
        self._back = Callbacks(opened(log), clarify=clarify, confirm=confirm)
        self._options = new("pawl_pipeline_options", actor=actor, store_inputs=store_inputs, accept_inputs=accept_inputs, **self._back.options())
        self._log = log
        with log._lock:
            call(lib.pawl_pipeline_new, out, log._get(), self._options.struct)
        super().__init__(out[0], lambda pointer: None if log._pointer is None else lib.pawl_pipeline_free(pointer))
        self._lock = log._lock

    def _get(self) -> Any:
        self._log._get()
        return super()._get()

    def _do(self, function: Any, *arguments: Any, context: Context | None = None) -> str:
        with self._alone(), context._lock if context else nullcontext():
            code = function(self._get(), *([context._get()] if context else []), *arguments)
            self._back.finish()
            check(code, ffi.string(lib.pawl_pipeline_errmsg(self._get())).decode(errors="replace"))
        return {lib.PAWL_BLOCKED: "blocked", lib.PAWL_DONE: "done"}.get(code, "ok")

    def seed(self, scope: str, path: str) -> None:
        self._do(lib.pawl_pipeline_seed, encode(scope), encode(path))

    def run(self, context: Context) -> str:
        """ "ok": generate; "blocked"; "done": it completed before, and context.output is what it gave."""
        if not isinstance(context, Context):
            raise TypeError(f"context: is {context!r}, not a Context; make one by Context()")
        context._pipeline = self
        return self._do(lib.pawl_pipeline_run, context=context)

    def complete(self, context: Context, output: Any) -> str:
        """Record the output, any JSON value: "ok", or "blocked" by it."""
        data = canonical(written(output)).encode()  # what is no JSON would be taken for a text
        return self._do(lib.pawl_pipeline_complete, data, len(data), context=context)

    def failed(self, context: Context, exit_code: int, why: str) -> None:
        self._do(lib.pawl_pipeline_failed, exit_code, encode(why), context=context)

    def renew(self, run_id: str) -> None:
        """Keep the claim on a run while its generation takes long."""
        self._do(lib.pawl_pipeline_renew, encode(run_id))

    def end_run(self, run_id: str, reason: str | None = None) -> None:
        """The run is done, or failed for a reason."""
        self._do(lib.pawl_pipeline_end_run, encode(run_id), encode(reason))
