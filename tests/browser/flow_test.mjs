// A run that asks, a person who answers in a browser, and the run that goes on elsewhere.
import assert from "node:assert/strict";
import { renameSync, writeFileSync } from "node:fs";
import { calm, events, mission, pawl, person, run, serve, start, story, tunnel, until, visit } from "./support.mjs";

const service = await serve();
const line = await tunnel(service.url);
const desk = await person();
let board, watcher, waiting, conflict, id;

const shown = (page) => page.locator(".timeline .entry[data-seq]").evaluateAll((all) => all.map((e) => Number(e.dataset.seq)));
const header = (page, name) => page.getByRole("navigation").getByRole("link", { name });

await story({
  "an empty log says what to do first, and what it shows works as it stands": async () => {
    board = await visit(desk, service);
    await board.getByRole("heading", { name: "Nothing has run yet" }).waitFor();
    writeFileSync("mission.yaml", await board.getByLabel("An example of mission.yaml").textContent());
    pawl(0, "run", "mission.yaml");
    const row = board.getByRole("row", { name: /^first / });
    await row.getByText("completed", { exact: true }).waitFor();
    await row.getByRole("progressbar", { name: "1 of 1 steps completed" }).waitFor();
  },

  "a run that is blocked appears by itself, with the step that waits, and is counted": async () => {
    mission();
    pawl(3, "run", "mission.yaml", "--no-input");
    const row = board.getByRole("row", { name: /^refunds / });
    await row.getByText("blocked", { exact: true }).waitFor();
    await row.getByRole("cell", { name: "decide", exact: true }).waitFor();
    await row.getByRole("progressbar", { name: "1 of 3 steps completed" }).waitFor();
    await header(board, "Conflicts 1").waitFor();
    assert.equal(await board.title(), "(1) Runs · Pawl");
    assert.equal(await board.getByRole("row").nth(1).getByRole("rowheader").getByRole("link").first().textContent(), "refunds");
    [{ conflict_id: conflict, run_id: id }] = JSON.parse(pawl(0, "conflicts", "--json"));
  },

  "its timeline has the gate, the question and the checkpoint, and leads to the question": async () => {
    waiting = start("pawl", "resume", id, "--wait", "--no-input");
    watcher = await visit(await person(), { ...service, url: line.url }, `#/runs/${id}`);
    await watcher.getByRole("heading", { level: 1, name: "refunds blocked" }).waitFor();
    await watcher.getByText("The gate holds the step back").waitFor();
    await watcher.getByText("Asked: what does “workspace” mean?").waitFor();
    await watcher.getByRole("link", { name: "Checkpoint 4 of the files" }).waitFor();
    assert.equal(await watcher.getByRole("list").locator("[aria-current=step] .name").textContent(), "decide");
    await board.getByRole("link", { name: "refunds" }).click();
    await board.getByRole("region", { name: "1 question is open" }).getByRole("link", { name: "“workspace”" }).click();
    await board.getByRole("heading", { level: 1, name: "“workspace”" }).waitFor();
  },

  "the question shows the term where it was used, and its meanings in their order": async () => {
    assert.equal(await board.locator("blockquote mark").textContent(), "workspace");
    assert.equal(await board.locator("blockquote").textContent(), 'Refunds land in the "workspace".');
    assert.deepEqual(await board.getByRole("group", { name: "What does it mean here?" }).getByRole("radio").evaluateAll((all) =>
      all.map((r) => r.labels[0].textContent)), ["A folder in which one step does its work.",
      "The account that a customer's people share.", "Something else", "Nothing: it is no term"]);
    assert.match(await board.locator("#sense-2-about").textContent(), /team_domain, confidence 0\.9/);
  },

  "deciding later leaves it open and puts it aside": async () => {
    await board.getByRole("button", { name: "Decide later" }).click();
    await board.getByText("No other question is open.").waitFor();
    await board.getByText("Put off in this tab: 1").click();
    assert.equal(JSON.parse(pawl(0, "conflicts", "--json")).length, 1);
    await board.getByRole("link", { name: "“workspace”" }).click();
  },

  "no choice is no answer": async () => {
    await board.getByRole("button", { name: "Answer" }).click();
    await board.getByRole("alert").getByText("Choose a meaning").waitFor();
    await board.getByLabel("Something else").check();
    await board.getByRole("button", { name: "Answer" }).click();
    await board.getByRole("alert").getByText("Write what it means").waitFor();
    assert.equal(JSON.parse(pawl(0, "conflicts", "--json")).length, 1);
  },

  "an answer is taken in the name of who gave it, and the run that waits goes on by itself": async () => {
    await board.getByLabel("The account that").check();
    await board.getByLabel("Your name").fill("Zoë Ana");
    await board.getByRole("button", { name: "Answer" }).click();
    await board.getByRole("heading", { name: "Answered" }).waitFor();
    assert.equal(await waiting.end, 0);
    await board.getByText("The run went on:").getByText("completed").waitFor();
    const answer = events().find((e) => e.type === "GlossaryClarificationResolved").payload;
    assert.equal(answer.actor.actor_id, "user:Zoë Ana");
    assert.equal(answer.provenance.actor_id, "user:Zoë Ana");
    assert.equal(answer.selected_sense.definition, "The account that a customer's people share.");
    await board.locator("#open-count").waitFor({ state: "hidden" });
  },

  "who only looked on saw it come: the same entries as one who comes later": async () => {
    await watcher.getByText("Run completed", { exact: true }).waitFor();
    await watcher.getByText("Zoë Ana answered").waitFor();
    await watcher.getByRole("heading", { level: 1, name: "refunds completed" }).waitFor();
    const later = await visit(await person(), service, `#/runs/${id}`);
    await later.getByText("Run started").waitFor();
    const live = await shown(watcher);
    await until("all of it", async () => (await shown(later)).length >= live.length);
    assert.deepEqual(await shown(later), live);
    assert.equal(new Set(live).size, live.length);
    const loud = events().filter((e) => e.run_id === id && /^(Step|Run(Started|Completed))/.test(e.type)).map((e) => e.seq);
    assert.deepEqual(loud.filter((seq) => !live.includes(seq)), []);
    calm(later);
  },

  "a run's events are looked for where it ended, not from the head of the log back": async () => {
    const later = await visit(await person(), service, `#/runs/${id}`);
    await later.getByText("Run started").waitFor();
    const { updated_seq } = JSON.parse(pawl(0, "runs", "--id", id, "--json"));
    assert.ok(updated_seq < events().length);
    const asked = await later.evaluate(() => performance.getEntriesByType("resource").map((r) => new URL(r.name).searchParams.get("before")));
    assert.deepEqual(asked.filter((before) => before), [String(updated_seq + 1)]);
  },

  "a line that is lost is said, and what came meanwhile comes once": async () => {
    mission({ name: "again", term: "ledger" });
    pawl(3, "run", "mission.yaml", "--no-input");
    const { run_id } = JSON.parse(pawl(0, "conflicts", "--json"))[0];
    await watcher.evaluate((to) => { location.hash = to; }, `#/runs/${run_id}`);
    await watcher.getByText("Asked: what does “ledger” mean?").waitFor();
    line.cut();
    await watcher.getByRole("status").getByText("is lost").waitFor();
    await watcher.getByRole("button", { name: "Try now" }).click();
    pawl(0, "resolve", JSON.parse(pawl(0, "conflicts", "--json"))[0].conflict_id, "--pick", "1");
    pawl(0, "resume", run_id);
    assert.ok(await watcher.getByText("is lost").isVisible());
    assert.equal(await watcher.getByText("Run completed", { exact: true }).count(), 0);
    line.mend();
    await watcher.getByText("Run completed", { exact: true }).waitFor();
    await watcher.getByText("is lost").waitFor({ state: "hidden" });
    const live = await shown(watcher);
    await board.evaluate((to) => { location.hash = to; }, `#/runs/${run_id}`);
    await board.getByText("Run started").waitFor();
    await until("the same entries", async () => JSON.stringify(await shown(board)) === JSON.stringify(live));
  },

  "a log that takes the place of another is shown from its beginning": async () => {
    await board.evaluate(() => { location.hash = "#/runs"; });
    await board.getByRole("row", { name: /^again / }).waitFor();
    pawl(0, "init", "elsewhere");
    mission({ name: "elsewhere" });
    pawl(3, "run", "mission.yaml", "--run", "it's $(here)", "--no-input", "--db", "elsewhere/.pawl/events.db");
    renameSync(".pawl", "former");
    renameSync("elsewhere/.pawl", ".pawl");
    await board.getByRole("row", { name: /^elsewhere / }).waitFor();
    assert.equal(await board.getByRole("row", { name: /^again / }).count(), 0);
    await board.getByRole("link", { name: "elsewhere" }).click();
    await board.getByText("pawl resume 'it'\\''s $(here)'").waitFor();
  },

  "nothing was asked of anybody else, and no script failed": async () => {
    calm(board);
    calm(watcher);
  },

  "a link of an earlier start is told from a missing one, and both say what to do": async () => {
    await service.stop();
    const other = await serve();
    const page = await visit(desk, { ...other, token: service.token });
    await page.getByRole("heading", { name: "This link does not open the log any more" }).waitFor();
    await page.getByText("#token=…").waitFor();
    const stranger = await (await person()).newPage();
    await stranger.goto(`${other.url}/`);
    await stranger.getByRole("heading", { name: "A link is needed" }).waitFor();
    await other.stop();
  },

  "the log holds": async () => {
    assert.equal(run("eventlog", "verify").code, 0);
    assert.equal(run("eventlog", "replay", "--check").code, 0);
  },
});
