"use strict";
// Pawl for Node: logs, missions, conflicts, sessions and checkpoints; every call is a promise. See index.d.ts.

const { AsyncLocalStorage } = require("node:async_hooks");
const path = require("node:path");

function load() {
  try {
    return require("node-gyp-build")(__dirname);
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND" || !/node-gyp-build/.test(error.message)) throw error;
    return require(path.join(__dirname, "prebuilds", `${process.platform}-${process.arch}`, "node.napi.node"));
  }
}
const native = load();

class PawlError extends Error {
  constructor(message, status, code) {
    super(message);
    this.name = "PawlError";
    this.status = status;
    this.code = code;
  }
}

const invalid = (message) => new PawlError(message, "PAWL_EINVAL", -2);

// A text that is the same in UTF-8, where half a pair of surrogates becomes another character.
const wellFormed = String.prototype.isWellFormed ? (text) => text.isWellFormed() : (text) => !/\p{Surrogate}/u.test(text);
const whatIsText = (text) => {
  if (!wellFormed(text)) throw invalid("a text holds half a pair of surrogates; write both, high then low");
  return text;
};
const given = (value) => {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") throw invalid(`${typeof value}: is no text; give a string`);
  const text = whatIsText(String(value));
  if (text.includes("\0")) throw invalid("a text holds a NUL; leave it out");
  return text;
};

const whole = (what, value) => {
  if (value === undefined || value === null || Number.isSafeInteger(value)) return given(value);
  throw invalid(`${what}: is no whole number; give one`);
};
const natural = (what, value, most = Number.MAX_SAFE_INTEGER) => {
  if (value < 0 || value > most) throw invalid(`${what}: is not from 0 to ${most}; give one that is`);
  return whole(what, value);
};

// How a value goes to the library: a string as it is, for what is JSON or text; anything else as its JSON. A number that
// JSON.stringify() would write as null is refused.
const stringify = (what, value) => {
  let text;
  try {
    text = JSON.stringify(value, (name, member) => {
      if (typeof member === "number" && !Number.isFinite(member)) throw new TypeError(`JSON has no ${member}; write null or leave the member out`);
      return member;
    });
  } catch (error) {
    throw invalid(`${what}: ${error.message}`);
  }
  if (text === undefined) throw invalid(`${what}: has no JSON; give a value`);
  return text;
};
const json = (what, value) => (typeof value === "string" ? whatIsText(value) : stringify(what, value));

// The fields of an event as src/log.c takes them, each with a NUL behind it.
function eventFields({ type, v, timeUs, missionId, runId, stepId, sessionId, actor, payload, ...others }, i) {
  const [other] = Object.keys(others);
  if (other) throw invalid(`event ${i}: has no ${other}; leave it out`);
  const fields = [given(type), whole(`event ${i}: v`, v), whole(`event ${i}: timeUs`, timeUs), ...[missionId, runId, stepId, sessionId, actor].map(given),
    payload === undefined || payload === null ? null : given(json(`event ${i}: payload`, payload))];
  return fields.map((field) => (field === null ? "\0" : `=${field}\0`)).join("");
}

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

// What the options of a run say, and who answers its questions; what a function throws is thrown by the run.
function asking(options, ...handles) {
  const { clarify, confirm, progress, confirmMission, notice } = options;
  const functions = { clarify, confirm, progress, confirmMission, notice };
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
  const mask = Object.values(functions).reduce((bits, one, i) => (one ? bits | (1 << i) : bits), 0); // as in src/run.c
  const flags = (options.acceptChangedInputs ? 1 : 0) | (options.acceptChangedMission ? 2 : 0) | (options.rerunChanged ? 4 : 0);
  const args = (what) => [...[null, what, options.actor, options.strictness, flags].map(given), natural("timeLimitMs", options.timeLimitMs), given(mask),
    natural("waitMs", options.waitMs, 0xffffffff)];
  const settle = async (promise) => {
    try {
      const result = await promise;
      if (thrown) throw thrown.error;
      return result;
    } catch (error) {
      throw thrown ? thrown.error : error;
    }
  };
  return { ask: mask ? ask : undefined, args, settle };
}

const pipelines = new WeakMap(); // of a log: they are closed before it

const openLog = (log) => {
  if (!(log instanceof Log)) throw invalid("log: is none; open one by Log.open()");
  return log;
};
const missing = (what, value) => (value === undefined || value === null
  ? Promise.reject(invalid(`${what}: wants one; name it`)) : undefined);

