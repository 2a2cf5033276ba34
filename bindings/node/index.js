"use strict";
// Pawl for Node: logs, missions, conflicts, sessions and checkpoints; every call is a promise. See index.d.ts.

const { AsyncLocalStorage } = require("node:async_hooks");
const path = require("node:path");
const { PawlError, eventFields, given, invalid, isAbsent, natural, needed, stringify, take, whatIsText, whole } = require("./options.js");

const binary = path.join(__dirname, "prebuilds", `${process.platform}-${process.arch}`, "node.napi.node");
function load() {
  try {
    return require(binary);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    throw new Error(`pawl: ${binary} is not there; build it with ${path.join(__dirname, "prebuild")}`);
  }
}
const native = load();

const failed = (error) => (error instanceof PawlError ? error
  : new PawlError(error.message, error.status ?? error.code, typeof error.code === "number" ? error.code : -2));

// A process that exits waits for the calls that are at work and for what they ask: it ends them.
const atWork = new Set(); // their handles
const asked = new Set(); // what takes their answers
process.on("exit", () => {
  for (const handle of atWork) native.interrupt(handle, true);
  for (const answer of asked) answer("throw");
  for (const handle of atWork) native.leave(handle);
});

async function call(operation, handle, args = [], ask = undefined) {
  try {
    if (handle) atWork.add(handle);
    const made = await native.call(operation, handle, args, ask);
    return typeof made === "string" ? JSON.parse(made) : made;
  } catch (error) {
    throw failed(error);
  } finally {
    atWork.delete(handle);
  }
}

const within = new AsyncLocalStorage(); // a function that a call asks: the handles that it has, until it has answered

