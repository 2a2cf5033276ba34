// Steering a run: what an action would do, by the service's own word; the action; what came of it.
import { Failure, get, name, path, post, problem, query } from "./api.js";
import { announce, at, command, count, dialog, el, fill, link, pill, prose, table, word } from "./dom.js";
import { standing } from "./words.js";

const SHOWN = 200; // steps of a plan that are shown at once

const then = {
  stays: "stays as it is", ends: "is ended", never: "is not run any more", skipped: "is skipped",
  runs: "runs", again: "runs again", asks: "waits for answers", waits: "waits", left: "leaves the run",
};
const changed = {
  added: "is new", removed: "was removed", moved: "was moved", inputs: "has other inputs", run: "has another command",
  glossary: "was told a definition that does not hold any more",
};
const columns = [{ name: "Step" }, { name: "Is" }, { name: "Then" }];

/** What becomes of the steps, who has the run, what stands in the way. */
function consequences(plan) {
  const steps = plan.steps.filter((s) => s.then !== "stays");
  const stays = plan.steps.length - steps.length;
  return [
    plan.owner && el("p", null, "Process ", el("b", null, plan.owner.pid), " on ", el("b", null, plan.owner.host), " has the run",
      steps.some((s) => s.then === "ends") && "; its command gets TERM", "."),
    plan.refused && el("p", { class: "problem", role: "alert" }, prose(plan.refused.message)),
    plan.refused?.status === "PAWL_EHELD" && el("p", null, "Wait until that process has ended, or cancel the run."),
    plan.changes.length > 0 && [el("p", null, "Its mission changed since:"),
      el("ul", null, plan.changes.map((c) => el("li", null, el("b", null, c.step_id), ` ${changed[c.change] ?? c.change}`)))],
    !plan.refused && steps.length > 0 && el("div", { class: "plan", tabindex: "0", role: "group", "aria-label": "What will happen" },
      table("What will happen", columns, steps.slice(0, SHOWN).map((s) => ({ cells: [
        s.step_id, pill(standing(s)), [then[s.then] ?? s.then, s.why && `: ${s.why}`]] })))),
    !plan.refused && steps.length > SHOWN && el("p", { class: "hint" }, `and ${steps.length - SHOWN} more`),
    !plan.refused && steps.length === 0 && el("p", null, "No step is left to run."),
    !plan.refused && stays > 0 && el("p", { class: "hint" }, `${count(stays, "step stays", "steps stay")} as ${stays === 1 ? "it is" : "they are"}.`),
  ];
}

// What of a changed mission a resume accepts.
const accepts = {
  no: { text: "refuse what changed", flags: {}, words: "" },
  keep: { text: "keep what is completed", flags: { accept_changed_inputs: true, accept_changed_mission: true },
    words: " --accept-changed-inputs --accept-changed-mission" },
  rerun: { text: "run what changed again", flags: { rerun_changed: true }, words: " --rerun-changed" },
};

const choice = (chosen) => el("p", { class: "field" }, el("label", { for: "accept" }, "Where the mission changed"),
  el("select", { id: "accept" }, Object.entries(accepts).map(([value, { text }]) =>
    el("option", { value, selected: value === chosen }, text))));

const came = {
  resume: (did) => [el("p", { role: "status" }, did.pid ? `Process ${did.pid} goes on with the run.` : `The run is ${did.status}.`),
    did.message && el("p", null, prose(did.message))],
  cancel: () => el("p", { role: "status" }, "The run is cancelled; nobody goes on with it."),
  skip: (did) => el("p", { role: "status" }, `Step ${did.step_id} is skipped. Resume the run to go on after it.`),
};

