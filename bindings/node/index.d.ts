/** Pawl for Node. Every call is a promise; a failure rejects with a PawlError. */

export const version: string;

export class PawlError extends Error {
  /** Such as "PAWL_EHELD". */
  readonly status: string;
  readonly code: number;
}

export interface Sense { surface: string; scope: string; definition: string; confidence: number }

export interface Conflict {
  conflictId: string; term: string; conflictType: string; severity: string; confidence: number; context: string | null;
  /** In the order that a pick counts, from 1. */
  candidates: Sense[];
}

export interface OpenConflict extends Conflict {
  missionId: string; runId: string; stepId: string; retryToken: string | null; status: "open" | "resolved";
  requestedUs: number;
  /** Of the event that answered it, or 0. */
  resolvedSeq: number;
  /** Of a question: what was answered; what holds when its time is over; and when that is, or 0. */
  answer: string | null; otherwise: string | null; dueUs: number;
}

/** A sense of the glossary, and where it comes from. */
export interface SenseInfo extends Sense { status: "active" | "draft" | "deprecated" | "ignored"; source: string; actor: string | null; seq: number }

export interface StepResult {
  stepId: string; status: "pending" | "running" | "blocked" | "completed" | "failed" | "skipped"; retryToken: string | null; cursor: string | null;
  /** Pending, since the process that was at it ended before it did. */
  unfinished: boolean;
  /** Skipped, since the mission has it no more. */
  removed: boolean;
}

export interface MissionChange { stepId: string; change: "added" | "removed" | "moved" | "inputs" | "run" | "glossary" }

/** A member that differs; one that is not there on a side is absent. */
export interface MemberChange { path: string; before?: unknown; after?: unknown }

/** What a step's checkpoint says. */
export interface StepCheckpoint {
  missionId: string; runId: string; stepId: string; retryToken: string; inputHash: string; cursor: string; strictness: string;
  scopeRefs: { scope: string; versionId: string }[]; seq: number; timeUs: number;
}

export interface RunResult {
  missionId: string; runId: string; sessionId: string | null;
  status: "completed" | "blocked" | "failed" | "interrupted";
  /** Failed, as somebody ended it for good. */
  cancelled: boolean;
  /** Why it is not completed. */
  message: string | null;
  steps: StepResult[]; stepsCompleted: number; stepsTotal: number;
  /** The ids of what blocks it. */
  conflicts: string[];
  /** What the mission file differs from the run's mission in, accepted or not. */
  missionChanged: MissionChange[];
  /** The inputs of a step that changed since its checkpoint, accepted or not. */
  inputsChanged: { stepId: string; changes: MemberChange[]; checkpointHash: string; currentHash: string } | null;
  /** That interrupted it, or 0. */
  signal: number;
}

/** `answer` is to what a step asks people, a conflict of type "question". */
export type Answer = number | { pick: number; scope?: string } | { define: string; scope?: string } | { dismiss: true; scope?: string } | { answer: string } | null | undefined;

export interface Progress { /** skipped: it completed earlier in this run; left out: its `when` said no, or somebody skipped it */ stage: "checking" | "running" | "completed" | "skipped" | "blocked" | "failed" | "left out"; stepId: string; number: number; of: number }

interface CommonOptions {
  actor?: string;
  acceptChangedInputs?: boolean; acceptChangedMission?: boolean; rerunChanged?: boolean;
  timeLimitMs?: number;
  /** How long to wait for another owner, and for answers that are given elsewhere. */
  waitMs?: number;
  /** The user's directory, which is refused as a workspace, and the one of the user's configuration of git. */
  home?: string; configHome?: string;
  /** A candidate's number, a definition, or nothing: later. What these functions throw, the run rejects with. They may take as long
   *  as they like: the run's claim is renewed meanwhile. */
  clarify?(conflict: Conflict): Answer | Promise<Answer>;
  confirm?(change: { diff: string; checkpointHash: string; currentHash: string; stepId: string }): boolean | Promise<boolean>;
  /** The mission file differs from the run's mission: continue? */
  confirmMission?(changes: MissionChange[]): boolean | Promise<boolean>;
  progress?(progress: Progress): unknown;
  /** Something that a person should know: a line. */
  notice?(line: string): unknown;
}

