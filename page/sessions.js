// Sessions: the list, and one of them with what it did and what it leaves.
import { get, open, path, problem, query } from "./api.js";
import { at, calmly, duration, el, every, fill, link, moment, pill, renew, since } from "./dom.js";
import { listing } from "./list.js";
import { listen } from "./live.js";
import { progress, within } from "./runs.js";
import { person, short } from "./words.js";

const statuses = ["active", "interrupted", "error", "completed"];

const columns = [
  { name: "Session" },
  { name: "Status" },
  { name: "Run", class: "wide whole" },
  { name: "Who", class: "wide" },
  { name: "Progress", class: "wide" },
  { name: "Step", class: "wide" },
  { name: "Started", class: "wide whole" },
];

const done = (s) => (s.steps_total ? progress(s) : "");
const run = (s) => s.run_id && link(at("runs", s.run_id), short(s.run_id));

const row = (s) => ({ key: s.session_id, cells: [
  [link(at("sessions", s.session_id), s.mission_id ?? "session"), " ", el("code", { class: "id" }, s.session_id),
    within(s), el("span", { class: "narrow" }, done(s), el("span", null, s.current_step ? `at ${s.current_step}, ` : "", since(s.started_at)))],
  pill(s.status),
  run(s),
  person(s.actor),
  done(s),
  s.current_step ?? "",
  since(s.started_at),
] });

const mine = (event) => event.session_id && /^(Session|Run|Step(Started|Completed|Failed)|Pruned)/.test(event.type);

export async function sessions(view) {
  const chosen = el("select", { id: "status" }, el("option", { value: "" }, "all"), statuses.map((s) => el("option", { value: s }, s)));
  let working = false; // somebody is at one of them
  const list = listing(view, {
    caption: "Sessions, newest first", columns, older: "Show older sessions",
    where: (limit) => `sessions${query({ limit, status: chosen.value })}`,
    row(s) {
      working ||= s.status === "active";
      return row(s);
    },
    nothing: () => el("p", { class: "note" }, chosen.value ? `No session is ${chosen.value}.`
      : ["There is no session yet. ", el("code", null, "pawl run"), " begins one, and so does an agent's ", el("code", null, "pawl session start"), "."]),
  });

  view.title("Sessions");
  fill(view.root, el("p", { class: "tools" }, el("label", { for: "status" }, "Show"), chosen), list.elements);
  chosen.addEventListener("change", list.again);
  listen((event) => mine(event) && list.soon(), view.signal);
  every(5000, () => { // a service that only reads records nothing of a process that died
    if (working) list.soon();
    working = false;
  }, view.signal);
  await list.load();
}

// ---- One ----

function facts(s) {
  const list = [
    ["Run", run(s)],
    ["Who", person(s.actor)],
    ["Progress", done(s)],
    ["Step", s.current_step],
    ["Started", moment(s.started_at)],
    ["Ended", s.ended_at && [moment(s.ended_at), ` after ${duration(new Date(s.ended_at) - new Date(s.started_at))}`]],
    ["Why", s.reason],
    ["Work tree", s.worktree?.path],
    ["Session", el("code", null, s.session_id)],
  ].filter(([, value]) => value);
  return [el("dl", { class: "facts" }, list.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value)))),
    s.summary && el("p", null, s.summary)];
}

const part = (id, name, items) => items.length > 0 && el("section", { "aria-labelledby": id }, el("h2", { id }, name),
  el("ul", { class: "did plain" }, items.map((item) => el("li", null, item))));

const did = (s) => [
  part("steps", "Steps", s.steps.map((step) => [el("span", { class: "name" }, step.step_id), pill(step.status), step.reason && el("span", { class: "hint" }, step.reason)])),
  part("files", "Checkpoints of the files", s.workspace_checkpoints.map((c) =>
    [link(at("checkpoints", c.n), `${c.n} ${c.step_id ?? c.description ?? ""}`.trim()), moment(c.created_at)])),
  part("marks", "Checkpoints of the session", s.session_checkpoints.map((c) =>
    [link(at("log", c.seq), String(c.reason ?? "pruned").replaceAll("_", " ")), moment(c.created_at)])),
];

export async function session(view, id) {
  const head = el("div", { class: "head" });
  const places = el("div", { class: "head" });
  const handoff = el("pre", { class: "document", tabindex: "0", "aria-labelledby": "handoff" });
  const trouble = el("div");
  let working = false; // somebody is at it

  view.title(`Session ${id}`);
  fill(view.root, trouble, head, places, el("section", { "aria-labelledby": "handoff" },
    el("h2", { id: "handoff" }, "Handoff"), el("p", { class: "hint" }, "What it leaves to whoever comes next."), handoff));
  const load = async () => {
    const [found, text] = await Promise.all([get(path("sessions", id), view.signal),
      open(path("sessions", id, "handoff"), { signal: view.signal }).then((answer) => answer.text())]);
    fill(trouble);
    working = found.status === "active";
    view.title(`${found.mission_id ?? "Session"}: ${found.status}`, found.mission_id ?? "Session", " ", pill(found.status));
    renew(head, { ...found, steps: 0, workspace_checkpoints: 0, session_checkpoints: 0 }, () => facts(found));
    renew(places, [found.steps, found.workspace_checkpoints, found.session_checkpoints], () => did(found));
    renew(handoff, text, () => text);
  };
  const again = () => load().catch((error) => fill(trouble, problem(error, again)));
  const soon = calmly(400, again, view.signal);
  listen((event) => event.session_id === id && soon(), view.signal);
  every(5000, () => working && soon(), view.signal);
  await load();
}
