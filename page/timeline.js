// One run, as its events tell it: the newest first, growing while one looks.
import { get, path, problem, query } from "./api.js";
import { add, announce, at, calmly, count, duration, el, every, fill, icon, link, moment, pill, renew, size } from "./dom.js";
import { graph, isGraph } from "./graph.js";
import { listen, seen } from "./live.js";
import { progress } from "./runs.js";
import { actions } from "./steer.js";
import { kept, outputOf, pre, steps } from "./steps.js";
import { aloud, describe, goOn, short, standing, tally, term } from "./words.js";
import * as open from "./open.js";

const PAGE = 300; // events that are fetched at once
const GROUPS = 300; // that are kept while new ones come
const OTHERS = 50; // runs that one may choose from, to be opened beside

// ---- What a command wrote ----

const log = (one) => [kept(one), one.text !== null && pre(`Log of attempt ${one.attempt}`, one.text)];

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
      return outputOf(step, (await get(place("output"))).output);
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
  let status = null;
  const stand = (now) => {
    if (now === status) return;
    status = now;
    fill(state, now && pill(now));
  };

  return {
    /** It was at work when its events ended: whether it is still, the run says. */
    settle(now) {
      if (status === "running") stand(now);
    },
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
      stand({ StepStarted: "running", StepResumed: "running", StepCompleted: next.payload?.skipped ? "skipped" : "completed", StepFailed: "failed",
        GenerationBlockedBySemanticConflict: "blocked", RunCompleted: "completed", RunFailed: "failed" }[next.type] ?? status);
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

function questions(own, n, labelled) {
  if (!own.length) return null;
  return el("section", { class: "asks", "aria-labelledby": labelled },
    el("h2", { id: `asks-${n}` }, count(own.length, "question is", "questions are"), " open"),
    el("ul", { class: "plain" }, own.map((c) => el("li", null,
      c.conflict_type === "question" ? [link(at("conflicts", c.conflict_id), c.term), ` in ${c.step_id}`]
        : [link(at("conflicts", c.conflict_id), term(c.term)), ` in ${c.step_id}: ${c.conflict_type}, ${c.severity}`]))));
}

/** One run in a place of its own, which `title` names, and an element where there are others; `n` tells it from them. */
async function show(view, id, root, n, title, named = "") {
  const labelled = (part) => `${named} ${part}-${n}`.trim();
  const [trouble, head, way, asks, drawing] = Array.from({ length: 5 }, () => el("div"));
  const side = el("section", { class: "side", "aria-labelledby": labelled("steps") });
  const timeline = el("ol", { class: "timeline", reversed: true });
  const older = el("button", { type: "button", hidden: true }, "Show what came before");
  const groups = [];
  let next = null; // what comes before this seq is not shown
  let newest = 0; // seq of the last event shown
  let waiting = []; // what came while the events before it were fetched; null: they are there
  let working = false; // somebody is at it

  head.className = "head";
  way.className = "way";
  fill(root, trouble, head, way, asks, drawing, el("div", { class: "columns" }, side,
    el("section", { class: "events", "aria-labelledby": labelled("events") },
      el("h2", { id: `events-${n}` }, "What happened"),
      el("p", { class: "hint" }, "Newest first. What comes appears at the top by itself."), timeline, older)));

  const settle = (found) => {
    if (found.status === "running") return;
    for (const group of groups) {
      const step = found.steps.find((s) => s.step_id === group.key);
      if (step) group.settle(standing(step));
    }
  };
  const about = async () => {
    try {
      const found = await get(path("runs", id), view.signal);
      const own = (open.all() ?? []).filter((c) => c.run_id === id);
      const { status, conflicts_open, owner, go_on } = found;
      const failed = found.steps.filter((s) => s.status === "failed").map((s) => s.step_id);
      working = status === "running";
      title(`${found.mission_id}: ${standing(found)}`, found.mission_id, " ", pill(standing(found)));
      renew(head, found, () => facts(found));
      renew(way, { status, conflicts_open, owner, go_on, failed }, () => [goOn(found), actions(view, found)]);
      renew(asks, own, () => questions(own, n, labelled("asks")));
      renew(drawing, found.steps, () => isGraph(found.steps) && graph(found));
      renew(side, [found.steps, found.current_step], () => [el("h2", { id: `steps-${n}` }, "Steps"), steps(found)]);
      settle(found);
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
  every(3000, () => working && soon(), view.signal); // a process that dies writes no event
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
  settle(found);
}

// ---- Several runs beside each other ----

const address = (ids) => `#/runs/${ids.map(encodeURIComponent).join(",")}`;

/** A choice of other runs, to be opened beside those that are. */
async function others(view, ids) {
  const { runs } = await get(`runs${query({ limit: OTHERS })}`, view.signal);
  const free = runs.filter((run) => !ids.includes(run.run_id));
  const chosen = el("select", { id: "beside", on: { change: () => { location.hash = address([...ids, chosen.value]); } } },
    el("option", { value: "" }, "choose a run"),
    free.map((run) => el("option", { value: run.run_id }, `${run.mission_id ?? "run"} ${short(run.run_id)}, ${standing(run)}`)));
  return free.length > 0 && el("p", { class: "tools" }, el("label", { for: "beside" }, "Open beside"), chosen);
}

export async function run(view, named) {
  const ids = [...new Set(named)];
  const place = el("div", { class: ids.length > 1 ? "beside" : "view" });
  const choice = el("div");

  view.title(ids.length > 1 ? `${ids.length} runs` : `Run ${short(ids[0])}`);
  fill(view.root, choice, place);
  others(view, ids).then((made) => fill(choice, made), () => {});
  if (ids.length === 1) {
    await show(view, ids[0], place, 0, view.title);
    return;
  }
  await Promise.all(ids.map(async (id, n) => {
    const heading = el("h2", { id: `run-${n}` }, short(id));
    const root = el("div", { class: "view" });
    add(place, el("section", { class: "one", "aria-labelledby": `run-${n}` }, el("div", { class: "grouphead" }, heading,
      el("span", { class: "span" }, link(address([id]), "Alone"), " ",
        link(address(ids.filter((other) => other !== id)), "Close"))), root));
    await show(view, id, root, n, (text, ...parts) =>
      renew(heading, text, () => [parts, " ", el("code", { class: "id" }, short(id))]), `run-${n}`).catch((error) => fill(root, problem(error)));
  }));
}

