// One run, as its events tell it: the newest first, growing while one looks.
import { get, path, problem, query } from "./api.js";
import { add, announce, at, calmly, count, duration, el, fill, icon, link, moment, pill, renew, size } from "./dom.js";
import { listen, seen } from "./live.js";
import { progress } from "./runs.js";
import { aloud, describe, goOn, short, tally, term } from "./words.js";
import * as open from "./open.js";

const PAGE = 300; // events that are fetched at once
const GROUPS = 300; // that are kept while new ones come

// ---- What a command wrote ----

const text = (label, value) => el("pre", { class: "document", tabindex: "0", "aria-label": label }, value);

const log = (one) => [
  one.bytes > one.kept && el("p", { class: "hint" }, `The last ${size(one.kept)} of ${size(one.bytes)} are kept.`),
  one.text === null ? el("p", { class: "hint" }, "It is not kept any more.") : text(`Log of attempt ${one.attempt}`, one.text),
];

/** Something that is fetched when it is opened. */
function wrote(name, load) {
  const inside = el("div");
  const details = el("details", null, el("summary", null, name), inside);
  const show = async () => {
    try {
      if (details.open) fill(inside, await load());
    } catch (error) {
      fill(inside, problem(error, show));
    }
  };
  details.addEventListener("toggle", show);
  return details;
}

/** Of an event that ends an attempt: what its command wrote to standard error, and its output. */
function written({ type, run_id: run, step_id: step, payload }) {
  const place = (what) => path("runs", run, "steps", step, what);
  return [
    payload?.log_bytes > 0 && wrote(`Log: ${size(payload.log_bytes)}`, async () =>
      (await get(`${place("log")}${query({ attempt: payload.attempt })}`)).attempts.map(log)),
    type === "StepCompleted" && wrote("Output", async () => {
      const { output } = await get(place("output"));
      return text(`Output of ${step}`, typeof output === "string" ? output : JSON.stringify(output, null, 2));
    }),
  ];
}

// ---- Entries ----

function entry(event) {
  const { shape, tone, title, detail } = describe(event);
  return el("li", { class: `entry ${tone ?? ""}`, "data-seq": event.seq },
    icon(shape),
    el("div", { class: "what" }, el("p", { class: "title" }, title), detail && el("div", { class: "detail" }, detail),
      written(event)),
    el("p", { class: "when" }, moment(event.time), " ", link(at("log", event.seq), `#${event.seq}`)));
}

/** The small print of a group: one line at its end, which opens. */
function fold() {
  const events = [];
  const summary = el("summary");
  const inside = el("ol", { class: "entries", reversed: true });
  const details = el("details", null, summary, inside);
  const show = () => details.open && fill(inside, [...events].reverse().map(entry));

  details.addEventListener("toggle", show);
  return {
    element: el("li", { class: "entry fold" }, icon("more"), el("div", { class: "what" }, details)),
    add(event) {
      events.push(event);
      summary.textContent = tally(events);
      show();
    },
  };
}

// ---- Groups ----
// What happened to one step in one go stands together; what belongs to no step, too. Small print of no
// step goes with what it came with.

function group(event) {
  const list = el("ol", { class: "entries", reversed: true });
  const state = el("span");
  const span = el("span", { class: "span" });
  const heading = el("h3", null, event.step_id ?? "The run");
  let folded = null;
  let last = event;

  return {
    key: event.step_id,
    first: event.seq,
    element: el("li", { class: "group" }, el("div", { class: "grouphead" }, heading, state, span), list),
    takes(next) {
      return next.step_id === this.key || (!next.step_id && describe(next).quiet);
    },
    add(next) {
      last = next;
      if (describe(next).quiet) {
        if (!folded) {
          folded = fold();
          list.append(folded.element);
        }
        folded.add(next);
      } else {
        list.prepend(entry(next));
      }
      const status = { StepStarted: "running", StepResumed: "running", StepCompleted: "completed", StepFailed: "failed",
        GenerationBlockedBySemanticConflict: "blocked", RunCompleted: "completed", RunFailed: "failed" }[next.type];
      if (status) fill(state, pill(status));
      const took = new Date(last.time) - new Date(event.time);
      fill(span, moment(event.time), took >= 1000 && `, ${duration(took)}`);
    },
  };
}

/** Events in the order of seq as groups, the oldest first. */
function grouped(events, groups = []) {
  for (const event of events) {
    let current = groups[groups.length - 1];
    if (!current?.takes(event)) {
      current = group(event);
      groups.push(current);
    }
    current.add(event);
  }
  return groups;
}

// ---- The run ----

