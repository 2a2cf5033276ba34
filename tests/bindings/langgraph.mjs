// The LangGraph saver without LangGraph: its base class is a stand-in of a few lines. The public examination of
// savers is scripts/exam langgraph. Run in an empty directory.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";

const require = createRequire(import.meta.url);
const pawl = require(path.resolve(process.env.PAWL_MODULE));
const { make } = require(path.resolve(process.env.PAWL_MODULE, "langgraph/saver.cjs"));

class JsonPlusSerializer {
  async dumpsTyped(value) { return value instanceof Uint8Array ? ["bytes", value] : ["json", new TextEncoder().encode(JSON.stringify(value))]; }
  async loadsTyped(type, data) { return type === "json" ? JSON.parse(data) : data; }
}
const langgraph = {
  JsonPlusSerializer,
  BaseCheckpointSaver: class {
    constructor(serde) { this.serde = serde ?? new JsonPlusSerializer(); }
    getNextVersion(current) { return (current ?? 0) + 1; }
  },
  WRITES_IDX_MAP: { __error__: -1, __scheduled__: -2, __interrupt__: -3, __resume__: -4 },
  TASKS: "__pregel_tasks",
  getCheckpointId: (config) => config.configurable?.checkpoint_id ?? "",
  maxChannelVersion: (...versions) => Math.max(...versions),
};
const { PawlSaver } = make(langgraph, pawl);

let cases = 0;
const open = (options) => PawlSaver.fromConnString(path.resolve(`case-${++cases}`, "events.db"), options);
const of = (thread_id, checkpoint_id, checkpoint_ns = "") => ({ configurable: { thread_id, checkpoint_ns, ...(checkpoint_id && { checkpoint_id }) } });
const checkpoint = (id, channel_values, channel_versions) => ({ v: 4, id, ts: "2026-11-20T12:35:00Z", channel_values, channel_versions, versions_seen: {} });
const META = { source: "loop", step: 1, parents: {} };
const all = async (generator) => {
  const list = [];
  for await (const one of generator) list.push(one);
  return list;
};

test("what is put comes back, values that did not change too", async () => {
  const saver = open();
  const large = "x".repeat(10000);
  assert.equal(await saver.getTuple(of("t")), undefined);
  assert.deepEqual(await saver.put(of("t"), checkpoint("1", { a: { deep: [1, null] }, b: large }, { a: 1, b: 1 }), META, { a: 1, b: 1 }), of("t", "1"));
  await saver.put(of("t", "1"), checkpoint("2", { a: "\ud83d\ude00", b: large, bytes: new Uint8Array([0, 255]) }, { a: 2, b: 1, bytes: 2 }), META, { a: 2, bytes: 2 });
  const tuple = await saver.getTuple(of("t"));
  assert.deepEqual({ ...tuple.checkpoint.channel_values, bytes: [...tuple.checkpoint.channel_values.bytes] }, { a: "\ud83d\ude00", b: large, bytes: [0, 255] });
  assert.deepEqual([tuple.config, tuple.parentConfig, tuple.metadata, tuple.pendingWrites], [of("t", "2"), of("t", "1"), META, []]);
  assert.deepEqual((await saver.getTuple(of("t", "1"))).checkpoint, checkpoint("1", { a: { deep: [1, null] }, b: large }, { a: 1, b: 1 }));
  assert.equal((await saver.getTuple(of("t", "1"))).parentConfig, undefined);
  await saver.end();
  await saver.end();
});

test("writes: once, special ones replaced, in the order of paths and tasks", async () => {
  const saver = open();
  await saver.put(of("t"), checkpoint("1", {}, {}), META, {});
  await saver.putWrites(of("t", "1"), [["a", 1], ["__interrupt__", "first"]], "task-b");
  await saver.putWrites(of("t", "1"), [["a", 2], ["__interrupt__", "second"]], "task-b");
  await saver.putWrites(of("t", "1"), [["a", 3]], "task-a", "~path");
  assert.deepEqual((await saver.getTuple(of("t"))).pendingWrites,
    [["task-b", "__interrupt__", "second"], ["task-b", "a", 1], ["task-a", "a", 3]]);
  await assert.rejects(saver.putWrites({ configurable: { thread_id: "t" } }, [["a", 1]], "task"), /checkpoint_id/);
  await assert.rejects(saver.put({ configurable: {} }, checkpoint("2", {}, {}), META, {}), /thread_id/);
  await assert.rejects(saver.put({}, checkpoint("2", {}, {}), META, {}), /configuration/);
  await saver.end();
});