// A handle has one call at a time: the next begins when the last has ended.
class Handle {
  #handle;
  #last = Promise.resolve();
  #calls = 0;
  #closing;
  constructor(handle) { this.#handle = handle; }
  get handle() { return this.#handle; }
  queue(work) {
    const asking = within.getStore();
    if (asking?.handles.has(this)) {
      return new Promise(setImmediate).then(() => { // what is not waited for may come after the answer
        if (asking.handles.has(this)) throw new PawlError(`${this.constructor.name}: is at work, and waits for the function that calls it; call it later`, "PAWL_ESTATE", -20);
        return this.queue(work);
      });
    }
    if (!this.#handle) return Promise.reject(new PawlError(`${this.constructor.name}: is closed; open it again`, "PAWL_ESTATE", -20));
    this.#calls++;
    const next = this.#last.then(() => (this.#handle ? work() : this.queue())).finally(() => { this.#calls--; });
    this.#last = next.catch(() => {});
    return next;
  }
  /** Is it open, with no call at work? */
  get idle() { return this.#handle !== null && this.#calls === 0; }
  async call(operation, args = [], ask = undefined) {
    const texts = args.map(given);
    return this.queue(() => call(operation, this.#handle, texts, ask));
  }
  close(operation, before = () => {}) {
    this.#closing ??= this.queue(async () => {
      await before();
      await call(operation, this.#handle).finally(() => { this.#handle = null; });
    }).catch((error) => {
      if (this.#handle) this.#closing = undefined; // nothing was done
      throw error;
    });
    return this.#closing;
  }
}

// A person's answer, as src/run.c takes it.
function answerOf(said) {
  if (said === undefined || said === null) return "";
  if (typeof said === "number") return `pick ${natural("clarify: pick", said)}`;
  const { pick, define, scope, answer, dismiss, ...others } = typeof said === "object" ? said : { said };
  if (Object.keys(others).length) throw invalid("clarify: gave no answer; give a number, { pick }, { define, scope }, { dismiss }, { answer }, or null");
  for (const one of [define, scope, answer]) if (one !== undefined && one !== null && typeof one !== "string") throw invalid("clarify: a definition, a scope and an answer are strings; give one");
  const where = given(scope) ?? "";
  if (where.includes("\n")) throw invalid("clarify: a scope is one line; name one");
  if (pick) return `pick ${natural("clarify: pick", pick)}`;
  if (typeof answer === "string") return `answer ${whatIsText(answer)}`;
  if (dismiss) return `dismiss ${where}`;
  return typeof define === "string" ? `define ${where}\n${whatIsText(define)}` : "";
}

const FUNCTIONS = ["clarify", "confirm", "progress", "confirmMission", "notice"]; // their bits are those of src/run.c
const RUN = "strictness acceptChangedInputs acceptChangedMission rerunChanged timeLimitMs waitMs home configHome directory alone".split(" "); // as there
const RESUMES = `actor ${RUN.filter((name) => name !== "strictness" && name !== "alone").join(" ")} ${FUNCTIONS.join(" ")}`;
const RUNS = `runId actor ${RUN.filter((name) => name !== "directory").join(" ")} ${FUNCTIONS.join(" ")}`;
const SUBMITS = "runId actor strictness home configHome";

// Who answers the questions of a call, by name; what a function throws is thrown by the call.
function asking(functions, ...handles) {
  let thrown;
  const yesOrNo = (yes) => (yes ? "yes" : "no");
  const words = {
    clarify: answerOf,
    confirm: yesOrNo,
    confirmMission: yesOrNo,
    progress: () => "",
    notice: () => "",
  };
  const ask = (what, json, answer) => {
    const store = { handles: new Set([...within.getStore()?.handles ?? [], ...handles]) };
    asked.add(answer);
    within.run(store, async () => {
      try {
        return words[what](await functions[what](JSON.parse(json)));
      } catch (error) {
        thrown ??= { error };
        return "throw";
      }
    }).then((said) => {
      store.handles.clear();
      asked.delete(answer);
      answer(said);
    });
  };
  const mask = FUNCTIONS.reduce((bits, name, i) => (functions[name] ? bits | (1 << i) : bits), 0);
  const settle = async (promise) => {
    try {
      const result = await promise;
      if (thrown) throw thrown.error;
      return result;
    } catch (error) {
      throw thrown ? thrown.error : error;
    }
  };
  return { ask: mask ? ask : undefined, mask, settle };
}
// A run's options as src/run.c takes them, and who answers.
function running(call, options, names, what, ...handles) {
  const taken = take(call, options, names);
  const by = Object.fromEntries(names.split(" ").map((name, i) => [name, taken[i]]));
  const { ask, mask, settle } = asking(by, ...handles);
  return { ask, settle, args: [what ?? by.runId, by.actor, ...RUN.map((name) => by[name]), mask].map(given) };
}

const pipelines = new WeakMap(); // of a log: they are closed before it

const WORK = "step summary completed pending files"; // what an agent tells of its work, as in src/log.c
const openLog = (log) => {
  if (!(log instanceof Log)) throw invalid("log: is not a Log; open one by Log.open()");
  return log;
};

class Log extends Handle {
  /** Open a log: a file, or a `postgresql://` URL. */
  static async open(where, options) {
    const [create, readonly, key, busyMs, leaseMs] = take("Log.open", options, "create readonly key busyMs leaseMs");
    return new Log(await call("logOpen", null, [given(needed("log", where)), readonly === "1" ? "2" : create ?? "1", key, busyMs, leaseMs]));
  }
  close() { return super.close("logClose", () => Promise.all([...pipelines.get(this) ?? []].map((pipeline) => pipeline.end()))); }
  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { await this.close(); }
  interrupt(on = true) { if (this.handle) native.interrupt(this.handle, on); }

  async resume(what, options) {
    const { ask, args, settle } = running("resume", options, RESUMES, what, this);
    return settle(this.queue(() => call("resume", this.handle, args, ask)));
  }
  /** Go past a step that failed, with this as its output. */
  async skip(runId, stepId, options) {
    const [output, actor] = take("skip", options, "output actor");
    return this.call("skip", [needed("run", runId), needed("step", stepId), stringify("output", output ?? null), actor]);
  }
  /** End a run permanently. */
  async cancel(runId, options) { return this.call("cancel", [needed("run", runId), ...take("cancel", options, "actor")]); }
  head() { return this.call("head"); }
  verify() { return this.call("verify"); }
  /** The events after `since`, in pages; with `follow` also those to come, with `waitMs` until none has come for so long. */
  async *events(since = 0, options) {
    const [type, runId, stepId, follow, waitMs, everyMs] = take("events", options, "type runId stepId follow waitMs everyMs");
    for (let last = Date.now(); ;) {
      const { events, until } = await this.call("events", [natural("since", since), 256, type, runId, stepId]);
      yield* events;
      if (events.length) last = Date.now(); // a page that is not full may have had all that one string should hold
      else if (follow !== "1" && Date.now() - last >= Number(waitMs ?? 0)) return;
      else await new Promise((resolve) => { setTimeout(resolve, Number(everyMs ?? 200)); });
      since = Math.max(since, until);
    }
  }
  /** Append events as one transaction: the last one's seq. */
  async append(events, options) {
    const texts = [[...events].map(eventFields).join(""), ...take("append", options, "fence")];
    return this.queue(() => call("append", this.handle, texts));
  }
  async runs(options) { return this.call("runs", take("runs", options, "status limit")); }
  async conflicts(options) { return this.call("conflicts", take("conflicts", options, "runId resolved")); }
  async senses(options) { return this.call("senses", take("senses", options, "runId")); }
  /** One run, by its id or four characters or more that it alone begins with. */
  async findRun(runId) { return this.call("runFind", [needed("run", runId)]); }
  async steps(runId, options) {
    const [contents] = take("steps", options, "contents");
    return this.call("steps", [needed("run", runId), contents ?? true]);
  }
  async stepCheckpoint(retryToken) { return this.call("stepCheckpoint", [needed("token", retryToken)]); }
  async latestStepCheckpoint(runId, stepId) { return this.call("stepCheckpointLatest", [needed("run", runId), needed("step", stepId)]); }
  async resolve(conflictId, answer) {
    return this.call("resolve", [needed("conflict", conflictId), ...take("resolve", answer, "pick define scope actor answer dismiss replace")]);
  }
  async sessions(options) { return this.call("sessions", take("sessions", options, "missionId sessionId status limit")); }
  async startSession(missionId, options) { return this.#work("sessionStart", needed("mission", missionId), take("startSession", options, `actor takeOver ${WORK}`)); }
  async updateSession(sessionId, options) {
    const [actor, ...work] = take("updateSession", options, `actor ${WORK}`);
    return this.#work("sessionUpdate", needed("session", sessionId), [actor, null, ...work]);
  }
  async checkpointSession(sessionId, options) { return this.#work("sessionCheckpoint", needed("session", sessionId), take("checkpointSession", options, `actor reason ${WORK}`)); }
  async endSession(sessionId, options) { return this.#work("sessionEnd", needed("session", sessionId), take("endSession", options, `actor status ${WORK} reason`)); }
  #work(operation, id, texts) { return this.queue(() => call(operation, this.handle, [given(id), ...texts])); }
  /** A session, or the latest, with its steps and checkpoints. */
  session(sessionId) { return this.call("session", [sessionId]); }
  handoffData(sessionId) { return this.call("handoffJson", [sessionId]); }
  handoff(sessionId) { return this.call("handoff", [sessionId]); }
  async checkpoint(options) { return this.call("checkpoint", take("checkpoint", options, "description onlyIfChanged root actor")); }
  checkpoints() { return this.call("checkpoints"); }
  async rollback(which, options) { return this.call("rollback", [needed("checkpoint", which), ...take("rollback", options, "root actor")]); }
  async diff(a, b, options) { return this.call("diff", [needed("checkpoint", a), b, ...take("diff", options, "root patch")]); }
  async pin(which, options) {
    const [pinned, actor] = take("pin", options, "pinned actor");
    return this.call("pin", [needed("checkpoint", which), pinned ?? true, actor]);
  }
  async backup(file) { return this.call("backup", [needed("file", file)]); }
  async redo(options) { return this.call("rollback", [null, ...take("redo", options, "root actor"), "redo"]); }
  async undo(options) { return this.call("rollback", [null, ...take("undo", options, "root actor")]); }
}

class Mission extends Handle {
  #look;
  constructor(handle, look) { super(handle); this.#look = look; }
  static async load(file) {
    const handle = await call("missionLoad", null, [given(needed("file", file))]);
    return new Mission(handle, await call("missionLook", handle));
  }
  get id() { return this.#look.id; }
  get steps() { return this.#look.steps; }
  close() { return super.close("missionClose"); }
  params() { return this.call("missionParams"); }
  /** Give a parameter its value for runs to come. */
  async setParam(name, value) {
    const { type } = (await this.params()).find((param) => param.name === needed("parameter", name)) ?? {};
    if (type === "string" && typeof value !== "string") throw invalid(`parameter ${name}: is a string, not ${stringify(name, value)}; give a string`);
    return this.call("missionSet", [name, type === "string" ? value : stringify(name, value)]);
  }
  async loadParams(file) { return this.call("missionSet", [null, needed("file", file)]); }
  /** What the gate would say of each step, writing nothing. */
  async check(options) {
    const [log, stepId] = take("check", options, "log stepId");
    const look = (handle) => this.queue(() => call("missionCheck", this.handle, [stepId, handle]));
    return isAbsent(log) ? look(null) : openLog(log).queue(() => look(log.handle));
  }
  /** Run every step. */
  async run(log, options) {
    const { ask, args, settle } = running("run", options, RUNS, null, openLog(log), this);
    return settle(log.queue(() => this.queue(() => call("run", log.handle, [...args, this.handle], ask))));
  }
  /** Queue a run for a worker: its id. */
  async submit(log, options) {
    const { args } = running("submit", options, SUBMITS, null);
    return openLog(log).queue(() => this.queue(() => call("submit", log.handle, [...args, this.handle])));
  }
}

/** One step of one run, on its way through the layers. */
class Context extends Handle {
  static async create(missionId, runId, stepId, inputs, options) {
    const ids = [["mission", missionId], ["run", runId], ["step", stepId]].map(([what, id]) => given(needed(what, id)));
    return new Context(await call("contextNew", null, [...ids, stringify("inputs", inputs ?? {}),
      ...take("Context.create", options, "metadata strictness retryToken critical")]));
  }
  /** How the inputs differ, after a pass that failed with PAWL_EINPUTS; else null. */
  inputChange() { return this.call("contextInputChange"); }
  close() { return super.close("contextClose"); }
}

/** The five layers over a log, for a runner of one's own. */
class Pipeline extends Handle {
  #log;
  #functions;
  constructor(handle, log, functions) {
    super(handle);
    this.#log = log;
    this.#functions = functions;
    if (!pipelines.has(log)) pipelines.set(log, new Set());
    pipelines.get(log).add(this);
  }
  static async open(log, options) {
    const [actor, storeInputs, acceptInputs, clarify, confirm] = take("Pipeline.open", options, "actor storeInputs acceptInputs clarify confirm");
    const texts = [actor, given((clarify ? 1 : 0) | (confirm ? 2 : 0)), storeInputs ?? "1", acceptInputs];
    return openLog(log).queue(async () => new Pipeline(await call("pipelineOpen", log.handle, texts), log, { clarify, confirm }));
  }
  /** Close it, when its log has no call under way. */
  end() {
    pipelines.get(this.#log).delete(this);
    return super.close("pipelineClose");
  }
  async close() {
    await this.#log.queue(() => this.end()).catch((error) => { if (this.handle) throw error; });
  }
  // A call of the pipeline is one of its log, and of a context where it is about one.
  async #do(operation, texts, context) {
    const { ask, settle } = asking(this.#functions, this.#log, this, context);
    const work = () => this.queue(() => call(operation, this.handle, context ? [...texts, context.handle] : texts, ask));
    return settle(this.#log.queue(() => (context ? context.queue(work) : work())));
  }
  async #pass(operation, texts, context) {
    if (!(context instanceof Context)) throw invalid("context: is not a Context; make one by Context.create()");
    return this.#do(operation, texts, context);
  }
  async seed(scope, file) { return this.#do("pipelineSeed", [given(needed("scope", scope)), given(needed("file", file))]); }
  run(context) { return this.#pass("pipelineRun", [], context); }
  async complete(context, output = null) { return this.#pass("pipelineComplete", [stringify("output", output)], context); }
  async failed(context, exitCode, why) { return this.#pass("pipelineFailed", [natural("exit code", exitCode, 255), given(why)], context); }
  async renew(runId) { return this.#do("pipelineRenew", [given(needed("run", runId))]); }
  async endRun(runId, reason) { return this.#do("pipelineEndRun", [given(needed("run", runId)), given(reason)]); }
}

// An item as src/items.c takes it: its texts with a NUL between them, null as "", and behind them what is no text.
function pack([threadId, ns, id, parent, checkpoint, metadata, channels, writes]) {
  const texts = [channels.length / 4, writes.length / 6, threadId, ns, id, parent, checkpoint, metadata];
  const bytes = [];
  const take = (list, size) => {
    for (let i = 0; i < list.length; i += size) {
      for (let k = i; k < i + size - 1; k++) texts.push(list[k]);
      const data = list[i + size - 1] ?? "";
      const isText = typeof data === "string" && data !== "\x01" && !data.includes("\0");
      texts.push(isText ? data : "\x01");
      if (!isText) bytes.push(Buffer.from(data));
    }
  };
  take(channels, 4);
  take(writes, 6);
  return [whatIsText(texts.join("\0")), ...bytes];
}

// Threads of graph runners: what @pawl/langgraph stands on. Filters are those of src/threads.c.
class Threads extends Handle {
  #inFile;
  #waiting = [];
  constructor(handle, inFile) { super(handle); this.#inFile = inFile; }
  static async open(where, options) {
    const handle = await call("threadsOpen", null, [given(needed("log", where)), ...take("Threads.open", options, "mission")]);
    return new Threads(handle, !/^postgres(ql)?:/.test(where));
  }
  close() { return super.close("threadsClose"); }
  /** Put items in one transaction, with all that come in the same turn of the event loop or while another is under way:
   *  a tick's callback that a promise asks for comes when no promise has anything more to do.
   *  Of a log in a file it is done at once: another thread would take as long to begin as the disk to end. */
  put(items) {
    if (!this.handle) return this.queue();
    return new Promise((resolve, reject) => {
      try { this.#waiting.push({ items: items.map(pack), resolve, reject }); } catch (error) {
        reject(failed(error));
        return;
      }
      if (this.#waiting.length === 1) {
        this.queue(() => new Promise(process.nextTick).then(() => this.#putAll()))
          .catch((error) => { for (const one of this.#waiting.splice(0)) one.reject(error); }); // it is closing
      }
    });
  }
  async #putAll() {
    const all = this.#waiting;
    this.#waiting = [];
    for (let group of [all, ...(all.length > 1 ? all.map((one) => [one]) : [])]) {
      try {
        group = group.filter((one) => one.resolve);
        if (group.length) await native.threadsPut(this.handle, group.flatMap((one) => one.items), this.#inFile);
        for (const one of group) { one.resolve(); one.resolve = null; }
      } catch (error) {
        if (group.length === 1) group[0].reject(failed(error)); // of several, each is tried alone
      }
    }
  }
  /** A page of checkpoints: at once, where no call is at work on a log in a file. */
  async list(filter, plain = false) {
    try {
      for (const one of filter) given(one);
      if (this.#inFile && this.idle) return native.threadsList(this.handle, filter, true, plain);
      return await this.queue(() => native.threadsList(this.handle, filter, false, plain));
    } catch (error) {
      throw failed(error);
    }
  }
  async delete(threadId, options) { return this.call("threadsDelete", [needed("thread", threadId), ...take("delete", options, "actor")]); }
}

const { version } = native;
const hash = async (text) => call("hash", null, [given(needed("JSON", text))]);
const canonical = async (text) => call("canonical", null, [given(needed("JSON", text))]);
/** What a handoff document says, as people left it. */
const parseHandoff = async (text) => call("handoffParse", null, [given(needed("handoff", text))]);
/** What the payload of a StepCheckpointed event says. */
const parseCheckpoint = async (payload) => call("stepCheckpointParse", null, [stringify("payload", needed("payload", payload))]);

// Names alone: Node finds them without running this, for `import { hash } from "pawl"`.
module.exports = { Context, Log, Mission, PawlError, Pipeline, Threads, canonical, hash, parseCheckpoint, parseHandoff, version };
