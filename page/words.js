// What an event says to a person: {shape, tone, title, detail, quiet}. Quiet ones are the small print of
// a run; several in a row are folded into one line that counts them by `label`.
import { at, command, count, el, link, moment, size } from "./dom.js";

export const short = (id) => String(id ?? "").slice(0, 8);

/** "user:ana" is ana. */
export const person = (actor) => String(actor ?? "somebody").replace(/^user:/, "");

/** A term, in quotes that are text: those that a style generates take no click in a link. */
export const term = (text) => el("span", { class: "term" }, `“${text ?? ""}”`);

const quiet = (label, title, detail) => ({ shape: "more", quiet: true, label, title, detail });

const exit = (code) => (code > 128 && code < 193 ? `ended by signal ${code - 128}`
  : code === -1 ? "never started" : `exit code ${code}`);

/** The last line that a command wrote to standard error, in lines of its own. */
const lastLine = (p) => p.last_line && el("pre", { class: "document", tabindex: "0", "aria-label": "The last line of its log" }, p.last_line);

const findings = (list) => list.map((f) => el("li", null, f.conflict_type === "question" ? f.term
  : [term(f.term), ` ${f.conflict_type}, ${f.severity}`]));

const said = { deprecated: "retired a sense of", ignored: "ignored", draft: "drafted" };

const gate = {
  pre_generation_gate: ["blocked", "blocked", "Checkpoint before the gate"],
  post_clarification: ["question", "blocked", "Checkpoint: the answers are in"],
  post_gate: ["completed", "", "The gate is open"],
  post_generation: ["blocked", "blocked", "Checkpoint: the output is held back"],
};