export interface ResumeOptions extends CommonOptions { /** Where the files of a run that was submitted are set up. */ directory?: string }

export interface RunOptions extends CommonOptions {
  runId?: string; strictness?: "off" | "medium" | "max";
  /** Not beside an unfinished run of the mission file. */
  alone?: boolean;
}

export interface Event {
  seq: number; type: string; v: number; timeUs: number;
  missionId: string | null; runId: string | null; stepId: string | null; sessionId: string | null; actor: string | null;
  /** Null where it was pruned. */
  payload: Record<string, unknown> | null;
  prev: string; hash: string;
}

export interface Run {
  runId: string; missionId: string; sessionId: string | null; status: string; reason: string | null; currentStep: string | null;
  retryToken: string | null; stepsCompleted: number; stepsTotal: number; openConflicts: number;
  startedSeq: number; updatedSeq: number; startedUs: number; updatedUs: number;
  /** 0: nobody owns it. */
  ownerPid: number; ownerHost: string | null;
}

export interface Session {
  sessionId: string; missionId: string; runId: string | null; actor: string; status: string; reason: string | null;
  currentStep: string | null; summary: string | null; stepsCompleted: number; stepsTotal: number;
  startedUs: number; updatedUs: number; /** 0: it is active. */ endedUs: number; checkpoints: number; checkpointSeq: number; seq: number; pinned: boolean;
  /** The linked work tree of git that it began in, and where its top is now; null: the log's own. */
  worktree: string | null; worktreePath: string | null;
}

/** A step of a run as it is now. */
export interface StepInfo {
  stepId: string;
  /** unfinished: it ran, and no process holds its run any more; skipped: it was passed by, or the mission has it no more. */
  status: "pending" | "running" | "blocked" | "completed" | "failed" | "unfinished" | "skipped";
  /** Of its newest checkpoint. */
  retryToken: string | null; cursor: string | null; inputHash: string | null; outputHash: string | null;
  /** Null: there are none, they are not kept, or contents are left out. */
  inputs: unknown; output: unknown;
  /** 0: it has none. */
  checkpointSeq: number; /** -1: no command of it has ended. */ exitCode: number;
  /** The program's own layer that holds it back, and why. */
  blockedBy: string | null; reason: string | null;
}

/** A session with its steps, its checkpoints and those of the workspace that were taken in it. */
export interface SessionDetails {
  session: Session; steps: { stepId: string; status: string }[]; checkpoints: { seq: number; timeUs: number; reason: string | null }[];
  captures: { n: number; id: string; stepId: string | null; description: string | null; gitHead: string | null; gitBranch: string | null; createdUs: number }[];
  /** Where git stood at the last capture. */
  commit: string | null; branch: string | null;
}

export interface HandoffStep { step_id: string; status: string; [more: string]: unknown }

/** What a handoff says: docs/reference/handoff.md. */
export interface HandoffData {
  status: string; steps_completed: number; steps_total: number; done: HandoffStep[]; in_progress: HandoffStep[]; next: HandoffStep[];
  /** The command to resume with. */
  go_on: string | null;
  [more: string]: unknown;
}

export interface ParsedHandoff { session_id: string | null; sections: { name: string; entries: { text: string; ticked: boolean }[] }[] }

export interface EventOptions {
  type?: string; runId?: string; stepId?: string;
  /** Those to come, too: for ever, or until none has come for so long. */
  follow?: boolean; waitMs?: number; everyMs?: number;
}

