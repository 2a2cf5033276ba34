"""A LangGraph checkpointer on a Pawl log: a file, or a server's. Needs the package langgraph-checkpoint.

    with PawlSaver.from_conn_string(".pawl/events.db") as saver:
        graph = builder.compile(checkpointer=saver)

A thread is a run of the log, and a checkpoint an event. Values are kept once, and only those that changed
are written. Deleting a thread is for good, with a receipt. One thread at a time uses the log, others wait; the async
methods do their work on another thread.
"""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langgraph.checkpoint.base import (
    WRITES_IDX_MAP, BaseCheckpointSaver, CheckpointTuple, get_checkpoint_id, get_checkpoint_metadata,
)

from pawl import Log
from pawl._lib import Handle, call, checked_options, encode, ffi, lib, new

__all__ = ["PawlSaver"]

_PAGE = 32  # checkpoints at a time


def _bytes(value: Any) -> bytes | None:
    return None if value.data == ffi.NULL else bytes(ffi.buffer(value.data, value.len))


def _str(value: Any) -> str | None:
    data = _bytes(value)
    return None if data is None else data.decode()


class _Given:
    """Texts for C, which live as long as this."""

    def __init__(self) -> None:
        self.alive: list[Any] = []

    def text(self, value: str | bytes | None) -> Any:
        if value is None:
            return {"data": ffi.NULL, "len": 0}
        data = value.encode() if isinstance(value, str) else value
        self.alive.append(ffi.new("char[]", data))
        return {"data": self.alive[-1], "len": len(data)}

    def array(self, kind: str, items: list[dict[str, Any]]) -> Any:
        self.alive.append(ffi.new(f"{kind}[]", items))
        return self.alive[-1]


class _Threads(Handle):
    def __init__(self, where: str, mission: str | None) -> None:
        self.log = Log.open(where)
        out = ffi.new("pawl_threads **")
        try:
            call(lib.pawl_threads_open, out, self.log._get(), encode(mission))
        except BaseException:
            self.log.close()
            raise
        super().__init__(out[0], lib.pawl_threads_close)

    def close(self) -> None:
        super().close()
        self.log.close()


