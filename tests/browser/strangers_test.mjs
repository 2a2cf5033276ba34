// Pages of other origins: what they can do, and read, in the browser of somebody who has the page open.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { atEnd, events, mission, pawl, person, serve, story, visit } from "./support.mjs";

const service = await serve();
const context = await person();
const program = readFileSync(service.tokenFile, "utf8").trim();
let stranger, page, conflict;

/** A page of another origin, which is asked by name; it holds nothing. */
async function elsewhere(host = "127.0.0.1") {
  const server = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end("<!doctype html><title>elsewhere</title>"));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  atEnd(() => server.close());
  const visitor = await context.newPage();
  await visitor.goto(`http://${host}:${server.address().port}/`);
  return visitor;
}

const before = () => events().length;

await story({
  "a person has the page open, and a question": async () => {
    mission();
    pawl(3, "run", "mission.yaml", "--no-input");
    [{ conflict_id: conflict }] = JSON.parse(pawl(0, "conflicts", "--json"));
    page = await visit(context, service);
    await page.getByRole("link", { name: "refunds" }).waitFor();
    stranger = await elsewhere();
  },

  "another page cannot read anything by fetch, even if it knew a token": async () => {
    for (const token of [null, service.token, program]) {
      for (const path of ["healthz", "api/v1/runs", "api/v1/conflicts", "api/v1/events", "listCommands", "metrics", "page/app.js", ""]) {
        const read = await stranger.evaluate(async ([url, bearer]) => {
          try {
            const answer = await fetch(url, { headers: bearer ? { Authorization: `Bearer ${bearer}` } : {} });
            return `${answer.status} ${await answer.text()}`;
          } catch (error) {
            return error.name;
          }
        }, [`${service.url}/${path}`, token]);
        assert.equal(read, "TypeError", `${path} was read: ${read}`);
      }
    }
  },

  "nor without reading: what it sends changes nothing": async () => {
    const then = before();
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
      for (const [path, body] of [[`api/v1/conflicts/${conflict}/answer`, { pick: 1 }], ["api/v1/checkpoints", {}],
        ["executeCommand", { command: "checkpoint", args: [] }]]) {
        const got = await stranger.evaluate(async ([url, kind, text, bearer]) => {
          try {
            const answer = await fetch(url, { method: "POST", mode: "no-cors", body: text, headers: { "Content-Type": kind, Authorization: bearer } });
            return answer.type;
          } catch (error) {
            return error.name;
          }
        }, [`${service.url}/${path}`, type, JSON.stringify(body), `Bearer ${service.token}`]);
        assert.match(got, /^(opaque|TypeError)$/);
      }
    }
    assert.equal(before(), then);
  },

  "nor by a form": async () => {
    const then = before();
    const visitor = await elsewhere();
    const answer = visitor.waitForEvent("framenavigated");
    await visitor.evaluate((url) => {
      const form = document.createElement("form");
      form.method = "post";
      form.enctype = "text/plain";
      form.action = url;
      const field = document.createElement("input");
      field.name = '{"pick":1,"actor":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
    }, `${service.url}/api/v1/conflicts/${conflict}/answer`);
    await answer;
    assert.match(await visitor.locator("body").innerText(), /PAWL_EACCESS/);
    assert.equal(before(), then);
    assert.equal(JSON.parse(pawl(0, "conflicts", "--json")).length, 1);
  },

  "nor by a stream, an image, a script, or a frame": async () => {
    const seen = await stranger.evaluate(async (url) => {
      const end = (element, address) => new Promise((done) => {
        element.addEventListener("load", () => done("load"));
        element.addEventListener("error", () => done("error"));
        element.src = address;
        document.body.append(element);
      });
      const stream = await new Promise((done) => {
        const source = new EventSource(`${url}/api/v1/events/stream?since=0`);
        source.onerror = () => done("error");
        source.onmessage = () => done("message");
        source.onopen = () => done("open");
      });
      const frame = document.createElement("iframe");
      await end(frame, `${url}/`);
      let inside;
      try {
        inside = frame.contentWindow.document.body.innerHTML;
      } catch (error) {
        inside = error.name;
      }
      const script = document.createElement("script");
      return { stream, inside, image: await end(new Image(), `${url}/page/icon.svg`), script: await end(script, `${url}/page/app.js`) };
    }, service.url);
    assert.deepEqual(seen, { stream: "error", inside: "SecurityError", image: "error", script: "error" });
    const frame = stranger.frames().find((f) => f !== stranger.mainFrame());
    assert.match(frame.url(), /^chrome-error:/, "the page shows itself in no frame");
  },

  "nor by its window: the page that it opens is not within its reach": async () => {
    const opened = context.waitForEvent("page");
    await stranger.evaluate((url) => { globalThis.prey = open(`${url}/`); }, service.url);
    const prey = await opened;
    await prey.getByRole("heading", { level: 1 }).waitFor();
    const read = await stranger.evaluate(() => {
      try {
        return globalThis.prey.closed ? "closed" : globalThis.prey.document.title;
      } catch (error) {
        return error.name;
      }
    });
    assert.match(read, /^(closed|SecurityError)$/);
  },

  "a name that was made to lead here is no name of the service": async () => {
    const { port } = new URL(service.url);
    for (const name of ["rebound.localhost", "evil.test.localhost"]) {
      const visitor = await context.newPage();
      const answer = await visitor.goto(`http://${name}:${port}/`);
      assert.equal(answer.status(), 421, name);
      const read = await visitor.evaluate(async (token) => (await fetch("/api/v1/runs", { headers: { Authorization: `Bearer ${token}` } })).status, service.token);
      assert.equal(read, 421, name);
    }
  },

  "and the person's own page still works": async () => {
    await page.getByRole("link", { name: "Conflicts 1" }).click();
    await page.getByRole("link", { name: "“workspace”" }).click();
    await page.getByRole("radio").first().check();
    await page.getByRole("button", { name: "Answer" }).click();
    await page.getByRole("heading", { name: "Answered" }).waitFor();
  },
});