export interface Checkpoint {
  n: number; seq: number; id: string; missionId: string | null; runId: string | null; stepId: string | null; sessionId: string | null;
  trigger: "auto" | "manual"; description: string | null; root: string | null; tree: string; files: number; bytes: number;
  /** How much was there and not captured. */
  notCaptured: number; stateHash: string | null; outputsHash: string | null; gitHead: string | null; gitBranch: string | null;
  createdUs: number; /** The one that was current when it was taken, or 0. */ base: number;
  valid: boolean; current: boolean; /** Taken by a rollback, to undo it. */ safety: boolean; pinned: boolean; pruned: boolean; imported: boolean;
  whyInvalid: string | null; givenUp: string | null; worktree: string | null;
  /** The three counts are known: files that differ from the checkpoint before it, of its work tree. */
  hasChanged: boolean; added: number; removed: number; modified: number;
  /** The agent's turn that it was taken in, or at the end of, and what the agent said then; or 0. */
  turn: number; turnSession: string | null; turnText: string | null;
}

/** What a reading of the workspace met. */
export interface CaptureCounts {
  files: number; bytes: number; captured: number; unchanged: number; ignored: number; tooLarge: number; unreadable: number; special: number;
  changing: number; repositories: number; overBudget: number; reserved: number; workspaces: number;
}

export interface FileChange {
  path: string; /** Added, deleted, modified, or of another type. */ what: "A" | "D" | "M" | "T";
  /** File, directory or link. */
  kindBefore: "f" | "d" | "l" | null; kindAfter: "f" | "d" | "l" | null; modeBefore: number; modeAfter: number; sizeBefore: number; sizeAfter: number;
  linesAdded: number; linesRemoved: number; binary: boolean;
}

export interface Comparison {
  a: Checkpoint; /** Null: the workspace. */ b: Checkpoint | null; files: FileChange[];
  /** What one side did not capture; checkpoint 0: the workspace. */ unknown: { path: string; why: string; checkpoint: number }[];
  /** Of the state and the outputs. */
  members: MemberChange[];
  git: {
    from: string | null; to: string | null; commits: number; givenUp: number; newest: { id: string; subject: string }[];
    files: number; linesAdded: number; linesRemoved: number;
  } | null;
  /** A unified diff, where it was asked for. */
  patch?: string;
}

/** What `pawl check` says of a step. */
export interface StepCheck {
  step_id: string; input_hash: string; effective_strictness: string; terms: unknown[]; findings: unknown[]; overall_severity: string | null;
  recommended_action: string; blocked: boolean;
}

export interface Param { name: string; type: "string" | "number" | "boolean" | "json"; description: string | null; /** Absent: it has none yet. */ value?: unknown }

/** An event to append. */
export interface NewEvent {
  type: string; /** The newest where it is left out. */ v?: number; /** The log sets it where it is left out. */ timeUs?: number;
  missionId?: string | null; runId?: string | null; stepId?: string | null; sessionId?: string | null; actor?: string | null;
  /** An object, or its JSON; {} where it is left out. */
  payload?: object | string | null;
}

/** A term that the inputs use, or that was answered for the step. */
export interface GlossaryTerm {
  term: string; definition: string; scope: string; confidence: number; source: "seed" | "answer" | "definition"; conflictId: string | null;
}

/** What a way through the layers came to. */
export interface Pass {
  /** ok: generate, or the output is recorded; done: it completed before, with this output. */
  status: "ok" | "blocked" | "done";
  /** What to go on with; the same while it is the same try. */
  retryToken: string | null; inputHash: string; /** Where a resume went on. */ cursor: string | null;
  /** What holds it back. */
  conflicts: Conflict[]; output: unknown;
  /** What the generation is to be told; absent after complete(). */
  terms?: GlossaryTerm[];
}

interface Work { actor?: string; step?: string; summary?: string; /** Beside those told before. */ completed?: string[]; files?: string[]; /** All that are. */ pending?: string[] }

