// The glossary on the page: what is in force, who changed it, and correcting it, each time with a look first.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { calm, events, faults, pawl, person, serve, story, visit } from "./support.mjs";

writeFileSync("team.yaml", `terms:
  - { surface: workspace, definition: A folder., synonyms_to_avoid: [room] }
  - { surface: TCP/IP, definition: "<b>A protocol.</b>", aliases: [tcp] }
`);
writeFileSync("mission.yaml", `mission: refunds
glossary: { team_domain: team.yaml }
steps:
  - { id: read, inputs: { description: They land in the workspace. }, run: ["true"] }
  - { id: wait, run: ["false"] }
`);
const service = await serve();
const desk = await person();
let page;

const go = (hash) => page.evaluate((to) => { location.hash = to; }, hash);
const heading = (name) => page.getByRole("heading", { level: 1, name });
const dialog = () => page.getByRole("dialog");
const button = (name) => dialog().getByRole("button", { name, exact: true });
const senses = (surface) => JSON.parse(pawl(0, "glossary", "list", "--json")).filter((s) => s.surface === surface)
  .map((s) => `${s.scope} ${s.status} ${s.definition}`).sort();
const rows = () => page.getByRole("row").evaluateAll((all) => all.slice(1).map((r) => [...r.cells].map((c) => c.textContent.trim()).join(" | ")));

