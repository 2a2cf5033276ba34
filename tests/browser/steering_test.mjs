// A run of steps side by side: its graph, its steps with what they write, and steering it from the page, each
// time with a look at what that means first.
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { calm, events, hold, pawl, person, serve, start, story, until, visit } from "./support.mjs";

const service = await serve();
const desk = await person();
let page, owner, reader;

const graph = `mission: graph
parallel: 2
steps:
  - { id: look, run: [sh, -c, 'echo seen >&2; echo "{\\"go\\": true}"'] }
  - { id: left, needs: [look], when: { $from: "look#/go" }, run: [echo, left] }
  - { id: right, needs: [look], run: ["false"] }
  - { id: end, needs: [left, right], run: [touch, end] }
`;
const heading = (name) => page.getByRole("heading", { level: 1, name });
const go = (hash) => page.evaluate((to) => { location.hash = to; }, hash);
const dialog = () => page.getByRole("dialog");
const planned = () => dialog().getByRole("row").filter({ has: page.getByRole("rowheader") })
  .evaluateAll((rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(" | ")));
const last = (type, run) => events().filter((e) => e.type === type && e.run_id === run).at(-1);
const status = (run) => JSON.parse(pawl(0, "runs", "--id", run, "--json")).status;

await story({
  "the graph has each step behind what it needs, and says so in words": async () => {
    writeFileSync("graph.yaml", graph);
    pawl(1, "run", "graph.yaml", "--run", "graph", "--no-input");
    page = await visit(desk, service, "#/runs/graph");
    await heading("graph failed").waitFor();
    assert.equal(await page.locator(".entry", { hasText: "Step failed" }).locator(".detail").textContent(), "exit code 1");
    const nodes = page.getByRole("list", { name: "Steps and what they wait for" }).getByRole("link");
    assert.deepEqual(await nodes.evaluateAll((all) => all.map((a) => a.textContent.replace(/\s+/g, " ").trim())),
      ["lookcompleted", "leftcompleted if look#/go, after look", "rightfailed , after look", "endpending , after left, right"]);
    const [look, left, right, end] = await nodes.evaluateAll((all) => all.map((a) => a.getBoundingClientRect().toJSON()));
    assert.ok(look.right < left.left && left.left === right.left && right.right < end.left, "columns");
    assert.ok(left.bottom < right.top, "rows");
    assert.equal(await page.locator(".graph path").evaluateAll((all) => all[0].getAttribute("d").match(/M/g).length), 4);
  },

  "the keyboard leads from step to step, and into one": async () => {
    await page.getByRole("group", { name: "Graph of the steps" }).focus();
    for (const name of ["look", "left", "right"]) {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement.dataset.key), name);
    }
    await page.keyboard.press("Enter");
    await heading("right failed").waitFor();
    assert.equal(await page.evaluate(() => location.hash), "#/runs/graph/steps/right");
  },

  "a step shows its attempts, and one that completed its log and its output": async () => {
    await page.getByRole("heading", { name: "Attempt 1" }).waitFor();
    await page.getByText("It wrote nothing to standard error.").waitFor();
    await go("#/runs/graph/steps/look");
    await page.getByLabel("Log of attempt 1").getByText("seen").waitFor();
    assert.equal(await page.getByLabel("Output of look").textContent(), '{\n  "go": true\n}');
    await go("#/runs/graph/steps/end");
    await page.getByText("No command of it was started yet.").waitFor();
    await page.getByText("after left, right").waitFor();
    await go("#/runs/graph/steps/none");
    await page.getByRole("alert").getByText("has no step none").waitFor();
  },

  "what resuming means is shown, and nothing is done by looking": async () => {
    const before = events().length;
    await go("#/runs/graph");
    await page.getByRole("button", { name: "Resume…" }).click();
    await dialog().getByText("2 steps stay as they are.").waitFor();
    assert.deepEqual(await planned(), ["right | failed | runs: it failed", "end | pending | runs"]);
    await dialog().getByText("pawl resume graph", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "detached" });
    assert.equal(events().length, before);
  },

  "a mission that changed is refused with what changed, until that is accepted": async () => {
    writeFileSync("graph.yaml", graph.replace("echo, left", "echo, LEFT"));
    await page.getByRole("button", { name: "Resume…" }).click();
    await dialog().getByRole("alert").getByText("its mission changed since").waitFor();
    await dialog().getByText("left has another command", { exact: true }).waitFor();
    assert.ok(await dialog().getByRole("button", { name: "Resume" }).isDisabled());
    const release = await hold(page, /resume\?/);
    await dialog().getByLabel("Where the mission changed").selectOption("run what changed again");
    await dialog().getByLabel("Where the mission changed").selectOption("no");
    await release(); // to what was chosen before
    assert.ok(await dialog().getByRole("button", { name: "Resume" }).isDisabled());
    await dialog().getByLabel("Where the mission changed").selectOption("run what changed again");
    await dialog().getByText("runs again: its command changed").waitFor();
    await dialog().getByText("pawl resume graph --rerun-changed").waitFor();
    assert.ok(!await dialog().getByRole("button", { name: "Resume" }).isDisabled());
    await dialog().getByRole("button", { name: "Close" }).click();
  },

  "a step is skipped with an output, in the name of who did it": async () => {
    await page.evaluate(() => localStorage.setItem("pawl.name", "Zoë"));
    await page.getByRole("button", { name: "Skip right…" }).click();
    await dialog().getByText("is skipped").waitFor();
    await dialog().getByText("user:Zoë").waitFor();
    await dialog().getByLabel("Its output from now on").fill("{");
    await dialog().getByRole("button", { name: "Skip" }).click();
    await dialog().getByRole("alert").waitFor();
    assert.equal(last("StepCompleted", "graph").step_id, "left");
    await dialog().getByLabel("Its output from now on").fill('{"n": 7}');
    await dialog().getByRole("button", { name: "Skip" }).click();
    await dialog().getByText("Step right is skipped.").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    assert.equal(last("StepCompleted", "graph").actor, "user:Zoë");
    assert.deepEqual(JSON.parse(pawl(0, "output", "graph", "right", "--json")).output, { n: 7 });
  },

  "what changed is run again, in a process of its own": async () => {
    await page.getByRole("button", { name: "Run what changed again…" }).click();
    await dialog().getByText("runs again: its command changed").waitFor();
    assert.ok(!existsSync("end"));
    await dialog().getByRole("button", { name: "Resume" }).click();
    await dialog().getByRole("heading", { name: "Done" }).waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    await heading("graph completed").waitFor();
    assert.ok(existsSync("end"));
    assert.equal(JSON.parse(pawl(0, "output", "graph", "left", "--json")).output.trim(), "LEFT");
    assert.equal(last("RunCompleted", "graph").actor, "user:Zoë");
    assert.equal(await page.getByRole("button", { name: /Resume|Cancel|Skip/ }).count(), 0);
  },

  "what a command writes is seen while it writes": async () => {
    writeFileSync("long.yaml", `mission: long
steps:
  - { id: talk, run: [sh, -c, "echo one >&2; while [ ! -e more ]; do sleep 0.05; done; echo two >&2; exec sleep 100"] }
  - { id: then, run: [touch, then] }
`);
    owner = start("pawl", "run", "long.yaml", "--run", "long", "--no-input");
    await until("the step", () => events().some((e) => e.type === "StepStarted" && e.run_id === "long"));
    await go("#/runs/long/steps/talk");
    await heading("talk running").waitFor();
    await page.getByLabel("Log of attempt 1").getByText("one").waitFor();
    writeFileSync("more", "");
    await page.getByLabel("Log of attempt 1").getByText("two").waitFor();
  },

  "cancelling says whose process it ends, and ends it": async () => {
    await page.getByRole("button", { name: "Cancel…" }).click();
    await dialog().getByText(`Process ${owner.child.pid} on ${hostname()} has the run; its command gets TERM.`).waitFor();
    assert.deepEqual(await planned(), ["talk | running | is ended: its command gets TERM", "then | pending | is not run any more"]);
    await dialog().getByRole("button", { name: "Cancel the run" }).click();
    await dialog().getByText("The run is cancelled").waitFor();
    await dialog().getByRole("button", { name: "Close" }).click();
    assert.equal(await owner.end, 1);
    await heading("talk unfinished").waitFor();
    assert.equal(last("RunCancelled", "long").actor, "user:Zoë");
    await go("#/runs/long");
    await heading("long cancelled").waitFor();
    await page.getByText("Step started").first().waitFor();
    await until("nothing is said to run", async () => await page.getByText("running", { exact: true }).count() === 0);
  },

  "a run that somebody holds is not resumed by another, who is named": async () => {
    pawl(1, "run", "graph.yaml", "--run", "held", "--no-input");
    await go("#/runs/held");
    await page.getByRole("button", { name: "Resume…" }).click();
    await dialog().getByRole("button", { name: "Resume" }).waitFor();
    writeFileSync("graph.yaml", graph.replace('["false"]', "[sleep, \"100\"]"));
    owner = start("pawl", "resume", "held", "--accept-changed-mission", "--no-input");
    await until("its claim", () => status("held") === "running");
    await dialog().getByRole("button", { name: "Resume" }).click();
    await dialog().getByRole("alert").getByText(`is held by pid ${owner.child.pid}`).waitFor();
    await dialog().getByText("Wait until that process has ended, or cancel the run.").waitFor();
    assert.ok(await dialog().getByRole("button", { name: "Resume" }).isDisabled());
    await dialog().getByRole("button", { name: "Close" }).click();
    await heading("graph running").waitFor();
  },

  "a process that dies without a word leaves nothing running": async () => {
    owner.child.kill("SIGKILL");
    await heading("graph unfinished").waitFor();
    await page.getByText("No process is at it any more.").waitFor();
    await page.getByText("Step started").first().waitFor();
    await until("nothing is said to run", async () => await page.getByText("running", { exact: true }).count() === 0);
    await go("#/runs");
    await page.getByRole("row", { name: /^graph held / }).getByText("unfinished", { exact: true }).waitFor();
    assert.equal(JSON.parse(pawl(0, "runs", "--id", "held", "--json")).steps[2].unfinished, true);
  },

  "a step that waits for its next attempt says which one, and when": async () => {
    writeFileSync("tries.yaml", `mission: tries
steps:
  - { id: one, run: [sh, -c, "echo no luck >&2; exit 1"], retry: { attempts: 3, delay: 1h } }
`);
    owner = start("pawl", "run", "tries.yaml", "--run", "tries", "--no-input");
    await until("a first attempt", () => events().some((e) => e.type === "StepAttemptFailed" && e.run_id === "tries"));
    await go("#/runs/tries");
    await page.getByText(/^ ?attempt 2 of 3, next in \d+/).first().waitFor();
    const failed = page.locator(".entry", { hasText: "Attempt 1 failed" });
    await failed.getByText(/^exit code 1; attempt 2 of 3 at (\S+ )?\d+:\d+:\d+$/).waitFor();
    await go("#/runs/tries/steps/one");
    await page.getByText(/^attempt 2 of 3, next in \d+/).waitFor();
    await page.getByLabel("Log of attempt 1").getByText("no luck").waitFor();
    owner.child.kill("SIGTERM");
    await owner.end;
  },

  "a service that only reads shows what it would mean, and what to type": async () => {
    calm(page);
    const before = events().length;
    reader = await serve("--read-only");
    page = await visit(await person(), reader, "#/runs/tries");
    await page.getByRole("button", { name: "Resume…" }).click();
    await dialog().getByText("pawl resume tries", { exact: true }).waitFor();
    await dialog().getByRole("button", { name: "Resume" }).click();
    await dialog().getByRole("alert").getByText("--read-only").waitFor();
    assert.equal(events().length, before);
    calm(page);
  },

  "nor does it show a session as active whose process died": async () => {
    writeFileSync("sleeps.yaml", "mission: sleeps\nsteps: [{ id: one, run: [sleep, '600'] }]\n");
    owner = start("pawl", "run", "sleeps.yaml", "--run", "sleeps", "--no-input");
    await until("it is at work", () => last("StepStarted", "sleeps"));
    const before = events().length;
    await go("#/sessions");
    const status = page.getByRole("row", { name: /^sleeps / }).locator(".pill");
    await status.getByText("active", { exact: true }).waitFor();
    const one = await visit(await person(), reader, `#/sessions/${last("SessionStarted", "sleeps").session_id}`);
    await one.getByRole("heading", { level: 1, name: "sleeps active" }).waitFor();
    owner.child.kill("SIGKILL");
    await owner.end;
    await status.getByText("interrupted", { exact: true }).waitFor();
    await one.getByRole("heading", { level: 1, name: "sleeps interrupted" }).waitFor();
    calm(one);
    assert.equal(events().length, before);
    calm(page);
  },
});
