// The Node binding as programs use it. Run in an empty directory: node binding.mjs MODULE.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";

const module = path.resolve(process.env.PAWL_MODULE);
const pawl = createRequire(import.meta.url)(module);
const { Context, Log, Mission, PawlError, Pipeline, Threads } = pawl;

const MISSION = `
mission: refunds
glossary: {team_domain: team.yaml}
steps:
  - id: research
    inputs: {topic: refunds}
    run: [sh, -c, 'echo "{\\"summary\\": \\"three days\\"}"']
  - id: specify
    critical: true
    inputs: {description: Refunds land in the workspace., earlier: {$from: "research#/summary"}}
    run: [cat]
`;
const TEAM = `
terms:
  - {surface: workspace, definition: A directory in which a step works.}
  - {surface: workspace, definition: The account that people share., confidence: 0.9}
`;

let cases = 0;
const fixture = async () => {
  const directory = path.resolve(`case-${++cases}`);
  mkdirSync(directory);
  writeFileSync(path.join(directory, "mission.yaml"), MISSION);
  writeFileSync(path.join(directory, "team.yaml"), TEAM);
  const where = path.join(directory, ".pawl", "events.db");
  return { directory, where, log: await Log.open(where), mission: await Mission.load(path.join(directory, "mission.yaml")) };
};
const refused = (status) => (error) => error instanceof PawlError && error.status === status && error.message.length > 0;

test("a blocked run is answered and resumed", async () => {
  const { log, mission } = await fixture();
  assert.deepEqual([mission.id, mission.steps], ["refunds", ["research", "specify"]]);
  const result = await mission.run(log, { runId: "r1" });
  assert.deepEqual([result.status, result.runId, result.conflicts.length], ["blocked", "r1", 1]);
  assert.deepEqual(result.steps.map((step) => step.status), ["completed", "blocked"]);
  const [conflict] = await log.conflicts({ runId: "r1" });
  assert.deepEqual([conflict.term, conflict.candidates.length, conflict.conflictId], ["workspace", 2, result.conflicts[0]]);
  await log.resolve(conflict.conflictId, { pick: 1, actor: "user:ana" });
  await assert.rejects(log.resolve(conflict.conflictId, { pick: 2 }), refused("PAWL_EEXISTS"));
  assert.equal((await log.resume(result.steps[1].retryToken)).status, "completed");
  assert.deepEqual((await log.runs()).map((run) => run.status), ["completed"]);
  await log.close();
});

test("questions and progress come to functions, that may take their time", async () => {
  const { log, mission } = await fixture();
  const stages = [];
  const result = await mission.run(log, {
    clarify: async (conflict) => { await new Promise((resolve) => { setTimeout(resolve, 50); }); return { define: `What "${conflict.term}" means: é` }; },
    progress: (at) => stages.push(`${at.stage} ${at.stepId}`),
  });
  assert.equal(result.status, "completed");
  assert.ok(stages.includes("completed specify"));
  const resolved = [];
  for await (const event of log.events()) if (event.type === "GlossaryClarificationResolved") resolved.push(event.payload.selected_sense.definition);
  assert.deepEqual(resolved, ['What "workspace" means: é']);
  await log.close();
});

const keys = (object) => Object.keys(object).sort().join(" ");

