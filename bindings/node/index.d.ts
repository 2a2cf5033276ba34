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

export interface OpenConflict extends Conflict { missionId: string; runId: string; stepId: string; retryToken: string | null; status: "open" | "resolved"; /** Of a question. */ answer: string | null }

export interface StepResult { stepId: string; status: string; retryToken: string | null; cursor: string | null }

export interface RunResult {
  missionId: string; runId: string; sessionId: string | null;
  status: "completed" | "blocked" | "failed" | "interrupted";
  /** Why it is not completed. */
  message: string | null;
  steps: StepResult[];
  /** The ids of what blocks it. */
  conflicts: string[];
}

/** `answer` is to what a step asks people, a conflict of type "question". */
export type Answer = number | { pick: number } | { define: string; scope?: string } | { answer: string } | null | undefined;

export interface Progress { stage: "checking" | "running" | "completed" | "skipped" | "blocked" | "failed"; stepId: string; number: number; of: number }

export interface ResumeOptions {
  actor?: string;
  acceptChangedInputs?: boolean; acceptChangedMission?: boolean; rerunChanged?: boolean;
  timeLimitMs?: number;
  /** A candidate's number, a definition, or nothing: later. What these functions throw, the run rejects with. */
  clarify?(conflict: Conflict): Answer | Promise<Answer>;
  confirm?(change: { diff: string; checkpointHash: string; currentHash: string }): boolean | Promise<boolean>;
  progress?(progress: Progress): unknown;
}

export interface RunOptions extends ResumeOptions { runId?: string; strictness?: "off" | "medium" | "max" }

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
}

export interface Session {
  sessionId: string; missionId: string; runId: string | null; actor: string; status: string; reason: string | null;
  currentStep: string | null; summary: string | null; stepsCompleted: number; stepsTotal: number;
}

export interface Checkpoint {
  n: number; id: string; missionId: string | null; runId: string | null; stepId: string | null; sessionId: string | null;
  trigger: "auto" | "manual"; description: string | null; files: number; bytes: number; createdUs: number; valid: boolean; current: boolean;
}

interface Work { actor?: string; step?: string; summary?: string }

export class Log {
  /** Open a log: a file, made where there is none, or a `postgresql://` URL. */
  static open(where: string, options?: { create?: boolean; readonly?: boolean }): Promise<Log>;
  close(): Promise<void>;
  /** Let the call at work fail, until it is turned off. */
  interrupt(on?: boolean): void;
  /** Go on with a run, by its id or a token; without one, with the run that can be gone on with. */
  resume(what?: string | null, options?: ResumeOptions): Promise<RunResult>;
  head(): Promise<{ seq: number; hash: string }>;
  /** Recompute the chain; rejects where it is broken. */
  verify(): Promise<{ events: number }>;
  events(since?: number, options?: { follow?: boolean; everyMs?: number }): AsyncGenerator<Event, void, void>;
  runs(options?: { status?: string; limit?: number }): Promise<Run[]>;
  conflicts(options?: { runId?: string; resolved?: boolean }): Promise<OpenConflict[]>;
  resolve(conflictId: string, answer: { pick?: number; define?: string; scope?: string; answer?: string; actor?: string }): Promise<null>;
  sessions(options?: { missionId?: string; status?: string; limit?: number }): Promise<Session[]>;
  startSession(missionId: string, options?: Work & { takeOver?: boolean }): Promise<string>;
  checkpointSession(sessionId: string, options?: Work & { reason?: string }): Promise<number>;
  endSession(sessionId: string, options?: Work & { status?: "completed" | "interrupted" | "error" }): Promise<null>;
  handoff(sessionId?: string): Promise<string>;
  /** Take a checkpoint of the workspace. */
  checkpoint(options?: { description?: string; onlyIfChanged?: boolean; root?: string; actor?: string }): Promise<{ info: Checkpoint; taken: boolean; missed: { path: string; why: string }[] }>;
  checkpoints(): Promise<Checkpoint[]>;
  /** Put the workspace back: the number of the safety copy, for undo(). */
  rollback(which: string | number, options?: { root?: string; actor?: string }): Promise<number>;
  undo(options?: { root?: string; actor?: string }): Promise<number>;
}

export class Mission {
  static load(file: string): Promise<Mission>;
  readonly id: string;
  readonly steps: string[];
  run(log: Log, options?: RunOptions): Promise<RunResult>;
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
  /** Delete a thread for good; a Pruned event is the receipt. */
  delete(threadId: string, options?: { actor?: string }): Promise<null>;
  close(): Promise<void>;
}

/** The input hash of a JSON text, 64 hex digits; its canonical form (RFC 8785). */
export function hash(json: string): Promise<string>;
export function canonical(json: string): Promise<string>;