export class Log {
  /** Open a log: a file, made where there is none, or a `postgresql://` URL. */
  static open(where: string, options?: {
    create?: boolean; readonly?: boolean;
    /** Of the chain: 32 to 1024 bytes. */
    key?: Uint8Array;
    /** How long a lock is waited for (5,000), and how long a claim holds without renewal (30,000). */
    busyMs?: number; leaseMs?: number;
  }): Promise<Log>;
  close(): Promise<void>;
  /** Let the call that is under way fail, until it is turned off; a run ends instead, as by SIGINT. */
  interrupt(on?: boolean): void;
  /** Continue a run, by its id or a token; without one, the one run that can continue. */
  resume(what?: string | null, options?: ResumeOptions): Promise<RunResult>;
  /** Go past a step that failed, with any JSON value as its output; resume() goes on behind it. */
  skip(runId: string, stepId: string, options?: { output?: unknown; actor?: string }): Promise<null>;
  /** End a run permanently, whichever process holds it. */
  cancel(runId: string, options?: { actor?: string }): Promise<null>;
  head(): Promise<{ seq: number; hash: string }>;
  /** Append events as one transaction, the fence that of the claim on their run: the last one's seq. */
  append(events: Iterable<NewEvent>, options?: { fence?: number }): Promise<number>;
  /** Recompute the chain; rejects where it is broken. */
  verify(): Promise<{ events: number; /** Its events have MACs. */ keyed: boolean }>;
  /** The events after `since`. */
  events(since?: number, options?: EventOptions): AsyncGenerator<Event, void, void>;
  runs(options?: { status?: string; limit?: number }): Promise<Run[]>;
  /** One run, by its id or four characters or more that it alone begins with. */
  findRun(runId: string): Promise<Run>;
  /** The steps of a run, with their inputs and outputs as values unless `contents` is false. */
  steps(runId: string, options?: { contents?: boolean }): Promise<StepInfo[]>;
  conflicts(options?: { runId?: string; resolved?: boolean }): Promise<OpenConflict[]>;
  /** The senses that hold for a run; without one those of each scope's newest version. */
  senses(options?: { runId?: string }): Promise<SenseInfo[]>;
  stepCheckpoint(retryToken: string): Promise<StepCheckpoint>;
  latestStepCheckpoint(runId: string, stepId: string): Promise<StepCheckpoint>;
  /** `dismiss`: it is no term; `replace`: also where it was answered, as long as no step has completed by that. */
  resolve(conflictId: string, answer: { pick?: number; define?: string; scope?: string; answer?: string; dismiss?: boolean; replace?: boolean; actor?: string }): Promise<null>;
  sessions(options?: { missionId?: string; sessionId?: string; status?: string; limit?: number }): Promise<Session[]>;
  startSession(missionId: string, options?: Work & { takeOver?: boolean }): Promise<string>;
  updateSession(sessionId: string, options?: Work): Promise<null>;
  checkpointSession(sessionId: string, options?: Work & { reason?: string }): Promise<number>;
  endSession(sessionId: string, options?: Work & { status?: "completed" | "interrupted" | "error"; reason?: string }): Promise<null>;
  /** A session, or the latest; its id may be abbreviated. */
  session(sessionId?: string): Promise<SessionDetails>;
  handoff(sessionId?: string): Promise<string>;
  handoffData(sessionId?: string): Promise<HandoffData>;
  /** Take a checkpoint of the workspace. */
  checkpoint(options?: { description?: string; onlyIfChanged?: boolean; root?: string; actor?: string }): Promise<{ info: Checkpoint; taken: boolean; counts: CaptureCounts; missed: { path: string; why: string }[] }>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Put the workspace back: the number of the safety copy, for undo(). */
  rollback(which: string | number, options?: { root?: string; actor?: string }): Promise<number>;
  /** Reverse the newest rollback or restore; `redo()` reverses the newest undo. */
  undo(options?: { root?: string; actor?: string }): Promise<number>;
  redo(options?: { root?: string; actor?: string }): Promise<number>;
  /** What lies between two checkpoints, or one and the workspace. */
  diff(a: string | number, b?: string | number | null, options?: { root?: string; patch?: boolean }): Promise<Comparison>;
  /** Keep a checkpoint from being pruned, or no longer. */
  pin(which: string | number, options?: { pinned?: boolean; actor?: string }): Promise<null>;
  /** Copy the log into a new file, while others write. */
  backup(file: string): Promise<{ events: number; headSeq: number; headHash: string; bytes: number }>;
}

