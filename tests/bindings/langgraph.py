"""The LangGraph saver without LangGraph: its base is a stand-in. The cases are those that LangGraph's own conformance
suite has for put, put_writes, get_tuple, list and delete_thread. Run in an empty directory."""

import asyncio
import json
import os
import pickle
import subprocess
import sys
import threading
import types
import unittest
from typing import NamedTuple

base = types.ModuleType("langgraph.checkpoint.base")


class Serde:
    def dumps_typed(self, value):
        if value is None:
            return "null", b""
        return ("bytes", value) if isinstance(value, bytes) else ("pickle", pickle.dumps(value))

    def loads_typed(self, data):
        return None if data[0] == "null" else data[1] if data[0] == "bytes" else pickle.loads(data[1])


class BaseCheckpointSaver:
    def __init__(self, *, serde=None):
        self.serde = serde or Serde()


class CheckpointTuple(NamedTuple):
    config: dict
    checkpoint: dict
    metadata: dict
    parent_config: dict | None = None
    pending_writes: list | None = None


base.BaseCheckpointSaver, base.CheckpointTuple = BaseCheckpointSaver, CheckpointTuple
base.WRITES_IDX_MAP = {"__error__": -1, "__scheduled__": -2, "__interrupt__": -3, "__resume__": -4}
base.get_checkpoint_id = lambda config: config["configurable"].get("checkpoint_id")
base.get_checkpoint_metadata = lambda config, metadata: {**metadata, **{
    k: v for k, v in config["configurable"].items() if k not in ("thread_id", "checkpoint_ns", "checkpoint_id")}}
