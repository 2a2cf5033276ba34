// The questions that are open, which every place counts and one answers.
import { get } from "./api.js";
import { calmly } from "./dom.js";
import { listen } from "./live.js";

const moving = new Set(["GenerationBlockedBySemanticConflict", "GlossaryClarificationRequested",
  "GlossaryClarificationResolved", "WorkspaceRolledBack"]);
const count = document.getElementById("open-count");
const listeners = new Set();
let list = null;
let again = () => {};

export const number = () => list?.length ?? 0;

/** The open questions, oldest first; null before they are known. */
export const all = () => list;

/** Hear when they change. */
export function watch(listener, signal) {
  listeners.add(listener);
  signal.addEventListener("abort", () => listeners.delete(listener));
}

export async function load() {
  const answer = await get("conflicts");
  list = (Array.isArray(answer) ? answer : answer.conflicts).filter((c) => c.status === "open");
  count.hidden = list.length === 0;
  count.textContent = String(list.length);
  for (const listener of [...listeners]) listener(list);
}

/** Keep them up to date; `told` is called whenever they may have changed. */
export function start(told) {
  again = calmly(150, () => load().then(told, () => {}));
  watch(told, new AbortController().signal);
  listen((event) => moving.has(event.type) && again());
  again();
}

export const renew = () => again();
