// The steps of a run, and one of them: its attempts, what they wrote, as it comes, and its output.
import { Failure, get, path, problem, query } from "./api.js";
import { at, calmly, el, every, fill, link, moment, pill, renew, size } from "./dom.js";
import { listen } from "./live.js";
import { actions } from "./steer.js";
import { condition } from "./graph.js";
import { short, standing } from "./words.js";

const TAIL_MS = 1000; // how often what a command writes is looked at

/** In mission order. */
export const steps = (run) => el("ol", { class: "steps" }, run.steps.map((s) =>
  el("li", { "aria-current": s.step_id === run.current_step ? "step" : null },
    el("span", { class: "name" }, el("a", { href: at("runs", run.run_id, "steps", s.step_id), "data-key": s.step_id }, s.step_id),
      (s.retry || s.reason) && el("span", { class: "hint" }, ` ${s.retry || s.reason}`)),
    pill(standing(s)))));

/** Output, or a log: text as it was written. */
export const pre = (label, value) => el("pre", { class: "document", tabindex: "0", "aria-label": label }, value);

export const outputOf = (id, output) => (output === "" ? el("p", { class: "hint" }, "It is empty.") : pre(`Output of ${id}`, typeof output === "string" ? output : JSON.stringify(output, null, 2)));

/** What is said of an attempt beside its log. */
export const kept = (one) => [
  one.bytes > one.kept && el("p", { class: "hint" }, `The last ${size(one.kept)} of ${size(one.bytes)} are kept.`),
  one.text === null && el("p", { class: "hint" }, "It is not kept any more."),
];

/** An attempt that is brought up to date: {element, show(attempt, dead)}. */
function attempt(number) {
  const head = el("div", { class: "grouphead" });
  const about = el("div");
  const log = pre(`Log of attempt ${number}`, "");

  return {
    element: el("li", { class: "group attempt" }, head, about, log),
    show(one, dead) {
      const status = one.status === "running" && dead ? "unfinished" : one.status;
      const follows = log.scrollTop + log.clientHeight >= log.scrollHeight - 8;
      renew(head, [status, one.exit_code, one.reason, one.ended_at], () => [el("h3", null, `Attempt ${number}`), pill(status),
        (one.reason || one.exit_code !== null) && el("span", null, one.reason ?? `exit code ${one.exit_code}`),
        el("span", { class: "span" }, one.ended_at ? moment(one.ended_at) : status === "running" && "its log grows here")]);
      renew(about, [one.bytes > one.kept && one.bytes, one.text === null], () => kept(one));
      const text = one.text || "It wrote nothing to standard error.";
      log.hidden = one.text === null;
      if (log.textContent === text) return;
      log.textContent = text;
      if (follows) log.scrollTop = log.scrollHeight;
    },
  };
}

function facts(run, s) {
  const list = [
    ["Run", link(at("runs", run.run_id), `${run.mission_id ?? "run"} ${short(run.run_id)}`)],
    ["Tries", s.retry],
    ["Runs", condition(s)],
    ["Exit code", s.exit_code === null ? null : String(s.exit_code)],
    ["Why", s.reason],
  ].filter(([, value]) => value);
  return el("dl", { class: "facts" }, list.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

export async function step(view, id, stepId) {
  const [trouble, head, way, logs, output] = Array.from({ length: 5 }, () => el("div"));
  const list = el("ol", { class: "plain attempts", reversed: true });
  const shown = new Map(); // attempts by their number
  let run = null;
  let now = null; // the step
  let running = 0; // the attempt whose log grows

  view.title(stepId);
  fill(view.root, trouble, head, way, logs, output);

  const showLogs = async (only) => {
    const { attempts } = await get(`${path("runs", id, "steps", stepId, "log")}${query({ attempt: only })}`, view.signal);
    const last = attempts.at(-1);
    renew(logs, attempts.length > 0, () => (last ? [el("h2", null, "Attempts"), list]
      : el("p", { class: "note" }, "No command of it was started yet.")));
    for (const one of attempts) {
      if (!shown.has(one.attempt)) {
        shown.set(one.attempt, attempt(one.attempt));
        list.prepend(shown.get(one.attempt).element);
      }
      shown.get(one.attempt).show(one, now.status !== "running");
    }
    running = last?.status === "running" && now.status === "running" ? last.attempt : 0;
  };
  const load = async () => {
    run = await get(path("runs", id), view.signal);
    now = run.steps.find((s) => s.step_id === stepId);
    if (!now) throw new Failure(404, "PAWL_ENOTFOUND", `Run ${id} has no step ${stepId}; its own page lists those that it has.`);
    view.title(`${stepId}: ${standing(now)}`, stepId, " ", pill(standing(now)));
    renew(head, now, () => facts(run, now));
    renew(way, [run.status, now.status], () => actions(view, run, [now]));
    await showLogs();
    if (!now.output_hash) {
      renew(output, null, () => null);
      return;
    }
    const value = await get(path("runs", id, "steps", stepId, "output"), view.signal).catch((error) => error);
    renew(output, now.output_hash, () => [el("h2", null, "Output"),
      value instanceof Error ? problem(value) : outputOf(stepId, value.output)]);
  };
  const again = async () => {
    try {
      await load();
      fill(trouble);
    } catch (error) {
      fill(trouble, problem(error, again));
    }
  };
  const soon = calmly(300, again, view.signal);

  listen((event) => event.run_id === run?.run_id && (!event.step_id || event.step_id === stepId) && soon(), view.signal);
  every(3 * TAIL_MS, () => run?.status === "running" && soon(), view.signal);
  every(TAIL_MS, () => running && showLogs(running).catch(() => {}), view.signal);
  await load();
}
