// Every place at each width, in light and dark: nothing beyond the edge, every text readable, every control
// with a name, one heading at the top and no level left out.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { calm, faults, mission, pawl, person, serve, story, visit } from "./support.mjs";

const service = await serve();
const looks = [];
for (const colorScheme of ["light", "dark"])
  for (const width of [360, 1600]) looks.push({ colorScheme, viewport: { width, height: 800 }, hasTouch: width < 500 });

/** In the page: each text whose contrast with what is beneath it is too low, each edge of a control too. */
function faint() {
  const found = [];
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const rgb = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (color) => {
    const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [x, y] = [light(rgb(a)), light(rgb(b))];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const paper = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor;
      const alpha = rgb(color)[3];
      if (alpha === 255) return color;
      if (alpha !== 0) return `half-clear ${color}`;
    }
    return getComputedStyle(document.documentElement).colorScheme.includes("dark") ? "black" : "white";
  };
  const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && element.getClientRects().length > 0;
  for (const element of document.querySelectorAll("body *")) {
    if (!seen(element) || element.closest("svg, [disabled]")) continue;
    const style = getComputedStyle(element);
    if ([...element.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())) {
      const ratio = contrast(style.color, paper(element));
      const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
      if (!(ratio >= (large ? 3 : 4.5))) found.push(`${ratio.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
    }
    if (element.matches("select, textarea, input:not([type=radio]), .choice")) {
      const ratio = contrast(style.borderTopColor, paper(element.parentElement));
      if (!(ratio >= 3)) found.push(`${ratio.toFixed(2)}: edge of ${element.id || element.className}`);
    }
  }
  return found;
}

/** In the page: what reaches over the right edge, unless it scrolls by itself. */
function beyond() {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return wide > 0 ? [`${wide} px`, ...[...document.querySelectorAll("body *")].filter((e) =>
    e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML.slice(0, 60))] : [];
}

/** In the page: how its headings and landmarks are wrong. */
function disorder() {
  const levels = [...document.querySelectorAll("h1, h2, h3, h4")].filter((h) => h.checkVisibility()).map((h) => Number(h.tagName[1]));
  const wrong = levels.filter((level, i) => level > (levels[i - 1] ?? 0) + 1).map((level) => `h${level} without what is above it`);
  if (levels.filter((level) => level === 1).length !== 1) wrong.push(`${levels.filter((l) => l === 1).length} headings of level 1`);
  for (const landmark of ["header", "nav", "main"])
    if (document.querySelectorAll(landmark).length !== 1) wrong.push(`no single ${landmark}`);
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  wrong.push(...ids.filter((id, i) => ids.indexOf(id) !== i).map((id) => `two of #${id}`));
  for (const name of ["aria-labelledby", "aria-describedby", "for"])
    for (const e of document.querySelectorAll(`[${name}]`))
      if (!e.getAttribute(name).split(" ").every((id) => document.getElementById(id))) wrong.push(`${name} leads nowhere: ${e.getAttribute(name)}`);
  return wrong;
}

/** In the page: what is torn apart: a field from the word beside it, an id or a time of a table over two lines. */
function torn() {
  const middle = (e) => { const { top, height } = e.getBoundingClientRect(); return top + height / 2; };
  const fields = [...document.querySelectorAll(".tools label[for]")].filter((label) => {
    const field = document.getElementById(label.htmlFor);
    return Math.abs(middle(label) - middle(field)) > 8 // nor below it
      && Math.abs(label.getBoundingClientRect().left - field.getBoundingClientRect().left) > 8;
  });
  const words = [...document.querySelectorAll("td time, td a, td code, tbody th a")].filter((e) =>
    e.textContent.length <= 12 && !/[ -]/.test(e.textContent.replace(/ ago$|^just /, "")) && e.getClientRects().length > 1);
  return [...fields, ...words].map((e) => e.textContent);
}

const needs = new Set(["button", "link", "textbox", "combobox", "radio", "checkbox", "progressbar", "table", "dialog",
  "DisclosureTriangle", "navigation"]);

/** The controls that the browser's accessibility tree gives no name. */
async function nameless(page) {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes.filter((n) => !n.ignored && needs.has(n.role?.value) && !n.name?.value?.trim()).map((n) => n.role.value);
}

let conflict, done, session, waits;
const checked = async (page, what) => {
  assert.deepEqual(await page.evaluate(beyond), [], `${what}: beyond the edge`);
  assert.deepEqual(await page.evaluate(faint), [], `${what}: contrast`);
  assert.deepEqual(await page.evaluate(disorder), [], `${what}: order`);
  assert.deepEqual(await page.evaluate(torn), [], `${what}: torn apart`);
  assert.deepEqual(await nameless(page), [], `${what}: without a name`);
  assert.deepEqual(await faults(page), [], `${what}: axe`);
};

const places = {
  runs: ["#/runs", (page) => page.getByRole("row").nth(2)],
  "a run that waits": [() => `#/runs/${waits}`, (page) => page.getByText("Run started")],
  "a run that is done": [() => `#/runs/${done}`, (page) => page.getByText("Run started")],
  "several runs": [() => `#/runs/${done},${waits},graph`, (page) => page.getByText("Run started").nth(2)],
  "a graph": ["#/runs/graph", (page) => page.locator(".timeline .entry").first()],
  "a step": ["#/runs/graph/steps/right", (page) => page.getByRole("heading", { name: "Attempt 1" })],
  "what resuming means": ["#/runs/graph", async (page) => {
    await page.getByRole("button", { name: "Run what changed again…" }).click();
    return page.getByRole("table", { name: "What will happen" });
  }],
  "what skipping means": ["#/runs/graph/steps/right", async (page) => {
    await page.getByRole("button", { name: /^Skip/ }).click();
    return page.getByLabel("Its output from now on");
  }],
  conflicts: ["#/conflicts", (page) => page.locator("blockquote")],
  "a conflict": [() => `#/conflicts/${conflict}`, async (page) => {
    await page.getByLabel("Something else").check();
    await page.getByRole("button", { name: "Answer" }).click();
    return page.getByRole("alert");
  }],
  glossary: ["#/glossary", (page) => page.getByRole("row").nth(2)],
  "a term": ["#/glossary/Incomprehensibilities" + "x".repeat(200), (page) => page.getByRole("button", { name: /^Retire/ }).first()],
  "what a change of a term means": ["#/glossary/Incomprehensibilities" + "x".repeat(200), async (page) => {
    await page.getByRole("button", { name: /^Retire/ }).first().click();
    return page.getByText("Nothing takes its place.");
  }],
  checkpoints: ["#/checkpoints", (page) => page.getByRole("row", { name: /^2 read/ })],
  "a checkpoint": ["#/checkpoints/4", (page) => page.locator(".line").first()],
  "a rollback": ["#/checkpoints/2", async (page) => {
    await page.getByRole("button", { name: /^Go back/ }).click();
    return page.getByLabel("Type yes to do it");
  }],
  sessions: ["#/sessions", (page) => page.getByRole("row").nth(2)],
  "a session": [() => `#/sessions/${session}`, (page) => page.getByRole("heading", { name: "Checkpoints of the files" })],
  log: ["#/log", (page) => page.getByRole("row", { name: /^#1 / })],
  "a log without such events": ["#/log?run=none", (page) => page.getByText("No event matches.")],
  "the chain": ["#/log/chain", (page) => page.getByRole("row", { name: /^StepCompleted/ })],
  "an event": ["#/log/1", (page) => page.locator("pre.document")],
  "what is not there": ["#/runs/none-of-this-name", (page) => page.getByRole("alert")],
};

const sentences = {
  "an empty log, at each width, in light and dark": async () => {
    for (const look of looks) {
      const context = await person(look);
      const page = await visit(context, service);
      await page.getByRole("heading", { name: "Nothing has run yet" }).waitFor();
      await checked(page, JSON.stringify(look));
      await page.evaluate(() => { location.hash = "#/log"; });
      await page.getByText("There is no event yet; a run writes the first.").waitFor();
      await context.close();
    }
    const long = "a-step-of-a-very-long-name-without-any-place-to-break-it-".repeat(2);
    mission({ name: "done", term: `${"Supercalifragilistic".repeat(8)}Word` });
    pawl(3, "run", "mission.yaml", "--no-input", "--run", "done");
    pawl(0, "resolve", JSON.parse(pawl(0, "conflicts", "--json"))[0].conflict_id, "--pick", "2", "--actor", `user:${long}`);
    pawl(0, "resume");
    mission({ name: long, term: `Incomprehensibilities${"x".repeat(200)}`, senses: [`A ${"definition".repeat(30)}.`, "Another one."] });
    pawl(3, "run", "mission.yaml", "--no-input", "--run", long);
    [{ conflict_id: conflict }] = JSON.parse(pawl(0, "conflicts", "--json"));
    [done, waits] = ["done", long];
    session = JSON.parse(pawl(0, "sessions", "--json")).at(-1).session_id;
    writeFileSync("graph.yaml", JSON.stringify({ mission: "graph", parallel: 2, steps: [
      { id: "look", run: ["echo", '{"go": true}'] },
      { id: long, needs: ["look"], when: { $from: "look#/go" }, run: ["echo", long] },
      { id: "right", needs: ["look"], run: ["sh", "-c", `echo ${long}${long} >&2; exit 1`] },
      { id: "end", needs: [long, "right"], run: ["true"] }] }));
    pawl(1, "run", "graph.yaml", "--run", "graph", "--no-input");
  },
};
for (const look of looks) {
  sentences[`every place, ${look.viewport.width} px wide, ${look.colorScheme}, with names of any length`] = async () => {
    const context = await person(look);
    const page = await visit(context, service);
    for (const [what, [where, ready]] of Object.entries(places)) {
      await page.keyboard.press("Escape");
      await page.evaluate((to) => { location.hash = to; }, typeof where === "string" ? where : where());
      await (await ready(page)).waitFor();
      await checked(page, what);
    }
    calm(page);
    await context.close();
  };
}
sentences["times are the reader's, and say of which zone"] = async () => {
  const page = await visit(await person({ timezoneId: "Asia/Tokyo" }), service, `#/runs/${done}`);
  await page.getByRole("contentinfo").getByText("Times are those of Asia/Tokyo.").waitFor();
  const time = page.locator(".timeline time").last();
  const at = new Date(Date.parse(await time.getAttribute("datetime")) + 9 * 3600e3).toISOString();
  assert.equal(await time.getAttribute("title"), `${at.slice(0, 10)} ${at.slice(11, 19)} UTC+09:00`);
};
sentences["who asks for less motion gets none"] = async () => {
  const page = await visit(await person({ reducedMotion: "reduce" }), service, `#/runs/${done}`);
  await page.getByText("Run started").waitFor();
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll("*")].filter((e) => {
    const { animationName, transitionDuration } = getComputedStyle(e);
    return animationName !== "none" || parseFloat(transitionDuration) > 0;
  }).map((e) => e.className)), []);
};

await story(sentences);
