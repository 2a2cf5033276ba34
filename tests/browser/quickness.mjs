// How quick the page is: each place and filter, from the wish to what is painted, beside the answers that it asks for, asked
// bare. bench/bench_page.c makes the log and reads the lines: WHAT, nanoseconds of the page, nanoseconds of the answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { person, serve, story, visit } from "./support.mjs";

const [rounds, run, step] = process.argv.slice(2);
const service = await serve();
const token = readFileSync(service.tokenFile, "utf8").trim();
const rows = "tbody tr:nth-child(100)";
const looked = ".view.log table[aria-busy=false]"; // as far as it looks by itself

const cases = [
  ["runs, from the first request on", null, "tbody tr"],
  ["a run of 2,000 steps", "#/runs/long", ".timeline .group"],
  ["checkpoints, the newest 50", "#/checkpoints", "tbody tr:nth-child(50)"],
  ["sessions", "#/sessions", "tbody tr"],
  ["events, the newest 100", "#/log", rows],
  ["events of a type that is everywhere", "#/log?type=StepCompleted", rows],
  ["events of a type that there is not", "#/log?type=RunMissionChanged", looked],
  ["events of a step, by its name", `#/log?step=${step}`, looked],
  ["events of the newest run", "#/log?run=long", rows],
  ["events of the oldest run", `#/log?run=${run}`, looked],
  ["events since a time", "#/log?from=2020-01-01T00:00", rows],
];

/** In the page: go there, and wait until it is painted. Milliseconds. */
const go = ([place, selector]) => new Promise((done) => {
  performance.clearResourceTimings();
  const from = place ? performance.now() : 0;
  if (place) location.hash = place;
  let gone = !place;
  const look = () => {
    gone ||= document.querySelector(selector) === null || location.hash.startsWith(place);
    if (gone && document.querySelector(`main ${selector}`))
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - from))); // after that frame
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
});

/** The answers that the page asked for, one after the other. Milliseconds. */
async function bare(urls) {
  const from = performance.now();
  for (const url of urls) {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    await answer.arrayBuffer();
    assert.equal(answer.status, 200, url);
  }
  return performance.now() - from;
}

await story({
  "each place and each filter": async () => {
    const context = await person();
    context.setDefaultTimeout(60_000);
    const page = await visit(context, service);
    for (const [what, place, selector] of cases)
      for (let round = 0; round < Number(rounds); round++) {
        const urls = [];
        const hear = (request) => /\/api\/v1\//.test(request.url()) && !/stream/.test(request.url()) && urls.push(request.url());
        const at = place ? page : await context.newPage();
        if (place) {
          await page.evaluate(() => { location.hash = "#/conflicts"; });
          await page.locator(".view.conflicts > div").first().waitFor({ state: "attached" });
          await page.locator("tbody").waitFor({ state: "detached" });
        }
        at.on("request", hear);
        if (!place) await at.goto(`${service.url}/#token=${service.token}`);
        const ms = await at.evaluate(go, [place, selector]);
        at.off("request", hear);
        if (!place) await at.close();
        console.log([what, ms * 1e6, await bare(urls) * 1e6].join("\t"));
      }
  },
});