test("results have all that the library tells", async () => {
  const { directory, log } = await fixture();
  const write = (steps) => writeFileSync(path.join(directory, "mission.yaml"), `mission: m
params: {who: {type: string, default: ana}, n: {type: number}}
glossary: {team_domain: team.yaml}
steps:
${steps}`);
  const first = "- {id: a, inputs: {who: {$param: who}, go: false}, run: [cat]}\n- {id: no, when: {$from: a#/go}, run: [cat]}\n";
  const hold = "- {id: b, critical: true, inputs: {description: Refunds land in the workspace.}, run: [cat]}\n";
  write(first + hold);
  const mission = await Mission.load(path.join(directory, "mission.yaml"));
  assert.deepEqual(await mission.params(), [{ name: "who", type: "string", description: null, value: "ana" }, { name: "n", type: "number", description: null }]);
  await assert.rejects(mission.run(log), refused("PAWL_EINVAL"));
  await mission.setParam("n", 3);
  await assert.rejects(mission.setParam("n", "three"), refused("PAWL_EINVAL"));
  await assert.rejects(mission.setParam("none", 1), refused("PAWL_EINVAL"));
  writeFileSync(path.join(directory, "params.yaml"), "who: bea\n");
  await mission.loadParams(path.join(directory, "params.yaml"));
  assert.deepEqual((await mission.params()).map((param) => param.value), ["bea", 3]);
  assert.deepEqual((await mission.check({ log })).map((step) => [step.step_id, step.blocked]), [["a", false], ["no", false], ["b", true]]);
  assert.equal((await mission.check({ stepId: "a" })).length, 1);
  const stages = [];
  const result = await mission.run(log, { runId: "r1", progress: (at) => stages.push(`${at.stage} ${at.stepId}`) });
  assert.ok(stages.includes("left out no"), stages.join());
  assert.equal(keys(result), "cancelled conflicts inputsChanged message missionChanged missionId runId sessionId signal status steps stepsCompleted stepsTotal");
  assert.deepEqual(result.steps.map((step) => [step.status, step.unfinished, step.removed]), [["completed", false, false], ["skipped", false, false], ["blocked", false, false]]);
  assert.deepEqual([result.missionChanged, result.inputsChanged, result.signal], [[], null, 0]);
  const [run] = await log.runs();
  assert.equal(keys(run), "currentStep missionId openConflicts ownerHost ownerPid reason retryToken runId sessionId startedSeq startedUs status stepsCompleted stepsTotal updatedSeq updatedUs");
  assert.ok(run.startedSeq > 0 && run.updatedSeq > run.startedSeq && run.updatedUs >= run.startedUs && run.ownerPid === 0);
  const [conflict] = await log.conflicts();
  assert.equal(keys(conflict), "answer candidates confidence conflictId conflictType context dueUs missionId otherwise requestedUs resolvedSeq retryToken runId severity status stepId term");
  assert.deepEqual((await log.senses({ runId: "r1" })).map((sense) => [sense.surface, sense.status, sense.source]), [["workspace", "active", "seed_file"], ["workspace", "active", "seed_file"]]);
  const token = result.steps[2].retryToken;
  const step = await log.stepCheckpoint(token);
  assert.deepEqual([step.runId, step.stepId, step.retryToken, step.scopeRefs.map((ref) => ref.scope)], ["r1", "b", token, ["team_domain"]]);
  await assert.rejects(log.stepCheckpoint("none"), refused("PAWL_EINVAL"));
  await assert.rejects(log.resolve(undefined, { pick: 1 }), refused("PAWL_EINVAL"));
  await log.resolve(conflict.conflictId, { pick: 1 });
  await log.resolve(conflict.conflictId, { dismiss: true, replace: true });
  write(first + "- {id: c, run: [cat]}\n");
  const changes = [];
  await assert.rejects(log.resume("r1", { confirmMission: (list) => { changes.push(...list); throw new Error("no"); } }), /^Error: no$/);
  const removed = await log.resume("r1", { confirmMission: () => true, notice: () => {}, waitMs: 0 });
  assert.deepEqual([removed.missionChanged, changes], [changes, [{ stepId: "c", change: "added" }, { stepId: "b", change: "removed" }]]);
  assert.deepEqual(removed.steps.map((at) => [at.stepId, at.status, at.removed]).filter(([id]) => id === "b"), [["b", "skipped", true]]);
  await log.close();
});

test("a term is dismissed by a function", async () => {
  const { log, mission } = await fixture();
  const { status, runId } = await mission.run(log, { clarify: () => ({ dismiss: true }) });
  assert.equal(status, "completed");
  assert.ok((await log.senses({ runId })).some((sense) => sense.status === "ignored"));
  await log.close();
});