test("a listed checkpoint's values are as one's that is got", async () => {
  const saver = open();
  const put = checkpoint("1", { a: { deep: [1, null] }, b: "\ud83d\ude00" }, { a: 1, b: 1 });
  await saver.put(of("t"), put, META, { a: 1, b: 1 });
  const listed = async () => (await all(saver.list(of("t"))))[0].checkpoint;
  for (const look of [(c) => c, (c) => ({ ...c }), (c) => structuredClone(c), (c) => JSON.parse(JSON.stringify(c))]) assert.deepEqual(look(await listed()), put);
  const one = await listed();
  assert.equal(one.channel_values, one.channel_values);
  one.channel_values.a = 2;
  assert.deepEqual(one.channel_values.a, 2);
  one.channel_values = { b: 3 };
  assert.deepEqual(one.channel_values, { b: 3 });
  const other = await listed();
  other.channel_values = {};
  assert.deepEqual(other, { ...put, channel_values: {} });
  assert.deepEqual(await listed(), put);
  await saver.end();
});

// What a list shares between checkpoints is each one's own all the same.
test("listed checkpoints' values are as those that are got, and nobody else's", async () => {
  const saver = open();
  let deep = [];
  for (let i = 0; i < 2500; i++) deep = [deep];
  const values = { 2: "two", 1: { ["__proto__"]: ["a"], text: "\ud83d\ude00" }, large: { text: "x".repeat(10000) }, small: [{ a: [1] }], ["__proto__"]: { b: {} }, deep };
  const version = Object.fromEntries(Object.keys(values).map((name) => [name, 1]));
  const put = [];
  let config = of("t");
  for (let i = 0; i < 40; i++) {
    const now = { ...values };
    const versions = { ...version, n: i };
    Object.defineProperty(now, "n", { value: { n: [i] }, enumerable: true });
    if (i === 20) [now.bytes, versions.bytes] = [new Uint8Array([0, 255]), 1]; // is not JSON
    if (i === 30) delete now.small;
    put.unshift(checkpoint(String(100 + i), now, versions));
    config = await saver.put(config, put[0], META, i === 0 ? versions : i === 20 ? { n: i, bytes: 1 } : { n: i });
  }
  const text = (value) => JSON.stringify(value, (name, one) => (name === "bytes" ? "bytes" : name === "deep" ? one[0][0].length : one?.replace?.(/x+/, "x") ?? one));
  const texts = (list) => list.map((one) => text(one.channel_values));
  const listed = await all(saver.list(of("t")));
  assert.deepEqual(texts(listed.map((tuple) => tuple.checkpoint)), texts(put));
  for (const { checkpoint: { id, channel_values: got } } of listed) {
    assert.equal(text((await saver.getTuple(of("t", id))).checkpoint.channel_values), text(got));
    assert.deepEqual(got.n, { n: [Number(id) - 100] });
    got.large.text = got[1].text = "changed";
    if (got.small) got.small[0].a.push(2);
    got.deep[0].push(1);
    Object.getOwnPropertyDescriptor(got, "__proto__").value.b.changed = true;
    got[1]["__proto__"].push("b");
  }
  assert.deepEqual(texts((await all(saver.list(of("t")))).map((tuple) => tuple.checkpoint)), texts(put));
  assert.equal({}.changed, undefined);
  await saver.end();
});

test("a listing goes on behind its pages, and is filtered", async () => {
  const saver = open();
  const ids = Array.from({ length: 70 }, (_, i) => String(100 + i));
  await Promise.all(ids.map((id, i) => saver.put(of("t"), checkpoint(id, {}, {}), { source: i % 2 ? "loop" : "input", step: i }, {})));
  await saver.put(of("t", undefined, "sub"), checkpoint("300", {}, {}), META, {});
  assert.deepEqual((await all(saver.list(of("t")))).map((t) => t.checkpoint.id), [...ids].reverse());
  assert.equal((await all(saver.list({ configurable: { thread_id: "t" } }))).length, 71);
  assert.equal((await all(saver.list({}, { limit: 33 }))).length, 33);
  assert.equal((await all(saver.list(of("t"), { filter: { source: "loop", step: undefined } }))).length, 35);
  assert.deepEqual((await all(saver.list(of("t"), { filter: { source: "loop" }, limit: 1, before: of("t", "105") }))).map((t) => t.checkpoint.id), ["103"]);
  await saver.end();
});

test("another serializer's metadata and values are its own", async () => {
  const turned = (data) => Uint8Array.from(data, (byte) => byte ^ 255);
  const serde = {
    dumpsTyped: async (value) => ["turned", turned(new TextEncoder().encode(JSON.stringify(value)))],
    loadsTyped: async (type, data) => (assert.equal(type, "turned"), JSON.parse(new TextDecoder().decode(turned(data)))),
  };
  const saver = open({ serde });
  await saver.put(of("t"), checkpoint("1", { a: "secret" }, { a: 1 }), { source: "input", user: "secret" }, { a: 1 });
  await saver.put(of("t", "1"), checkpoint("2", { a: "secret" }, { a: 1 }), { source: "loop" }, {});
  assert.deepEqual((await all(saver.list(of("t"), { filter: { source: "input" }, limit: 1 }))).map((t) => [t.metadata.user, t.checkpoint.channel_values]), [["secret", { a: "secret" }]]);
  await saver.end();
  assert.equal(execFileSync("eventlog", ["export", "--db", path.resolve(`case-${cases}`, "events.db")]).includes("secret"), false);
});

