// The saver beside LangGraph's own, in one run: node bench.mjs [URL of a log on a server, connection string for PostgresSaver].
// Each prints its median in microseconds and the ratio; a ratio that is not met ends it with 1.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import { PawlSaver } from "@pawl/langgraph";

const [url, connection] = process.argv.slice(2);
const directory = mkdtempSync(path.join(process.env.BENCH_DIR ?? tmpdir(), "pawl-"));
const of = (thread_id, checkpoint_id) => ({ configurable: { thread_id, checkpoint_ns: "", ...(checkpoint_id && { checkpoint_id }) } });
const STEPS = Number(process.env.STEPS ?? 400);
const ROUNDS = 5;

const bytes = (paths) => paths.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
const sizeOf = (file) => bytes([file, `${file}-wal`]);
let salt = 0; // each thread has texts of its own
const words = (seed, n) => Array.from({ length: n }, (_, i) => (Math.imul((seed + salt * 104729) * 7919 + i + 1, 2654435761) >>> 0).toString(36)).join(" ");

// An agent's state: a conversation that grows up to 20 messages, and what stays as it is.
const state = (step) => ({
  messages: Array.from({ length: Math.min(step + 1, 20) }, (_, i) => ({ role: i % 2 ? "assistant" : "user", content: words(step < 20 ? i : step - 20 + i, 25) })),
  step,
  ...Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`context_${i}`, { title: words(i, 4), text: words(i + 50, 70), tags: ["a", "b"] }])),
});
const versions = (step) => Object.fromEntries(Object.keys(state(0)).map((name) => [name, name === "messages" || name === "step" ? step + 1 : 1]));
const changed = (step) => (step ? { messages: step + 1, step: step + 1 } : versions(0));
const checkpoint = (step) => ({
  v: 4, id: uuid6(step), ts: new Date().toISOString(), channel_values: state(step), channel_versions: versions(step), versions_seen: { agent: { messages: step } },
});

const sqlite = (name) => {
  const saver = SqliteSaver.fromConnString(path.join(directory, name));
  saver.setup();
  saver.db.pragma("synchronous=FULL");
  return Object.assign(saver, { end: () => saver.db.close(), file: path.join(directory, name) });
};
const pawl = (name) => Object.assign(PawlSaver.fromConnString(path.join(directory, name)), { file: path.join(directory, name) });

async function time(times, work) {
  const from = process.hrtime.bigint();
  await work();
  times.push(Number(process.hrtime.bigint() - from) / 1000);
}
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

// A thread of STEPS checkpoints, each put after the last; then read.
async function measure(saver, thread, times) {
  let config = of(thread);
  for (let step = 0; step < STEPS; step++) {
    const one = checkpoint(step);
    const meta = { source: "loop", step, parents: {} };
    await time(times.put, async () => { config = await saver.put(config, one, meta, changed(step)); });
    await time(times.putWrites, () => saver.putWrites(config, [["messages", { role: "user", content: "more" }]], "11111111-2222-3333-4444-555555555555"));
  }
  for (let i = 0; i < STEPS; i++) await time(times.getTuple, () => saver.getTuple(of(thread)));
  for (let i = 0; i < 5; i++) {
    await time(times.list, async () => { let n = 0; for await (const tuple of saver.list(of(thread))) n += tuple.checkpoint.v; });
    await time(times.listValues, async () => { let n = 0; for await (const tuple of saver.list(of(thread))) for (const value of Object.values(tuple.checkpoint.channel_values)) n += value.length ?? value.tags?.length ?? value; });
  }
}

let missed = 0;
function compare(name, times, most) {
  for (const [what, limit] of Object.entries(most)) {
    const [ours, theirs] = [median(times[0][what]), median(times[1][what])];
    const ratio = ours / theirs;
    missed += ratio > limit;
    console.log(`${name} ${what}: ${ours.toFixed(0)} us beside ${theirs.toFixed(0)}: ${ratio.toFixed(2)} (at most ${limit})${ratio > limit ? " MISSED" : ""}`);
  }
}
const empty = () => ({ put: [], putWrites: [], getTuple: [], list: [], listValues: [] });

