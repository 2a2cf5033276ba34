// Every run, newest first: where it stands, and whether it waits for somebody.
import { get, problem, query } from "./api.js";
import { at, calmly, count, el, fill, link, pill, since, table, tableRow } from "./dom.js";
import { listen } from "./live.js";
import { describe, short } from "./words.js";

const PAGE = 50;
const statuses = ["queued", "blocked", "running", "interrupted", "failed", "cancelled", "completed"];

const columns = [
  { name: "Run" },
  { name: "Status" },
  { name: "Progress", class: "wide" },
  { name: "Step", class: "wide" },
  { name: "Open conflicts", class: "number wide" },
  { name: "Last event", class: "wide" },
];

export function progress(run) {
  const text = `${run.steps_completed} of ${run.steps_total}`;
  return el("span", { class: "progress" },
    el("progress", { max: run.steps_total || 1, value: run.steps_completed, "aria-label": `${text} steps completed` }), text);
}

const waiting = (run) => run.conflicts_open > 0
  && link(at("conflicts"), count(run.conflicts_open, "open conflict"));

function row(run) {
  return { key: run.run_id, cells: [
    [link(at("runs", run.run_id), run.mission_id ?? "run"), " ", el("code", { class: "id" }, short(run.run_id)),
      el("span", { class: "narrow" }, progress(run),
        el("span", null, run.current_step ? `at ${run.current_step}, ` : "", since(run.updated_at)), waiting(run))],
    pill(run.status),
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
  if (status) return el("p", { class: "note" }, `No run is ${status}.`);
  return el("section", { class: "note first" },
    el("h2", null, "Nothing has run yet"),
    el("ol", null,
      el("li", null, "Write what is to be done into ", el("code", null, "mission.yaml"), ", for example:",
        el("pre", { tabindex: "0", "aria-label": "An example of mission.yaml" }, mission)),
      el("li", null, "In that folder, run it: ", el("code", null, "pawl run mission.yaml")),
      el("li", null, "Stay here: the run appears by itself, and so do the questions that it asks.")),
    el("p", null, "The folder must be this log's, or one beneath it, so that the run finds the same log."));
}

/** Bring a table's rows up to date: a row that stays keeps its place on the page, and the focus. */
function update(body, list) {
  const old = new Map([...body.rows].map((r) => [r.dataset.key, r]));
  const focused = document.activeElement;
  const focusedKey = focused?.closest?.("tr")?.dataset.key;
  list.forEach((run, i) => {
    const text = JSON.stringify(run);
    let element = old.get(run.run_id);
    old.delete(run.run_id);
    if (element?.dataset.text !== text) {
      const made = tableRow(columns, row(run));
      made.dataset.text = text;
      element?.replaceWith(made);
      element = made;
    }
    if (body.rows[i] !== element) body.insertBefore(element, body.rows[i] ?? null);
  });
  for (const gone of old.values()) gone.remove();
  if (focusedKey && document.activeElement !== focused)
    [...body.rows].find((r) => r.dataset.key === focusedKey)?.querySelector("a")?.focus();
}

export async function runs(view) {
  const chosen = el("select", { id: "status" }, el("option", { value: "" }, "all"),
    statuses.map((s) => el("option", { value: s }, s)));
  const list = el("div", { class: "list" });
  const more = el("button", { type: "button", hidden: true }, "Show older runs");
  const trouble = el("div");
  let wanted = PAGE;
  let shown = null;

  view.title("Runs");
  fill(view.root, el("p", { class: "tools" }, el("label", { for: "status" }, "Show"), chosen), trouble, list, more);

  const load = async () => {
    const runs_ = [];
    let next = null;
    do {
      const page = await get(`runs${query({ limit: Math.min(PAGE, wanted - runs_.length), before: next,
        status: chosen.value })}`, view.signal);
      runs_.push(...page.runs);
      next = page.next;
    } while (next && runs_.length < wanted);
    fill(trouble);
    more.hidden = !next;
    if (!runs_.length) {
      shown = null;
      fill(list, nothing(chosen.value));
      return;
    }
    if (!shown) {
      shown = table("Runs, newest first", columns, []);
      fill(list, shown);
    }
    update(shown.tBodies[0], runs_);
  };
  const again = async () => {
    try {
      await load();
    } catch (error) {
      fill(trouble, problem(error, again));
    }
  };

  chosen.addEventListener("change", again);
  more.addEventListener("click", () => {
    wanted += PAGE;
    again();
  });
  const soon = calmly(800, again, view.signal);
  listen((event) => event.run_id && !describe(event).quiet && soon(), view.signal);
  await load();
}

