"use strict";
// A BaseCheckpointSaver on the threads of a log. A checkpoint's event has its channels' versions and values; those
// that did not change are told by their version alone.

const PAGE = 32; // checkpoints at a time
const DEPTH = 64; // of what is looked at before it is written; a cycle is deeper

// Is it nothing but JSON, so that LangGraph's own serializer would write what JSON.stringify writes?
function isJson(value, depth = 0) {
  if (typeof value !== "object") return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  if (value === null) return true;
  if (depth === DEPTH || value.toJSON !== undefined) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isJson(value[i], depth + 1)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if ((prototype !== Object.prototype && prototype !== null) || value.lg_name !== undefined) return false;
  for (const name in value) if (!isJson(value[name], depth + 1)) return false;
  return true;
}

// A value of JSON, but for its strings, anew. (A member that is there is set, be it named __proto__.)
const isObject = (value) => typeof value === "object" && value !== null;
function copy(value) {
  if (!isObject(value)) return value;
  if (Array.isArray(value)) return value.map(copy);
  const copied = { ...value };
  for (const name in copied) if (isObject(copied[name])) copied[name] = copy(copied[name]);
  return copied;
}
function set(object, name, value) {
  if (name === "__proto__") Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}

// Values as JSON, parsed when the first of them is looked at. Where several checkpoints have them each gets its own copy,
// which takes a small part of what parsing them again would.
class Values {
  constructor(json) {
    this.json = json;
    this.shared = false;
    this.parsed = undefined;
  }
  get(name) {
    this.parsed ??= JSON.parse(this.json);
    if (!this.shared) return this.parsed[name];
    try { return copy(this.parsed[name]); } catch { return JSON.parse(this.json)[name]; } // deeper than the stack
  }
}

// A checkpoint's values that are put together when they are first looked at, and are a plain member from then on. The
// functions are the same for all: V8 keeps those of an accessor, and what they hold, until its next full collection.
const VALUES = Symbol("values");
const become = (checkpoint, value) => {
  checkpoint[VALUES] = undefined;
  Object.defineProperty(checkpoint, "channel_values", { value, writable: true, enumerable: true, configurable: true });
  return value;
};
const LATER = {
  enumerable: true,
  configurable: true,
  get() {
    const { names, of } = this[VALUES];
    const all = {};
    for (let i = 0; i < names.length; i++) set(all, names[i], of[i].get(names[i]));
    return become(this, all);
  },
  set(value) { become(this, value); },
};
function readLater(checkpoint, names, of) {
  Object.defineProperty(checkpoint, VALUES, { value: { names, of }, writable: true });
  Object.defineProperty(checkpoint, "channel_values", LATER);
}

