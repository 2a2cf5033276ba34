// What the binding promises beyond its functions: claims, options, values, handles, modules. Run in an empty directory:
// node promises.mjs, with the module's path in PAWL_MODULE.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

const module = path.resolve(process.env.PAWL_MODULE);
const pawl = await import(pathToFileURL(path.join(module, "index.js")));
const { Context, Log, Mission, PawlError, Pipeline, Threads, canonical, hash, version } = pawl;

const TEAM = `
terms:
  - {surface: workspace, definition: A directory in which a step works.}
  - {surface: workspace, definition: The account that people share., confidence: 0.9}
`;
const MISSION = `
mission: refunds
glossary: {team_domain: team.yaml}
params: {who: {type: string, default: ana}, n: {type: number, default: 1}, any: {type: json, default: null}}
steps:
  - {id: specify, critical: true, inputs: {description: Refunds land in the workspace., who: {$param: who}, any: {$param: any}}, run: [cat]}
`;
const VALUES = ["42", "null", "true", '{"a":1}', '"quoted"', "", "plain text", "é\n", 42, 1.5, null, true, [], {}, { a: ["1", 1] }];
const refused = (status, says = /./) => (error) => error instanceof PawlError && error.status === status && says.test(error.message);

let cases = 0;
const fixture = async () => {
  const directory = path.resolve(`promise-${++cases}`);
  mkdirSync(directory);
  writeFileSync(path.join(directory, "mission.yaml"), MISSION);
  writeFileSync(path.join(directory, "team.yaml"), TEAM);
  const where = path.join(directory, ".pawl", "events.db");
  return { directory, where, log: await Log.open(where, { leaseMs: 300 }), mission: await Mission.load(path.join(directory, "mission.yaml")) };
};

// A person who takes four leases.
const waiting = (where) => {
  const until = () => Number(execFileSync("sqlite3", [where, "SELECT until_ms FROM leases WHERE held"]));
  const renewed = [];
  const wait = async () => {
    const before = until();
    await new Promise((resolve) => { setTimeout(resolve, 1200); });
    renewed.push(until() - before >= 600);
    return 1;
  };
  return { renewed, wait };
};

test("claims are renewed while a function waits", async () => {
  const { where, log, mission } = await fixture();
  const { renewed, wait } = waiting(where);
  assert.equal((await mission.run(log, { clarify: wait, progress: ({ stage }) => stage === "running" && wait() })).status, "completed");
  assert.deepEqual(renewed, [true, true]);
  await log.close();
});

test("claims are renewed while a pipeline asks", async () => {
  const { directory, where, log } = await fixture();
  const { renewed, wait } = waiting(where);
  const pipeline = await Pipeline.open(log, { clarify: wait, confirm: wait });
  await pipeline.seed("team_domain", path.join(directory, "team.yaml"));
  const { status, retryToken } = await pipeline.run(await Context.create("m", "r1", "a", { description: 'the "workspace"' }, { critical: true }));
  const again = await Context.create("m", "r1", "a", { description: "another" }, { retryToken });
  assert.deepEqual([status, (await pipeline.run(again)).status, (await pipeline.complete(again, 1)).status, renewed], ["ok", "ok", "ok", [true, true]]);
  const third = await Context.create("m", "r1", "a", { description: "a third" });
  assert.equal(await third.inputChange(), null);
  await assert.rejects((await Pipeline.open(log)).run(third), refused("PAWL_EINPUTS"));
  assert.match((await third.inputChange()).diff, /another.*a third/);
  await log.close();
});

