// A program in TypeScript that is an ES module.
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { PawlSaver, type PawlSaverOptions } from "@pawl/langgraph";
import pawl, { Context, Log, Mission, PawlError, Pipeline, Threads, canonical, hash, version } from "pawl";
import type { Answer, Conflict, Event, Pass, RunOptions, RunResult, StepCheckpoint } from "pawl";

const options: PawlSaverOptions = { mission: "m" };
const saver: BaseCheckpointSaver = PawlSaver.fromConnString("events.db", options);
const made: PawlSaver = new PawlSaver("events.db");
const State = Annotation.Root({ n: Annotation<number>() });
export const graph = new StateGraph(State).addNode("a", () => ({ n: 1 })).addEdge(START, "a").addEdge("a", END).compile({ checkpointer: made });

export async function run(): Promise<RunResult> {
  const log: Log = await Log.open("events.db", { leaseMs: 1000, key: new Uint8Array(32) });
  const mission: Mission = await Mission.load("mission.yaml");
  const how: RunOptions = { runId: "r1", clarify: async (conflict: Conflict): Promise<Answer> => conflict.candidates.length || null };
  const pipeline = await Pipeline.open(log);
  const pass: Pass = await pipeline.run(await Context.create("m", "r1", "s", "a string"));
  for await (const event of log.events() as AsyncIterable<Event>) console.log(event.seq, pass.output);
  const step: StepCheckpoint = await log.stepCheckpoint(pass.retryToken ?? "");
  const texts: string[] = [await hash("{}"), await canonical("{}"), version, step.cursor, pawl.version];
  const threads: Threads = await Threads.open("events.db", { mission: texts[0] });
  await threads.close();
  // @ts-expect-error: it has no such option
  await Log.open("events.db", { readOnly: true }).catch((error: PawlError) => error.status);
  // @ts-expect-error
  await mission.run(log, { run_id: "r1" });
  await saver.deleteThread("1");
  return mission.run(log, how);
}
