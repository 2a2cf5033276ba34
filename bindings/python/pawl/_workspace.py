"""Checkpoints of the workspace."""

from collections.abc import Callable, Iterable
from typing import Any

from pawl._callbacks import Callbacks, call_back
from pawl._lib import Handle, Record, call, check, encode, ffi, lib, needed, new, record


def _which(checkpoint: str | int) -> Any:
    return needed("checkpoint", str(checkpoint) if isinstance(checkpoint, int) else checkpoint)


class Workspace(Handle):
    """What a log says of its workspace."""

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

    def diff(self, a: str | int, b: str | int | None = None, *, root: str | None = None, patch: Callable[[bytes], Any] | None = None) -> Record:
        """What lies between two checkpoints, or one and the workspace; `patch` gets a unified diff piece by piece."""
        out, back = ffi.new("pawl_comparison **"), Callbacks(patch=patch)
        options = new("pawl_workspace_options", root=root)
        with self._lock:
            code = call_back(back, lib.pawl_workspace_compare, out, self._get(), _which(a), _which(b) if b is not None else ffi.NULL, options.struct,
                              lib.py_patch if patch else ffi.NULL, back.handle)
        check(*code)
        try:
            return record(out[0])
        finally:
            lib.pawl_comparison_free(out[0])

    def rollback(self, which: str | int, *, root: str | None = None, paths: Iterable[str] | None = None, actor: str | None = None) -> int:
        """Put the workspace back to a checkpoint: the number of the safety copy, for undo()."""
        name = _which(which)
        return self._roll(lambda out, options, error: lib.pawl_workspace_rollback(
            out, self._get(), name, ffi.NULL, options, error), root, paths, actor)

    def undo(self, *, root: str | None = None, actor: str | None = None) -> int:
        """Reverse the newest rollback or restore that is not reversed yet."""
        return self._roll(lambda out, options, error: lib.pawl_workspace_undo(
            out, self._get(), ffi.NULL, options, error), root, None, actor)

    def redo(self, *, root: str | None = None, actor: str | None = None) -> int:
        """Reverse the newest undo."""
        return self._roll(lambda out, options, error: lib.pawl_workspace_redo(
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
            call(lib.pawl_workspace_checkpoint_pin, self._get(), _which(which), pinned, encode(actor))