function make({ BaseCheckpointSaver, JsonPlusSerializer, WRITES_IDX_MAP, TASKS, getCheckpointId, maxChannelVersion }, { PawlError, Threads }) {
  const decoder = new TextDecoder();
  const defined = (value) => value ?? null;
  const text = (value, name) => {
    if (value === undefined || value === null || value === "") throw new Error(`Missing "${name}" field in passed "config.configurable".`);
    return String(value);
  };

  // What is to be read as it was, whichever serializer made it: JSON as its text, all else by its type.
  const toText = (type, data) => (typeof data === "string" ? data : type === "json" ? decoder.decode(data) : JSON.stringify({ pawl_serde: [type, Buffer.from(data).toString("base64")] }));

  class PawlSaver extends BaseCheckpointSaver {
    #where;
    #mission;
    #threads;
    #plain; // the serializer is LangGraph's own, which revives nothing but what has a member "lc"

    constructor(where, options) {
      const { serde, mission, ...others } = options ?? {};
      super(serde);
      for (const other in others) throw new PawlError(`PawlSaver: has no option ${other}; its options are serde, mission`, "PAWL_EINVAL", -2);
      this.#where = where;
      this.#mission = mission;
      this.#plain = Object.getPrototypeOf(this.serde) === JsonPlusSerializer.prototype;
    }
    static fromConnString(pathOrUrl, options) { return new PawlSaver(pathOrUrl, options); }

    async #open() {
      this.#threads ??= Threads.open(this.#where, { mission: this.#mission });
      try { return await this.#threads; } catch (error) {
        this.#threads = undefined;
        throw error;
      }
    }
    async end() {
      const threads = this.#threads;
      this.#threads = undefined;
      await (await threads)?.close();
    }

    // A type, and a string or bytes; of what the serializer has to see, a promise.
    #dump(value) {
      return this.#plain && isJson(value) ? ["json", JSON.stringify(value)] : this.serde.dumpsTyped(value);
    }
    #load(type, data) {
      if (this.#plain && type === "json" && !data.includes('"lc":')) return JSON.parse(data);
      return this.serde.loadsTyped(type, data);
    }
    #loadText(data) {
      if (!data.startsWith('{"pawl_serde":[')) return this.#load("json", data);
      const [type, base64] = JSON.parse(data).pawl_serde;
      return this.serde.loadsTyped(type, Buffer.from(base64, "base64"));
    }

    // A checkpoint that is nothing but JSON comes as two texts. Who lists looks at the values of few: they are read then.
    // The second text has those that the checkpoint before it in the page does not have, too.
    #parse([head, json], before) {
      const { ids: [threadId, ns, id, parent], checkpoint, metadata, writes, names, same } = JSON.parse(head);
      const item = { threadId, ns, id, parent, checkpoint, metadata, pendingWrites: writes };
      if (!before) {
        checkpoint.channel_values = JSON.parse(json);
        return item;
      }
      const own = new Values(json);
      if (names) Object.assign(before, { names, of: new Array(names.length).fill(own) });
      else {
        before.of = before.of.map((values, i) => {
          if (same[i] === "0") return own;
          values.shared = true;
          return values;
        });
      }
      readLater(checkpoint, before.names, before.of);
      return item;
    }
    async #revive([threadId, ns, id, parent, checkpointText, metadataText, channels, writes]) {
      const checkpoint = JSON.parse(checkpointText);
      checkpoint.channel_values = {};
      for (let i = 0; i < channels.length; i += 4) set(checkpoint.channel_values, channels[i], await this.#load(channels[i + 2], channels[i + 3]));
      const pendingWrites = [];
      for (let i = 0; i < writes.length; i += 4) pendingWrites.push([writes[i], writes[i + 1], await this.#load(writes[i + 2], writes[i + 3])]);
      return { threadId, ns, id, parent, checkpoint, metadata: await this.#loadText(metadataText), pendingWrites };
    }
    #give({ threadId, ns, id, parent, checkpoint, metadata, pendingWrites }, config) {
      const of = (checkpointId) => ({ configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpointId } });
      return { config: config ?? of(id), checkpoint, metadata, parentConfig: parent === null ? undefined : of(parent), pendingWrites };
    }
    // A tuple, or of what is more than JSON a promise.
    #tuple(item, config) {
      if (Array.isArray(item)) return this.#revive(item).then((revived) => this.#tuple(revived, config));
      if (item.checkpoint.v < 4 && item.parent !== null) return this.#addPendingSends(item).then(() => this.#give(item, config));
      return this.#give(item, config);
    }

    // Until version 4, what a checkpoint is to send stood in the writes of its parent.
    async #addPendingSends({ checkpoint, threadId, ns, parent }) {
      const [item] = await (await this.#open()).list([threadId, ns, parent, null, null, 1, null, null, null]);
      const sends = [];
      for (let i = 0; i < (item?.[7].length ?? 0); i += 4) if (item[7][i + 1] === TASKS) sends.push(await this.#load(item[7][i + 2], item[7][i + 3]));
      const versions = Object.values(checkpoint.channel_versions);
      checkpoint.channel_values[TASKS] = sends;
      checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : this.getNextVersion(undefined);
    }

    async getTuple(config) {
      const { thread_id: threadId, checkpoint_ns: ns = "" } = config.configurable ?? {};
      if (threadId === undefined) return undefined;
      const id = getCheckpointId(config);
      const [item] = await (await this.#open()).list([String(threadId), ns, id || null, null, null, 1, null, null, null], this.#plain);
      return item && this.#tuple(item.length === 2 ? this.#parse(item) : item, id ? config : undefined);
    }

    async *list(config, { limit, before, filter } = {}) {
      const { thread_id: threadId, checkpoint_ns: ns } = config.configurable ?? {};
      const wanted = Object.entries(filter ?? {}).filter(([, value]) => value !== undefined);
      const text = this.#plain && wanted.length ? JSON.stringify(Object.fromEntries(wanted)) : null;
      const fits = (metadata) => this.#plain || wanted.every(([key, value]) => JSON.stringify(metadata?.[key]) === JSON.stringify(value));
      const threads = await this.#open();
      let left = limit ?? Infinity;
      let last = [null, null, null];
      while (left > 0) {
        const most = this.#plain ? Math.min(left, PAGE) : PAGE;
        const page = await threads.list([
          threadId === undefined ? null : String(threadId), defined(ns), getCheckpointId(config) || null,
          before ? getCheckpointId(before) || null : null, text, most, ...last], this.#plain);
        const shown = {}; // the values of the one before
        const items = page.map((item) => (item.length === 2 ? this.#parse(item, shown) : item));
        let tuple;
        for (const item of items) {
          tuple = this.#tuple(item);
          if (tuple instanceof Promise) tuple = await tuple;
          if (!fits(tuple.metadata)) continue;
          yield tuple;
          if (--left <= 0) return;
        }
        if (page.length < most) return;
        const { thread_id: lastThread, checkpoint_ns: lastNs, checkpoint_id: lastId } = tuple.config.configurable;
        last = [lastThread, lastNs, lastId];
      }
    }

    async put(config, checkpoint, metadata, newVersions) {
      if (!config.configurable) throw new Error("Empty configuration supplied.");
      const threadId = text(config.configurable.thread_id, "thread_id");
      const ns = config.configurable.checkpoint_ns ?? "";
      const { channel_values: values = {}, ...rest } = checkpoint;
      const channels = [];
      for (const channel of Object.keys(values)) {
        const changed = Object.prototype.hasOwnProperty.call(newVersions ?? {}, channel);
        const version = changed ? newVersions[channel] : checkpoint.channel_versions?.[channel];
        if (changed) channels.push(channel, String(version), ...await this.#dump(values[channel]));
        else if (version !== undefined) channels.push(channel, String(version), null, null);
      }
      const item = [threadId, ns, checkpoint.id, config.configurable.checkpoint_id ?? null, JSON.stringify(rest),
        toText(...await this.#dump(metadata)), channels, []];
      await (await this.#open()).put([item]);
      return { configurable: { thread_id: threadId, checkpoint_ns: ns, checkpoint_id: checkpoint.id } };
    }

    async putWrites(config, writes, taskId, taskPath) {
      if (!config.configurable) throw new Error("Empty configuration supplied.");
      const threadId = text(config.configurable.thread_id, "thread_id");
      const id = text(config.configurable.checkpoint_id, "checkpoint_id");
      const list = [];
      for (const [index, [channel, value]] of writes.entries()) {
        list.push(taskId, taskPath ?? null, channel, WRITES_IDX_MAP[channel] ?? index, ...await this.#dump(value));
      }
      if (list.length) await (await this.#open()).put([[threadId, config.configurable.checkpoint_ns ?? "", id, null, null, null, [], list]]);
    }

    async deleteThread(threadId) {
      await (await this.#open()).delete(String(threadId));
    }
  }
  return { PawlSaver };
}

module.exports = { make };
