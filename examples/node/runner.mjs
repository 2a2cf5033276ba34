// A runner of missions in forty lines: it asks on the terminal, and goes on where it was.
//
//   node examples/node/runner.mjs MISSION [RUN]      start, or go on with that run
import { createInterface } from "node:readline";
import { Log, Mission, PawlError } from "pawl";

const [file, run] = process.argv.slice(2);
const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();
const ask = async (question) => {
  process.stdout.write(question);
  return ((await lines.next()).value ?? "").trim();
};

const options = {
  async clarify(conflict) {
    console.log(`What does "${conflict.term}" mean? ${conflict.context ?? ""}`);
    conflict.candidates.forEach((sense, i) => console.log(`  ${i + 1}. ${sense.definition} (${sense.scope})`));
    const said = await ask("Number, definition, or nothing: ");
    return /^\d+$/.test(said) ? Number(said) : said ? { define: said } : null;
  },
  async confirm(change) {
    console.log(`The inputs changed:\n${change.diff}`);
    return /^y(es)?$/i.test(await ask("Go on? [y/N] "));
  },
  progress: ({ stage, stepId, number, of }) => console.log(`[${number}/${of}] ${stepId}: ${stage}`),
};

const log = await Log.open(".pawl/events.db");
try {
  const result = run ? await log.resume(run, options) : await (await Mission.load(file)).run(log, options);
  console.log(`run ${result.runId}: ${result.status}`);
  for (const conflict of result.conflicts) console.log(`  waits for: pawl resolve ${conflict}`);
  process.exitCode = result.status === "completed" ? 0 : 3;
} catch (error) {
  if (!(error instanceof PawlError)) throw error;
  console.error(`${error.status}: ${error.message}`);
  process.exitCode = 1;
} finally {
  terminal.close();
  await log.close();
}