test("an option that does not exist is refused, and the others are named", async () => {
  const { directory, where, log, mission } = await fixture();
  const head = await log.head();
  const pipeline = await Pipeline.open(log);
  const threads = await Threads.open(path.join(directory, "threads.db"));
  const wrong = { readOnly: true };
  for (const [name, use] of Object.entries({
    "create, readonly, key, busyMs, leaseMs": () => Log.open(where, wrong), mission: () => Threads.open(where, wrong),
    "storeInputs, acceptInputs, clarify, confirm": () => Pipeline.open(log, wrong), "metadata, strictness, retryToken, critical": () => Context.create("m", "r", "s", {}, wrong),
    "runId, actor, strictness": () => mission.run(log, wrong), "actor, acceptChangedInputs": () => log.resume("r", wrong), "runId, actor, strictness, home": () => mission.submit(log, wrong),
    "log, stepId": () => mission.check(wrong), "output, actor": () => log.skip("r", "s", wrong), actor: () => log.cancel("r", wrong), contents: () => log.steps("r", wrong), "type, runId, stepId, follow, waitMs, everyMs": () => log.events(0, wrong).next(),
    fence: () => log.append([], wrong), "status, limit": () => log.runs(wrong), "runId, resolved": () => log.conflicts(wrong), runId: () => log.senses(wrong),
    "pick, define": () => log.resolve("c", wrong), "missionId, sessionId": () => log.sessions(wrong), "actor, takeOver": () => log.startSession("m", wrong),
    "actor, step": () => log.updateSession("s", wrong), "actor, reason": () => log.checkpointSession("s", wrong), "actor, status": () => log.endSession("s", wrong),
    "description, onlyIfChanged": () => log.checkpoint(wrong), "root, acto": () => log.rollback(1, wrong), "root, patch": () => log.diff(1, 2, wrong),
    "pinned, actor": () => log.pin(1, wrong), "root, actor$": () => log.undo(wrong), "actor$": () => threads.delete("t", wrong),
  })) await assert.rejects(use, refused("PAWL_EINVAL", new RegExp(`has no option readOnly; its options .*${name}`)), name);
  for (const use of [() => Log.open(where, "readonly"), () => Log.open(where, { readonly: "yes" }), () => Log.open(where, { key: "secret" }), () => Log.open(where, { leaseMs: 1.5 }),
    () => mission.run(log, { clarify: 1 }), () => mission.run(log, { actor: 5 }), () => log.resume("r", { strictness: "max" }), () => log.runs([])])
    await assert.rejects(use, refused("PAWL_EINVAL"), String(use));
  assert.deepEqual(await log.head(), head);
  await Promise.all([pipeline.close(), threads.close(), log.close()]);
});

test("a log that can only be read, or has a key, is what its options say", async () => {
  const { directory, where, log } = await fixture();
  const reader = await Log.open(where, { readonly: true });
  await assert.rejects(reader.startSession("m"), refused("PAWL_EREADONLY"));
  const keyed = path.join(directory, "keyed.db");
  const key = new Uint8Array(32).map((_, i) => 7 * i);
  const writer = await Log.open(keyed, { key });
  await writer.startSession("m");
  assert.equal((await writer.verify()).keyed, true);
  await writer.close();
  await assert.rejects(Log.open(keyed, { key: Buffer.alloc(32) }), refused("PAWL_EKEY"));
  await assert.rejects(Log.open(keyed, { key: Buffer.alloc(31) }), refused("PAWL_EINVAL"));
  await Promise.all([reader.close(), log.close()]);
});

test("values come back as they went in", async () => {
  const { where, log } = await fixture();
  const pipeline = await Pipeline.open(log);
  const tokens = [];
  const context = (n) => Context.create("m", "r1", `s${n}`, { n: 1 }, { retryToken: tokens[n] });
  for (const [n, value] of VALUES.entries()) {
    const one = await context(n);
    tokens.push((await pipeline.run(one)).retryToken);
    assert.deepEqual((await pipeline.complete(one, value)).output, value);
  }
  await log.close();
  const again = await Log.open(where);
  const resumed = await Pipeline.open(again);
  for (const [n, value] of VALUES.entries()) {
    const { status, output } = await resumed.run(await context(n));
    assert.deepEqual([status, output], ["done", value]);
  }
  await again.close();
});

test("inputs are values, and none are an empty object", async () => {
  const { log } = await fixture();
  const pipeline = await Pipeline.open(log);
  const inputHash = async (n, inputs) => (await pipeline.run(await Context.create("m", "r1", `s${n}`, inputs))).inputHash;
  for (const [n, inputs] of VALUES.entries()) assert.equal(await inputHash(n, inputs), await hash(JSON.stringify(inputs ?? {})));
  assert.equal(await inputHash("none"), await hash("{}"));
  await log.close();
});

test("what JSON has not is refused, and not written as null", async () => {
  const { log } = await fixture();
  for (const value of [[undefined], [() => {}], { a: [1, undefined] }, [, 1], [Symbol("x")], NaN, [Infinity], 1n])
    await assert.rejects(Context.create("m", "r", "s", value), refused("PAWL_EINVAL", /inputs/));
  await (await Context.create("m", "r", "s", { a: undefined })).close();
  await log.close();
});

