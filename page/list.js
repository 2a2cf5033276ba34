// A list that grows with the log, as a table: the newest rows, and older ones by a button. A row that stays keeps its
// element, and so its place on the page and the focus.
import { page, problem } from "./api.js";
import { calmly, el, fill, table, tableRow } from "./dom.js";

export const PAGE = 50;
const MOST = 500; // that the service gives at once

/** Bring a table's rows up to date with those of items; `row` gives the row of one, with a key. */
function update(body, columns, items, row) {
  const old = new Map([...body.rows].map((r) => [r.dataset.key, r]));
  const focused = document.activeElement;
  const focusedKey = focused?.closest?.("tr")?.dataset.key;
  items.forEach((item, i) => {
    const text = JSON.stringify(item);
    const made = row(item);
    let element = old.get(String(made.key));
    old.delete(String(made.key));
    if (element?.dataset.text !== text) {
      const fresh = tableRow(columns, made);
      fresh.dataset.text = text;
      element?.replaceWith(fresh);
      element = fresh;
    }
    if (body.rows[i] !== element) body.insertBefore(element, body.rows[i] ?? null);
  });
  for (const gone of old.values()) gone.remove();
  if (focusedKey && document.activeElement !== focused)
    [...body.rows].find((r) => r.dataset.key === focusedKey)?.querySelector("a")?.focus({ preventScroll: true });
}

/**
 * A list: its elements, and what reads it anew, now or soon. `where(limit)` is the address of its first page, `row(item)`
 * a row with a key, `nothing()` what stands there without any. The service gives some lists the oldest first.
 */
export function listing(view, { caption, columns, where, row, nothing, older, oldestFirst = false }) {
  const place = el("div", { class: "list" });
  const more = el("button", { type: "button", hidden: true }, older);
  const trouble = el("div");
  let wanted = PAGE;
  let shown = null;

  const first = () => where(Math.min(wanted, MOST));
  const load = async () => {
    const all = [];
    const asked = first();
    let next = asked;
    do {
      const { items, next: rest } = await page(next, view.signal);
      all.push(...(oldestFirst ? items.reverse() : items));
      next = rest;
    } while (next && all.length < wanted);
    if (first() !== asked) return; // something else was chosen meanwhile, and is on its way
    fill(trouble);
    more.hidden = !next;
    if (all.length) {
      if (!shown) fill(place, shown = table(caption, columns, []));
      update(shown.tBodies[0], columns, all, row);
    } else {
      shown = null;
      fill(place, nothing());
    }
  };
  const again = async () => {
    try {
      await load();
    } catch (error) {
      fill(trouble, problem(error, again));
    }
  };

  more.addEventListener("click", async () => {
    const last = shown?.tBodies[0].rows.length ?? 0;
    wanted += PAGE;
    await again();
    if (more.hidden) shown?.tBodies[0].rows[last]?.querySelector("a")?.focus(); // the focus is not lost with the button
  });
  return { elements: [trouble, place, more], load, again, soon: calmly(800, again, view.signal) };
}