test("inputs that changed are told", async () => {
  const { directory, log } = await fixture();
  const file = path.join(directory, "mission.yaml");
  const write = (who) => writeFileSync(file, `mission: m\nsteps:\n- {id: a, inputs: {who: ${who}}, run: [sh, -c, "test -e ${directory}/go"]}\n`);
  write("ana");
  assert.equal((await (await Mission.load(file)).run(log, { runId: "r" })).status, "failed");
  write("bea, more: 1");
  writeFileSync(path.join(directory, "go"), "");
  const result = await log.resume("r", { acceptChangedInputs: true, acceptChangedMission: true });
  assert.equal(result.status, "completed");
  assert.equal(result.missionChanged[0].change, "inputs");
  await log.close();
});

test("runs are steered: a failed step is skipped, a run cancelled or put in line", async () => {
  const { directory, log } = await fixture();
  writeFileSync(path.join(directory, "mission.yaml"), "mission: m\nsteps:\n- {id: a, run: [sh, -c, 'exit 3']}\n- {id: b, inputs: {a: {$from: a}}, run: [cat]}\n");
  const mission = await Mission.load(path.join(directory, "mission.yaml"));
  assert.equal((await mission.run(log, { runId: "r1" })).status, "failed");
  await assert.rejects(log.skip("r1", "b"), refused("PAWL_ESTATE"));
  await assert.rejects(log.skip("r1"), refused("PAWL_EINVAL"));
  await log.skip("r1", "a", { output: "é", actor: "user:ana" });
  assert.equal((await log.resume("r1")).status, "completed");
  await assert.rejects(log.cancel("r1"), refused("PAWL_ESTATE"));
  await assert.rejects(log.cancel("none"), refused("PAWL_ENOTFOUND"));
  assert.equal(await mission.submit(log, { runId: "r2", actor: "user:ana" }), "r2");
  assert.ok((await mission.submit(log)).length > 4);
  assert.deepEqual((await log.runs()).map((run) => run.status), ["queued", "queued", "completed"]);
  await log.cancel("r2", { actor: "user:ana" });
  const said = [];
  for await (const event of log.events()) if (event.actor === "user:ana") said.push(event.type);
  assert.deepEqual([said.includes("StepCompleted"), said.at(-1), (await log.runs())[1].status], [true, "RunCancelled", "cancelled"]);
  await log.close();
});

test("checkpoints are compared, pinned and copied", async () => {
  const { directory, log } = await fixture();
  const file = path.join(directory, "notes.txt");
  writeFileSync(file, "one\n");
  const { info, counts, taken } = await log.checkpoint({ description: "first" });
  assert.equal(keys(info), "added base bytes createdUs current description files gitBranch gitHead givenUp hasChanged id imported missionId modified n notCaptured outputsHash pinned pruned removed root runId safety seq sessionId stateHash stepId tree trigger turn turnSession turnText valid whyInvalid worktree");
  assert.deepEqual([taken, counts.files, counts.captured, keys(counts)], [true, info.files, info.files, "bytes captured changing files ignored overBudget repositories reserved special tooLarge unchanged unreadable workspaces"]);
  writeFileSync(file, "one\ntwo\n");
  writeFileSync(path.join(directory, "\u00e9"), "");
  const difference = await log.diff(info.n, null, { patch: true });
  assert.deepEqual(difference.files.map((one) => [one.path, one.what, one.kindBefore, one.kindAfter, one.linesAdded]), [["notes.txt", "M", "f", "f", 1], ["\u00e9", "A", null, "f", 0]]);
  assert.match(difference.patch, /^\+two$/m);
  assert.deepEqual([difference.a.n, difference.b, difference.git, "patch" in await log.diff(info.id)], [1, null, null, false]);
  await log.pin(1);
  assert.equal((await log.checkpoints())[0].pinned, true);
  await log.pin(1, { pinned: false });
  assert.equal((await log.checkpoints())[0].pinned, false);
  for (const wrong of [log.pin(), log.diff(), log.backup(), log.rollback()]) await assert.rejects(wrong, refused("PAWL_EINVAL"));
  await assert.rejects(log.pin(9), refused("PAWL_ENOTFOUND"));
  const copy = await log.backup(path.join(directory, "copy.db"));
  const head = await log.head();
  assert.deepEqual([copy.headSeq, copy.headHash, copy.events], [head.seq, head.hash, head.seq]);
  await assert.rejects(log.backup(path.join(directory, "copy.db")), refused("PAWL_EEXISTS"));
  const id = await log.startSession("m", { actor: "agent:x" });
  await log.updateSession(id, { actor: "agent:x", step: "two", summary: "half" });
  const [session] = await log.sessions();
  assert.equal(keys(session), "actor checkpointSeq checkpoints currentStep endedUs missionId pinned reason runId seq sessionId startedUs status stepsCompleted stepsTotal summary updatedUs worktree worktreePath");
  assert.deepEqual([session.currentStep, session.summary, session.endedUs], ["two", "half", 0]);
  assert.equal((await log.verify()).keyed, false);
  await log.close();
});

