// Checkpoints of the files: the list, one of them with what it changed, and the way back.
import { get, page, path, problem, query } from "./api.js";
import { at, count, el, fill, link, moment, size } from "./dom.js";
import { changes } from "./diff.js";
import { listing } from "./list.js";
import { listen } from "./live.js";
import { goBack, redo, undo } from "./rollback.js";
import { short } from "./words.js";

const BESIDE = 50; // others that one is offered to be compared with: those before it, and the newest
const moving = /^(Workspace|Checkpoint|ToolCall)|^Pruned$/;

function state(c) {
  const words = [c.current && "current", !c.valid && "invalid", c.given_up && "given up", c.safety && "before a rollback", c.pinned && "pinned",
    c.pruned && "pruned"].filter(Boolean);
  return words.length ? words.join(", ") : "";
}

const columns = [
  { name: "Checkpoint" },
  { name: "When", class: "wide whole" },
  { name: "Taken", class: "wide" },
  { name: "Files", class: "number" },
  { name: "Size", class: "number wide" },
  { name: "State" },
];

const row = (c) => ({ key: c.n, class: c.valid && !c.given_up ? "" : "invalid", cells: [
  [link(at("checkpoints", c.n), `${c.n} ${c.step_id ?? c.description ?? ""}`.trim()),
    el("span", { class: "narrow" }, moment(c.created_at))],
  moment(c.created_at),
  c.trigger === "auto" ? "automatic" : "by hand",
  c.files,
  size(c.bytes),
  state(c),
] });

export async function checkpoints(view) {
  const back = el("button", { type: "button", hidden: true, on: { click: () => undo(view) } }, "Undo the last rollback…");
  const forth = el("button", { type: "button", hidden: true, on: { click: () => redo(view) } }, "Redo the last undo…");
  const list = listing(view, {
    caption: "Checkpoints of the files, newest first", columns, row, older: "Show older checkpoints", oldestFirst: true,
    where: (limit) => `checkpoints${query({ limit })}`,
    nothing: () => el("p", { class: "note" }, "There is no checkpoint of the files yet. A run takes one after each step; ",
      el("code", null, "pawl checkpoint"), " takes one at any time."),
  });
  /** Is there anything to undo, and to redo? A rollback since the last undo leaves nothing to redo. */
  const undoable = async () => {
    const { items } = await page(`rollbacks${query({ limit: 50 })}`, view.signal);
    const done = items.filter((r) => r.status === "done" || r.status === "undone");
    const since = done.slice(done.findLastIndex((r) => !r.undo) + 1);
    back.hidden = !done.some((r) => r.status === "done" && (!r.undo || r.redo));
    forth.hidden = !since.some((r) => r.status === "done" && !r.redo);
  };

  view.title("Checkpoints");
  fill(view.root, el("p", { class: "tools" }, back, " ", forth), list.elements);
  listen((event) => {
    if (moving.test(event.type)) list.soon();
    if (event.type === "WorkspaceRolledBack") undoable().catch(() => {});
  }, view.signal);
  await Promise.all([list.load(), undoable()]);
}

function facts(c) {
  const list = [
    ["Taken", [moment(c.created_at), c.trigger === "auto" ? ", automatic" : ", by hand"]],
    ["Holds", `${count(c.files, "file")}, ${size(c.bytes)}`],
    ["State", state(c)],
    ["Description", c.description],
    ["Step", c.step_id],
    ["Run", c.run_id && link(at("runs", c.run_id), short(c.run_id))],
    ["Git", c.git && `${c.git.branch ?? "no branch"} at ${String(c.git.head ?? "").slice(0, 12)}`],
    ["Why invalid", c.why_invalid],
    ["Given up", c.given_up],
  ].filter(([, value]) => value);
  return el("dl", { class: "facts" }, list.map(([name, value]) => el("div", null, el("dt", null, name), el("dd", null, value))));
}

export async function checkpoint(view, n) {
  view.title(`Checkpoint ${n}`);
  const c = await get(path("checkpoints", n), view.signal);
  const near = await Promise.all([{ before: c.n, limit: BESIDE }, { limit: BESIDE }].map((which) =>
    get(`checkpoints${query(which)}`, view.signal)));
  const all = [...new Map(near.flat().map((other) => [other.n, other])).values()];
  const place = el("div", { "aria-live": "polite" });
  const others = all.filter((other) => other.n !== c.n && !other.pruned).reverse();
  const chosen = el("select", { id: "beside" },
    c.base !== null && el("option", { value: `before ${c.base}` }, `since checkpoint ${c.base}, which it follows`),
    el("option", { value: "now" }, "from it to the files as they are now"),
    others.filter((other) => other.n !== c.base).map((other) => el("option", { value: other.n < c.n ? `before ${other.n}` : `after ${other.n}` },
      `${other.n < c.n ? "since" : "from it to"} checkpoint ${other.n}${other.step_id ? `, ${other.step_id}` : ""}`)));

  view.title([`Checkpoint ${c.n}`, c.step_id ?? c.description].filter(Boolean).join(", "));
  let turn = 0; // of what was chosen: an answer that an older choice gets late is not shown
  const compare = async () => {
    const mine = ++turn;
    const [side, other] = chosen.value.split(" ");
    const [a, b] = side === "before" ? [other, c.n] : [c.n, other];
    fill(place, el("p", { class: "hint" }, "Comparing…"));
    try {
      const between = await get(`${path("checkpoints", a, "diff")}${query({ to: b, patch: 1 })}`, view.signal);
      if (mine === turn) fill(place, changes(between));
    } catch (error) {
      if (mine === turn) fill(place, problem(error, compare));
    }
  };
  chosen.addEventListener("change", compare);
  fill(view.root, facts(c),
    el("p", { class: "tools" }, el("button", { type: "button", on: { click: () => goBack(view, c) } }, "Go back to this checkpoint…")),
    el("h2", { id: "changes" }, "Changes"),
    el("p", { class: "tools" }, el("label", { for: "beside" }, "What changed"), chosen),
    place);
  await compare();
}
