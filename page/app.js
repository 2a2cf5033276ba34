// Where the page starts: the token, the places by their address, the line to the log.
import { findToken, onNoEntry, problem, takeToken } from "./api.js";
import { add, command, el, fill, freshen, renew } from "./dom.js";
import * as live from "./live.js";
import * as open from "./open.js";
import { checkpoint, checkpoints } from "./checkpoints.js";
import { conflict, conflicts } from "./conflicts.js";
import { chain } from "./chain.js";
import { entry, glossary } from "./glossary.js";
import { event, log } from "./log.js";
import { run } from "./timeline.js";
import { step } from "./steps.js";
import { runs } from "./runs.js";
import { session, sessions } from "./sessions.js";

const main = document.getElementById("main");
const line = document.getElementById("connection");

// ---- Places ----
// A place is a function of (view, ...arguments): a text for each "*" of its pattern, a list of them for a "+",
// with commas in between. A view has: root, which is its own; signal, which aborts when it is left; query, of its
// address; title(text), which names it in its heading and in the tab.

const places = [
  ["runs", runs], ["runs/+", run], ["runs/*/steps/*", step],
  ["conflicts", conflicts], ["conflicts/*", conflict],
  ["glossary", glossary], ["glossary/*", entry],
  ["checkpoints", checkpoints], ["checkpoints/*", checkpoint],
  ["sessions", sessions], ["sessions/*", session],
  ["log", log], ["log/chain", chain], ["log/*", event],
];

const parts = {
  "*": decodeURIComponent,
  "+": (segment) => segment.split(",").filter(Boolean).map(decodeURIComponent),
};

function find(hash) {
  const [where, asked] = hash.split("?");
  const segments = where.replace(/^#\/?/, "").split("/");
  for (const [pattern, show] of places) {
    const wanted = pattern.split("/");
    if (wanted.length !== segments.length || !wanted.every((w, i) => (w in parts ? segments[i] : w === segments[i]))) continue;
    try {
      return { show, values: wanted.flatMap((w, i) => (w in parts ? [parts[w](segments[i])] : [])), page: wanted[0],
        query: new URLSearchParams(asked) };
    } catch {
      return null; // no text
    }
  }
  return null;
}

let left = new AbortController();
let failed = false; // the place shows why it could not be shown
let title = "Pawl";

function name() {
  document.title = open.number() ? `(${open.number()}) ${title}` : title;
}

async function show(moved) {
  const place = find(location.hash);
  if (!place) {
    history.replaceState(null, "", "#/runs");
    return show(moved);
  }
  left.abort();
  left = new AbortController();
  failed = false;
  const { signal } = left;
  const heading = el("h1", { tabindex: "-1" });
  const root = el("div", { class: `view ${place.page}` });
  const view = {
    root, heading, signal, query: place.query,
    title(text, ...shown) {
      renew(heading, shown.map((part) => part.textContent ?? part).join("") || text, () => (shown.length ? shown : text));
      title = `${text} · Pawl`;
      name();
    },
  };

  for (const a of document.querySelectorAll("nav a")) {
    if (a.getAttribute("href") === `#/${place.page}`) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  fill(main, heading, root);
  scrollTo(0, 0);
  const started = place.show(view, ...place.values);
  if (moved) heading.focus({ preventScroll: true });
  try {
    await started;
  } catch (error) {
    const told = signal.aborted ? null : problem(error, () => show(false));
    if (!told) return;
    failed = true;
    fill(root, told);
  }
}

// ---- The line ----

function tell({ online, wait_ms }) {
  if (online) {
    if (line.childElementCount) open.renew();
    fill(line);
    if (failed) show(false);
    return;
  }
  if (line.childElementCount) return; // said already
  fill(line, el("p", null, "The connection to ", el("code", null, "pawl serve"),
    ` is lost; what you see may be old. Trying again${wait_ms > 1000 ? ` every few seconds` : ""}. `,
    el("button", { type: "button", class: "small", on: { click: live.hurry } }, "Try now")));
}

// ---- No way in ----

function noEntry(failure) {
  left.abort();
  fill(line);
  title = "No access · Pawl";
  name();
  fill(main, el("h1", { tabindex: "-1" }, failure ? "This link does not open the log any more" : "A link is needed"),
    el("div", { class: "view" },
      el("p", null, failure
        ? "Each start of the service has a link of its own, and this page came with an earlier one."
        : "This page shows a log only to who has the link that the service printed when it was started."),
      el("p", null, "In the terminal where it runs, look for the line that ends with ",
        el("code", null, "#token=…"), " and open that address. If there is none any more, start it again: ",
        command("pawl serve"))));
}

async function begin() {
  takeToken();
  fill(document.getElementById("zone"), `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`);
  document.getElementById("skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  addEventListener("hashchange", () => {
    if (takeToken()) location.reload();
    else show(true);
  });
  onNoEntry(noEntry);
  if (!await findToken()) {
    noEntry();
    return;
  }
  for (const event of ["online", "focus"]) addEventListener(event, live.hurry);
  document.addEventListener("visibilitychange", () => document.hidden || live.hurry());
  setInterval(freshen, 10_000);
  live.start(tell);
  open.start(name);
  show(false);
}

begin().catch((error) => add(main, problem(error)));
