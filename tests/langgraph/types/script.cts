// A program in TypeScript that is CommonJS.
import { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PawlSaver } from "@pawl/langgraph";
import { Log, PawlError, hash } from "pawl";
import pawl = require("pawl");

const saver: BaseCheckpointSaver = PawlSaver.fromConnString("events.db");

export async function open(): Promise<pawl.Log> {
  const log: pawl.Log = await Log.open("events.db");
  const text: string = (await hash("{}")) + (await pawl.hash("{}"));
  await saver.deleteThread(text).catch((error: PawlError) => error.code);
  return log;
}
