// The files of a run: what a step changed, going back by typing yes, and taking that back.
import assert from "node:assert/strict";
import { existsSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { calm, events, hold, logDamaged, mission, pawl, person, run, serve, story, visit } from "./support.mjs";

const service = await serve();
const page = await visit(await person(), service);
const dialog = page.getByRole("dialog");
let from;

await story({
  "checkpoints are there as they are taken, the newest first": async () => {
    mission({ description: "Nothing is unclear here.", last: "printf 'one\\ntwo\\n<b>three</b>\\n' >done.txt; echo ok" });
    await page.evaluate(() => { location.hash = "#/checkpoints"; });
    await page.getByText("There is no checkpoint of the files yet.").waitFor();
    pawl(3, "run", "mission.yaml", "--no-input");
    pawl(0, "resolve", JSON.parse(pawl(0, "conflicts", "--json"))[0].conflict_id, "--pick", "1");
    pawl(0, "resume");
    await page.getByRole("row", { name: /^4 write/ }).waitFor();
    assert.deepEqual(await page.getByRole("rowheader").getByRole("link").allTextContents(), ["4 write", "3 decide", "2 read", "1 session start"]);
    assert.match(await page.getByRole("row", { name: /^4 write/ }).textContent(), /current/);
  },

  "one shows what it changed: the files, and their lines as text": async () => {
    await page.getByRole("link", { name: "4 write" }).click();
    await page.getByRole("table", { name: "From checkpoint 3 to checkpoint 4: 1 file" }).waitFor();
    await page.getByRole("row", { name: "done.txt added +3 −0" }).waitFor();
    assert.deepEqual((await page.locator(".line").allTextContents()).map((l) => l.trim()), ["@@ -0,0 +1,3 @@", "+one", "+two", "+<b>three</b>"]);
  },

  "it can be compared with the files as they are": async () => {
    writeFileSync("done.txt", "one\nother\n");
    await page.getByLabel("What changed").selectOption("now");
    await page.getByRole("row", { name: "done.txt modified +1 −2" }).waitFor();
    for (const name of ["naïve.txt", 'in "quotes" <b>.txt']) {
      writeFileSync(name, "a\nb\n");
      await page.getByLabel("What changed").selectOption("before 1");
      await page.getByLabel("What changed").selectOption("now");
      const file = page.locator("details.file", { hasText: name });
      await file.waitFor();
      assert.deepEqual((await file.locator(".line").allTextContents()).map((l) => l.trim()), ["@@ -0,0 +1,2 @@", "+a", "+b"]);
      unlinkSync(name);
    }
  },

  "of two comparisons the one that was chosen last stays, though its answer comes first": async () => {
    const release = await hold(page, /checkpoints\/1\/diff/);
    await page.getByLabel("What changed").selectOption("before 1");
    await page.getByLabel("What changed").selectOption("now");
    await page.getByRole("row", { name: "done.txt modified +1 −2" }).waitFor();
    await release();
    assert.equal(await page.getByRole("row", { name: "done.txt modified +1 −2" }).count(), 1);
  },

  "a plan says what would be done, and any other word than yes does nothing": async () => {
    await page.evaluate(() => { location.hash = "#/checkpoints/2"; });
    await page.getByRole("heading", { level: 1, name: "Checkpoint 2, read" }).waitFor();
    from = page.getByRole("button", { name: "Go back to this checkpoint…" });
    await from.click();
    await dialog.getByText("2 to remove.").waitFor();
    await dialog.getByText("To be run again: decide, write.").waitFor();
    assert.deepEqual(await dialog.getByRole("listitem").allTextContents(), ["remove decided.txt", "remove done.txt"]);
    for (const word of ["", "Yes", "y", "no"]) {
      await dialog.getByLabel("Type yes to do it").fill(word);
      await dialog.getByRole("button", { name: "Go back" }).click();
      await dialog.getByRole("alert").getByText("Nothing was changed.").waitFor();
    }
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    assert.ok(await from.evaluate((e) => e === document.activeElement), "the focus is where it came from");
    assert.ok(existsSync("done.txt"));
    assert.equal(events().filter((e) => e.type.startsWith("WorkspaceRoll")).length, 0);
  },

  "a plan that is not what would be done any more is not done: the new one is shown": async () => {
    await from.click();
    await dialog.getByText("2 to remove.").waitFor();
    pawl(0, "checkpoint", "meanwhile");
    writeFileSync("first.txt", "changed meanwhile\n");
    await dialog.getByLabel("Type yes to do it").fill("yes");
    await dialog.getByRole("button", { name: "Go back" }).click();
    await dialog.getByRole("alert").getByText("something has happened since this plan was made").waitFor();
    await dialog.getByText("1 file to write").waitFor();
    assert.equal(await dialog.getByLabel("Type yes to do it").inputValue(), "");
    assert.equal(readFileSync("first.txt", "utf8"), "changed meanwhile\n");
  },

  "yes does it, and says what was done and what to do next": async () => {
    await dialog.getByLabel("Type yes to do it").fill("yes");
    await page.keyboard.press("Enter");
    await dialog.getByText(/The files are as checkpoint 2 has them: 1 written, 2 removed/).waitFor();
    await dialog.getByText(/pawl resume/).waitFor();
    assert.equal(readFileSync("first.txt", "utf8"), "first\n");
    assert.ok(!existsSync("done.txt"));
  },

  "and it can be undone, by a plan and a yes of its own": async () => {
    await dialog.getByRole("button", { name: "Undo it…" }).click();
    await dialog.getByRole("heading", { name: "Undo the last rollback" }).waitFor();
    await dialog.getByLabel("Type yes to do it").fill("yes");
    await dialog.getByRole("button", { name: "Undo it" }).click();
    await dialog.getByRole("heading", { name: "Done" }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    assert.equal(readFileSync("first.txt", "utf8"), "changed meanwhile\n");
    assert.equal(readFileSync("done.txt", "utf8"), "one\nother\n");
  },

  "the undo can be reversed, and that undone again": async () => {
    await page.evaluate(() => { location.hash = "#/checkpoints"; });
    for (const [button, verb, first] of [["Redo the last undo…", "Redo it", "first\n"], ["Undo the last rollback…", "Undo it", "changed meanwhile\n"]]) {
      await page.getByRole("button", { name: button }).click();
      await dialog.getByText(/(Gives|Takes) up checkpoint/).first().waitFor();
      await dialog.getByLabel("Type yes to do it").fill("yes");
      await dialog.getByRole("button", { name: verb, exact: true }).click();
      await dialog.getByRole("heading", { name: "Done" }).waitFor();
      await dialog.getByRole("button", { name: "Close" }).click();
      assert.equal(readFileSync("first.txt", "utf8"), first);
    }
  },

  "the log's chain is shown to hold, with its head": async () => {
    await page.evaluate(() => { location.hash = "#/log/chain"; });
    await page.getByRole("heading", { name: "The chain holds" }).waitFor();
    const last = events().at(-1);
    await page.getByText(last.hash).waitFor();
    await page.getByRole("row", { name: /^StepCompleted 3 / }).waitFor();
    calm(page);
  },

  "and a log that was changed is shown to be, with the first event that does not fit": async () => {
    await service.stop();
    logDamaged();
    assert.equal(run("sqlite3", ".pawl/events.db", "DROP TRIGGER events_refuse_update; UPDATE events SET actor = 'user:mallory' WHERE seq = 7").code, 0);
    const other = await visit(await person(), await serve(), "#/log/chain");
    await other.getByRole("heading", { name: "The log is damaged at event 7" }).waitFor();
    calm(other);
  },
});
