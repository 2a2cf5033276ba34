// LangGraph's examination of savers, called as its own command would: its specs, under vitest. On a log in a file, and with
// $PAWL_EXAM_SERVER (a URL without "#") on one on a server.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { PawlSaver } from "@pawl/langgraph";

const directory = mkdtempSync(path.join(tmpdir(), "pawl-"));
const server = process.env.PAWL_EXAM_SERVER;
let logs = 0;

const initializer = {
  checkpointerName: "@pawl/langgraph",
  createCheckpointer: () => PawlSaver.fromConnString(server ? `${server}#exam-${process.pid}-${++logs}` : path.join(directory, `${++logs}.db`)),
  destroyCheckpointer: (saver) => saver.end(),
  afterAll: () => rmSync(directory, { recursive: true }),
};
validate(initializer);
deltaChannelHistoryTests(initializer); // not part of the 718, and what its default implementation rests on
