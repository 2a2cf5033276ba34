// What lies between two checkpoints: the files, each with its lines, and the members of state and outputs.
import { count, el, fill, size, table } from "./dom.js";

const LINES = 600; // of one file that are shown at once

const columns = [
  { name: "File" },
  { name: "Change" },
  { name: "Lines", class: "number" },
  { name: "Size", class: "number wide" },
];

const lines = (f) => (f.binary ? "binary" : el("span", { class: "lines" },
  el("ins", null, `+${f.lines_added}`), " ", el("del", null, `−${f.lines_removed}`)));

const tone = (line) => (line.startsWith("@@") ? "hunk" : line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "");

/** The lines of one file of a unified diff, without its head. */
function body(text) {
  const all = text.replace(/\n$/, "").split("\n");
  const from = all.findIndex((line) => line.startsWith("@@"));
  return from < 0 ? [] : all.slice(from);
}

function patch(name, all) {
  const pre = el("pre", { class: "patch", tabindex: "0", "aria-label": `Lines of ${name}` });
  const show = (some) => fill(pre, some.map((line) => el("span", { class: `line ${tone(line)}` }, `${line}\n`)));
  const more = all.length > LINES && el("button", { type: "button", on: { click: (event) => {
    show(all);
    event.currentTarget.remove();
    pre.focus();
  } } }, `Show all ${all.length} lines`);

  show(all.slice(0, LINES));
  return [pre, more];
}

/** A unified diff in the parts of its files, which come in the order of the files. */
const parts = (text) => (text ? text.split(/^(?=diff --git )/m) : []);

const json = (value) => (value === undefined ? "(none)" : JSON.stringify(value));

export function changes(d) {
  const [a, b] = [d.a, d.b].map((side) => (side ? `checkpoint ${side.n}` : "the files as they are now"));
  const between = parts(d.patch);
  const sections = d.files.map((f) => {
    const i = between.findIndex((p) => p.startsWith(`diff --git a/${f.path} b/${f.path}\n`));
    return { f, text: i < 0 ? null : between.splice(i, 1)[0] };
  });
  // Names that git writes in quotes are left, in the order of the files.
  for (const section of sections)
    if (!section.text && !section.f.binary && (section.f.lines_added || section.f.lines_removed)) section.text = between.shift();
  const head = `From ${a} to ${b}`;

  if (!d.files.length && !d.members.length && !d.not_captured.length) return el("p", { class: "note" }, `${head}: nothing changed.`);
  return [
    d.files.length
      ? table(`${head}: ${count(d.files.length, "file")}`, columns, d.files.map((f) => ({ cells: [
        f.path, f.change, lines(f), f.change === "removed" ? size(f.bytes_before) : size(f.bytes_after)] })))
      : el("p", { class: "note" }, `${head}: no file changed.`),
    sections.map(({ f, text }, i) => {
      const all = text && !f.binary ? body(text) : [];
      return all.length > 0 && el("details", { class: "file", open: i < 5 },
        el("summary", null, el("span", { class: "path" }, f.path), " ", lines(f)), patch(f.path, all));
    }),
    d.not_captured.map((u) => el("p", { class: "note" },
      `not captured: ${u.path} (${u.why}) in ${u.checkpoint ? `checkpoint ${u.checkpoint}` : "the workspace"}`)),
    d.members.length > 0 && el("details", { class: "members" },
      el("summary", null, `State and outputs: ${count(d.members.length, "member")}`),
      el("dl", { class: "facts" }, d.members.map((m) => el("div", null, el("dt", null, m.path),
        el("dd", null, m.change === "added" ? json(m.after) : `${json(m.before)} → ${json(m.after)}`))))),
  ];
}