function facts(run) {
  const list = [
    ["Progress", progress(run)],
    ["Step", run.current_step],
    ["Started", moment(run.started_at)],
    ["Last event", moment(run.updated_at)],
    ["Session", run.session_id, "wide"],
    ["Run", el("code", null, run.run_id), "wide"],
  ].filter(([, value]) => value);
  return el("dl", { class: "facts" }, list.map(([name, value, kind]) =>
    el("div", { class: kind }, el("dt", null, name), el("dd", null, value))));
}

function questions(own) {
  if (!own.length) return null;
  return el("section", { class: "asks", "aria-labelledby": "asks" },
    el("h2", { id: "asks" }, count(own.length, "question is", "questions are"), " open"),
    el("ul", { class: "plain" }, own.map((c) => el("li", null,
      c.conflict_type === "question" ? [link(at("conflicts", c.conflict_id), c.term), ` in ${c.step_id}`]
        : [link(at("conflicts", c.conflict_id), term(c.term)), ` in ${c.step_id}: ${c.conflict_type}, ${c.severity}`]))));
}

const steps = (run) => el("ol", { class: "steps" }, run.steps.map((s) =>
  el("li", { "aria-current": s.step_id === run.current_step ? "step" : null },
    el("span", { class: "name" }, s.step_id), pill(s.status))));

export async function run(view, id) {
  const head = el("div", { class: "head" });
  const way = el("div");
  const asks = el("div");
  const side = el("section", { class: "side", "aria-labelledby": "steps" });
  const timeline = el("ol", { class: "timeline", reversed: true });
  const older = el("button", { type: "button", hidden: true }, "Show what came before");
  const trouble = el("div");
  const groups = [];
  let next = null; // what comes before this seq is not shown
  let newest = 0; // seq of the last event shown
  let waiting = []; // what came while the events before it were fetched; null: they are there

  view.title(`Run ${short(id)}`);
  fill(view.root, trouble, head, way, asks, el("div", { class: "columns" }, side,
    el("section", { class: "events", "aria-labelledby": "events" },
      el("h2", { id: "events" }, "What happened"),
      el("p", { class: "hint" }, "Newest first. What comes appears at the top by itself."), timeline, older)));

  const about = async () => {
    try {
      const found = await get(path("runs", id), view.signal);
      const own = (open.all() ?? []).filter((c) => c.run_id === id);
      const { status, conflicts_open } = found;
      view.title(`${found.mission_id}: ${status}`, found.mission_id, " ", pill(status));
      renew(head, found, () => facts(found));
      renew(way, { status, conflicts_open }, () => goOn(found));
      renew(asks, own, () => questions(own));
      renew(side, [found.steps, found.current_step], () => [el("h2", { id: "steps" }, "Steps"), steps(found)]);
      fill(trouble);
      return found;
    } catch (error) {
      fill(trouble, problem(error, soon));
      throw error;
    }
  };
  const soon = calmly(300, () => about().catch(() => {}), view.signal);

  const grow = (event) => {
    if (event.seq <= newest) return;
    newest = event.seq;
    const before = groups.length;
    grouped([event], groups);
    if (groups.length === before) return;
    timeline.prepend(groups[groups.length - 1].element);
    if (groups.length <= GROUPS) return;
    groups.shift().element.remove();
    next = groups[0].first;
    older.hidden = false;
  };

  open.watch(soon, view.signal);
  const ready = listen((event) => {
    if (event.run_id !== id) return;
    if (waiting) waiting.push(event);
    else grow(event);
    const text = aloud(event);
    if (text) announce(text);
    if (!describe(event).quiet) soon();
  }, view.signal);

  const found = await about();
  await ready;
  const end = seen();
  newest = Math.min(found.updated_seq, end);
  next = newest + 1;
  const back = async () => {
    const events = [];
    while (next > (found.started_seq ?? 1) && events.length < PAGE) {
      const page = await get(`events${query({ run: id, limit: PAGE, before: next })}`, view.signal);
      events.unshift(...page.events);
      next = page.next ?? 0;
    }
    const made = grouped(events);
    groups.unshift(...made);
    add(timeline, made.map((g) => g.element).reverse());
    older.hidden = next <= (found.started_seq ?? 1);
  };
  older.addEventListener("click", () => back().catch((error) => fill(trouble, problem(error))));
  await back();
  // Little of a run comes after the event that changed it last, and of other runs much may: it is shown meanwhile.
  for (let since = newest; since < end;) {
    const page = await get(`events${query({ run: id, limit: PAGE, since })}`, view.signal);
    page.events.forEach(grow);
    since = page.next ?? end;
  }
  waiting.forEach(grow);
  waiting = null;
}

