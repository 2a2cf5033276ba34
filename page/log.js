// The log: its events, the newest first, narrowed to a type, a run, a step and a time.
import { get, path, problem, query } from "./api.js";
import { add, announce, at, calmly, count, el, fill, link, moment, pair, table, tableRow } from "./dom.js";
import { listen } from "./live.js";
import { describe, short, types } from "./words.js";

const PAGE = 100;
const LOOKS = 8; // for one page, at most: the service looks at so many events at once, whatever it finds

const columns = [
  { name: "Event", class: "whole" },
  { name: "What" },
  { name: "Step", class: "wide" },
  { name: "Run", class: "wide whole" },
  { name: "When", class: "wide whole" },
];

function row(event) {
  const { title } = describe(event);
  return { key: event.seq, cells: [
    link(at("log", event.seq), `#${event.seq}`),
    [title, el("span", { class: "about type" }, event.type),
      el("span", { class: "narrow" }, event.step_id && el("span", null, event.step_id), moment(event.time))],
    event.step_id ?? "",
    event.run_id && link(at("runs", event.run_id), short(event.run_id)),
    moment(event.time),
  ] };
}

/** seq of the last event before that time: events come in the order of their times, but for a clock that was set. */
async function lastBefore(time, signal) {
  let low = 0;
  let { seq: high } = await get("head", signal);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (new Date((await get(path("events", middle), signal)).time) < time) low = middle;
    else high = middle - 1;
  }
  return low;
}

export async function log(view) {
  const asked = (name) => view.query.get(name) ?? "";
  const type = el("select", { id: "type" }, el("option", { value: "" }, "all"),
    [...new Set([...types, asked("type")])].filter(Boolean).sort().map((t) => el("option", { value: t }, t)));
  const field = (name, label, attributes) => pair(el("label", { for: name }, label), el("input", { id: name, value: asked(name), ...attributes }));
  const filters = el("form", { class: "tools", role: "search", "aria-label": "Filters" },
    pair(el("label", { for: "type" }, "Type"), type),
    field("run", "Run", { size: 12, autocomplete: "off", spellcheck: "false" }),
    field("step", "Step", { size: 12, autocomplete: "off", spellcheck: "false" }),
    field("from", "Since", { type: "datetime-local", step: 1 }),
    el("button", { type: "submit" }, "Show"));
  const fresh = el("button", { type: "button", disabled: true }, "No new events");
  const more = el("button", { type: "button", hidden: true }, "Show older events");
  const body = table("Events, newest first", columns, []);
  const rows = body.tBodies[0];
  const told = el("p", { class: "hint", role: "status" });
  const trouble = el("div");
  let wanted = {}; // the filters that hold
  let since = 0; // none up to there is wanted
  let next = null; // what is before it was not looked at
  let came = 0; // how many came since
  let turn = 0; // of those who read

  type.value = asked("type");
  view.title("Log");
  fill(view.root, el("p", null, link(at("log", "chain"), "Verify the chain, and count the events")), filters,
    el("p", { class: "tools" }, fresh), trouble, el("div", { class: "list" }, body), told, more);

  /** Find older events until a page is full. */
  const back = async () => {
    const mine = ++turn;
    let found = 0;
    body.setAttribute("aria-busy", "true");
    try {
      for (let looks = 0; next && found < PAGE && looks < LOOKS; looks++) {
        const answer = await get(`events${query({ ...wanted, since, before: next, limit: PAGE - found })}`, view.signal);
        if (mine !== turn) return;
        add(rows, answer.events.reverse().map((event) => tableRow(columns, row(event))));
        found += answer.events.length;
        next = answer.next;
        fill(told, next && found < PAGE ? `Looked back to event ${next}…` : "");
      }
      const none = since || Object.values(wanted).some(Boolean) ? "No event matches." : "There is no event yet; a run writes the first.";
      fill(told, !next ? (rows.rows.length ? "These are all." : none)
        : found < PAGE && [!rows.rows.length && "None so far. ", `Looked back to event ${next}.`]);
      more.hidden = !next;
      more.textContent = found < PAGE ? "Look further back" : "Show older events";
      fill(trouble);
    } catch (error) {
      if (mine === turn) fill(trouble, problem(error, back));
    }
    body.setAttribute("aria-busy", "false");
  };

  const tell = () => {
    fresh.disabled = came === 0;
    fill(fresh, came ? `Show ${count(came, "new event")}` : "No new events");
  };
  const soon = calmly(500, tell, view.signal);

  /** From the newest on, by the filters as they are. */
  const show = async () => {
    const from = filters.elements.from.value;
    const mine = ++turn;
    wanted = { type: type.value, run: filters.elements.run.value.trim(), step: filters.elements.step.value.trim() };
    history.replaceState(history.state, "", `${at("log")}${query({ ...wanted, from })}`);
    try {
      const after = from ? await lastBefore(new Date(from), view.signal) : 0;
      if (mine !== turn) return;
      since = after;
    } catch (error) {
      if (mine === turn) fill(trouble, problem(error, show));
      return;
    }
    next = Number.MAX_SAFE_INTEGER;
    came = 0;
    tell();
    rows.replaceChildren();
    await back();
  };

  filters.addEventListener("submit", async (event) => {
    event.preventDefault();
    await show();
    announce(`${count(rows.rows.length, "event")} shown`);
  });
  type.addEventListener("change", show);
  fresh.addEventListener("click", async () => {
    await show();
    rows.querySelector("a")?.focus();
  });
  more.addEventListener("click", async () => {
    const last = rows.rows.length;
    await back();
    if (more.hidden) (rows.rows[last]?.querySelector("a") ?? view.heading).focus();
  });
  // What comes is counted, and moves nothing until somebody wants to see it.
  listen((event) => {
    if ((wanted.type && event.type !== wanted.type) || (wanted.step && event.step_id !== wanted.step)
      || (wanted.run && !event.run_id?.startsWith(wanted.run))) return;
    came++;
    soon();
  }, view.signal);
  await show();
}

// ---- One ----

/** One event, whole. */
export async function event(view, seq) {
  view.title(`Event ${seq}`);
  const found = await get(path("events", seq), view.signal);
  const n = Number(seq);
  const facts = [
    ["Type", found.type],
    ["When", moment(found.time)],
    ["Run", found.run_id && link(at("runs", found.run_id), short(found.run_id))],
    ["Step", found.step_id],
    ["Session", found.session_id && link(at("sessions", found.session_id), found.session_id)],
    ["Who", found.actor],
  ].filter(([, value]) => value);
  fill(view.root, el("dl", { class: "facts" }, facts.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)))),
    el("p", { class: "tools" }, n > 1 && link(at("log", n - 1), `Event ${n - 1}`), link(at("log", n + 1), `Event ${n + 1}`),
      found.run_id && link(`${at("log")}${query({ run: found.run_id })}`, "All of its run")),
    el("p", { class: "hint" }, "As it stands in the log."),
    el("pre", { class: "document", tabindex: "0", "aria-label": `Event ${seq}` }, JSON.stringify(found, null, 2)));
}
