"""Sessions of agents at missions."""

import json
from typing import Any

from pawl._json import texts
from pawl._lib import Handle, Record, call, encode, ffi, lib, new, record, takes

_WORK = ("current_step", "summary", "completed", "pending", "files")


class _work:
    """A pawl_session_work of keyword arguments."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.struct, self.alive = ffi.new("pawl_session_work *"), []
        for name, value in given.items():
            if value is None:
                continue
            if name in ("current_step", "summary"):
                self.alive.append(encode(value))
            elif isinstance(value, str):
                raise TypeError(f"{name}: is a string; give a list of them")
            else:
                strings = [encode(v) for v in value]
                self.alive += strings
                self.alive.append(ffi.new("char *[]", strings or [ffi.NULL]))
                setattr(self.struct, f"n_{name}", len(strings))
            setattr(self.struct, name, self.alive[-1])


def parse_handoff(text: str) -> dict[str, Any]:
    """What a handoff document says, as people left it: its `session_id` and `sections`."""
    data = text.encode()
    return json.loads(texts(lib.pawl_handoff_parse, data, len(data)))


class Sessions(Handle):
    """What a log says of sessions."""

    @takes("mission_id", "session_id", "status", "limit")
    def sessions(self, **where: Any) -> list[Record]:
        """Newest first; of a mission_id, a session_id or a status, and the newest `limit`."""
        of = new("pawl_session_filter", **where)
        return self._list(lib.pawl_session_list, lib.pawl_sessions_free, "pawl_sessions", of.struct)

    @takes(*_WORK)
    def start_session(self, mission_id: str, *, actor: str | None = None, take_over: bool = False, **work: Any) -> str:
        """Start a session of an agent at a mission: its id. Work: current_step, summary, completed, pending, files."""
        out, told = ffi.new("char[]", lib.PAWL_SESSION_ID_MAX), _work(work)
        options = new("pawl_session_options", actor=actor, take_over=take_over)
        with self._lock:
            call(lib.pawl_session_start, out, self._get(), encode(mission_id), told.struct, options.struct)
        return ffi.string(out).decode()

    @takes(*_WORK)
    def update_session(self, session_id: str, *, actor: str | None = None, **work: Any) -> None:
        told = _work(work)
        with self._lock:
            call(lib.pawl_session_update, self._get(), encode(session_id), encode(actor), told.struct)

    @takes(*_WORK)
    def checkpoint_session(self, session_id: str, reason: str = "manual", *, actor: str | None = None, **work: Any) -> int:
        seq, told = ffi.new("uint64_t *"), _work(work)
        with self._lock:
            call(lib.pawl_session_checkpoint, seq, self._get(), encode(session_id), encode(actor), encode(reason), told.struct)
        return seq[0]

    @takes(*_WORK)
    def end_session(self, session_id: str, status: str = "completed", reason: str | None = None, *,
                    actor: str | None = None, **work: Any) -> None:
        told = _work(work)
        with self._lock:
            call(lib.pawl_session_end, self._get(), encode(session_id), encode(actor), encode(status), encode(reason), told.struct)

    def session(self, session_id: str | None = None) -> Record:
        """A session, or the latest: `session`, its `steps`, `checkpoints` and `captures`, and `commit` and `branch`, where git
        stood at the last of these."""
        out = ffi.new("pawl_session_details **")
        with self._lock:
            call(lib.pawl_session_find, out, self._get(), encode(session_id))
        try:
            return record(out[0])
        finally:
            lib.pawl_session_details_free(out[0])

    def handoff_data(self, session_id: str | None = None) -> dict[str, Any]:
        """What the handoff of a session, or of the latest, says."""
        with self._lock:
            return json.loads(texts(lib.pawl_session_handoff_json, self._get(), encode(session_id)))

    def handoff(self, session_id: str | None = None, summary: int = 0) -> str:
        """The handoff document of a session, or of the latest."""
        with self._lock:
            return texts(lib.pawl_session_handoff, self._get(), encode(session_id), summary)
