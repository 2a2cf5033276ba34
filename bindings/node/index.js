"use strict";
// Pawl for Node: logs, missions, conflicts, sessions and checkpoints; every call is a promise. See index.d.ts.

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

const given = (value) => {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return value ? "1" : "0";
  const text = String(value);
  if (text.includes("\0")) throw new PawlError("a text holds a NUL; leave it out", "PAWL_EINVAL", -2);
  return text;
};

const failed = (error) => (error instanceof PawlError ? error
  : new PawlError(error.message, error.status ?? error.code, typeof error.code === "number" ? error.code : -2));

async function call(operation, handle, args = [], ask = undefined) {
  try {
    const made = await native.call(operation, handle, args, ask);
    return typeof made === "string" ? JSON.parse(made) : made;
  } catch (error) {
    throw failed(error);
  }
}

// A handle has one call at a time: the next begins when the last has ended.
class Handle {
  #handle;
  #last = Promise.resolve();
  #calls = 0;
  constructor(handle) { this.#handle = handle; }
  get handle() { return this.#handle; }
  queue(work) {
    if (!this.#handle) return Promise.reject(new PawlError(`${this.constructor.name}: is closed; open it again`, "PAWL_ESTATE", -20));
    this.#calls++;
    const next = this.#last.then(work).finally(() => { this.#calls--; });
    this.#last = next.catch(() => {});
    return next;
  }
  /** Is it open, with no call at work? */
  get idle() { return this.#handle !== null && this.#calls === 0; }
  call(operation, args = [], ask = undefined) {
    let texts;
    try { texts = args.map(given); } catch (error) { return Promise.reject(error); }
    return this.queue(() => call(operation, this.#handle, texts, ask));
  }
  async close(operation) {
    if (!this.#handle) return;
    const closed = this.call(operation);
    await closed.finally(() => { this.#handle = null; });
  }
}

// What the options of a run say, and who answers its questions; what a function throws is thrown by the run.
function asking(options) {
  const { clarify, confirm, progress, confirmMission, notice } = options;
  const functions = { clarify, confirm, progress, confirmMission, notice };
  let thrown;
  const yesOrNo = (yes) => (yes ? "yes" : "no");
  const words = {
    clarify: (said) => said === undefined || said === null ? "" : typeof said === "number" ? `pick ${said}`
      : said.pick ? `pick ${said.pick}` : said.answer !== undefined ? `answer ${said.answer}`
        : said.dismiss ? `dismiss ${said.scope ?? ""}` : `define ${said.scope ?? ""}\n${said.define}`,
    confirm: yesOrNo,
    confirmMission: yesOrNo,
    progress: () => "",
    notice: () => "",
  };
  const ask = (what, json, answer) => {
    Promise.resolve().then(() => functions[what](JSON.parse(json))).then((said) => answer(words[what](said)))
      .catch((error) => { thrown ??= { error }; answer("throw"); });
  };
  const mask = Object.values(functions).reduce((bits, one, i) => (one ? bits | (1 << i) : bits), 0); // as in src/run.c
  const flags = (options.acceptChangedInputs ? 1 : 0) | (options.acceptChangedMission ? 2 : 0) | (options.rerunChanged ? 4 : 0);
  const args = (what) => [null, what, options.actor, options.strictness, flags, options.timeLimitMs, mask, options.waitMs].map(given);
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

const missing = (what, value) => (value === undefined || value === null
  ? Promise.reject(new PawlError(`${what}: wants one; name it`, "PAWL_EINVAL", -2)) : undefined);

class Log extends Handle {
  /** Open a log: a file, or a `postgresql://` URL. */
  static async open(where, { create = true, readonly = false } = {}) {
    return new Log(await call("logOpen", null, [given(where), given(readonly ? 2 : create ? 1 : 0)]));
  }
  close() { return super.close("logClose"); }
  async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { await this.close(); }
  interrupt(on = true) { if (this.handle) native.interrupt(this.handle, on); }

  async resume(what, options = {}) {
    const { ask, args, settle } = asking(options);
    return settle(this.queue(() => call("resume", this.handle, args(what), ask)));
  }
  head() { return this.call("head"); }
  verify() { return this.call("verify"); }
  /** The events after `since`, in pages; with `follow` also those to come. */
  async *events(since = 0, { follow = false, everyMs = 200 } = {}) {
    for (;;) {
      const page = await this.call("events", [since, 256]);
      for (const event of page) {
        since = event.seq;
        yield event;
      }
      if (page.length < 256 && !follow) return;
      if (page.length < 256) await new Promise((resolve) => { setTimeout(resolve, everyMs); });
    }
  }
  runs({ status, limit } = {}) { return this.call("runs", [status, limit]); }
  conflicts({ runId, resolved = false } = {}) { return this.call("conflicts", [runId, resolved]); }
  senses({ runId } = {}) { return this.call("senses", [runId]); }
  stepCheckpoint(retryToken) { return this.call("stepCheckpoint", [retryToken]); }
  resolve(conflictId, { pick, define, scope, actor, answer, dismiss, replace } = {}) {
    return missing("conflict", conflictId) ?? this.call("resolve", [conflictId, pick, define, scope, actor, answer, dismiss, replace]);
  }
  sessions({ missionId, status, limit } = {}) { return this.call("sessions", [missionId, status, limit]); }
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
    const handle = await call("missionLoad", null, [given(file)]);
    return new Mission(handle, await call("missionLook", handle));
  }
  get id() { return this.#look.id; }
  get steps() { return this.#look.steps; }
  close() { return super.close("missionClose"); }
  params() { return this.call("missionParams"); }
  /** Give a parameter its value for runs to come: a string itself, of another type its JSON. */
  setParam(name, value) {
    return missing("parameter", name) ?? this.call("missionSet", [name, typeof value === "string" ? value : JSON.stringify(value)]);
  }
  loadParams(file) { return missing("file", file) ?? this.call("missionSet", [null, file]); }
  /** What the gate would say of each step, writing nothing. */
  async check({ log, stepId } = {}) {
    const look = (handle) => this.queue(() => call("missionCheck", this.handle, [given(stepId), ...Array(7).fill(null), handle]));
    return log ? log.queue(() => look(log.handle)) : look(null);
  }
  /** Run every step. */
  async run(log, options = {}) {
    const { ask, args, settle } = asking(options);
    const texts = args(options.runId);
    return settle(log.queue(() => this.queue(() => call("run", log.handle, [...texts, this.handle], ask))));
  }
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
  return [texts.join("\0"), ...bytes];
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
      if (this.#waiting.length === 1) this.queue(() => new Promise(process.nextTick).then(() => this.#putAll()));
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
      if (this.#inFile && this.idle) return native.threadsList(this.handle, filter, true, plain);
      return await this.queue(() => native.threadsList(this.handle, filter, false, plain));
    } catch (error) {
      throw failed(error);
    }
  }
  delete(threadId, { actor } = {}) { return this.call("threadsDelete", [threadId, actor]); }
}

module.exports = {
  Log, Mission, PawlError, Threads, version: native.version,
  hash: (json) => call("hash", null, [given(json)]),
  canonical: (json) => call("canonical", null, [given(json)]),
};