export class Mission {
  static load(file: string): Promise<Mission>;
  readonly id: string;
  readonly steps: string[];
  params(): Promise<Param[]>;
  /** Give a parameter its value for runs to come. */
  setParam(name: string, value: unknown): Promise<null>;
  /** The same of a file, YAML or JSON, of names and values. */
  loadParams(file: string): Promise<null>;
  /** What the gate would say of each step, or of one, writing nothing. */
  check(options?: { log?: Log; stepId?: string }): Promise<StepCheck[]>;
  run(log: Log, options?: RunOptions): Promise<RunResult>;
  /** Queue a run for `pawl work`, its files in the log: the run's id. */
  submit(log: Log, options?: Pick<RunOptions, "runId" | "actor" | "strictness" | "home" | "configHome">): Promise<string>;
  close(): Promise<void>;
}

/** One step of one run, on its way through the layers. Inputs are any JSON value, a string too; {} where they are left out. */
export class Context {
  /** How the inputs differ, after a pass that failed with PAWL_EINPUTS; else null. */
  inputChange(): Promise<{ diff: string; checkpointHash: string; currentHash: string; stepId: string } | null>;
  static create(missionId: string, runId: string, stepId: string, inputs?: unknown, options?: {
    critical?: boolean; strictness?: "off" | "medium" | "max"; /** The step's glossary metadata. */ metadata?: object | string; /** Continue from this checkpoint. */ retryToken?: string | null;
  }): Promise<Context>;
  close(): Promise<void>;
}

/** The five layers over a log, for a runner of one's own. It is closed with its log. */
export class Pipeline {
  static open(log: Log, options?: Pick<ResumeOptions, "actor" | "clarify" | "confirm"> & { /** So that a difference can be shown; true. */ storeInputs?: boolean; /** Changed inputs are accepted without asking. */ acceptInputs?: boolean }): Promise<Pipeline>;
  /** A seed file for a scope, read now. */
  seed(scope: string, file: string): Promise<null>;
  /** The layers over a step's inputs: generate only where it is "ok". */
  run(context: Context): Promise<Pass>;
  /** Record what was generated, any JSON value: "ok", or "blocked" by it. A string stays a string, whatever it says. */
  complete(context: Context, output?: unknown): Promise<Pass>;
  /** The step failed. */
  failed(context: Context, exitCode: number, why?: string): Promise<null>;
  /** Keep the claim on a run while its generation takes long: every ten seconds, say. */
  renew(runId: string): Promise<null>;
  /** The run is done, or failed for a reason. */
  endRun(runId: string, reason?: string): Promise<null>;
  close(): Promise<void>;
}

/** Data of the type "json" is read as a string. */
type Data = string | Uint8Array;

/** Threads of graph runners: what @pawl/langgraph stands on. Arrays are flat, and absent is null. */
export class Threads {
  static open(where: string, options?: { mission?: string }): Promise<Threads>;
  /** [thread, namespace, id, parent, checkpoint, metadata, [channel, version, type, data, ...], [task, path, channel, index, type, data, ...]] */
  put(items: [string, string, string, string | null, string | null, string | null, (string | Data | null)[], (string | number | Data | null)[]][]): Promise<void>;
  /** [thread, namespace, id, before, metadata, limit, and behind which: thread, namespace, id]; writes are [task, channel, type, data, ...] */
  list(filter: [string | null, string | null, string | null, string | null, string | null, number, string | null, string | null, string | null], plain?: boolean):
    Promise<(string | [string, string, string, string | null, string, string, (string | Data)[], (string | Data)[]])[]>;
  /** Delete a thread permanently; a Pruned event is the receipt. */
  delete(threadId: string, options?: { actor?: string }): Promise<null>;
  close(): Promise<void>;
}

/** The input hash of a JSON text, 64 hex digits; its canonical form (RFC 8785). */
export function hash(json: string): Promise<string>;
export function canonical(json: string): Promise<string>;

/** What the payload of a StepCheckpointed event says; ids are null, seq and timeUs 0. */
export function parseCheckpoint(payload: unknown): Promise<StepCheckpoint>;
/** What a handoff document says, as people left it. */
export function parseHandoff(text: string): Promise<ParsedHandoff>;