test("what a step asks people is answered", async () => {
  const { directory, log } = await fixture();
  writeFileSync(path.join(directory, "mission.yaml"),
    "mission: m\nsteps:\n- {id: a, ask: {question: Publish?, options: [yes, no]}}\n- {id: b, ask: {question: Why?}}\n");
  const mission = await Mission.load(path.join(directory, "mission.yaml"));
  const result = await mission.run(log, { runId: "r1" });
  assert.deepEqual([result.status, (await log.conflicts({ runId: "r1" }))[0].conflictType], ["blocked", "question"]);
  await assert.rejects(log.resolve(result.conflicts[0], { answer: "maybe" }), refused("PAWL_EINVAL"));
  await log.resolve(result.conflicts[0], { answer: "yes" });
  assert.equal((await log.resume("r1", { clarify: () => ({ answer: "So: é" }) })).status, "completed");
  assert.deepEqual((await log.conflicts({ runId: "r1", resolved: true })).map((conflict) => conflict.answer), ["yes", "So: é"]);
  const answers = [];
  for await (const event of log.events()) if (event.type === "GlossaryClarificationResolved") answers.push(event.payload.answer);
  assert.deepEqual(answers, ["yes", "So: é"]);
  await log.close();
});

test("what a function throws comes out, and the run can go on", async () => {
  const { log, mission } = await fixture();
  await assert.rejects(mission.run(log, { runId: "r1", clarify: () => { throw new RangeError("no"); } }), RangeError);
  assert.equal((await log.resume("r1", { clarify: () => 1 })).status, "completed");
  await log.close();
});

test("events are read in pages, and verify", async () => {
  const { log, mission } = await fixture();
  await mission.run(log);
  const seqs = [];
  let last;
  for await (const event of log.events()) { seqs.push(event.seq); last = event; }
  assert.deepEqual(seqs, seqs.map((_, i) => i + 1));
  assert.deepEqual(await log.head(), { seq: last.seq, hash: last.hash });
  assert.equal((await log.verify()).events, last.seq);
  for await (const event of log.events(0, { follow: true })) if (event.seq === last.seq) break;
  await log.close();
});

test("sessions, the handoff, checkpoints and the way back", async () => {
  const { directory, log } = await fixture();
  const session = await log.startSession("work", { actor: "agent:x", step: "one" });
  assert.ok(await log.checkpointSession(session, { summary: "half" }) > 0);
  await log.endSession(session);
  assert.deepEqual((await log.sessions({ missionId: "work" })).map((s) => [s.status, s.actor]), [["completed", "agent:x"]]);
  assert.match(await log.handoff(session), /half/);
  const file = path.join(directory, "a");
  writeFileSync(file, "one");
  const first = await log.checkpoint({ description: "first" });
  assert.deepEqual([first.info.n, first.info.description, first.taken], [1, "first", true]);
  assert.equal((await log.checkpoint({ onlyIfChanged: true })).taken, false);
  writeFileSync(file, "two");
  await log.rollback(1);
  assert.equal(readFileSync(file, "utf8"), "one");
  await log.undo();
  assert.equal(readFileSync(file, "utf8"), "two");
  assert.ok((await log.checkpoints()).length >= 2);
  await log.close();
});

