// What the tests of the page share: the service, a browser, a line to cut. A test works in the empty
// folder that it is started in, with the programs on its PATH.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { accessSync, appendFileSync, constants, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

let browser;
const endings = [];
/** Do it when the test ends, whatever its end; the last one first. */
export const atEnd = (fn) => endings.push(fn);

/** The sentences of a test, one after the other; the first that fails ends it. */
export async function story(sentences) {
  let said = "(nothing yet)";
  try {
    for (const [sentence, fn] of Object.entries(sentences)) {
      const from = Date.now();
      said = sentence;
      await fn();
      console.log(`${String(Date.now() - from).padStart(6)} ms  ${sentence}`);
    }
  } catch (error) {
    console.error(`failed: ${said}\n${error.stack}`);
    for (const page of browser?.contexts().flatMap((context) => context.pages()) ?? []) {
      console.error(`\n-- ${page.url()}${page.troubles?.length ? `: ${page.troubles.join("; ")}` : ""}`);
      console.error(await page.locator("body").innerText().catch(String));
    }
    process.exitCode = 1;
  }
  for (const end of endings.reverse()) await end();
  process.exit();
}

/** Hold the answers to what is asked for by such an address until the function that this gives is called; then they have come. */
export async function hold(page, address) {
  let release;
  const held = new Promise((done) => { release = done; });
  await page.route(address, async (route) => {
    await held;
    await route.continue();
  });
  return async () => {
    const late = page.waitForResponse(address);
    release();
    await (await late).finished();
    await page.waitForTimeout(300); // it is shown by then, if it is
    await page.unroute(address);
  };
}

// ---- Programs ----

/** This directory's log is damaged on purpose: it is not judged when the test ends. */
export const logDamaged = () => {
  if (process.env.PAWL_TEST_LOGS) appendFileSync(join(process.env.PAWL_TEST_LOGS, "damaged"), `${join(process.cwd(), ".pawl/events.db")}\n`);
};

/** Run a program to its end: {code, out, err}. */
export function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  return { code: status, out: stdout, err: stderr };
}

export function pawl(code, ...args) {
  const did = run("pawl", ...args);
  assert.equal(did.code, code, `pawl ${args.join(" ")}: exit code ${did.code}: ${did.err}`);
  return did.out;
}

export const events = () => execFileSync("eventlog", ["export"], { encoding: "utf8" }).split("\n").filter(Boolean).map((line) => JSON.parse(line));

/** Start a program and let it go on; `end` resolves with its exit code. */
export function start(program, ...args) {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  const end = new Promise((done) => child.on("exit", (code, signal) => done(signal ?? code)));
  atEnd(() => child.exitCode ?? child.kill());
  return { child, end };
}

/** `pawl serve` on a port of its own: {url, token, stop}. */
export async function serve(...args) {
  const { child, end } = start("pawl", "serve", "--listen", "127.0.0.1:0", "--workspace", ".", "--json", ...args);
  const told = await new Promise((done, failed) => {
    createInterface({ input: child.stdout }).once("line", (line) => done(JSON.parse(line)));
    end.then((code) => failed(new Error(`pawl serve ended with ${code}`)));
  });
  return {
    url: told.url.replace(/\/$/, ""),
    token: /#token=(.+)$/.exec(told.page)[1],
    tokenFile: told.token_file,
    async stop() {
      child.kill("SIGTERM");
      assert.equal(await end, 0, "pawl serve ends with 0");
    },
  };
}

// ---- A line that can be cut ----

