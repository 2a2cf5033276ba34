"use strict";
// What a program passes: values and options, checked, and as the library takes them.

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
    text = JSON.stringify(value, function replace(name, member) {
      const isNone = member === undefined || typeof member === "function" || typeof member === "symbol"; // of an object it is left out
      if ((typeof member === "number" && !Number.isFinite(member)) || (isNone && Array.isArray(this)))
        throw new TypeError(`JSON has no ${String(member)}; write null or leave the member out`);
      return member;
    });
  } catch (error) {
    throw invalid(`${what}: ${error.message}`);
  }
  if (text === undefined) throw invalid(`${what}: has no JSON; give a value`);
  return text;
};
const json = (what, value) => (typeof value === "string" ? whatIsText(value) : stringify(what, value));

// What an option, or a value that must be there, is on its way to the library; absent is null.
const isAbsent = (value) => value === undefined || value === null;
const text = (what, value) => {
  if (!isAbsent(value) && typeof value !== "string") throw invalid(`${what}: is not a string; give one`);
  return given(value);
};
const flag = (what, value) => {
  if (!isAbsent(value) && typeof value !== "boolean") throw invalid(`${what}: is not true or false; give one of them`);
  return given(value);
};
const callback = (what, value) => {
  if (!isAbsent(value) && typeof value !== "function") throw invalid(`${what}: is not a function; give one`);
  return value;
};
const bytes = (what, value) => {
  if (!isAbsent(value) && !(value instanceof Uint8Array)) throw invalid(`${what}: is not a Uint8Array; give the bytes`);
  return isAbsent(value) ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex");
};
const small = (what, value) => natural(what, value, 0xffffffff);
const object = (what, value) => (isAbsent(value) ? null : json(what, value));
const any = (what, value) => value;
const needed = (what, value) => {
  if (isAbsent(value)) throw invalid(`${what}: is missing; name one`);
  return value;
};
// A list of texts, each with a NUL behind it.
const texts = (what, value) => {
  if (!isAbsent(value) && !Array.isArray(value)) throw invalid(`${what}: is not an array; give one of strings`);
  return isAbsent(value) ? null : value.map((one, i) => `${text(`${what}[${i}]`, needed(`${what}[${i}]`, one))}\0`).join("");
};

// Each option has one kind, whichever call takes it.
const KINDS = {
  acceptChangedInputs: flag, acceptChangedMission: flag, acceptInputs: flag, actor: text, alone: flag, answer: text, busyMs: small, clarify: callback, completed: texts, configHome: text, confirm: callback,
  confirmMission: callback, contents: flag, create: flag, critical: flag, define: text, description: text, directory: text, dismiss: flag, everyMs: natural, fence: whole, files: texts, follow: flag,
  home: text, key: bytes, leaseMs: small, limit: natural, log: any, metadata: object, mission: text, missionId: text, notice: callback, onlyIfChanged: flag, output: any,
  patch: flag, pending: texts, pick: natural, pinned: flag, progress: callback, readonly: flag, reason: text, replace: flag, rerunChanged: flag, resolved: flag, retryToken: text, root: text,
  runId: text, scope: text, sessionId: text, status: text, step: text, stepId: text, storeInputs: flag, strictness: text, summary: text, takeOver: flag, timeLimitMs: natural,
  type: text, waitMs: small,
};
// The options of a call by their names, in the order in which it takes them; one that it does not have is refused.
function take(call, options, names) {
  const known = names.split(" ");
  if (!isAbsent(options) && (typeof options !== "object" || Array.isArray(options))) throw invalid(`${call}: its options are not an object; give { ${known.join(", ")} }`);
  for (const name in options) if (!known.includes(name)) throw invalid(`${call}: has no option ${name}; its options are ${known.join(", ")}`);
  return known.map((name) => KINDS[name](`${call}: ${name}`, options?.[name]));
}
const EVENT = "type v timeUs missionId runId stepId sessionId actor payload".split(" ");

// The fields of an event as src/log.c takes them, each with a NUL behind it.
function eventFields(event, i) {
  for (const name in event) if (!EVENT.includes(name)) throw invalid(`event ${i}: has no ${name}; its fields are ${EVENT.join(", ")}`);
  const { type, v, timeUs, missionId, runId, stepId, sessionId, actor, payload } = event;
  const fields = [given(type), whole(`event ${i}: v`, v), whole(`event ${i}: timeUs`, timeUs), ...[missionId, runId, stepId, sessionId, actor].map(given),
    payload === undefined || payload === null ? null : given(json(`event ${i}: payload`, payload))];
  return fields.map((field) => (field === null ? "\0" : `=${field}\0`)).join("");
}

module.exports = { PawlError, eventFields, given, invalid, isAbsent, natural, needed, stringify, take, whatIsText, whole };
