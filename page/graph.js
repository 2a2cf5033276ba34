// The graph of a run's steps: each stands in the column behind what it needs, with lines in between. It is a
// list of links in mission order; what the lines say, the links say in words to who does not see them.
import { at, el, pill } from "./dom.js";
import { standing } from "./words.js";

const [WIDTH, HEIGHT, APART, BELOW] = [184, 46, 48, 14];

/** Is it more than a sequence? */
export const isGraph = (steps) => steps.some((s, i) => s.when
  || s.needs.length !== Math.min(i, 1) || (i > 0 && s.needs[0] !== steps[i - 1].step_id));

/** The column and row of each step. */
function lay(steps) {
  const byId = new Map(steps.map((s) => [s.step_id, s]));
  const places = new Map();
  const rows = [];
  const column = (s) => {
    if (!places.has(s.step_id)) {
      const x = Math.max(-1, ...s.needs.map((n) => byId.get(n)).filter(Boolean).map(column)) + 1;
      rows[x] ??= 0;
      places.set(s.step_id, { x, y: rows[x]++ });
    }
    return places.get(s.step_id).x;
  };

  steps.forEach(column);
  return { places, columns: rows.length, rows: Math.max(...rows) };
}

const left = ({ x }) => x * (WIDTH + APART);
const middle = ({ y }) => y * (HEIGHT + BELOW) + HEIGHT / 2;

function lines(steps, places) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", steps.flatMap((s) => s.needs.filter((n) => places.has(n)).map((n) => {
    const [from, to] = [places.get(n), places.get(s.step_id)];
    const [x, y, u, v] = [left(from) + WIDTH, middle(from), left(to), middle(to)];
    return `M${x} ${y}C${x + APART / 2} ${y} ${u - APART / 2} ${v} ${u} ${v}`;
  })).join(""));
  svg.append(path);
  return svg;
}

/** What holds a step back, or decides about it. */
export const condition = (s) => [s.needs.length > 0 && `after ${s.needs.join(", ")}`, s.when && `if ${s.when}`].filter(Boolean).join(", ");

export function graph(run) {
  const { places, columns, rows } = lay(run.steps);
  const list = el("ol", { class: "plain", "aria-label": "Steps and what they wait for" }, run.steps.map((s) => {
    const node = el("li", null, el("a", { href: at("runs", run.run_id, "steps", s.step_id), title: s.step_id, "data-key": s.step_id,
      class: `node ${s.status}` },
      el("span", { class: "name" }, s.step_id), pill(standing(s)),
      el("span", { class: s.when ? "when" : "unseen" }, ` ${s.when ? `if ${s.when}` : ""}`),
      s.needs.length > 0 && el("span", { class: "unseen" }, `, after ${s.needs.join(", ")}`)));
    node.style.left = `${left(places.get(s.step_id))}px`;
    node.style.top = `${middle(places.get(s.step_id)) - HEIGHT / 2}px`;
    return node;
  }));
  const paper = el("div", { class: "paper" }, lines(run.steps, places), list);

  paper.style.width = `${columns * (WIDTH + APART) - APART}px`;
  paper.style.height = `${rows * (HEIGHT + BELOW) - BELOW}px`;
  return el("div", { class: "graph", tabindex: "0", role: "group", "aria-label": "Graph of the steps" }, paper);
}