/** Ask about an action, {kind, title, verb, where, line}, in a dialog, and do it. */
async function ask(view, { kind, title, verb, where, line }, accepted = "no") {
  const { heading, body, close } = dialog(view, title);
  const output = el("textarea", { id: "output", rows: 2, spellcheck: "false", "aria-describedby": "output-hint" });
  const flags = () => (kind === "resume" ? accepts[accepted].flags : {});
  const end = () => el("button", { type: "button", on: { click: close } }, "Close");

  const act = async (button, trouble) => {
    button.disabled = true;
    fill(trouble);
    try {
      const did = await post(where, { ...flags(), ...(output.value.trim() && { output: output.value.trim() }) }, view.signal);
      fill(heading, "Done");
      fill(body, came[kind](did), el("p", { class: "buttons" }, end()));
      heading.focus();
      announce(body.textContent);
    } catch (error) {
      if (error instanceof Failure && error.status === 409) await load(error);
      else fill(trouble, problem(error));
      button.disabled = false;
    }
  };

  const show = (plan, refused) => {
    const trouble = el("div", null, refused && !plan.refused && problem(refused));
    const button = el("button", { type: "submit", class: `main ${kind === "resume" ? "" : "danger"}`, disabled: plan.refused !== null }, verb);
    const chooses = kind === "resume" && (accepted !== "no" || plan.changes.length > 0 || plan.refused?.status === "PAWL_EINPUTS");
    const form = el("form", { novalidate: true },
      consequences(plan),
      chooses && choice(accepted),
      kind === "skip" && !plan.refused && el("div", { class: "own" }, el("label", { for: "output" }, "Its output from now on"), output,
        el("p", { class: "hint", id: "output-hint" }, "JSON, which the steps that take it get. Left empty, it is null.")),
      !plan.refused && el("p", { class: "hint" }, "The log keeps that ", name() ? el("b", null, `user:${name()}`) : "the account that runs the service", " did it."),
      el("p", { class: "hint" }, "On the command line: ", command(line + (kind === "resume" ? accepts[accepted].words : ""))),
      trouble, el("p", { class: "buttons" }, button, end()));
    fill(body, form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      act(button, trouble);
    });
    form.querySelector("#accept")?.addEventListener("change", async (event) => {
      accepted = event.target.value;
      await load();
      body.querySelector("#accept")?.focus();
    });
  };

  const load = async (refused) => {
    const asked = accepted; // what is chosen meanwhile is asked for by itself
    try {
      const given = Object.fromEntries(Object.keys(flags()).map((flag) => [flag, 1]));
      const plan = await get(where + query(given), view.signal);
      if (accepted === asked) show(plan, refused);
    } catch (error) {
      if (accepted === asked) fill(body, problem(error, () => load(refused)), el("p", { class: "buttons" }, end()));
    }
  };

  fill(body, el("p", { class: "hint", role: "status" }, "Looking at what it means…"));
  await load();
}

const button = (view, text, action, accepted) =>
  el("button", { type: "button", on: { click: () => ask(view, action, accepted) } }, text);

/** The buttons of what can be done with a run, and with its steps that failed. */
export function actions(view, run, steps = run.steps) {
  const id = run.run_id;
  const label = `${run.mission_id ?? "run"} ${id.slice(0, 8)}`;
  const resume = { kind: "resume", title: `Resume ${label}`, verb: "Resume", where: path("runs", id, "resume"), line: `pawl resume ${word(id)}` };
  const ended = ["completed", "cancelled"].includes(run.status);

  if (ended) return null;
  return el("p", { class: "buttons" },
    run.status !== "running" && run.status !== "queued" && [
      button(view, "Resume…", resume),
      button(view, "Run what changed again…", { ...resume, title: `Run again what changed in ${label}` }, "rerun"),
    ],
    run.status !== "running" && steps.filter((s) => s.status === "failed").map((s) => button(view, `Skip ${s.step_id}…`, {
      kind: "skip", title: `Skip ${s.step_id} of ${label}`, verb: "Skip", where: path("runs", id, "steps", s.step_id, "skip"),
      line: `pawl skip ${word(id)} ${word(s.step_id)}` })),
    button(view, "Cancel…", { kind: "cancel", title: `Cancel ${label}`, verb: "Cancel the run", where: path("runs", id, "cancel"),
      line: `pawl cancel ${word(id)}` }));
}
