// Every run, newest first: where it stands, and whether it waits for somebody.
import { query } from "./api.js";
import { at, count, el, every, fill, link, pill, since } from "./dom.js";
import { listing } from "./list.js";
import { listen } from "./live.js";
import { describe, short, standing } from "./words.js";

const statuses = ["queued", "blocked", "running", "interrupted", "failed", "cancelled", "completed"];

const columns = [
  { name: "Mission" },
  { name: "Run", class: "wide whole" },
  { name: "Status" },
  { name: "Progress", class: "wide" },
  { name: "Step", class: "wide" },
  { name: "Open conflicts", class: "number wide" },
  { name: "Last event", class: "wide whole" },
];

export function progress(run) {
  const text = `${run.steps_completed} of ${run.steps_total}`;
  return el("span", { class: "progress" },
    el("progress", { max: run.steps_total || 1, value: run.steps_completed, "aria-label": `${text} steps completed` }), text);
}

// The linked work tree that a run or a session is at work in.
export const within = (one) => one.worktree && el("span", { class: "note", title: one.worktree.path }, ` in ${one.worktree.path.split("/").pop()}`);

const waiting = (run) => run.conflicts_open > 0
  && link(at("conflicts"), count(run.conflicts_open, "open conflict"));

function row(run) {
  return { key: run.run_id, cells: [
    [link(at("runs", run.run_id), run.mission_id ?? "run"), within(run),
      el("span", { class: "narrow" }, el("code", { class: "id" }, short(run.run_id)), progress(run),
        el("span", null, run.current_step ? `at ${run.current_step}, ` : "", since(run.updated_at)), waiting(run))],
    el("code", { class: "id" }, short(run.run_id)),
    pill(standing(run)),
    progress(run),
    run.current_step ?? "",
    run.conflicts_open ? link(at("conflicts"), run.conflicts_open) : "0",
    since(run.updated_at),
  ] };
}

const mission = `mission: first
steps:
  - id: greet
    inputs: { description: Say hello to whoever reads this. }
    run: [echo, hello]
`;

function nothing(status) {
  if (status) return el("p", { class: "note" }, `No run is ${standing({ status })}.`);
  return el("section", { class: "note first" },
    el("h2", null, "Nothing has run yet"),
    el("ol", null,
      el("li", null, "Write what is to be done into ", el("code", null, "mission.yaml"), ", for example:",
        el("pre", { tabindex: "0", "aria-label": "An example of mission.yaml" }, mission)),
      el("li", null, "In that folder, run it: ", el("code", null, "pawl run mission.yaml")),
      el("li", null, "Stay here: the run appears by itself, and so do the questions that it asks.")),
    el("p", null, "The folder must be this log's, or one beneath it, so that the run finds the same log."));
}

export async function runs(view) {
  const chosen = el("select", { id: "status" }, el("option", { value: "" }, "all"),
    statuses.map((s) => el("option", { value: s }, standing({ status: s }))));
  let working = false; // somebody is at one of them
  const list = listing(view, {
    caption: "Runs, newest first", columns, older: "Show older runs",
    where: (limit) => `runs${query({ limit, status: chosen.value })}`,
    nothing: () => nothing(chosen.value),
    row(run) {
      working ||= run.status === "running";
      return row(run);
    },
  });

  view.title("Runs");
  fill(view.root, el("p", { class: "tools" }, el("label", { for: "status" }, "Show"), chosen), list.elements);
  chosen.addEventListener("change", list.again);
  listen((event) => event.run_id && !describe(event).quiet && list.soon(), view.signal);
  every(5000, () => { // a process that dies writes no event
    if (working) list.soon();
    working = false;
  }, view.signal);
  await list.load();
}