test("LangGraph's own serializer is asked for what is more than JSON", async () => {
  const asked = [];
  const serde = new JsonPlusSerializer();
  const saver = open({ serde: Object.assign(serde, { dumpsTyped: async (value) => (asked.push(value), ["json", new TextEncoder().encode('"asked"')]) }) });
  const plain = { text: "\ud800\u0000\u00e9", numbers: [0, -0, 1e21, NaN], none: null, deep: { ["__proto__"]: [true] }, bare: Object.assign(Object.create(null), { a: 1 }) };
  const cycle = { a: [] };
  cycle.a.push(cycle);
  const more = [undefined, [undefined], [, 1], new Map(), new Date(0), { toJSON: () => 1 }, { lg_name: "Send" }, 1n, new (class One {})(), cycle, Symbol("a"), () => 1];
  const values = { plain, ...Object.fromEntries(more.map((value, i) => [`more-${i}`, [value]])) };
  const versions = Object.fromEntries(Object.keys(values).map((name) => [name, 1]));
  await saver.put(of("t"), checkpoint("1", values, versions), META, versions);
  await saver.putWrites(of("t", "1"), [["plain", plain], ["more", more[0]]], "task");
  const { checkpoint: { channel_values }, pendingWrites } = await saver.getTuple(of("t"));
  assert.deepEqual(asked.map((value) => (Array.isArray(value) ? value[0] : value)), [...more, more[0]]);
  assert.equal(JSON.stringify(channel_values.plain), JSON.stringify(plain));
  assert.deepEqual(Object.values(channel_values).slice(1), more.map(() => "asked"));
  assert.deepEqual(pendingWrites.map((write) => JSON.stringify(write[2])), [JSON.stringify(plain), '"asked"']);
  await saver.end();
});

test("texts of every length come back, at the edges of characters", async () => {
  const saver = open();
  for (const character of ["a", "\u00e9", "\u20ac", "\ud83d\ude00"]) {
    const values = Object.fromEntries(Array.from({ length: 220 }, (_, i) => [`of-${i}`, character.repeat(i + 50) + "b".repeat(i % 7)]));
    const versions = Object.fromEntries(Object.keys(values).map((name) => [name, 1]));
    await saver.put(of("t"), checkpoint("1", values, versions), META, versions);
    assert.deepEqual((await saver.getTuple(of("t"))).checkpoint.channel_values, values);
  }
  await saver.end();
});

test("puts at once share commits, and a wrong one fails alone", async () => {
  const saver = open();
  await saver.put(of("t"), checkpoint("0", {}, {}), META, {});
  const results = await Promise.allSettled(["1", "a b", "2"].map((id) => saver.put(of("t"), checkpoint(id, {}, {}), META, {})));
  assert.deepEqual(results.map((r) => r.status), ["fulfilled", "rejected", "fulfilled"]);
  assert.match(results[1].reason.message, /checkpoint id/);
  assert.equal(results[1].reason.status, "PAWL_EINVAL");
  assert.equal((await all(saver.list(of("t")))).length, 3);
  await saver.end();
});

// How many transactions the log's write-ahead log holds: frames that end one say how large the file is then.
const commits = () => {
  const wal = readFileSync(path.resolve(`case-${cases}`, "events.db-wal"));
  let n = 0;
  for (let at = 32; at < wal.length; at += 24 + wal.readUInt32BE(8)) n += wal.readUInt32BE(at + 4) !== 0 && wal.readUInt32BE(at + 8) === wal.readUInt32BE(16);
  return n;
};

test("what a turn of the event loop puts is one transaction, however its promises come to it", async () => {
  const saver = open();
  await saver.put(of("t"), checkpoint("0", {}, {}), META, {});
  const before = commits();
  const late = async (turns, work) => {
    for (let i = 0; i < turns; i++) await null;
    return work();
  };
  await Promise.all([
    late(0, () => saver.putWrites(of("t", "0"), [["a", 1]], "task-a")),
    late(50, () => saver.putWrites(of("t", "0"), [["a", 2]], "task-b")),
    late(90, () => saver.put(of("t", "0"), checkpoint("1", {}, {}), META, {})),
  ]);
  assert.equal(commits(), before + 1);
  assert.deepEqual((await saver.getTuple(of("t", "0"))).pendingWrites, [["task-a", "a", 1], ["task-b", "a", 2]]);
  assert.equal((await saver.getTuple(of("t"))).checkpoint.id, "1");
  await saver.end();
});

