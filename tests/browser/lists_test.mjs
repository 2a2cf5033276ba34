// Lists that grow with the log: sessions, checkpoints and events, page by page, narrowed, and still while one reads.
import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { calm, events, hold, mission, pawl, person, run, serve, story, until, visit } from "./support.mjs";

const service = await serve();
const page = await visit(await person(), service);
const go = (place) => page.evaluate((to) => { location.hash = to; }, place);
const headers = () => page.getByRole("rowheader").getByRole("link");
const numbers = async () => (await headers().allTextContents()).map((text) => Number(/\d+/.exec(text)[0]));
const focused = () => page.evaluate(() => document.activeElement.textContent);
const down = (n, to = 1) => Array.from({ length: n - to + 1 }, (_, i) => n - i);
const asked = [];
let runId;

page.on("request", (request) => asked.push(request.url()));

/** How far from the top of the window a row is. */
const top = (name) => page.getByRole("row", { name }).first().evaluate((e) => Math.round(e.getBoundingClientRect().top));

function checkpoint(times) {
  for (let i = 0; i < times; i++) {
    appendFileSync("notes.txt", "more\n");
    pawl(0, "checkpoint", "note");
  }
}

await story({
  "sessions are there as they begin, and one says what it did and leaves": async () => {
    await go("#/sessions");
    await page.getByText("There is no session yet.").waitFor();
    mission({ description: "Nothing is unclear here." });
    pawl(3, "run", "mission.yaml", "--no-input");
    await page.getByRole("row", { name: /interrupted .*1 of 3 decide/ }).waitFor();
    const [{ session_id: id, run_id }] = JSON.parse(pawl(0, "sessions", "--json"));
    runId = run_id;
    await headers().first().click();
    await page.getByRole("heading", { level: 1, name: "refunds interrupted" }).waitFor();
    assert.deepEqual(await page.getByRole("region", { name: "Steps" }).getByRole("listitem").allTextContents(),
      ["readcompleted", "decideblocked", "writepending"]);
    await page.getByRole("link", { name: "2 read" }).waitFor();
    assert.equal(await page.locator("pre").textContent(), pawl(0, "handoff", id));
    await go("#/sessions");
    const release = await hold(page, /status=completed/);
    await page.getByLabel("Show", { exact: true }).selectOption("completed");
    await page.getByLabel("Show", { exact: true }).selectOption("interrupted");
    await release(); // to what was chosen before
    assert.equal(await headers().count(), 1);
    await page.getByLabel("Show", { exact: true }).selectOption("completed");
    await page.getByText("No session is completed.").waitFor();
    pawl(0, "resolve", JSON.parse(pawl(0, "conflicts", "--json"))[0].conflict_id, "--pick", "1");
    pawl(0, "resume");
    await page.getByRole("row", { name: /completed .*3 of 3/ }).waitFor();
    calm(page);
  },

  "checkpoints come fifty at a time, and the focus goes on to the first of the older ones": async () => {
    checkpoint(60);
    asked.length = 0;
    await go("#/checkpoints");
    await page.getByRole("row", { name: /^64 note/ }).waitFor();
    assert.deepEqual(await numbers(), down(64, 15));
    assert.ok(asked.some((url) => url.endsWith("/checkpoints?limit=50")), asked.join(" "));
    await page.getByRole("button", { name: "Show older checkpoints" }).press("Enter");
    await page.getByRole("row", { name: /^1 session start/ }).waitFor();
    assert.deepEqual(await numbers(), down(64));
    assert.equal(await focused(), "14 note");
    assert.equal(await page.getByRole("button", { name: "Show older" }).count(), 0);
  },

  "what comes while one reads moves nothing, and takes no focus": async () => {
    const row = page.getByRole("row", { name: /^20 note/ });
    await row.getByRole("link").focus();
    await row.scrollIntoViewIfNeeded();
    const before = await top(/^20 note/);
    checkpoint(3);
    await until("the new rows", async () => (await numbers())[0] === 67);
    assert.ok(Math.abs(await top(/^20 note/) - before) <= 1, `${before} became ${await top(/^20 note/)}`);
    assert.equal(await focused(), "20 note");
  },

  "one is compared with others that are near it, without the list of all": async () => {
    asked.length = 0;
    await go("#/checkpoints/61");
    await page.getByRole("row", { name: "notes.txt modified +1 −0" }).waitFor();
    assert.ok(asked.filter((url) => /checkpoints(\?|$)/.test(url)).every((url) => url.includes("limit=50")), asked.join(" "));
    await page.getByLabel("What changed").selectOption("after 67");
    await page.getByRole("row", { name: "notes.txt modified +6 −0" }).waitFor();
  },

  "undoing is offered where there is something to undo": async () => {
    await go("#/checkpoints");
    await page.getByRole("row", { name: /^67 note/ }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo the last rollback…" }).count(), 0);
    pawl(0, "rollback", "66", "--yes");
    await page.getByRole("button", { name: "Undo the last rollback…" }).waitFor();
  },

  "the log shows the newest events first, and older ones when asked": async () => {
    const all = events();
    await go("#/log");
    await until("a page", async () => (await numbers()).length === 100);
    assert.deepEqual(await numbers(), down(all.length, all.length - 99));
    assert.ok(all.length > 100 && all.length < 200, `${all.length} events`);
    await page.getByRole("button", { name: "Show older events" }).press("Enter");
    await page.getByText("These are all.").waitFor();
    assert.deepEqual(await numbers(), down(all.length));
    assert.equal(await focused(), `#${all.length - 100}`);
    calm(page);
  },

  "it is narrowed to a type, a run, a step and a time, by the keyboard too, and the address says so": async () => {
    const all = events().reverse();
    const shows = async (what, fn) => {
      const wanted = all.filter(fn).slice(0, 100).map((e) => e.seq);
      await until(what, async () => JSON.stringify(await numbers()) === JSON.stringify(wanted));
    };
    await page.getByLabel("Type").selectOption("StepCompleted");
    await shows("a type", (e) => e.type === "StepCompleted");
    assert.match(page.url(), /#\/log\?type=StepCompleted$/);
    await page.getByLabel("Step").fill("write");
    await page.keyboard.press("Enter");
    await shows("a type and a step", (e) => e.type === "StepCompleted" && e.step_id === "write");
    await headers().first().click();
    await page.getByRole("heading", { level: 1, name: /^Event/ }).waitFor();
    await page.goBack();
    await shows("the same after coming back", (e) => e.type === "StepCompleted" && e.step_id === "write");
    await page.getByLabel("Type").selectOption("");
    await page.getByLabel("Step").fill("");
    await page.getByLabel("Run", { exact: true }).fill(runId.slice(0, 8));
    await page.keyboard.press("Enter");
    await shows("a run, by the beginning of its id", (e) => e.run_id === runId);
    await page.getByLabel("Run", { exact: true }).fill("");
    const from = new Date(all[20].time); // to the second, or the whole minute, as the field has it
    from.setMilliseconds(0);
    await page.getByLabel("Since").fill(new Date(from - from.getTimezoneOffset() * 60000).toISOString().slice(0, 19).replace(/:00$/, ""));
    await page.keyboard.press("Enter");
    await shows("a time", (e) => new Date(e.time) >= from);
    await page.getByLabel("Since").fill("");
    await page.getByLabel("Step").fill("none of this name");
    await page.keyboard.press("Enter");
    await page.getByText("No event matches.").waitFor();
  },

  "what comes is counted, and shown when asked; nothing moves before": async () => {
    await go("#/log?type=WorkspaceCheckpointed");
    await until("the list", async () => (await numbers()).length > 50);
    const [newest] = await numbers();
    const name = new RegExp(`^#${newest} `);
    const before = await top(name);
    checkpoint(2);
    await page.getByRole("button", { name: "Show 2 new events" }).waitFor();
    assert.equal(await top(name), before);
    await page.getByRole("button", { name: "Show 2 new events" }).press("Enter");
    await until("the new ones", async () => (await numbers())[0] > newest);
    assert.equal(await focused(), `#${(await numbers())[0]}`);
    assert.ok(await page.getByRole("button", { name: "No new events" }).isDisabled());
  },

  "where little is found among much, it says how far it looked, and goes on when asked": async () => {
    let looks = 0;
    await page.route("**/api/v1/events?**", (route) => {
      looks++;
      const before = Number(new URL(route.request().url()).searchParams.get("before"));
      route.fulfill({ json: { events: [], next: Math.min(before, 1_000_000) - 65_536, head: 1_000_000 } });
    });
    await page.getByLabel("Step").fill("rare");
    await page.keyboard.press("Enter");
    await page.getByText("None so far. Looked back to event 475712.").waitFor();
    assert.equal(looks, 8);
    await page.getByRole("button", { name: "Look further back" }).click();
    await until("more looks", async () => looks > 8);
    await page.unroute("**/api/v1/events?**");
    calm(page);
  },

  "an event leads to its run, its session and those beside it": async () => {
    const { seq, session_id } = events().find((e) => e.type === "SessionStarted");
    await go(`#/log/${seq}`);
    await page.getByRole("link", { name: session_id }).waitFor();
    await page.getByRole("link", { name: `Event ${seq + 1}` }).click();
    await page.getByRole("heading", { level: 1, name: `Event ${seq + 1}` }).waitFor();
    await page.getByRole("link", { name: `Event ${seq}` }).click();
    await page.getByRole("heading", { level: 1, name: `Event ${seq}`, exact: true }).waitFor();
    await page.getByRole("link", { name: "All of its run" }).click();
    await until("the run's events", async () => (await numbers()).length > 20);
    assert.equal(await page.getByLabel("Run", { exact: true }).inputValue(), runId);
    assert.equal(run("eventlog", "verify").code, 0);
    calm(page);
  },
});