async function beside(name, ours, theirs, most) {
  const times = [empty(), empty()];
  for (let round = 0; round < ROUNDS; round++) {
    salt = round;
    for (const [i, saver] of round % 2 ? [[1, theirs], [0, ours]] : [[0, ours], [1, theirs]]) await measure(saver, `thread-${round}`, times[i]);
  }
  compare(name, times, most);
  await ours.end();
  await theirs.end();
}

await beside("SqliteSaver", pawl("a.db"), sqlite("b.db"), { put: 0.8, putWrites: 0.8, getTuple: 0.5, list: 0.25, listValues: 0.25 });
// What a saver adds to a step of a graph: two tasks' writes and a checkpoint, as LangGraph itself puts them.
const last = (most) => Annotation({ reducer: (before, more) => [...before, ...more].slice(-most), default: () => [] });
const State = Annotation.Root({ messages: last(20), notes: last(20), step: Annotation(), context: Annotation() });
const graph = (checkpointer, steps) => new StateGraph(State)
  .addNode("agent", async ({ step }) => ({ messages: [{ role: "assistant", content: words(step, 25) }], step: step + 1 }))
  .addNode("tool", async ({ step }) => ({ notes: [{ role: "tool", content: words(step + 500, 25) }] }))
  .addEdge(START, "agent").addEdge(START, "tool")
  .addConditionalEdges("agent", ({ step }) => (step < steps ? ["agent", "tool"] : END), ["agent", "tool", END])
  .compile({ checkpointer });

async function besideInGraph(durability, ours, theirs, most) {
  const times = [[], [], []];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    for (const i of round % 2 ? [2, 1, 0] : [0, 1, 2]) {
      const one = graph([ours, theirs, undefined][i], 50);
      await time(times[i], () => one.invoke({ step: 0, context: words(1, 400) }, { configurable: { thread_id: `graph-${round}` }, recursionLimit: 100, durability }));
    }
  }
  const [a, b, none] = times.map((list) => median(list) / 50);
  const ratio = (a - none) / (b - none);
  missed += ratio > most;
  console.log(`SqliteSaver, a graph's step, ${durability}: ${none.toFixed(0)} us and ${(a - none).toFixed(0)} beside ${(b - none).toFixed(0)}: ${ratio.toFixed(2)} (at most ${most})${ratio > most ? " MISSED" : ""}`);
}
for (const durability of ["async", "sync"]) {
  const savers = [pawl(`graph-${durability}-a.db`), sqlite(`graph-${durability}-b.db`)];
  await besideInGraph(durability, ...savers, 0.8);
  for (const saver of savers) await saver.end();
}

if (url) {
  const theirs = PostgresSaver.fromConnString(connection);
  await theirs.setup();
  await beside("PostgresSaver", PawlSaver.fromConnString(url), theirs, { put: 0.5, getTuple: 0.5 });
}

// A thread with a channel of 1 MB that changes a little.
const LARGE = Number(process.env.LARGE ?? 1000);
{
  const rows = Array.from({ length: 10000 }, (_, i) => ({ n: i, text: words(i, 12) }));
  const [ours, theirs] = [pawl("large-a.db"), sqlite("large-b.db")];
  const left = Math.min(LARGE, Number(process.env.LARGE_THEIRS ?? 100)); // theirs keeps each whole
  for (const [saver, n] of [[ours, LARGE], [theirs, left]]) {
    let config = of("large");
    for (let step = 0; step < n; step++) {
      rows[(step * 7919) % rows.length] = { n: step, text: words(step + 100000, 12) };
      config = await saver.put(config, { ...checkpoint(step), channel_values: { rows }, channel_versions: { rows: step + 1 } }, { source: "loop", step, parents: {} }, { rows: step + 1 });
    }
    await saver.end();
  }
  const [a, b] = [sizeOf(ours.file) / LARGE, sizeOf(theirs.file) / left];
  missed += a / b > 0.2;
  console.log(`a channel of ${(JSON.stringify(rows).length / 1e6).toFixed(2)} MB, ${LARGE} checkpoints: ${(a / 1024).toFixed(0)} KiB each beside ${(b / 1024).toFixed(0)}: ${(a / b).toFixed(3)} (at most 0.2)${a / b > 0.2 ? " MISSED" : ""}`);
}
rmSync(directory, { recursive: true });
process.exit(missed ? 1 : 0);