for name in ("langgraph", "langgraph.checkpoint"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["langgraph.checkpoint.base"] = base

import pawl  # noqa: E402
from pawl.langgraph import PawlSaver  # noqa: E402

META = {"source": "loop", "step": 1, "parents": {}}


def of(thread_id, checkpoint_id=None, ns="", **more):
    return {"configurable": {"thread_id": thread_id, "checkpoint_ns": ns, **more,
                             **({"checkpoint_id": checkpoint_id} if checkpoint_id else {})}}


def checkpoint(id, values=None, versions=None, **more):
    return {"v": 4, "id": id, "ts": "2026-11-20T12:35:00Z", "channel_values": values or {},
            "channel_versions": versions or dict.fromkeys(values or {}, 1), "versions_seen": {"node": {"a": 1}}, **more}


class Saver(unittest.TestCase):
    cases = 0

    def setUp(self):
        Saver.cases += 1
        self.where = os.path.abspath(f"case-{Saver.cases}.db")
        self.saver = PawlSaver.from_conn_string(self.where)

    def tearDown(self):
        self.saver.end()
        if os.path.exists(self.where):
            subprocess.run(["eventlog", "replay", "--check", "--db", self.where], check=True, stdout=subprocess.DEVNULL)

    def put(self, config, one, metadata=META, new=None):
        return self.saver.put(config, one, metadata, one["channel_versions"] if new is None else new)

    def test_put_returns_the_config_and_comes_back(self):
        values = {"str": "hello", "int": 42, "list": [1, 2, {"x": None}], "bytes": b"\0\xff", "none": None, "large": "x" * 10000, "set": {1}}
        config = self.put(of("t"), checkpoint("1", values, updated_channels=None))
        self.assertEqual(config, of("t", "1"))
        got = self.saver.get_tuple(config)
        self.assertEqual(got, CheckpointTuple(of("t", "1"), checkpoint("1", values, updated_channels=None), META, None, []))
        self.assertEqual(self.saver.get_tuple(of("t")), got)
        self.assertIsNone(self.saver.get_tuple(of("u")))
        self.assertIsNone(self.saver.get_tuple(of("t", "2")))
        self.assertIsNone(self.saver.get_tuple(of("t", ns="child")))

    def test_channels_change_come_and_go_by_their_versions(self):
        config = self.put(of("t"), checkpoint("1", {"a": "v1", "b": "v1"}))
        config = self.put(config, checkpoint("2", {"a": "v2", "b": "v1"}, {"a": 2, "b": 1}), new={"a": 2})
        config = self.put(config, checkpoint("3", {"a": "v2", "c": "v1"}, {"a": 2, "b": 2, "c": "1.5"}), new={"b": 2, "c": "1.5"})
        got = self.saver.get_tuple(config)
        self.assertEqual(got.checkpoint["channel_values"], {"a": "v2", "c": "v1"})
        self.assertEqual(got.checkpoint["channel_versions"], {"a": 2, "b": 2, "c": "1.5"})
        self.assertEqual(got.parent_config, of("t", "2"))
        self.assertEqual(self.saver.get_tuple(of("t", "1")).checkpoint["channel_values"], {"a": "v1", "b": "v1"})

    def test_metadata_has_what_the_config_says_and_may_be_no_json(self):
        self.put(of("t", run_id="r1"), checkpoint("1"), {**META, "when": {1, 2}})
        self.assertEqual(self.saver.get_tuple(of("t")).metadata, {**META, "when": {1, 2}, "run_id": "r1"})

    def test_writes(self):
        config = self.put(of("t"), checkpoint("1"))
        self.saver.put_writes(config, [("a", "one"), ("b", None), ("__interrupt__", "first")], "task-b")
        self.saver.put_writes(config, [("a", "again"), ("b", None), ("__interrupt__", "second")], "task-b")
        self.saver.put_writes(config, [("a", b"two")], "task-a", task_path="~path")
        self.saver.put_writes(config, [], "task-c")
        writes = [("task-b", "__interrupt__", "second"), ("task-b", "a", "one"), ("task-b", "b", None), ("task-a", "a", b"two")]
        self.assertEqual(self.saver.get_tuple(of("t")).pending_writes, writes)
        self.assertEqual(next(self.saver.list(of("t"))).pending_writes, writes)
        self.put(config, checkpoint("2"))
        self.assertEqual(self.saver.get_tuple(of("t")).pending_writes, [])

    def test_list(self):
        for i in range(70):
            self.put(of("t"), checkpoint(str(100 + i)), {**META, "source": "loop" if i % 2 else "input", "step": i, "score": 0.5})
        self.put(of("t", ns="child"), checkpoint("300"))
        self.put(of(7), checkpoint("400"))
        ids = lambda *a, **k: [one.checkpoint["id"] for one in self.saver.list(*a, **k)]  # noqa: E731
        newest = [str(169 - i) for i in range(70)]
        self.assertEqual(ids(of("t")), newest)
        self.assertEqual(ids({"configurable": {"thread_id": "t"}}), ["300", *newest])
        self.assertEqual(ids(None, limit=2), ["400", "300"])
        self.assertEqual(ids(of(7)), ["400"])
        self.assertEqual(len(ids(of("t"), filter={"source": "loop"})), 35)
        self.assertEqual(ids(of("t"), filter={"step": 3, "score": 0.5}), ["103"])
        self.assertEqual(ids(of("t"), filter={"step": "3"}), [])
        self.assertEqual(ids(of("t"), before=of("t", "102")), ["101", "100"])
        self.assertEqual(ids(of("t"), before=of("t", "105"), filter={"source": "loop"}, limit=1), ["103"])
        self.assertEqual(ids(of("t"), limit=0), [])
        self.assertEqual(len(ids(of("t"), limit=40)), 40)

    def test_a_deleted_thread_is_gone_with_a_receipt(self):
        self.put(of("t"), checkpoint("1", {"a": "secret " * 1000}))
        self.saver.put_writes(of("t", "1"), [("a", "secret")], "task")
        self.put(of("u"), checkpoint("1"))
        self.saver.delete_thread("t")
        self.saver.delete_thread("t")
        self.assertIsNone(self.saver.get_tuple(of("t")))
        self.assertIsNotNone(self.saver.get_tuple(of("u")))
        with pawl.Log.open(self.where, readonly=True) as log:
            last = list(log.events())[-1]
            self.assertEqual((last.type, last.payload["kind"], last.payload["pruned"], last.payload["contents"]), ("Pruned", "threads", ["t"], 2))
            log.verify()

    def test_async(self):
        async def go():
            config = await self.saver.aput(of("t"), checkpoint("1", {"a": 1}), META, {"a": 1})
            await self.saver.aput_writes(config, [("a", 2)], "task")
            self.assertEqual((await self.saver.aget_tuple(of("t"))).pending_writes, [("task", "a", 2)])
            self.assertEqual([one.checkpoint["id"] async for one in self.saver.alist(of("t"))], ["1"])
            await self.saver.adelete_thread("t")
            self.assertIsNone(await self.saver.aget_tuple(of("t")))
        asyncio.run(go())

    def test_threads_take_turns(self):
        workers = [threading.Thread(target=lambda i=i: [self.put(of(f"t{i}"), checkpoint(str(100 + k))) for k in range(10)]) for i in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(len(list(self.saver.list(None))), 40)

    def test_misuse(self):
        with self.assertRaises(pawl.Error) as failed:
            self.put(of("t"), checkpoint("no id"))
        self.assertEqual(failed.exception.status, "PAWL_EINVAL")
        self.assertEqual(list(self.saver.list(None)), [])
        for wrong in (PawlSaver, PawlSaver.from_conn_string):
            with self.assertRaisesRegex(TypeError, "has no option missionId; its options are serde, mission"):
                wrong(self.where, missionId="m")
        self.saver.end()
        self.saver.end()
        with self.assertRaises(ValueError):
            self.saver.get_tuple(of("t"))
        with self.assertRaises(pawl.Error):
            PawlSaver.from_conn_string("none/none/events.db")

    def test_it_shows_as_a_run(self):
        self.put(of("t"), checkpoint("1"))
        runs = json.loads(subprocess.run(["pawl", "runs", "--json", "--db", self.where], check=True, capture_output=True).stdout)["runs"]
        self.assertEqual([(run["run_id"], run["mission_id"], run["status"]) for run in runs], [("t", "langgraph", "completed")])


if __name__ == "__main__":
    unittest.main()
