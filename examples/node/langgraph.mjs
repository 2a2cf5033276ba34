// A graph of two steps whose thread is in a Pawl log, and continues where it was: node langgraph.mjs [THREAD].
// docs/how-to/langgraph.md says what to install.
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { PawlSaver } from "@pawl/langgraph";

const checkpointer = PawlSaver.fromConnString(".pawl/events.db");
const config = { configurable: { thread_id: process.argv[2] ?? "1" } };
const State = Annotation.Root({
  visits: Annotation({ reducer: (before, more) => before + more, default: () => 0 }),
  greeting: Annotation(),
});
const graph = new StateGraph(State)
  .addNode("count", () => ({ visits: 1 }))
  .addNode("greet", ({ visits }) => ({ greeting: `visit ${visits}` }))
  .addEdge(START, "count").addEdge("count", "greet").addEdge("greet", END)
  .compile({ checkpointer });

console.log((await graph.invoke({ visits: 0 }, config)).greeting);
for await (const { config: at, values, metadata } of graph.getStateHistory(config, { limit: 4 })) {
  console.log(metadata.step, at.configurable.checkpoint_id, JSON.stringify(values));
}
await checkpointer.end();