class PawlSaver(BaseCheckpointSaver):
    """Checkpoints, values of channels and pending writes in a Pawl log."""

    @checked_options
    def __init__(self, where: str, *, serde: Any = None, mission: str | None = None) -> None:
        super().__init__(serde=serde)
        self._threads = _Threads(where, mission)

    @classmethod
    @checked_options
    def from_conn_string(cls, path_or_url: str, *, serde: Any = None, mission: str | None = None) -> "PawlSaver":
        """A log's path, made where there is none, or a `postgresql://` URL. `mission`: what the threads' runs belong to."""
        return cls(path_or_url, serde=serde, mission=mission)

    def end(self) -> None:
        """Close the log; a second time does nothing."""
        self._threads.close()

    close = end

    def __enter__(self) -> "PawlSaver":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    async def __aenter__(self) -> "PawlSaver":
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.end)

    # ---- JSON where it can be, else what the serializer makes of it ----

    def _dump(self, value: Any) -> str:
        try:
            return json.dumps(value)
        except (TypeError, ValueError):
            kind, data = self.serde.dumps_typed(value)
            return json.dumps({"pawl_serde": [kind, base64.b64encode(data or b"").decode()]})

    def _load(self, text: str) -> Any:
        value = json.loads(text)
        if isinstance(value, dict) and list(value) == ["pawl_serde"]:
            kind, data = value["pawl_serde"]
            return self.serde.loads_typed((kind, base64.b64decode(data)))
        return value

    # ---- Reading ----

    def _tuple(self, c: Any) -> CheckpointTuple:
        thread_id, ns, parent = _str(c.thread_id), _str(c.checkpoint_ns), _str(c.parent_id)

        def of(checkpoint_id: str | None) -> dict[str, Any]:
            return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, "checkpoint_id": checkpoint_id}}

        checkpoint = self._load(_str(c.checkpoint) or "{}")
        checkpoint["channel_values"] = {
            _str(one.name): self.serde.loads_typed((_str(one.type), _bytes(one.data)))
            for one in (c.channels[i] for i in range(c.n_channels))}
        writes = [(_str(one.task_id), _str(one.channel), self.serde.loads_typed((_str(one.type), _bytes(one.data))))
                  for one in (c.writes[i] for i in range(c.n_writes))]
        return CheckpointTuple(of(_str(c.checkpoint_id)), checkpoint, self._load(_str(c.metadata) or "{}"),
                               of(parent) if parent is not None else None, writes)

    def _page(self, after: CheckpointTuple | None, limit: int, **where: str | None) -> list[CheckpointTuple]:
        given, out = _Given(), ffi.new("pawl_thread_checkpoints **")
        of = new("pawl_thread_filter", limit=limit, **where)
        if after is not None:
            ids = after.config["configurable"]
            of.struct.after = given.array("pawl_thread_checkpoint", [{
                name: given.text(ids[name]) for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}])
        with self._threads._lock:
            call(lib.pawl_thread_list, out, self._threads._get(), of.struct)
        try:
            return [self._tuple(out[0].items[i]) for i in range(out[0].n)]
        finally:
            lib.pawl_thread_checkpoints_free(out[0])

    def get_tuple(self, config: Any) -> CheckpointTuple | None:
        ids = config["configurable"]
        found = self._page(None, 1, thread_id=str(ids["thread_id"]), checkpoint_ns=ids.get("checkpoint_ns") or "",
                           checkpoint_id=get_checkpoint_id(config) or None)
        return found[0] if found else None

    @staticmethod
    def _where(config: Any, filter: dict[str, Any] | None, before: Any) -> dict[str, str | None]:
        ids = (config or {}).get("configurable", {})
        thread_id = ids.get("thread_id")
        return {"thread_id": None if thread_id is None else str(thread_id), "checkpoint_ns": ids.get("checkpoint_ns"),
                "checkpoint_id": get_checkpoint_id(config) or None if config else None,
                "before": get_checkpoint_id(before) or None if before else None,
                "metadata": json.dumps(filter) if filter else None}

    def list(self, config: Any, *, filter: dict[str, Any] | None = None, before: Any = None,
             limit: int | None = None) -> Iterator[CheckpointTuple]:
        where, last, left = self._where(config, filter, before), None, limit
        while left is None or left > 0:
            most = _PAGE if left is None else min(left, _PAGE)
            page = self._page(last, most, **where)
            yield from page
            if len(page) < most:
                return
            last, left = page[-1], None if left is None else left - len(page)

    # ---- Writing ----

    def _put(self, given: _Given, config: Any, checkpoint_id: str, **members: Any) -> None:
        ids = config["configurable"]
        item = {"thread_id": given.text(str(ids["thread_id"])), "checkpoint_ns": given.text(ids.get("checkpoint_ns") or ""),
                "checkpoint_id": given.text(checkpoint_id), **members}
        with self._threads._lock:
            call(lib.pawl_thread_put, self._threads._get(), given.array("pawl_thread_checkpoint", [item]), 1)

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: dict[str, Any]) -> Any:
        given, channels = _Given(), []
        versions = checkpoint["channel_versions"]
        for name, value in checkpoint["channel_values"].items():
            version = new_versions[name] if name in new_versions else versions.get(name)
            if version is None:
                continue
            kind, data = self.serde.dumps_typed(value) if name in new_versions else (None, None)
            channels.append({"name": given.text(name), "version": given.text(str(version)), "type": given.text(kind),
                             "data": given.text(data or b"" if kind is not None else None)})
        rest = {name: value for name, value in checkpoint.items() if name != "channel_values"}
        self._put(given, config, checkpoint["id"], parent_id=given.text(get_checkpoint_id(config) or None),
                  checkpoint=given.text(self._dump(rest)),
                  metadata=given.text(self._dump(get_checkpoint_metadata(config, metadata))),
                  channels=given.array("pawl_thread_channel", channels), n_channels=len(channels))
        ids = config["configurable"]
        return {"configurable": {"thread_id": ids["thread_id"], "checkpoint_ns": ids.get("checkpoint_ns") or "",
                                 "checkpoint_id": checkpoint["id"]}}

    def put_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        given, list_ = _Given(), []
        for index, (channel, value) in enumerate(writes):
            kind, data = self.serde.dumps_typed(value)
            list_.append({"task_id": given.text(task_id), "task_path": given.text(task_path or None),
                          "channel": given.text(channel), "index": WRITES_IDX_MAP.get(channel, index),
                          "type": given.text(kind), "data": given.text(data or b"")})
        if list_:
            self._put(given, config, config["configurable"]["checkpoint_id"],
                      writes=given.array("pawl_thread_write", list_), n_writes=len(list_))

    def delete_thread(self, thread_id: str) -> None:
        """For good: values that nothing else has go with it, and a Pruned event is the receipt."""
        with self._threads._lock:
            call(lib.pawl_thread_delete, self._threads._get(), encode(str(thread_id)), ffi.NULL)

    # ---- The same, on another thread ----

    async def aget_tuple(self, config: Any) -> CheckpointTuple | None:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, *, filter: dict[str, Any] | None = None, before: Any = None,
                    limit: int | None = None) -> AsyncIterator[CheckpointTuple]:
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: dict[str, Any]) -> Any:
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(self, config: Any, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)