/** A port that leads to the service, as a tunnel does: {url, cut(), mend()}. */
export async function tunnel(url) {
  const to = new URL(url);
  const open = new Set();
  let whole = true;
  const server = net.createServer((client) => {
    if (!whole) return client.destroy();
    const up = net.connect(Number(to.port), to.hostname);
    for (const [one, other] of [[client, up], [up, client]]) {
      open.add(one);
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
      one.on("error", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(() => server.close());
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    cut() {
      whole = false;
      for (const socket of open) socket.destroy();
    },
    mend() {
      whole = true;
    },
  };
}

// ---- The browser ----

function find(name) {
  for (const folder of process.env.PATH.split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch { /* the next one */ }
  }
  throw new Error(`${name} is not on the PATH; run scripts/deps test`);
}

/** A browser of one's own, as a person has one: its cookies, its storage, its windows. */
export async function person(options = {}) {
  if (!browser) {
    // it sees nothing but pages of these tests, and its sandbox asks for more than each machine gives
    browser = await chromium.launch({ executablePath: find("chromium"), args: ["--no-sandbox"] });
    atEnd(() => browser.close());
  }
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(15_000);
  return context;
}

/**
 * Open the page that a service printed. Whatever the page asks for must be the service's, and no script
 * may fail nor be refused; `troubles` are what was otherwise.
 */
export async function visit(context, service, place = "", troubles = []) {
  const page = await context.newPage();
  page.on("request", (request) => {
    if (!request.url().startsWith(`${service.url}/`)) troubles.push(`asks for ${request.url()}`);
  });
  page.on("websocket", (socket) => troubles.push(`opens ${socket.url()}`));
  page.on("pageerror", (error) => troubles.push(`fails: ${error.message}`));
  page.on("dialog", (dialog) => {
    troubles.push(`says ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) troubles.push(`complains: ${message.text()}`);
  });
  await page.goto(`${service.url}/#token=${service.token}`);
  await page.locator("h1").waitFor();
  if (place) {
    await page.evaluate((to) => { location.hash = to; }, place);
    await page.waitForURL((url) => url.hash === place);
  }
  page.troubles = troubles;
  return page;
}

const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

/** What axe-core finds, https://github.com/dequelabs/axe-core: each rule that is broken, and where. */
export async function faults(page) {
  // put in past the policy of the page, which lets no script in but its own
  if (!await page.evaluate(() => "axe" in globalThis)) await page.evaluate(axe);
  const { violations } = await page.evaluate(async () => {
    await Promise.all(document.getAnimations().map((a) => a.finished)); // what is half clear has no contrast yet
    return globalThis.axe.run(document, { resultTypes: ["violations"] });
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")}`);
}

export const calm = (page) => assert.deepEqual(page.troubles, []);

/** Wait until a function of this program gives what is wanted. */
export async function until(what, fn, ms = 15_000) {
  for (const end = Date.now() + ms; ;) {
    const value = await fn();
    if (value) return value;
    assert.ok(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

// ---- A mission that asks ----

/** Three steps; the second is held back by a term of two meanings, and may take other words. */
export function mission({ name = "refunds", term = "workspace", description = `Refunds land in the "${term}".`,
  senses = ["A folder in which one step does its work.", "The account that a customer's people share."],
  last = "echo done >done.txt; echo ok" } = {}) {
  const quoted = JSON.stringify;
  mkdirSync("glossary", { recursive: true });
  writeFileSync("glossary/team.yaml", `terms:\n${senses.map((s, i) =>
    `  - { surface: ${quoted(term)}, definition: ${quoted(s)}, confidence: ${1 - i / 10} }\n`).join("")}`);
  writeFileSync("mission.yaml", `mission: ${quoted(name)}
glossary: { team_domain: glossary/team.yaml }
steps:
  - { id: read, inputs: { description: Read what there is. }, run: [sh, -c, 'echo first >first.txt; echo ok'] }
  - id: decide
    critical: true
    inputs: { description: ${quoted(description)} }
    metadata: { glossary_watch_terms: [${quoted(term)}] }
    run: [sh, -c, 'cat >/dev/null; echo decided >decided.txt; echo ok']
  - { id: write, inputs: { description: Write it down. }, run: [sh, -c, ${quoted(last)}] }
`);
}