test("a thread shows as a run, and deleted it is gone with its receipt", async () => {
  const saver = open({ mission: "support" });
  const db = path.resolve(`case-${cases}`, "events.db");
  await saver.put(of("t"), checkpoint("1", { a: "x".repeat(10000) }, { a: 1 }), META, { a: 1 });
  await saver.put(of("u"), checkpoint("1", { a: 1 }, { a: 1 }), META, { a: 1 });
  const runs = JSON.parse(execFileSync("pawl", ["runs", "--json", "--db", db])).runs;
  assert.deepEqual(runs.map((run) => [run.run_id, run.mission_id, run.status]), [["u", "support", "completed"], ["t", "support", "completed"]]);
  await saver.deleteThread("t");
  await saver.deleteThread("t");
  assert.equal(await saver.getTuple(of("t")), undefined);
  assert.notEqual(await saver.getTuple(of("u")), undefined);
  await saver.end();
  const events = execFileSync("eventlog", ["export", "--db", db]).toString().trim().split("\n").map(JSON.parse);
  assert.equal(events[0].payload, null);
  assert.deepEqual([events.at(-1).type, events.at(-1).payload.kind, events.at(-1).payload.pruned, events.at(-1).payload.contents], ["Pruned", "threads", ["t"], 1]);
  execFileSync("eventlog", ["verify", "--db", db]);
  execFileSync("eventlog", ["replay", "--check", "--db", db]);
});

test("old threads are pruned, and contents of threads are nobody's to drop", async () => {
  const saver = open();
  const db = path.resolve(`case-${cases}`, "events.db");
  const pawlJson = (...args) => JSON.parse(execFileSync("pawl", [...args, "--json", "--db", db]));
  for (const id of ["a", "b", "c"]) await saver.put(of(id), checkpoint("1", { a: id.repeat(10000) }, { a: 1 }), META, { a: 1 });
  assert.equal(pawlJson("prune", "threads", "--keep", "1", "--dry-run").threads.filter((thread) => thread.goes).length, 2);
  const report = pawlJson("prune", "threads", "--keep", "1", "--actor", "user:ana");
  assert.deepEqual(report.threads.map((thread) => [thread.thread_id, thread.goes, thread.why]), [["c", false, "newest"], ["b", true, null], ["a", true, null]]);
  assert.deepEqual([report.checkpoints, report.writes, report.contents, report.bytes > 100], [2, 0, 2, true]);
  assert.equal(pawlJson("prune", "threads", "--older-than", "1h").contents, 0);
  assert.equal(pawlJson("du").unnamed?.contents ?? 0, 0);
  assert.deepEqual((await all(saver.list({}))).map((t) => t.checkpoint.channel_values), [{ a: "c".repeat(10000) }]);
  await saver.end();
});

test("misuse is refused", async () => {
  for (const make of [() => new PawlSaver("x", { missionId: "m" }), () => PawlSaver.fromConnString("x", { missionId: "m" })])
    assert.throws(make, (error) => error.status === "PAWL_EINVAL" && /has no option missionId; its options are serde, mission/.test(error.message));
  const { Threads, PawlError } = pawl;
  const threads = await Threads.open(path.resolve(`case-${++cases}`, "events.db"));
  await assert.rejects(threads.list("no filter"), PawlError);
  await assert.rejects(threads.put([[1, 2]]), PawlError);
  const item = (thread, channel, data) => [thread, "", "1", null, "{}", "{}", [channel, "1", "text", data], []];
  for (const [thread, channel] of [["a\0b", "c"], ["t", "c\0"], ["t", "c\0\0\0\0"]]) {
    await assert.rejects(threads.put([item(thread, channel, "x")]), (error) => error instanceof PawlError && /holds a NUL/.test(error.message));
  }
  assert.deepEqual(await threads.list([null, null, null, null, null, 0, null, null, null]), []);
  for (const data of ["", "\x01", "a\0b", new Uint8Array([0, 255])]) {
    await threads.put([item("t", "\x01", data)]);
    const [[, , , , , , channels]] = await threads.list(["t", "", "1", null, null, 0, null, null, null]);
    assert.deepEqual([channels[0], channels[2], Buffer.from(channels[3])], ["\x01", "text", Buffer.from(data)]);
  }
  await threads.put([]);
  await threads.close();
  await assert.rejects(threads.put([]), /closed/);
  await assert.rejects(threads.list([null, null, null, null, null, 0, null, null, null]), /closed/);
  await assert.rejects(Threads.open(path.resolve("none", "none", "events.db")), PawlError);
});