const words = {
  RunStarted: (p) => ({ shape: "running", title: "Run started",
    detail: `${count(p.steps?.length ?? 0, "step")}: ${(p.steps ?? []).join(", ")}` }),
  RunSubmitted: (p) => ({ shape: "queued", title: "Put in line for a worker",
    detail: `${count(p.steps?.length ?? 0, "step")}: ${(p.steps ?? []).join(", ")}` }),
  RunClaimed: (p) => quiet("claim", "Claimed by a process",
    p.owner && `${p.owner.host}, process ${p.owner.pid}`),
  RunCompleted: (p) => ({ shape: "completed", tone: "completed", title: "Run completed", detail: p.reason }),
  RunMissionChanged: (p) => ({ shape: "running", title: "Another mission",
    detail: (p.changes ?? []).map((c) => `${c.step_id}: ${c.change}`).join(", ") }),
  RunCancelled: (p) => ({ shape: "failed", tone: "failed", title: "Run cancelled", detail: p.reason }),
  RunNotified: (p) => quiet("claim", "Told", `of event ${p.seq}`),
  RunFailed: (p) => ({ shape: "failed", tone: "failed", title: "Run failed", detail: p.reason }),

  StepStarted: () => ({ shape: "running", title: "Step started" }),
  StepCompleted: (p) => ({ shape: "completed", tone: "completed", title: p.skipped ? "Step skipped" : "Step completed",
    detail: p.exit_code && !p.skipped ? exit(p.exit_code) : null }),
  StepFailed: (p) => ({ shape: "failed", tone: "failed", title: "Step failed",
    detail: [p.reason.includes(exit(p.exit_code)) ? p.reason : `${p.reason}; ${exit(p.exit_code)}`, lastLine(p)] }),
  StepAttemptFailed: (p) => ({ shape: "failed", tone: "failed", title: `Attempt ${p.attempt} ${p.retry_at ? "failed" : "was cut off"}`,
    detail: [el("p", null, p.reason, p.retry_at && [`; attempt ${p.tries + 1} of ${p.of} at `, moment(p.retry_at)]), lastLine(p)] }),
  StepResumed: (p) => ({ shape: "running", title: "Step resumed",
    detail: p.inputs_changed ? `with changed inputs, confirmed by ${person(p.confirmed_by)}` : null }),
  StepResumeAborted: () => ({ shape: "failed", tone: "failed", title: "Resume refused",
    detail: "The inputs are not what they were at the checkpoint." }),

  StepCheckpointed: (p) => {
    const [shape, tone, title] = gate[p.cursor] ?? ["more", "", `Checkpoint at ${p.cursor}`];
    return { shape, tone, title, detail: tone === "blocked" ? ["token ", el("code", null, p.retry_token)] : null };
  },
  GenerationBlockedBySemanticConflict: (p) => ({ shape: "blocked", tone: "blocked",
    title: "The gate holds the step back",
    detail: el("ul", { class: "plain" }, findings(p.conflicts ?? [])) }),
  GlossaryClarificationRequested: (p) => ({ shape: "question", tone: "blocked",
    title: p.conflict_type === "question" ? `Asked: ${p.question}` : ["Asked: what does ", term(p.term), " mean?"],
    detail: link(at("conflicts", p.conflict_id), "See the question") }),
  GlossaryClarificationResolved: (p, e) => ({ shape: "completed", tone: "answer",
    title: [`${person(p.actor?.actor_id ?? e.actor)} answered: `, p.selected_sense ? term(p.term_surface) : p.term_surface],
    detail: !p.selected_sense ? p.answer ?? "Nobody did in time"
      : p.selected_sense.status === "ignored" ? "It is no term" : p.selected_sense.definition, told: `${person(p.actor?.actor_id ?? e.actor)} answered` }),

  SemanticCheckEvaluated: (p) => (p.findings?.length && p.blocked
    ? { shape: "blocked", tone: "blocked", title: `Check of the ${p.phase ?? "inputs"}: ${count(p.findings.length, "finding")}`,
      detail: el("ul", { class: "plain" }, findings(p.findings)) }
    : quiet("check", `Check of the ${p.phase ?? "inputs"}: ${count(p.findings?.length ?? 0, "finding")}`,
      p.findings?.length ? p.findings.map((f) => f.term).join(", ") : null)),
  TermCandidateObserved: (p) => quiet("term observed|terms observed", ["Term observed: ", term(p.term)], p.context),
  GlossaryScopeActivated: (p) => quiet("glossary in force|glossaries in force", `Glossary in force: ${p.scope_id}`,
    `version ${short(p.glossary_version_id)}`),
  GlossarySenseUpdated: (p) => (p.provenance?.source === "seed_file"
    ? quiet("sense from seed files|senses from seed files", [term(p.term_surface), ` in ${p.scope}`], p.new_sense?.definition)
    : { shape: "question", title: [`${person(p.actor?.actor_id)} ${said[p.new_sense?.status] ?? "defined"} `,
      link(at("glossary", p.term_surface), term(p.term_surface)), ` for ${p.scope}`], detail: p.new_sense?.definition }),

  SessionStarted: (p, e) => ({ shape: "session", title: `Session started by ${person(e.actor)}`,
    detail: p.resumed_from ? `goes on from ${p.resumed_from.session_id}` : e.session_id }),
  SessionUpdated: (p) => quiet("note of a session|notes of a session", "Session told of its work", p.summary),
  SessionCheckpointed: (p) => quiet("session checkpoint", `Session checkpoint: ${String(p.reason).replaceAll("_", " ")}`),
  SessionNoted: (p) => ({ shape: "session", title: "Notes were left", detail: el("ul", { class: "plain" },
    (p.notes ?? []).map((n) => el("li", null, `${n.section}: ${n.text}`))) }),
  SessionEnded: (p) => ({ shape: "session", title: `Session ended: ${p.status}`, detail: p.reason }),

  WorkspaceCheckpointed: (p) => ({ shape: "files", title: link(at("checkpoints", p.n), `Checkpoint ${p.n} of the files`),
    detail: [`${count(p.files, "file")}, ${size(p.bytes)}`, p.safety && ", taken before a rollback",
      p.description && [": ", p.description]], told: `checkpoint ${p.n} of the files` }),
  ToolCallCheckpointed: (p) => ({ shape: "files",
    title: ["Before the tool call ", el("code", null, p.tool), ": ", link(at("checkpoints", p.checkpoint), `checkpoint ${p.checkpoint}`)],
    detail: p.call_id, told: `tool call ${p.tool}` }),
  WorkspaceRollbackStarted: (p) => ({ shape: "back", tone: "answer",
    title: `${p.undo ? "Undo" : "Rollback"} to checkpoint ${p.target} started`,
    detail: [p.reason, p.reason && "; ", `what was there is checkpoint ${p.safety}`] }),
  WorkspaceRolledBack: (p) => ({ shape: "back", tone: "answer",
    title: p.outcome === "done" ? "The files were put back" : "The rollback was given up",
    detail: p.steps?.length ? `to be run again: ${p.steps.map((s) => s.step_id).join(", ")}` : p.reason }),
  CheckpointInvalidated: (p) => ({ shape: "failed", tone: "failed", title: `Checkpoint ${p.n} does not hold any more`,
    detail: p.reason }),
  CheckpointUpdated: (p) => quiet("checkpoint changed|checkpoints changed", `Checkpoint ${p.n} ${p.pinned === undefined ? "holds again" : p.pinned ? "pinned" : "unpinned"}`),
  WorkspaceCheckpointFailed: (p) => ({ shape: "failed", tone: "failed", title: "No checkpoint of the files was taken",
    detail: p.reason }),
  Pruned: (p) => quiet("receipt of a pruning|receipts of prunings", `Pruned: ${count(p.pruned?.length ?? 0, p.kind?.replace(/s$/, "") ?? "thing")}`),
};

