// A stand-in for three services' models on loopback: for each turn it asks for the next call of the script, then says
// "done". Every request's body is appended to the log file, a line each.
//   node model.mjs LOG CALLS   CALLS: JSON, [{tool: "shell", command} | {tool: "edit", path, text} | {tool: "pawl", name}]
// It prints the port that it listens on.
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
const [log, script] = process.argv.slice(2);
const calls = JSON.parse(script);

// The agent's name for a tool of pawl's, of those that it offers the model.
const offered = (names, name) => names.find((n) => /pawl/.test(n) && n.endsWith(`_${name}`)) ?? name;

const sse = (res, events) => {
  res.writeHead(200, { "content-type": "text/event-stream" });
  for (const [event, data] of events) res.write(`${event ? `event: ${event}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
  res.end();
};

// How many calls have been answered in this conversation already.
const messages = (body, res) => {
  const done = body.messages.flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((c) => c.type === "tool_result").length;
  const call = body.tools?.length ? calls[done] : undefined;
  const tool = call && {
    shell: () => ({ name: "Bash", input: { command: call.command, description: "edit" } }),
    edit: () => ({ name: "Write", input: { file_path: call.path, content: call.text } }),
    pawl: () => ({ name: offered(body.tools.map((t) => t.name), call.name), input: {} }),
  }[call.tool]();
  const block = tool && { type: "tool_use", id: `toolu_${done}`, ...tool };
  const message = { id: "msg_1", type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
  const stop = block ? "tool_use" : "end_turn";
  if (!body.stream) {
    res.writeHead(200, { "content-type": "application/json" });
    return res.end(JSON.stringify({ ...message, content: [block ?? { type: "text", text: "done" }], stop_reason: stop }));
  }
  const open = block ? { ...block, input: {} } : { type: "text", text: "" };
  const delta = block ? { type: "input_json_delta", partial_json: JSON.stringify(block.input) } : { type: "text_delta", text: "done" };
  sse(res, [
    ["message_start", { type: "message_start", message }],
    ["content_block_start", { type: "content_block_start", index: 0, content_block: open }],
    ["content_block_delta", { type: "content_block_delta", index: 0, delta }],
    ["content_block_stop", { type: "content_block_stop", index: 0 }],
    ["message_delta", { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } }],
    ["message_stop", { type: "message_stop" }],
  ]);
};

const responses = (body, res) => {
  const done = (body.input ?? []).filter((i) => /_call_output$/.test(i.type ?? "")).length;
  const call = calls[done];
  const spaces = (body.tools ?? []).filter((t) => t.type === "namespace" && /pawl/.test(t.name));
  const names = (body.tools ?? []).map((t) => t.name ?? "").concat(spaces.flatMap((s) => s.tools.map((t) => `${s.name}${t.name}`)));
  const patch = () => `apply_patch <<'END'\n*** Begin Patch\n*** Add File: ${call.path}\n+${call.text.trimEnd()}\n*** End Patch\nEND`;
  const tool = call && {
    shell: () => ({ name: "exec_command", arguments: JSON.stringify({ cmd: call.command }) }),
    edit: () => ({ name: "exec_command", arguments: JSON.stringify({ cmd: patch() }) }),
    pawl: () => (spaces.length ? { name: call.name, namespace: spaces[0].name, arguments: "{}" } : { name: offered(names, call.name), arguments: "{}" }),
  }[call.tool]();
  const item = tool
    ? { type: "function_call", id: `fc_${done}`, call_id: `call_${done}`, ...tool }
    : { type: "message", id: "msg_1", role: "assistant", content: [{ type: "output_text", text: "done" }] };
  const response = { id: "resp_1", object: "response", status: "completed", output: [item], usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } };
  sse(res, [
    ["response.created", { type: "response.created", response: { id: "resp_1" } }],
    ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
    ["response.completed", { type: "response.completed", response }],
  ]);
};

const gemini = (body, res) => {
  const done = (body.contents ?? []).flatMap((c) => c.parts ?? []).filter((p) => p.functionResponse).length;
  const call = calls[done];
  const names = (body.tools ?? []).flatMap((t) => t.functionDeclarations ?? []).map((f) => f.name);
  const tool = call && {
    shell: () => ({ name: "run_shell_command", args: { command: call.command, description: "edit" } }),
    edit: () => ({ name: "write_file", args: { file_path: call.path, content: call.text } }),
    pawl: () => ({ name: offered(names, call.name), args: {} }),
  }[call.tool]();
  const part = tool ? { functionCall: tool } : { text: "done" };
  sse(res, [[null, { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } }]]);
};

createServer((req, res) => {
  const chunks = [];
  req.on("data", (c) => chunks.push(c)).on("end", () => {
    const text = Buffer.concat(chunks).toString() || "{}";
    appendFileSync(log, `${JSON.stringify({ url: req.url, body: text })}\n`);
    let body = {};
    try { body = JSON.parse(text); } catch { /* not ours */ }
    if (/\/v1\/messages(\?|$)/.test(req.url)) return messages(body, res);
    if (/\/responses(\?|$)/.test(req.url)) return responses(body, res);
    if (/streamGenerateContent/.test(req.url)) return gemini(body, res);
    if (/generateContent/.test(req.url)) {
      res.writeHead(200, { "content-type": "application/json" });
      return res.end(JSON.stringify({ candidates: [{ content: { role: "model", parts: [{ text: "{\"model_choice\":\"flash\",\"reasoning\":\"x\"}" }] }, finishReason: "STOP" }] }));
    }
    if (/count_tokens|countTokens/.test(req.url)) { res.writeHead(200, { "content-type": "application/json" }); return res.end('{"input_tokens":1,"totalTokens":1}'); }
    res.writeHead(404, { "content-type": "application/json" });
    res.end('{"error":{"message":"not here"}}');
  });
}).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