test("JSON is hashed as the programs do it", async () => {
  assert.equal(await pawl.canonical('{"b":1.0,"a":"é"}'), '{"a":"é","b":1}');
  assert.equal(await pawl.hash("{}"), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  await assert.rejects(pawl.hash('{"a":1,"a":2}'), refused("PAWL_EPARSE"));
});

test("a pipeline of one's own", async () => {
  const { directory, log } = await fixture();
  const pipeline = await Pipeline.open(log, { actor: "agent:x" });
  await pipeline.seed("team_domain", path.join(directory, "team.yaml"));
  const say = await Context.create("refunds", "r9", "say", { text: "a plain text" });
  const passed = await pipeline.run(say);
  assert.deepEqual([passed.status, passed.inputHash, passed.conflicts, passed.terms, passed.output],
    ["ok", await pawl.hash('{"text":"a plain text"}'), [], [], null]);
  assert.deepEqual((await pipeline.complete(say, { said: 1 })).output, { said: 1 });
  const again = await Context.create("refunds", "r9", "say", { text: "a plain text" }, { retryToken: passed.retryToken });
  assert.deepEqual([(await pipeline.run(again)).status, (await pipeline.run(again)).output], ["done", { said: 1 }]);
  const ask = (options) => Context.create("refunds", "r9", "ask", { description: 'the "workspace"' }, { critical: true, ...options });
  const held = await pipeline.run(await ask());
  assert.deepEqual([held.status, held.conflicts.map((conflict) => conflict.term), held.conflicts[0].candidates.length], ["blocked", ["workspace"], 2]);
  await log.resolve(held.conflicts[0].conflictId, { pick: 2 });
  const resumed = await ask({ retryToken: held.retryToken });
  const { status, cursor, terms } = await pipeline.run(resumed);
  assert.deepEqual([status, cursor, (await log.stepCheckpoint(held.retryToken)).cursor], ["ok", "pre_generation_gate", "post_gate"]);
  assert.deepEqual(terms.map((term) => [term.term, term.source, term.conflictId]), [["workspace", "answer", held.conflicts[0].conflictId]]);
  await pipeline.renew("r9");
  await pipeline.complete(resumed, "text");
  const wrong = await Context.create("refunds", "r9", "wrong");
  assert.equal((await pipeline.run(wrong)).status, "ok");
  await pipeline.failed(wrong, 7, "no answer");
  await pipeline.endRun("r9", "a step failed");
  const [run] = await log.runs();
  assert.deepEqual([run.status, run.reason], ["failed", "a step failed"]);
  for (const context of [say, again, resumed, wrong]) await context.close();
  await pipeline.close();
  await pipeline.close();
  assert.equal((await log.verify()).events, (await log.head()).seq);
  await log.close();
});

test("a pipeline's questions come to functions, and changed inputs to one that confirms", async () => {
  const { directory, log } = await fixture();
  const asked = [];
  const pipeline = await Pipeline.open(log, {
    clarify: async (conflict) => { asked.push(conflict.term); if (asked.length === 1) throw new RangeError("later"); return 1; },
    confirm: ({ diff }) => { asked.push(diff); return asked.length > 3; },
  });
  await pipeline.seed("team_domain", path.join(directory, "team.yaml"));
  const of = (step, description, retryToken) => Context.create("m", "r1", step, { description }, { critical: true, metadata: { glossary_watch_terms: ["workspace"] }, retryToken });
  await assert.rejects(pipeline.run(await of("a", "the workspace")), RangeError);
  const passed = await pipeline.run(await of("a", "the workspace"));
  assert.equal(passed.status, "ok");
  const changed = () => of("a", "another workspace", passed.retryToken).then((context) => pipeline.run(context));
  await assert.rejects(changed(), refused("PAWL_EINPUTS"));
  assert.equal((await changed()).status, "ok");
  assert.deepEqual(asked.slice(0, 2), ["workspace", "workspace"]);
  assert.match(asked[2], /"the workspace".*"another workspace"/);
  await log.close();
});

test("events are appended, all or none", async () => {
  const { log } = await fixture();
  await log.startSession("m", { actor: "agent:x" });
  const { type, payload, seq: before } = (await log.events().next()).value;
  const event = (id, more) => ({ type, missionId: "m", sessionId: id, actor: "agent:x", payload, ...more });
  const told = JSON.stringify({ ...payload, é: "a\u0000b", n: 1 });
  assert.equal(await log.append([event("s2", { v: 2, timeUs: 1234567 }), event("s3", { payload: told.replace("1}", "1.0}") })]), before + 2);
  const events = [];
  for await (const one of log.events(before)) events.push(one);
  assert.deepEqual(events.map((one) => [one.seq, one.type, one.actor, one.missionId, one.runId, one.sessionId]),
    [[before + 1, type, "agent:x", "m", null, "s2"], [before + 2, type, "agent:x", "m", null, "s3"]]);
  assert.deepEqual([events[0].timeUs, events[0].payload, events[1].payload], [1234567, payload, JSON.parse(told)]);
  assert.ok(events[1].timeUs > 1234567);
  for (const wrong of [{ payload: 7 }, { type: undefined }, { type: "" }, { type: "Mine" }, { v: 1.5 }, { seq: 1 }, { actor: "a\0b" }, { payload: "{\0}" },
    { payload: () => {} }, { sessionId: null }])
    await assert.rejects(log.append([event("s4"), event("s5", wrong)]), (error) => error instanceof PawlError && /^PAWL_E(INVAL|PARSE)$/.test(error.status), JSON.stringify(wrong));
  await assert.rejects(log.append([{ type: "StepStarted", missionId: "m", runId: "none", stepId: "a", payload: { input_hash: "0".repeat(64) } }], { fence: 3 }), PawlError);
  assert.equal((await log.head()).seq, before + 2);
  await log.close();
});

test("events that are large together come in several pages", async () => {
  const { log } = await fixture();
  await log.startSession("m", { actor: "agent:x" });
  const { type, payload, seq } = (await log.events().next()).value;
  const big = (n) => ({ type, missionId: "m", sessionId: `s${n}`, actor: "agent:x", payload: { ...payload, text: "x".repeat(1e6) } });
  await log.append(Array.from({ length: 20 }, (_, n) => big(n)));
  const page = (await log.call("events", [seq, 256])).events.length;
  assert.ok(page > 0 && page < 20, `${page} in a page`);
  let n = 0;
  for await (const event of log.events(seq)) n += event.payload.text.length;
  assert.equal(n, 20e6);
  await log.close();
});

test("misuse of a pipeline rejects and does not crash", async () => {
  const { directory, log } = await fixture();
  const of = (step, inputs, options) => Context.create("m", "r1", step, inputs, options);
  for (const wrong of [[""], [undefined], ["x", () => {}], ["x", {}, { metadata: "{" }], ["x", {}, { strictness: "much" }], ["x", {}, { retryToken: "none" }]])
    await assert.rejects(of(...wrong), (error) => error instanceof PawlError && /^PAWL_E(INVAL|PARSE)$/.test(error.status), JSON.stringify(wrong));
  const pipeline = await Pipeline.open(log);
  await assert.rejects(pipeline.run(log), refused("PAWL_EINVAL"));
  await assert.rejects(pipeline.run(), refused("PAWL_EINVAL"));
  await assert.rejects(pipeline.seed("team_domain"), refused("PAWL_EINVAL"));
  await assert.rejects(pipeline.seed("team_domain", path.join(directory, "none.yaml")), refused("PAWL_ENOTFOUND"));
  await assert.rejects(pipeline.renew("r1"), refused("PAWL_ESTATE"));
  const context = await of("a", "null");
  await assert.rejects(pipeline.complete(context, 1), refused("PAWL_ESTATE"));
  await assert.rejects(pipeline.run(await of("a", {}, { retryToken: "1".repeat(8) + "-1111-4111-8111-" + "1".repeat(12) })), refused("PAWL_ENOTFOUND"));
  assert.equal((await pipeline.run(context)).status, "ok");
  for (const code of [1.5, -1, 256, 2 ** 40]) await assert.rejects(pipeline.failed(context, code, "why"), refused("PAWL_EINVAL"));
  let deep = 1;
  for (let i = 0; i < 600; i++) deep = [deep];
  for (const [output, status] of [[{ a: NaN }, "PAWL_EINVAL"], [{ a: "\ud800" }, "PAWL_EPARSE"], [deep, "PAWL_EPARSE"]])
    await assert.rejects(pipeline.complete(context, output), refused(status));
  const closing = [pipeline.complete(context, 1), log.close(), log.close(), pipeline.close()];
  assert.equal((await Promise.all(closing))[0].status, "ok");
  await assert.rejects(pipeline.run(context), refused("PAWL_ESTATE"));
  await assert.rejects(Pipeline.open(log), refused("PAWL_ESTATE"));
  await context.close();
  const dropped = await Log.open(path.join(directory, ".pawl", "events.db"));
  await assert.rejects((await Pipeline.open(dropped)).run(context), refused("PAWL_ESTATE"));
});

test("misuse rejects and does not crash", async () => {
  const { directory, log, mission } = await fixture();
  const events = log.events();
  await mission.run(log);
  await events.next();
  const many = await Promise.all(Array.from({ length: 20 }, () => log.head()));
  assert.equal(new Set(many.map((head) => head.seq)).size, 1);
  await log.close();
  await log.close();
  await mission.close();
  for (const use of [() => log.head(), () => log.resume("x"), () => log.rollback(1), () => mission.run(log)]) await assert.rejects(use(), refused("PAWL_ESTATE"));
  const other = await Log.open(path.join(directory, ".pawl", "events.db"));
  await assert.rejects(mission.run(other), refused("PAWL_ESTATE"));
  await assert.rejects(other.rollback(), refused("PAWL_EINVAL"));
  await assert.rejects(other.handoff("a\0b"), refused("PAWL_EINVAL"));
  await assert.rejects(Log.open(path.join(directory, "none.db"), { create: false }), refused("PAWL_ENOTFOUND"));
  await assert.rejects(Mission.load(path.join(directory, "none.yaml")), refused("PAWL_ENOTFOUND"));
  const again = await Mission.load(path.join(directory, "mission.yaml"));
  const running = again.run(other);
  await assert.doesNotReject(Promise.all([running, other.close()]));
});

test("a text that UTF-8 or JSON cannot hold is refused", async () => {
  const { directory, log, mission } = await fixture();
  const half = "\ud800";
  const before = (await log.head()).seq;
  for (const use of [() => pawl.hash(`"${half}"`), () => pawl.canonical(`"${half}"`), () => Context.create("m", "r", "s", `"${half}"`), () => Context.create("m", "r", "s", { a: NaN }),
    () => Context.create("m", "r", "s", { a: [-Infinity] }), () => Context.create("m", "r", "s", { a: 1n }), () => log.skip("r", "s", { output: NaN }), () => mission.run(log, { actor: `user:${half}` }),
    () => Log.open({}), () => pawl.hash({}), () => Mission.load(), () => mission.run(mission), () => mission.check({ log: {} }), () => Pipeline.open({}),
    () => log.runs({ limit: 1.5 }), () => log.resolve("none", { pick: 1.5 }), () => log.resolve("none", { pick: -1 }), () => log.events("x").next(), () => mission.run(log, { waitMs: 2 ** 32 })])
    await assert.rejects(use, (error) => error instanceof PawlError && /^PAWL_E(INVAL|PARSE)$/.test(error.status), String(use));
  assert.equal((await log.head()).seq, before);
  const threads = await Threads.open(path.join(directory, ".pawl", "events.db"));
  const item = (thread) => [thread, "", "1", null, "{}", "{}", [], []];
  await assert.rejects(threads.put([item(half)]), refused("PAWL_EINVAL"));
  await threads.put([item("\ufffd")]);
  for (const thread of [half, "\ufffd\0b"]) await assert.rejects(threads.list([thread, null, null, null, null, 1, null, null, null]), refused("PAWL_EINVAL"));
  const closing = threads.close();
  await assert.rejects(threads.put([item("b")]), refused("PAWL_ESTATE"));
  await closing;
  await log.close();
});

test("clarify gives an answer, or the run rejects and nothing is recorded", async () => {
  const { log, mission } = await fixture();
  let n = 0;
  for (const said of [true, "x", 1.5, -1, NaN, [1], { pik: 1 }, { pick: 1.5 }, { define: 5 }, { define: "\ud800" }, { define: "a", scope: "core\nb" }])
    await assert.rejects(mission.run(log, { runId: `r${++n}`, clarify: () => said }), PawlError, JSON.stringify(said));
  for (const said of [{}, { pick: 0 }, { define: undefined }]) assert.equal((await mission.run(log, { runId: `r${++n}`, clarify: () => said })).status, "blocked");
  for await (const event of log.events()) assert.notEqual(event.type, "GlossaryClarificationResolved");
  await log.close();
});

test("a function that a call asks cannot wait for that call's handles", async () => {
  const { log, mission } = await fixture();
  const after = [];
  const result = await mission.run(log, {
    progress: () => { after.push(log.head()); },
    clarify: async () => {
      for (const use of [() => log.conflicts(), () => log.close(), () => mission.check(), () => mission.run(log)]) await assert.rejects(use, refused("PAWL_ESTATE"));
      return 1;
    },
  });
  assert.equal(result.status, "completed");
  assert.ok((await Promise.all(after)).every((head) => head.seq > 0)); // not waited for: after the run
  await log.close();
});

test("what progress throws ends the run", async () => {
  const { log, mission } = await fixture();
  await assert.rejects(mission.run(log, { runId: "r1", progress: () => { throw new RangeError("no"); } }), RangeError);
  assert.equal((await log.runs())[0].status, "interrupted");
  assert.equal((await log.resume("r1", { clarify: () => 1 })).status, "completed");
  await log.close();
});

// A step of a minute in a program of its own, or here.
const SLOW = "mission: slow\nsteps:\n  - id: wait\n    run: [sh, -c, 'touch ready; exec sleep 60']\n";

test("a run that is at work is interrupted, and ends with a process that exits", { timeout: 50000 }, async () => {
  const { directory, log, where } = await fixture();
  const file = path.join(directory, "slow.yaml");
  writeFileSync(file, SLOW);
  const ready = () => new Promise((resolve) => {
    const timer = setInterval(() => { if (existsSync(path.join(directory, "ready"))) { clearInterval(timer); resolve(); } }, 10);
  });
  const running = (await Mission.load(file)).run(log, { runId: "r1" });
  await ready();
  log.interrupt();
  const { status, signal } = await running;
  assert.deepEqual([status, signal, (await log.runs())[0].status], ["interrupted", 2, "interrupted"]);
  rmSync(path.join(directory, "ready"));
  const exits = (ready, mission, options, every = 10) => spawnSync(process.execPath, ["-e", `
    const { Log, Mission } = require(process.argv[1]);
    (async () => {
      const mission = await Mission.load(${JSON.stringify(path.join(directory, mission))});
      mission.run(await Log.open(${JSON.stringify(where)}), ${options});
      setInterval(() => { if (require("node:fs").existsSync(${JSON.stringify(path.join(directory, ready))})) process.exit(7); }, ${every});
    })();`, module], { timeout: 30000 }).status;
  assert.equal(exits("ready", "slow.yaml", '{ runId: "r2" }'), 7);
  assert.equal(exits("no", "mission.yaml", '{ runId: "r3", clarify: () => { process.exit(7); } }'), 7);
  // ... also while a question is on its way to JavaScript, or before
  for (let every = 1; every <= 12; every++) assert.equal(exits(".", "mission.yaml", `{ runId: "e${every}", clarify: () => 1, progress: () => {} }`, every), 7);
  assert.deepEqual((await log.runs()).map((run) => run.status).filter((status) => status === "running"), []);
  assert.equal((await log.verify()).events, (await log.head()).seq);
  await log.close();
});

test("the event loop is free while a run waits, and a call can be interrupted", async () => {
  const { directory, log } = await fixture();
  writeFileSync(path.join(directory, "slow.yaml"), "mission: slow\nsteps:\n  - id: wait\n    run: [sleep, '1']\n");
  const mission = await Mission.load(path.join(directory, "slow.yaml"));
  let ticks = 0;
  const timer = setInterval(() => { ticks++; }, 10);
  assert.equal((await mission.run(log)).status, "completed");
  clearInterval(timer);
  assert.ok(ticks > 30, `${ticks} ticks`);
  log.interrupt();
  await assert.rejects(log.head(), refused("PAWL_EINTERRUPTED"));
  log.interrupt(false);
  assert.ok((await log.head()).seq > 0);
  await log.close();
});