class Log extends Handle {
  /** Open a log: a file, or a `postgresql://` URL. */
  static async open(where, { create = true, readonly = false } = {}) {
    return new Log(await call("logOpen", null, [given(where), given(readonly ? 2 : create ? 1 : 0)]));
  }
  close() { return super.close("logClose", () => Promise.all([...pipelines.get(this) ?? []].map((pipeline) => pipeline.end()))); }
  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { await this.close(); }
  interrupt(on = true) { if (this.handle) native.interrupt(this.handle, on); }

  async resume(what, options = {}) {
    const { ask, args, settle } = asking(options, this);
    return settle(this.queue(() => call("resume", this.handle, args(what), ask)));
  }
  /** Go past a step that failed, with this as its output. */
  async skip(runId, stepId, { output = null, actor } = {}) {
    return (await missing("run", runId)) ?? (await missing("step", stepId)) ?? this.call("skip", [runId, stepId, stringify("output", output), actor]);
  }
  /** End a run for good. */
  cancel(runId, { actor } = {}) { return missing("run", runId) ?? this.call("cancel", [runId, actor]); }
  head() { return this.call("head"); }
  verify() { return this.call("verify"); }
  /** The events after `since`, in pages; with `follow` also those to come. */
  async *events(since = 0, { follow = false, everyMs = 200 } = {}) {
    for (;;) {
      const page = await this.call("events", [natural("since", since), 256]);
      for (const event of page) {
        since = event.seq;
        yield event;
      }
      if (!page.length && !follow) return; // one that is not full may have had all that one string should hold
      if (!page.length) await new Promise((resolve) => { setTimeout(resolve, everyMs); });
    }
  }
  /** Append events as one transaction: the last one's seq. */
  async append(events, { fence } = {}) {
    const texts = [[...events].map(eventFields).join(""), whole("fence", fence)];
    return this.queue(() => call("append", this.handle, texts));
  }
  async runs({ status, limit } = {}) { return this.call("runs", [status, natural("limit", limit)]); }
  conflicts({ runId, resolved = false } = {}) { return this.call("conflicts", [runId, resolved]); }
  senses({ runId } = {}) { return this.call("senses", [runId]); }
  stepCheckpoint(retryToken) { return this.call("stepCheckpoint", [retryToken]); }
  async resolve(conflictId, { pick, define, scope, actor, answer, dismiss, replace } = {}) {
    return (await missing("conflict", conflictId)) ?? this.call("resolve", [conflictId, natural("pick", pick), define, scope, actor, answer, dismiss, replace]);
  }
  async sessions({ missionId, status, limit } = {}) { return this.call("sessions", [missionId, status, natural("limit", limit)]); }
  startSession(missionId, { actor, takeOver, step, summary } = {}) { return this.call("sessionStart", [missionId, actor, takeOver, step, summary]); }
  updateSession(sessionId, { actor, step, summary } = {}) { return this.call("sessionUpdate", [sessionId, actor, null, step, summary]); }
  checkpointSession(sessionId, { actor, reason, step, summary } = {}) { return this.call("sessionCheckpoint", [sessionId, actor, reason, step, summary]); }
  endSession(sessionId, { actor, status, step, summary } = {}) { return this.call("sessionEnd", [sessionId, actor, status, step, summary]); }
  handoff(sessionId) { return this.call("handoff", [sessionId]); }
  checkpoint({ description, onlyIfChanged, root, actor } = {}) { return this.call("checkpoint", [description, onlyIfChanged, root, actor]); }
  checkpoints() { return this.call("checkpoints"); }
  rollback(which, { root, actor } = {}) { return missing("checkpoint", which) ?? this.call("rollback", [which, root, actor]); }
  diff(a, b, { root, patch } = {}) { return missing("checkpoint", a) ?? this.call("diff", [a, b, root, patch]); }
  pin(which, { pinned = true, actor } = {}) { return missing("checkpoint", which) ?? this.call("pin", [which, pinned, actor]); }
  backup(file) { return missing("file", file) ?? this.call("backup", [file]); }
  undo({ root, actor } = {}) { return this.call("rollback", [null, root, actor]); }
}

