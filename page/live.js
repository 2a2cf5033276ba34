// The events of the log as they come: one stream for the whole page, which goes on after the last event
// that was seen, so that none is missed and none comes twice.
import { Failure, get, open, path } from "./api.js";

const SILENCE_MS = 45_000; // the service says something every 15 s; a line that is dead says nothing
const WAITS_MS = [500, 1000, 2000, 4000, 8000, 15_000];

const listeners = new Set();
let last = null; // seq of the last event seen; null: not known yet
let hash = null; // its hash: another log has another
let wake = () => {};
let known;
const ready = new Promise((done) => { known = done; });

/** Hear each event that comes from now on, until the signal aborts. Resolves when it is known after
 * which event that is: from then on none is missed. */
export function listen(listener, signal) {
  listeners.add(listener);
  signal?.addEventListener("abort", () => listeners.delete(listener));
  return ready;
}

/** seq of the last event that was seen. */
export const seen = () => last ?? 0;

/** Try again now, if the line is down. */
export const hurry = () => wake();

function deliver(event) {
  if (event.error) throw new Failure(0, event.error.status, event.error.message);
  if (event.seq <= last) return;
  last = event.seq;
  hash = event.hash;
  for (const listener of [...listeners]) {
    try {
      listener(event);
    } catch (error) {
      console.error(error);
    }
  }
}

/** Read server-sent events, https://html.spec.whatwg.org/multipage/server-sent-events.html. */
async function read(body, alive) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let data = [];

  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:")) {
        data.push(line.slice(5).replace(/^ /, ""));
      } else if (line === "" && data.length) {
        const text = data.join("\n");
        data = [];
        deliver(JSON.parse(text));
      }
    }
  }
}

/** Is the event that was seen last still there? */
async function same(signal) {
  try {
    return last === 0 || (await get(path("events", last), signal)).hash === hash;
  } catch (error) {
    if (error.status === 404) return false;
    throw error;
  }
}

async function follow(tell) {
  const cut = new AbortController();
  let silence;
  const alive = () => {
    clearTimeout(silence);
    silence = setTimeout(() => cut.abort(), SILENCE_MS);
  };

  try {
    alive();
    if (last === null) ({ seq: last, hash } = await get("head", cut.signal));
    else if (!await same(cut.signal)) location.reload(); // another log has its place: nothing shown is of it
    known();
    const answer = await open("events/stream",
      { signal: cut.signal, headers: { "Last-Event-ID": String(last), Accept: "text/event-stream" } });
    tell({ online: true });
    await read(answer.body, alive);
  } finally {
    clearTimeout(silence);
    cut.abort();
  }
}

/** Follow the log for as long as the page is there. `tell({online, wait_ms})` hears how the line is. */
export async function start(tell) {
  for (let failures = 0; ; failures++) {
    try {
      await follow((how) => {
        failures = 0;
        tell(how);
      });
    } catch (error) {
      if (error.status === 401) return;
    }
    const wait = WAITS_MS[Math.min(failures, WAITS_MS.length - 1)];
    tell({ online: false, wait_ms: wait });
    await new Promise((done) => {
      wake = done;
      setTimeout(done, wait);
    });
  }
}
