// The pictures of the documents, made anew: of a mission that drafts release notes, and others beside it.
// Started by scripts/screenshots in an empty folder; $IMAGES is where they go.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mission, pawl, person, run, serve, story, visit } from "./support.mjs";

const images = process.env.IMAGES;
const service = await serve();
const desk = { viewport: { width: 1200, height: 760 } };
const tall = { viewport: { width: 1200, height: 1040 } };
const phone = { viewport: { width: 390, height: 860 }, deviceScaleFactor: 1.25, hasTouch: true, isMobile: true };
const conflicts = () => JSON.parse(pawl(0, "conflicts", "--json"));
let notes, refunds;

/** The same place in light and dark. */
async function picture(name, look, where, ready) {
  for (const colorScheme of ["light", "dark"]) {
    const context = await person({ ...look, colorScheme });
    const page = await visit(context, service, where);
    await ready(page);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${images}/${name}-${colorScheme}.png`, animations: "disabled" });
    await context.close();
  }
}

await story({
  "missions at work": async () => {
    mission({ name: "price-list", description: "Nothing is unclear.", last: "echo 'the ledger is locked' >&2; exit 3" });
    pawl(3, "run", "mission.yaml", "--no-input");
    pawl(0, "resolve", conflicts()[0].conflict_id, "--pick", "2", "--actor", "user:ben");
    run("pawl", "resume");
    mission({ name: "refund-service" });
    pawl(3, "run", "mission.yaml", "--no-input");
    refunds = conflicts()[0].run_id;
    pawl(0, "resolve", conflicts()[0].conflict_id, "--pick", "1", "--actor", "user:ben");
    pawl(0, "resume");
    pawl(3, "run", `${process.env.SOURCE_DIR}/examples/release-notes/mission.yaml`, "--no-input");
    notes = conflicts()[0];
  },
  "the question, on a phone": () => picture("conflict", phone, `#/conflicts/${notes.conflict_id}`, async (page) => {
    await page.getByRole("radio").first().check();
    await page.getByLabel("Your name").fill("ana");
  }),
  "the runs": () => picture("runs", { viewport: { width: 1200, height: 420 } }, "#/runs", (page) => page.getByRole("row").nth(3).waitFor()),
  "the timeline": async () => {
    pawl(0, "resolve", notes.conflict_id, "--pick", "1", "--actor", "user:ana");
    pawl(0, "resume", notes.run_id);
    await picture("timeline", tall, `#/runs/${refunds}`, (page) => page.getByText("ben answered").waitFor());
  },
  "what a step changed": async () => {
    writeFileSync("glossary/team.yaml", readFileSync("glossary/team.yaml", "utf8").replace("one step", "one step of a mission"));
    mkdirSync("docs", { recursive: true });
    writeFileSync("docs/words.md", "# Words\n\n- workspace: the folder of one step.\n- ledger: the book of all refunds.\n");
    pawl(0, "checkpoint", "words made clear");
    const n = JSON.parse(pawl(0, "checkpoints", "--json")).at(-1).n;
    await picture("diff", desk, `#/checkpoints/${n}`, (page) => page.locator(".line").first().waitFor());
    await picture("rollback", desk, `#/checkpoints/${n - 2}`, async (page) => {
      await page.getByRole("button", { name: /^Go back/ }).click();
      await page.getByLabel("Type yes to do it").fill("yes");
    });
  },
});
