// Several runs beside each other: opened by choice, found in the address, there again after a reload, each live.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { calm, pawl, person, serve, start, story, visit } from "./support.mjs";

const service = await serve();
const desk = await person({ viewport: { width: 1600, height: 900 } });
let page, slow;

const region = (name) => page.getByRole("region", { name, exact: true });
const address = () => page.evaluate(() => location.hash);

await story({
  "the list has a column for the mission and one for the run": async () => {
    writeFileSync("quick.yaml", "mission: quick\nsteps: [{ id: one, run: [echo, first] }, { id: two, run: [echo, second] }]\n");
    writeFileSync("slow.yaml", `mission: slow
steps: [{ id: wait, run: [sh, -c, "while [ ! -e go ]; do sleep 0.05; done"] }, { id: end, run: ["false"] }]
`);
    pawl(0, "run", "quick.yaml", "--run", "a,b c");
    pawl(0, "run", "quick.yaml", "--run", "plain");
    slow = start("pawl", "run", "slow.yaml", "--run", "slow", "--no-input");
    page = await visit(desk, service);
    const row = page.getByRole("row", { name: /^slow slow running/ });
    await row.waitFor();
    assert.deepEqual(await page.getByRole("columnheader").allTextContents(),
      ["Mission", "Run", "Status", "Progress", "Step", "Open conflicts", "Last event"]);
    await row.getByRole("link", { name: "slow" }).click();
    await page.getByRole("heading", { level: 1, name: "slow running" }).waitFor();
  },

  "another run is opened beside it, and a third, whatever their ids": async () => {
    await page.getByLabel("Open beside").selectOption("plain");
    await page.getByRole("heading", { level: 1, name: "2 runs" }).waitFor();
    await page.getByLabel("Open beside").selectOption("a,b c");
    await page.getByRole("heading", { level: 1, name: "3 runs" }).waitFor();
    assert.equal(await address(), "#/runs/slow,plain,a%2Cb%20c");
    await region("quick completed plain").getByText("Run completed", { exact: true }).waitFor();
    await region("quick completed a,b c").getByText("Run completed", { exact: true }).waitFor();
    const tops = await page.locator("section.one").evaluateAll((all) => all.map((e) => [e.getBoundingClientRect().top, e.getBoundingClientRect().left]));
    assert.equal(new Set(tops.map(([top]) => top)).size, 1, "they stand side by side");
    assert.equal(new Set(tops.map(([, left]) => left)).size, 3);
    assert.deepEqual(await page.getByLabel("Open beside").locator("option").count(), 0, "there is no other");
  },

  "they are there again after a reload, and go on by themselves": async () => {
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "3 runs" }).waitFor();
    await region("slow running slow").getByText("Run started").waitFor();
    writeFileSync("go", "");
    assert.equal(await slow.end, 1);
    await region("slow failed slow").getByText("Run failed", { exact: true }).waitFor();
    const ids = await page.locator("[id]").evaluateAll((all) => all.map((e) => e.id));
    assert.equal(new Set(ids).size, ids.length, "no id twice");
  },

  "each is steered where it stands": async () => {
    await region("slow failed slow").getByRole("button", { name: "Skip end…" }).click();
    await page.getByRole("dialog", { name: "Skip end of slow slow" }).getByRole("button", { name: "Skip" }).click();
    await page.getByRole("dialog").getByText("Step end is skipped.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
  },

  "one is closed, and one is shown alone": async () => {
    await region("quick completed plain").getByRole("link", { name: "Close" }).click();
    await page.getByRole("heading", { level: 1, name: "2 runs" }).waitFor();
    assert.equal(await address(), "#/runs/slow,a%2Cb%20c");
    await region("quick completed a,b c").getByRole("link", { name: "Alone" }).click();
    await page.getByRole("heading", { level: 1, name: "quick completed" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "2 runs" }).waitFor();
  },

  "one that is not there says so, and the others stand": async () => {
    await page.evaluate(() => { location.hash = "#/runs/none,plain"; });
    await region("none").getByRole("alert").getByText("is not in this log").waitFor();
    await region("quick completed plain").getByText("Run completed", { exact: true }).waitFor();
    calm(page);
  },
});
