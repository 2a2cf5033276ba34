// Two people at one question, an answer by the keyboard alone, and words that are markup elsewhere.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { calm, events, faults, mission, pawl, person, serve, story, visit } from "./support.mjs";

const service = await serve();
const markup = ["<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "<svg/onload=alert(3)>\"'&amp;"];
let quick, slow, conflict;

const open = () => JSON.parse(pawl(0, "conflicts", "--json"));
const resolved = () => events().filter((e) => e.type === "GlossaryClarificationResolved");

async function ask(...options) {
  mission(...options);
  pawl(3, "run", "mission.yaml", "--no-input");
  [{ conflict_id: conflict }] = open();
}

/** Go on with Tab until this has the focus. */
async function tab(page, locator) {
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press("Tab");
    if (await locator.evaluate((e) => e === document.activeElement)) return;
  }
  assert.fail(`Tab does not come to ${locator}`);
}

/** What has the focus can be seen to have it. */
const outlined = (page) => page.evaluate(() => {
  for (let e = document.activeElement; e && e !== document.body; e = e.parentElement) {
    const { outlineStyle, outlineWidth } = getComputedStyle(e);
    if (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) return true;
  }
  return false;
});

await story({
  "a second answer is refused, and who gave the first is shown": async () => {
    await ask();
    const deaf = await person(); // to whom the answer of the other comes too late
    await deaf.route("**/events/stream*", (route) => route.abort());
    slow = await visit(deaf, service, `#/conflicts/${conflict}`);
    quick = await visit(await person(), service, `#/conflicts/${conflict}`);
    await slow.getByLabel("A folder in which").check();
    await slow.getByLabel("Your name").fill("ben");
    await quick.getByLabel("The account that").check();
    await quick.getByLabel("Your name").fill("ana");
    await quick.getByRole("button", { name: "Answer" }).click();
    await quick.getByRole("heading", { name: "Answered" }).waitFor();
    await slow.getByRole("button", { name: "Answer" }).click();
    await slow.getByRole("alert").getByText("Your answer was not taken").waitFor();
    await slow.getByRole("heading", { name: "ana answered" }).waitFor();
    await slow.getByText("The account that a customer's people share.").waitFor();
    assert.equal(await slow.getByRole("button", { name: "Answer" }).count(), 0);
    assert.deepEqual(resolved().map((e) => e.payload.actor.actor_id), ["user:ana"]);
    calm(quick);
  },

  "one who has the question open sees it answered before trying": async () => {
    await ask({ name: "second", term: "ledger" });
    await quick.evaluate((to) => { location.hash = to; }, `#/conflicts/${conflict}`);
    await quick.getByRole("group", { name: "What does it mean here?" }).waitFor();
    pawl(0, "resolve", conflict, "--pick", "1", "--actor", "user:cleo");
    await quick.getByRole("heading", { name: "cleo answered" }).waitFor();
    assert.equal(await quick.getByRole("radio").count(), 0);
  },

  "where the service only reads, an answer is refused in its place, and the question stays": async () => {
    await ask({ name: "read", term: "invoice" });
    const reader = await serve("--read-only");
    const page = await visit(await person(), reader, `#/conflicts/${conflict}`);
    await page.getByRole("radio").first().check();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("alert").getByText("--read-only").waitFor();
    assert.ok(await page.getByRole("radio").first().isChecked());
    await page.getByRole("button", { name: "Answer" }).waitFor();
    assert.equal(open().length, 1);
    await reader.stop();
    pawl(0, "resolve", conflict, "--pick", "1");
  },

  "an answer can be given by the keyboard alone, with the focus always in sight": async () => {
    await ask({ name: "keys", term: "batch" });
    const page = await visit(await person(), service);
    await page.getByRole("link", { name: "Conflicts 1" }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
    assert.ok(await outlined(page));
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.keyboard.press("Shift+Tab");
    await tab(page, page.getByRole("navigation").getByRole("link", { name: /^Conflicts/ }));
    assert.ok(await outlined(page));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Conflicts" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.tagName), "H1");
    await tab(page, page.getByRole("link", { name: "“batch”" }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "“batch”" }).waitFor();
    await tab(page, page.getByRole("radio").first());
    assert.ok(await outlined(page));
    await page.keyboard.press("ArrowUp"); // the last one: no term
    await page.keyboard.press("ArrowUp"); // a definition of one's own
    await tab(page, page.getByLabel("What it means", { exact: true }));
    await page.keyboard.type("What is done in one go.");
    await tab(page, page.getByLabel("For whom"));
    await page.keyboard.press("ArrowDown");
    await tab(page, page.getByLabel("Your name"));
    await page.keyboard.type("dee");
    await tab(page, page.getByRole("button", { name: "Answer" }));
    assert.ok(await outlined(page));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "Answered");
    const { payload } = resolved().at(-1);
    assert.equal(payload.selected_sense.definition, "What is done in one go.");
    assert.equal(payload.selected_sense.scope, "mission_local");
    assert.equal(payload.actor.actor_id, "user:dee");
    calm(page);
  },

  "many terms of a run are one question: those that are unknown, and those that have meanings": async () => {
    const words = ["anvil", "bellow", "crucible", "drift", "easel"];
    writeFileSync("words.yaml", `terms:\n${words.flatMap((w) => [1, 0.5].map((c) =>
      `  - { surface: ${w}, definition: "${w} ${c}", confidence: ${c} }\n`)).join("")}`);
    writeFileSync("many.yaml", `mission: many
strictness: max
glossary: { team_domain: words.yaml }
steps: [{ id: a, inputs: { description: '${words.join(" ")} "flurb" "quonk" "<b>zib</b>"' }, run: [cat] }]
`);
    pawl(3, "run", "many.yaml", "--run", "many", "--no-input");
    const page = await visit(await person(), service, "#/conflicts");
    await page.getByRole("heading", { name: "5 terms of run many have more than one meaning" }).waitFor();
    assert.deepEqual(await page.locator(".firsts dd").allTextContents(), words.map((w) => `${w} 1`));
    assert.equal(await page.locator("blockquote").count(), 0);
    assert.deepEqual(await faults(page), []);
    await page.getByRole("button", { name: "Take these, the first of each" }).click();
    await page.getByRole("heading", { name: "5 terms of" }).waitFor({ state: "detached" });
    assert.deepEqual(resolved().slice(-5).map((e) => e.payload.selected_sense.definition).sort(), words.map((w) => `${w} 1`));
    await page.getByRole("button", { name: "None of these is a term" }).click();
    await page.getByText("No question is open.").waitFor();
    pawl(0, "resume", "many");
    calm(page);
  },

  "an answer that was wrong is replaced, until a step has completed with it": async () => {
    await ask({ name: "wrong", term: "voucher" });
    pawl(0, "resolve", conflict, "--pick", "1", "--actor", "user:ana");
    const page = await visit(await person(), service, `#/conflicts/${conflict}`);
    await page.getByRole("heading", { name: "ana answered" }).waitFor();
    await page.getByRole("button", { name: "It was wrong…" }).click();
    await page.getByText("ana answered: A folder in which one step does its work. Another answer").waitFor();
    await page.getByRole("button", { name: "Leave it" }).click();
    await page.getByRole("button", { name: "It was wrong…" }).press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.type), "radio");
    await page.getByLabel("The account that").check();
    await page.getByRole("button", { name: "Answer instead" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    await page.getByText("The account that a customer's people share.").waitFor();
    const [first, second] = resolved().slice(-2);
    assert.equal(second.payload.replaces, first.seq);
    pawl(0, "resume", second.run_id);
    const before = events().length;
    await page.getByRole("button", { name: "It was wrong…" }).click();
    await page.getByLabel("A folder in which").check();
    await page.getByRole("button", { name: "Answer instead" }).click();
    await page.getByRole("alert").getByText("has completed with the former answer").waitFor();
    assert.equal(events().length, before);
    calm(page);
  },

  "what a step asks people is answered by one of its options, by whom it is put to": async () => {
    writeFileSync("ask.yaml", `mission: release
steps:
  - { id: approve, ask: { question: "Publish <b>1.4</b>?", options: [yes, "<i>no</i>"], to: ["user:ana"], within: 2d, otherwise: yes } }
  - { id: why, ask: { question: Why? } }
`);
    pawl(3, "run", "ask.yaml", "--run", "asked", "--no-input");
    const page = await visit(await person(), service);
    await page.getByRole("link", { name: "Conflicts 1" }).click();
    await page.getByText(/To ana. Until .*, then yes/).waitFor();
    await page.getByRole("link", { name: "Publish <b>1.4</b>?" }).click();
    await page.getByRole("heading", { level: 1, name: "Publish <b>1.4</b>?" }).waitFor();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("alert").getByText("Choose an answer.").waitFor();
    await page.getByRole("radio", { name: "<i>no</i>" }).check();
    await page.getByLabel("Your name").fill("eve");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("alert").getByText("user:eve is not asked; it is user:ana who may answer").waitFor();
    await page.getByLabel("Your name").fill("ana");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    await page.getByText("<i>no</i>").waitFor();
    pawl(3, "resume", "asked", "--no-input");
    await page.getByText("The run has another question: ").waitFor();
    await page.getByRole("link", { name: "Why?" }).click();
    await page.getByLabel("In your own words").fill("It is time.");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    pawl(0, "resume", "asked", "--no-input");
    assert.deepEqual(resolved().slice(-2).map(({ actor, payload }) => [actor, payload.answer, payload.selected_sense]),
      [["user:ana", "<i>no</i>", null], ["user:ana", "It is time.", null]]);
    await page.evaluate(() => { location.hash = "#/runs/asked"; });
    await page.getByText("Asked: Publish <b>1.4</b>?").waitFor();
    await page.getByText("ana answered: Why?").waitFor();
    assert.equal(await page.locator("main i").count(), 0);
    calm(page);
  },

  "markup in a mission, a term, a definition and a name is text": async () => {
    const [image, script, svg] = markup;
    await ask({ name: image.replace("/", "-"), term: script.replace("/", "_"), senses: [image, svg],
      description: `${image} ${script} ${svg}` });
    const page = await visit(await person(), service);
    const { run_id } = open()[0];
    await page.getByRole("link", { name: image }).waitFor();
    for (const place of [`#/runs/${run_id}`, "#/conflicts", `#/conflicts/${conflict}`]) {
      await page.evaluate((to) => { location.hash = to; }, place);
      await page.getByText(/<script>alert\(2\)/).first().waitFor();
      assert.equal(await page.locator("main img, main script, main iframe").count(), 0, place);
    }
    await page.getByRole("radio", { name: image }).check();
    await page.getByLabel("Your name").fill("<b>eve<b>");
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
    await page.getByText("<b>eve<b>").waitFor();
    await page.getByText(image).waitFor();
    await page.evaluate((to) => { location.hash = to; }, `#/runs/${run_id}`);
    await page.getByText("<b>eve<b> answered").waitFor();
    assert.equal(await page.locator("main img, main script, main b").count(), 0);
    calm(page);
  },
});