await story({
  "without a sense it says where some come from; then they are there as they come": async () => {
    page = await visit(desk, service, "#/glossary");
    await page.getByText("No sense is in force yet.").waitFor();
    pawl(1, "run", "mission.yaml", "--run", "one", "--no-input");
    await page.getByRole("link", { name: "workspace" }).waitFor();
    assert.deepEqual(await rows(), ["TCP/IP | <b>A protocol.</b> | team_domain | active", "workspace | A folder. | team_domain | active"]);
  },

  "a part of a term or of what it means finds it": async () => {
    await page.getByLabel("Find").fill("FOLD");
    await page.getByRole("link", { name: "TCP/IP" }).waitFor({ state: "detached" });
    assert.deepEqual(await rows(), ["workspace | A folder. | team_domain | active"]);
    assert.equal(new URL(page.url()).hash, "#/glossary?find=FOLD");
    await page.getByLabel("Find").fill("nothing of it");
    await page.getByText("No sense is so.").waitFor();
    await page.getByLabel("Find").fill("");
  },

  "a sense is edited by the keyboard alone: looked at with who used it, then changed": async () => {
    await page.evaluate(() => localStorage.setItem("pawl.name", "Zoë"));
    await page.getByRole("link", { name: "workspace" }).press("Enter");
    await heading("“workspace”").waitFor();
    await page.getByText("Not: room").waitFor();
    const before = events().length;
    await page.getByRole("button", { name: /^Edit/ }).press("Enter");
    const field = dialog().getByLabel("What it means, for team_domain");
    await field.waitFor();
    assert.ok(await field.evaluate((e) => e === document.activeElement));
    await field.fill(" ");
    await button("Look at it").press("Enter");
    await dialog().getByRole("alert").getByText("Write what it means.").waitFor();
    await field.fill("A folder.");
    await button("Look at it").press("Enter");
    await dialog().getByRole("alert").getByText("It is so already").waitFor();
    await field.fill("An <i>account</i>, say 'ours'.");
    await button("Look at it").press("Enter");
    await dialog().getByText("1 step completed with what is no longer so.").waitFor();
    await dialog().getByText("pawl resume one --rerun-changed").waitFor();
    await dialog().getByText(/pawl glossary edit workspace --define 'An <i>account<\/i>, say '\\''ours'\\''.' --scope team_domain --since-seq/).waitFor();
    assert.equal(await dialog().locator("del").textContent(), "A folder.");
    assert.equal(await dialog().locator("ins").textContent(), "An <i>account</i>, say 'ours'.");
    await dialog().getByText("user:Zoë").waitFor();
    assert.deepEqual(await faults(page), []);
    await button("Back").press("Enter");
    assert.equal(await field.inputValue(), "An <i>account</i>, say 'ours'.");
    await button("Look at it").press("Enter");
    await button("Change it").waitFor();
    assert.equal(events().length, before);
    await button("Change it").press("Enter");
    await dialog().getByRole("heading", { name: "Done" }).waitFor();
    await button("Close").press("Enter");
    assert.deepEqual(senses("workspace"), ["team_domain active An <i>account</i>, say 'ours'.", "team_domain deprecated A folder."]);
    await page.getByRole("row", { name: /Zoë new team_domain An/ }).waitFor();
    assert.equal((await rows()).length, 3);
    assert.deepEqual(await faults(page), []);
  },

  "who was slower is told so, and nothing is changed": async () => {
    const deaf = await person(); // to whom the change of the other comes too late
    await deaf.route("**/events/stream*", (route) => route.abort());
    const slow = await visit(deaf, service, "#/glossary/workspace");
    await slow.getByRole("button", { name: /^Retire/ }).click();
    await slow.getByRole("dialog").getByText("Nothing takes its place.").waitFor();
    pawl(0, "glossary", "edit", "workspace", "--pick", "1", "--define", "Another.", "--actor", "user:ben");
    const before = events().length;
    await slow.getByRole("dialog").getByRole("button", { name: "Retire it" }).click();
    await slow.getByRole("alert").getByText("is not in force any more").waitFor();
    assert.equal(events().length, before);
    await deaf.close();
  },

  "a sense is retired, and its aliases with it; a term of any name is found": async () => {
    await go("#/glossary");
    await page.getByRole("link", { name: "TCP/IP" }).click();
    await heading("“TCP/IP”").waitFor();
    await page.getByRole("button", { name: /^Retire/ }).click();
    await dialog().getByText("The same for “tcp”.").waitFor();
    await dialog().getByText("No step completed with what is no longer so.").waitFor();
    await button("Retire it").click();
    await dialog().getByRole("heading", { name: "Done" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("No sense of it is in force.").waitFor();
    assert.deepEqual(senses("TCP/IP"), ["team_domain deprecated <b>A protocol.</b>"]);
  },

  "a word is ignored for a mission that used it, or for a scope": async () => {
    pawl(0, "glossary", "edit", "workspace", "--pick", "1", "--define", "Ours.");
    await go("#/glossary/workspace");
    await page.getByRole("button", { name: "It is no term…" }).click();
    await dialog().getByLabel("For whom").selectOption("core: everybody");
    await button("Look at it").click();
    await dialog().getByText("pawl glossary ignore workspace --scope core").waitFor();
    await button("Ignore it").click();
    await dialog().getByRole("heading", { name: "Done" }).waitFor();
    await button("Close").click();
    await page.getByText("no term", { exact: true }).first().waitFor();
    assert.ok(senses("workspace").includes("core ignored "));
    assert.deepEqual(await faults(page), []);
  },

  "what is deprecated is shown when it is asked for": async () => {
    await go("#/glossary");
    await heading("Glossary").waitFor();
    await page.getByRole("link", { name: "workspace" }).first().waitFor();
    assert.equal(await page.getByRole("link", { name: "TCP/IP" }).count(), 0);
    await page.getByLabel("also what is deprecated").check();
    await page.getByRole("link", { name: "TCP/IP" }).waitFor();
    assert.deepEqual(await faults(page), []);
    calm(page);
  },

  "a seed is imported after a look; all its mistakes are shown at once": async () => {
    await page.getByRole("button", { name: "Import…" }).click();
    await button("Look at it").click();
    await dialog().getByRole("alert").getByText("Choose a file, or write its text.").waitFor();
    await dialog().getByLabel("or its text").fill("terms: [{surface: a}, {definition: b}]");
    await button("Look at it").click();
    await dialog().getByRole("alert").getByText("terms[0].definition: is missing").waitFor();
    assert.equal(await dialog().getByRole("alert").getByRole("listitem").count(), 2);
    writeFileSync("more.yaml", "terms:\n  - { surface: kiln, definition: An oven., aliases: [stove] }\n  - { surface: glaze, definition: A coat., status: draft }\n");
    await dialog().getByLabel("A seed file").setInputFiles("more.yaml");
    await dialog().getByLabel("For whom").selectOption("audience_domain: the audience that the work is for");
    const before = events().length;
    await button("Look at it").click();
    await dialog().getByText("2 new and 0 changed in audience_domain.").waitFor();
    await dialog().getByText("“glaze” for audience_domain, as a draft").waitFor();
    await dialog().getByText("The same for “stove”.").waitFor();
    assert.deepEqual(await faults(page), []);
    assert.equal(events().length, before);
    await button("Import them").click();
    await dialog().getByRole("heading", { name: "Done" }).waitFor();
    await button("Close").click();
    await page.getByRole("link", { name: "kiln" }).waitFor();
    assert.deepEqual(senses("kiln"), ["audience_domain active An oven."]);
    calm(page);
  },

  "a term that nobody ever named can be ignored; where the service only reads it is refused in its place": async () => {
    const reader = await serve("--read-only");
    const other = await visit(await person(), reader, "#/glossary/nowhere");
    await other.getByText("No sense of it is in force.").waitFor();
    await other.getByRole("button", { name: "It is no term…" }).click();
    await other.getByRole("dialog").getByRole("button", { name: "Look at it" }).click();
    await other.getByRole("alert").getByText("--read-only").waitFor();
    await reader.stop();
  },
});
