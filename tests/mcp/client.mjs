// The TypeScript SDK's client of a service: client.mjs PORT TOKEN, in a workspace with mission.yaml, which blocks.
// Then the figure: a call of a tool beside the same command by POST /executeCommand, in turns.
import assert from "node:assert/strict";
import http from "node:http";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [port, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit: { headers } });
const client = new Client({ name: "sdk", version: "1" }, { capabilities: { elicitation: {} } });
let asked = 0;
client.setRequestHandler(ElicitRequestSchema, async (request) => {
  asked++;
  assert.match(request.params.message, /What does "workspace" mean/);
  return { action: "accept", content: { sense: "2" } };
});
await client.connect(transport);
assert.equal(client.getServerVersion().name, "pawl");
const names = (await client.listTools()).tools.map((tool) => tool.name);
assert(names.includes("run") && names.includes("checkpoint"));
const taken = await client.callTool({ name: "checkpoint", arguments: { text: "by the SDK" } });
assert.equal(taken.structuredContent.description, "by the SDK");
const steps = [];
const ran = await client.callTool({ name: "run", arguments: { mission: "mission.yaml" } }, undefined,
  { onprogress: (progress) => steps.push(progress.progress) });
assert.equal(ran.structuredContent.status, "completed");
assert.equal(asked, 1);
assert(steps.length > 0);
const read = await client.readResource({ uri: "pawl://runs" });
assert.equal(JSON.parse(read.contents[0].text).runs.length, 1);
assert.equal((await client.listPrompts()).prompts.length, 2);
await assert.rejects(client.callTool({ name: "nothing" }), /-32602/);
await client.close();

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
function post(path, body) {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const request = http.request({ host: "127.0.0.1", port, path, method: "POST", agent, headers: {
      ...headers, "Content-Type": "application/json", Accept: "application/json, text/event-stream", "Content-Length": Buffer.byteLength(text) } },
    (answer) => {
      let got = "";
      answer.on("data", (part) => { got += part; });
      answer.on("end", () => (answer.statusCode === 200 ? resolve(got) : reject(new Error(`${answer.statusCode}: ${got}`))));
    });
    request.on("error", reject);
    request.end(text);
  });
}
const ways = {
  "POST /executeCommand": () => post("/executeCommand", { command: "checkpoints", args: ["--json"] }),
  "POST /mcp tools/call": (n) => post("/mcp", { jsonrpc: "2.0", id: n, method: "tools/call", params: { name: "checkpoints", arguments: {} } }),
};
const times = {};
for (let round = 0; round < 1200; round++)
  for (const [name, way] of Object.entries(ways)) {
    const begun = process.hrtime.bigint();
    await way(round);
    if (round >= 200) (times[name] ??= []).push(Number(process.hrtime.bigint() - begun) / 1000);
  }
const medians = Object.values(times).map((all) => all.sort((a, b) => a - b)[all.length >> 1]);
const ratio = medians[1] / medians[0];
console.log(`a call: ${medians[1].toFixed(0)} us, by POST /executeCommand ${medians[0].toFixed(0)} us: ${ratio.toFixed(2)}x`);
if (ratio > 1.2) process.exit(1);
agent.destroy();