/** The types of events that have words here. */
export const types = Object.keys(words);

/** What an event says. One whose payload was pruned, or of a type that this page is too old for, says its name. */
export function describe(event) {
  const say = words[event.type];
  if (!say || !event.payload) return quiet(event.type, event.type);
  try {
    return say(event.payload, event);
  } catch {
    return quiet(event.type, event.type);
  }
}

/** "2 checks, 140 terms observed" of quiet events. */
export function tally(events) {
  const counts = new Map();
  for (const event of events) {
    const { label } = describe(event);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, n]) => count(n, ...label.split("|"))).join(", ");
}

/** What is worth saying aloud when it comes. */
export function aloud(event) {
  const { title, told, quiet: small } = describe(event);
  const text = told ?? (typeof title === "string" ? title : null);
  return small || !text ? null : event.step_id ? `${event.step_id}: ${text}` : text;
}

/** The status of a run or a step as people are told it: nobody is at what its process left when it died. */
export const standing = (of) => (of.unfinished || of.status === "interrupted" ? "unfinished" : of.status);

/** What continues a run, as `pawl` prints it: a command, or why there is none. */
export const continuing = (run) => (run.go_on ? command(run.go_on)
  : run.mission_path ? "its work tree was removed" : "run the program that began it again");

/** How to go on with a run, by its status. */
export function goOn(run) {
  switch (run.status) {
    case "completed":
    case "cancelled":
      return null;
    case "running":
      return run.owner && el("p", { class: "hint" }, `Process ${run.owner.pid} on ${run.owner.host} has it.`);
    case "queued":
      return el("p", { class: "hint" }, "It waits for a worker: ", command("pawl work"));
    case "interrupted":
      return el("p", { class: "hint" }, "No process is at it any more. To continue: ", continuing(run));
    case "blocked":
      return el("p", { class: "hint" }, run.conflicts_open ? "It waits for an answer. Where " : "Every question is answered. Where ",
        el("code", null, "pawl resume --wait"), run.conflicts_open ? " is running it then continues; elsewhere: " : " is running it continues; elsewhere: ",
        continuing(run));
    default:
      return el("p", { class: "hint" }, "To continue: ", continuing(run));
  }
}