test("a parameter takes values of its type alone", async () => {
  const { log, mission } = await fixture();
  for (const [name, value] of [["who", 3], ["who", null], ["n", "3"], ["n", null], ["who", ["ana"]], ["none", "x"]])
    await assert.rejects(mission.setParam(name, value), refused("PAWL_EINVAL"), name);
  for (const [who, any] of [["3", "42"], ["null", "null"], ["x", { a: "1" }]]) {
    await mission.setParam("who", who);
    await mission.setParam("any", any);
    assert.deepEqual((await mission.params()).map((param) => param.value), [who, 1, any]);
    assert.equal((await mission.run(log, { clarify: () => 1 })).status, "completed");
  }
  await log.close();
});

// A run of three steps: one gave a text, one a value, and one was left while it ran.
const runSteps = async (log) => {
  const pipeline = await Pipeline.open(log);
  for (const [step, output] of [["a", "42"], ["b", { x: ["1"] }], ["c", null]]) {
    const context = await Context.create("m", "run-one", step, { of: step });
    await pipeline.run(context);
    if (output !== null) await pipeline.complete(context, output);
  }
};
const all = async (events) => { const list = []; for await (const event of events) list.push(event); return list; };

test("a run is listed with its steps, inputs and outputs", async () => {
  const { log } = await fixture();
  await runSteps(log);
  const steps = await log.steps("run-one");
  assert.deepEqual(steps.map((step) => [step.stepId, step.inputs, step.output]), [["a", { of: "a" }, "42"], ["b", { of: "b" }, { x: ["1"] }], ["c", { of: "c" }, null]]);
  assert.deepEqual(steps.map((step) => step.status === "completed"), [true, true, false]);
  assert.equal(Object.keys(steps[0]).sort().join(" "), "blockedBy checkpointSeq cursor exitCode inputHash inputs output outputHash reason retryToken status stepId");
  assert.deepEqual((await log.steps("run-one", { contents: false })).map((step) => [step.inputs, step.output]), [[null, null], [null, null], [null, null]]);
  assert.deepEqual([(await log.findRun("run-one")).missionId, (await log.findRun("run-")).runId], ["m", "run-one"]);
  for (const use of [() => log.findRun("none"), () => log.steps("none"), () => log.latestStepCheckpoint("run-one", "none")]) await assert.rejects(use, refused("PAWL_ENOTFOUND"));
  const latest = await log.latestStepCheckpoint("run-one", "a");
  assert.deepEqual([latest.retryToken, latest.seq], [steps[0].retryToken, steps[0].checkpointSeq]);
  const event = (await all(log.events(0, { type: "StepCheckpointed", stepId: "a" }))).at(-1);
  const { retryToken, cursor, inputHash } = await pawl.parseCheckpoint(event.payload);
  assert.deepEqual([retryToken, cursor, inputHash], [latest.retryToken, latest.cursor, latest.inputHash]);
  await assert.rejects(pawl.parseCheckpoint({ cursor: 1 }), PawlError);
  await log.close();
});

