// The way to the service: the page's token, requests, and what their failures mean.
import { el, prose } from "./dom.js";

// ---- The token ----
// It comes in the link's fragment, which browsers send to nobody, and stays in this tab. A tab that was
// opened from this one asks the others of the same page for it.

const KEY = "pawl.token";
const tabs = "BroadcastChannel" in globalThis ? new BroadcastChannel("pawl") : null;
let token = null;

const stored = (storage, key) => {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null; // a browser that keeps nothing: the token lasts as long as the page
  }
};

const store = (storage, key, value) => {
  try {
    if (value === null) globalThis[storage].removeItem(key);
    else globalThis[storage].setItem(key, value);
  } catch { /* as above */ }
};

function setToken(value) {
  token = value;
  store("sessionStorage", KEY, value);
}

/** Take a token out of the address, if one is there; true if it was. */
export function takeToken() {
  const found = /^#token=([0-9A-Za-z_-]+)$/.exec(location.hash);
  if (!found) return false;
  setToken(found[1]);
  history.replaceState(null, "", `${location.pathname}#/runs`);
  return true;
}

tabs?.addEventListener("message", ({ data }) => {
  if (data?.want && token) tabs.postMessage({ token });
});

/** The token of this tab or of another one; true if there is any. */
export async function findToken() {
  token ??= stored("sessionStorage", KEY);
  if (token || !tabs) return token !== null;
  return new Promise((done) => {
    const end = setTimeout(() => done(false), 300);
    const hear = ({ data }) => {
      if (!data?.token) return;
      clearTimeout(end);
      tabs.removeEventListener("message", hear);
      setToken(data.token);
      done(true);
    };
    tabs.addEventListener("message", hear);
    tabs.postMessage({ want: true });
  });
}

// ---- Who asks, and what is put off ----

export const name = () => stored("localStorage", "pawl.name") ?? "";
export const setName = (text) => store("localStorage", "pawl.name", text.trim() || null);

/** Who gives an answer, as the log names people; undefined: whoever runs the service. */
export const actor = () => (name() ? `user:${name()}` : undefined);

export const kept = (key) => {
  try {
    return JSON.parse(stored("sessionStorage", key) ?? "[]");
  } catch {
    return [];
  }
};
export const keep = (key, value) => store("sessionStorage", key, JSON.stringify(value));

// ---- Requests ----

/**
 * A request that failed. `status` is HTTP's, 0 without an answer; `code` the service's own. `problems` are all
 * that is wrong with a text that was sent; none: the message says it.
 */
export class Failure extends Error {
  constructor(status, code, message, problems = []) {
    super(message);
    this.status = status;
    this.code = code;
    this.problems = problems;
  }
}

let lost = () => {};

/** Be told when the token turns out to be missing or wrong. */
export function onNoEntry(listener) {
  lost = listener;
}

export async function open(path, { method = "GET", body, headers = {}, signal } = {}) {
  let answer;

  try {
    answer = await fetch(`api/v1/${path}`, {
      method,
      signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      headers: { Authorization: `Bearer ${token ?? ""}`, ...headers,
        ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, "OFFLINE", "There is no answer from `pawl serve`; see that it is still running and reachable, then try again.");
  }
  if (answer.ok) return answer;

  let told = null;
  try {
    told = await answer.json();
  } catch { /* no JSON: said by its status alone */ }
  const failure = new Failure(answer.status, told?.error?.status ?? "",
    told?.error?.message ?? `The service answered ${answer.status} ${answer.statusText}.`, told?.output?.problems);
  if (answer.status === 401) lost(failure);
  throw failure;
}

/** An answer as JSON. One that holds an error of its own is a failure, too. */
async function value(answer) {
  const json = await answer.json();

  if (json?.error?.status) throw new Failure(answer.status, json.error.status, json.error.message);
  return json;
}

export const path = (...segments) => segments.map(encodeURIComponent).join("/");

export const query = (members) => {
  const text = new URLSearchParams(Object.entries(members).filter(([, v]) => v !== null && v !== undefined && v !== ""));
  return text.size ? `?${text}` : "";
};

export const get = async (where, signal) => value(await open(where, { signal }));

/** A page of a list: its items, and the address of the next page, or null. */
export async function page(where, signal) {
  const answer = await open(where, { signal });
  const json = await value(answer);
  const next = /^<(\?[^>]*)>/.exec(answer.headers.get("Link") ?? "");
  return { items: Array.isArray(json) ? json : json.runs, next: next && where.replace(/\?.*/, "") + next[1] };
}

/** Ask for a change, in the name of whoever sits here. */
export const post = async (where, body, signal) =>
  value(await open(where, { method: "POST", body: { ...body, actor: actor() }, signal }));

/** A failure, said where it happened; `retry` makes a button of trying again. */
export function problem(failure, retry) {
  if (failure.name === "AbortError") return null;
  const text = failure instanceof Failure ? failure.message : `The page failed: ${failure.message}`;
  const several = failure.problems?.length > 1;
  return el("div", { class: "problem", role: "alert" },
    several ? el("ul", null, failure.problems.map((line) => el("li", null, prose(line)))) : el("p", null, prose(text)),
    retry && el("button", { type: "button", on: { click: retry } }, "Try again"));
}