class Mission extends Handle {
  #look;
  constructor(handle, look) { super(handle); this.#look = look; }
  static async load(file) {
    if (file === undefined || file === null) await missing("file", file);
    const handle = await call("missionLoad", null, [given(file)]);
    return new Mission(handle, await call("missionLook", handle));
  }
  get id() { return this.#look.id; }
  get steps() { return this.#look.steps; }
  close() { return super.close("missionClose"); }
  params() { return this.call("missionParams"); }
  /** Give a parameter its value for runs to come: a string itself, of another type its JSON. */
  async setParam(name, value) {
    return (await missing("parameter", name)) ?? this.call("missionSet", [name, json(name, value)]);
  }
  loadParams(file) { return missing("file", file) ?? this.call("missionSet", [null, file]); }
  /** What the gate would say of each step, writing nothing. */
  async check({ log, stepId } = {}) {
    const look = (handle) => this.queue(() => call("missionCheck", this.handle, [given(stepId), ...Array(7).fill(null), handle]));
    return log ? openLog(log).queue(() => look(log.handle)) : look(null);
  }
  /** Run every step. */
  async run(log, options = {}) {
    const { ask, args, settle } = asking(options, openLog(log), this);
    const texts = args(options.runId);
    return settle(log.queue(() => this.queue(() => call("run", log.handle, [...texts, this.handle], ask))));
  }
  /** Put a run in line for a worker: its id. */
  async submit(log, { runId, actor, strictness } = {}) {
    const texts = asking({ actor, strictness }).args(runId);
    return openLog(log).queue(() => this.queue(() => call("submit", log.handle, [...texts, this.handle])));
  }
}

/** One step of one run, on its way through the layers. */
class Context extends Handle {
  static async create(missionId, runId, stepId, inputs = null, { critical, strictness, metadata, retryToken } = {}) {
    const texts = [missionId, runId, stepId].map(given);
    texts.forEach((text, i) => { if (text === null) throw invalid(`${["mission", "run", "step"][i]}: wants an id; name it`); });
    return new Context(await call("contextNew", null, [...texts, json("inputs", inputs),
      metadata === undefined || metadata === null ? null : json("metadata", metadata), given(strictness), given(retryToken), given(critical)]));
  }
  close() { return super.close("contextClose"); }
}

/** The five layers over a log, for a runner of one's own. */
class Pipeline extends Handle {
  #log;
  #options;
  constructor(handle, log, options) {
    super(handle);
    this.#log = log;
    this.#options = options;
    if (!pipelines.has(log)) pipelines.set(log, new Set());
    pipelines.get(log).add(this);
  }
  static async open(log, options = {}) {
    const { actor, storeInputs = true, clarify, confirm } = options;
    const texts = [given(actor), given((clarify ? 1 : 0) | (confirm ? 2 : 0)), given(storeInputs)];
    return openLog(log).queue(async () => new Pipeline(await call("pipelineOpen", log.handle, texts), log, { clarify, confirm }));
  }
  /** Close it, when its log has no call at work. */
  end() {
    pipelines.get(this.#log).delete(this);
    return super.close("pipelineClose");
  }
  async close() {
    await this.#log.queue(() => this.end()).catch((error) => { if (this.handle) throw error; });
  }
  // A call of the pipeline is one of its log, and of a context where it is about one.
  async #do(operation, texts, context) {
    const { ask, settle } = asking(this.#options, this.#log, this, context);
    const work = () => this.queue(() => call(operation, this.handle, context ? [...texts, ...Array(8 - texts.length).fill(null), context.handle] : texts, ask));
    return settle(this.#log.queue(() => (context ? context.queue(work) : work())));
  }
  async #pass(operation, texts, context) {
    if (!(context instanceof Context)) throw invalid("context: is none; make one by Context.create()");
    return this.#do(operation, texts, context);
  }
  async seed(scope, file) {
    return (await missing("scope", scope)) ?? (await missing("file", file)) ?? this.#do("pipelineSeed", [given(scope), given(file)]);
  }
  run(context) { return this.#pass("pipelineRun", [], context); }
  async complete(context, output = null) { return this.#pass("pipelineComplete", [json("output", output)], context); }
  async failed(context, exitCode, why) { return this.#pass("pipelineFailed", [whole("exit code", exitCode), given(why)], context); }
  async renew(runId) { return (await missing("run", runId)) ?? this.#do("pipelineRenew", [given(runId)]); }
  async endRun(runId, reason) { return (await missing("run", runId)) ?? this.#do("pipelineEndRun", [given(runId), given(reason)]); }
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
  static async open(where, { mission } = {}) {
    const handle = await call("threadsOpen", null, [given(where), given(mission)]);
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
  delete(threadId, { actor } = {}) { return this.call("threadsDelete", [threadId, actor]); }
}

module.exports = {
  Context, Log, Mission, PawlError, Pipeline, Threads, version: native.version,
  hash: async (json) => call("hash", null, [given(json)]),
  canonical: async (json) => call("canonical", null, [given(json)]),
};