test("a run whose last session ended before it could end it is ended later, and not over open steps", async () => {
  const { where, log } = await fixture();
  await runSteps(log);
  await log.close();
  const again = await Log.open(where);
  const pipeline = await Pipeline.open(again);
  await assert.rejects(pipeline.endRun("run-one"), refused("PAWL_ESTATE", /\bc \(/));
  const left = await Context.create("m", "run-one", "c", { of: "c" });
  assert.equal((await pipeline.run(left)).status, "ok");
  await pipeline.complete(left, "42");
  await pipeline.close();
  const last = await Pipeline.open(again);
  for (const _ of [1, 2]) await last.endRun("run-one"); // it claims the run; the second does nothing
  assert.deepEqual([(await again.findRun("run-one")).status, (await again.steps("run-one")).map((step) => step.output)], ["completed", ["42", { x: ["1"] }, "42"]]);
  await again.close();
});

test("events are filtered and waited for", async () => {
  const { where, log } = await fixture();
  await runSteps(log);
  const found = await all(log.events(0, { type: "StepCompleted", runId: "run-one" }));
  assert.deepEqual(found.map((event) => [event.type, event.stepId]), [["StepCompleted", "a"], ["StepCompleted", "b"]]);
  assert.deepEqual((await all(log.events(found[0].seq, { type: "StepCompleted" }))).map((event) => event.stepId), ["b"]);
  assert.deepEqual(await all(log.events(0, { runId: "other", waitMs: 200 })), []);
  await assert.rejects(all(log.events(0, { type: "Nothing" })), PawlError);
  const { seq } = await log.head();
  const other = await Log.open(where);
  setTimeout(() => other.startSession("work", { actor: "agent:x" }), 300);
  assert.deepEqual((await all(log.events(seq, { waitMs: 1000, everyMs: 20 }))).map((event) => event.type), ["SessionStarted"]);
  const [{ sessionId }] = await log.sessions();
  setTimeout(() => other.updateSession(sessionId, { summary: "half" }), 100);
  for await (const event of log.events(seq, { type: "SessionUpdated", follow: true, everyMs: 20 })) {
    assert.equal(event.payload.summary, "half");
    break;
  }
  await Promise.all([log.close(), other.close()]);
});

test("a session has its steps, checkpoints and handoff", async () => {
  const { log } = await fixture();
  const session = await log.startSession("work", { actor: "agent:x", step: "two", summary: "half", completed: ["one"], pending: ["three", "\u00e9"], files: ["a"] });
  const seq = await log.checkpointSession(session);
  const found = await log.session(session);
  assert.equal(Object.keys(found).sort().join(" "), "branch captures checkpoints commit session steps");
  assert.deepEqual([found.session.sessionId, found.steps.map((step) => step.stepId), found.checkpoints.map((one) => [one.seq, one.reason])], [session, ["one", "two", "three", "\u00e9"], [[seq, "manual"]]]);
  assert.deepEqual((await log.session()).session, found.session);
  await log.updateSession(session, { pending: [] });
  const said = await log.handoffData(session);
  assert.deepEqual([said.status, said.done.map((step) => step.step_id), said.next], [found.session.status, ["one"], []]);
  for (const wrong of ["one", [1], ["a\0b"], [null]]) await assert.rejects(log.updateSession(session, { pending: wrong }), refused("PAWL_EINVAL"));
  assert.equal((await pawl.parseHandoff(await log.handoff(session))).session_id, session);
  await log.close();
});

test("what is missing, closed or something else is refused", async () => {
  const { directory, log, mission } = await fixture();
  const pipeline = await Pipeline.open(log);
  const context = await Context.create("m", "r1", "s");
  const threads = await Threads.open(path.join(directory, "threads.db"));
  const calls = (handle) => Object.getOwnPropertyNames(Object.getPrototypeOf(handle))
    .filter((name) => !["constructor", "close", "end", "id", "steps", "interrupt"].includes(name)).map((name) => [name, (...args) => {
      const made = handle[name](...args);
      return made.next ? made.next() : made;
    }]);
  for (const args of [[], [null, null, null], [undefined, null], [{}, {}], [log, log], [Symbol("x")]])
    for (const handle of [log, mission, pipeline, context, threads])
      for (const [name, use] of calls(handle)) await use(...args).catch((error) => assert.ok(error.message, name));
  for (const use of [Log.open, Mission.load, Pipeline.open, Context.create, Threads.open, hash, canonical]) await assert.rejects(async () => use(null), PawlError);
  for (const handle of [context, pipeline, mission, threads, log]) await handle.close();
  for (const handle of [context, pipeline, mission, threads, log])
    for (const [name, use] of calls(handle)) await assert.rejects(use("x", "x", "x").then(() => {}), (error) => error instanceof PawlError || error instanceof TypeError, name);
  for (const made of [new Log(), new Log({}), new Mission(), new Context("x")]) await assert.rejects(made.close());
});

test("everything is there by name, as a module and as required", async () => {
  const names = "Context Log Mission PawlError Pipeline Threads canonical hash parseCheckpoint parseHandoff version";
  assert.equal(Object.keys(pawl).filter((name) => name !== "default" && name !== "module.exports").sort().join(" "), names);
  assert.equal(Object.keys(pawl.default).sort().join(" "), names);
  assert.match(version, /^\d+\.\d+\.\d+/);
  assert.equal(await hash("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  assert.equal(await canonical('{"b":1.0,"a":"é"}'), '{"a":"é","b":1}');
});
