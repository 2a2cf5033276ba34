// Elements, and the words for times and sizes. What comes from the log becomes text, never markup:
// nothing here, and nothing on the page, takes HTML.

/**
 * An element. Attributes are named as in HTML; `on` is an object of listeners; true and false switch
 * an attribute on and off. Children are nodes or texts; null, undefined and false are left out.
 */
export function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, String(value));
    }
  }
  add(element, children);
  return element;
}

/** Add children to an element, as el() does. */
export function add(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
  return element;
}

/** Put new children in place of the old ones. */
export function fill(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

const shown = new WeakMap();

/** Fill an element anew, if what it shows is not what it showed: nothing moves under a finger or the focus. */
export function renew(element, data, make) {
  const text = JSON.stringify(data);
  if (shown.get(element) === text) return;
  shown.set(element, text);
  const key = element.contains(document.activeElement) && document.activeElement.dataset.key;
  fill(element, make());
  if (key) element.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** A link to a place on this page, made of segments that may hold any character. */
export const at = (...segments) => `#/${segments.map(encodeURIComponent).join("/")}`;

/** A control and the words beside it, which stay together; children as of el(). */
export const pair = (...children) => el("span", { class: "pair" }, children);

export const link = (href, ...children) => el("a", { href }, children);

/**
 * A table with its semantics spelled out, so that a style which lays its rows out anew takes none
 * away. Columns are {name, class}; a row is {key, class, cells}, its first cell its header.
 */
export function table(caption, columns, rows) {
  const head = columns.map(({ name, class: kind }) =>
    el("th", { role: "columnheader", scope: "col", class: kind }, name));
  return el("table", { role: "table" },
    el("caption", null, caption),
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, head)),
    el("tbody", { role: "rowgroup" }, rows.map((row) => tableRow(columns, row))));
}

export function tableRow(columns, { cells, key, class: kind }) {
  return el("tr", { role: "row", class: kind, "data-key": key },
    cells.map((cell, i) => i === 0
      ? el("th", { role: "rowheader", scope: "row", class: columns[i].class }, cell)
      : el("td", { role: "cell", class: columns[i].class }, cell)));
}

/** Text in which what stands between `marks` is code: what to type. */
export function prose(text) {
  return String(text).split("`").map((part, i) => (i % 2 ? el("code", null, part) : part));
}

// ---- Times and sizes ----

const two = (n) => String(n).padStart(2, "0");

const day = (t) => `${t.getFullYear()}-${two(t.getMonth() + 1)}-${two(t.getDate())}`;
const clock = (t) => `${two(t.getHours())}:${two(t.getMinutes())}:${two(t.getSeconds())}`;

/** The whole of it, with how far its zone is from UTC. */
function whole(t) {
  const minutes = -t.getTimezoneOffset();
  const off = Math.abs(minutes);
  return `${day(t)} ${clock(t)} UTC${minutes < 0 ? "-" : "+"}${two(Math.floor(off / 60))}:${two(off % 60)}`;
}

/** A moment, in local time: the time of day alone if it was today. */
export function moment(iso) {
  if (!iso) return "";
  const t = new Date(iso);
  const text = day(t) === day(new Date()) ? clock(t) : `${day(t)} ${clock(t)}`;
  return el("time", { datetime: iso, title: whole(t) }, text);
}

function ago(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 10) return "just now";
  if (s < 60) return `${s} s ago`;
  if (s < 3600) return `${Math.round(s / 60)} min ago`;
  if (s < 86400) return `${Math.round(s / 3600)} h ago`;
  return `${Math.round(s / 86400)} d ago`;
}

/** How long ago it was; freshen() brings those on the page up to date. */
export function since(iso) {
  if (!iso) return "";
  const t = new Date(iso);
  return el("time", { datetime: iso, title: whole(t), "data-ago": true }, ago(Date.now() - t));
}

export function freshen() {
  for (const time of document.querySelectorAll("time[data-ago]")) {
    const text = ago(Date.now() - new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}

/** "45 s", "12 min 08 s", "3 h 05 min". */
export function duration(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
}

export function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let n = Number(bytes);
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${unit && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}

export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

// ---- What is used everywhere ----

const shapes = {
  completed: "M3 8.5l3.2 3.2L13 4.8",
  failed: "M4 4l8 8M12 4l-8 8",
  blocked: "M5.5 3.5v9M10.5 3.5v9",
  running: "M5 3.5l7.5 4.5L5 12.5z",
  interrupted: "M3 8h10",
  queued: "M8 4v4.5l2.5 1.5M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2",
  pending: "M8 8h.01",
  question: "M5.6 6a2.5 2.5 0 1 1 3.5 2.3c-.8.4-1.1.8-1.1 1.6M8 12.6h.01",
  files: "M4 2.5h5l3 3v8H4zM9 2.5v3h3",
  back: "M6 3.5L2.5 7 6 10.5M2.5 7H10a3 3 0 0 1 0 6H7",
  session: "M8 2.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5M3 13.5c.6-3 2.5-4 5-4s4.4 1 5 4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
};

/** A small drawing, for the eye alone. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const path = document.createElementNS(space, "path");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", shapes[name] ?? shapes.pending);
  svg.append(path);
  return svg;
}

/** The status of a run, a step or a session: a shape, a color and the word. */
export function pill(status) {
  const known = status in shapes ? status : { active: "running", error: "failed", cancelled: "failed", open: "blocked",
    resolved: "completed", unfinished: "interrupted" }[status] ?? "pending";
  return el("span", { class: `pill ${known}` }, icon(known), el("span", null, status));
}

/** A word of a command line, in quotes where a shell would read more into it. */
export const word = (text) => (/^[\w@%+=:,.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Something to type elsewhere, with a button that copies it where the browser lets it. */
export function command(text) {
  const copy = navigator.clipboard && el("button", { type: "button", class: "small", on: {
    click: async (event) => {
      const button = event.currentTarget;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Select it to copy";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    } } }, "Copy");
  return el("span", { class: "command" }, el("code", null, text), copy);
}

let speaking;

/** Say it to those who listen to the page. */
export function announce(text) {
  const place = document.getElementById("announcements");
  clearTimeout(speaking);
  place.textContent = "";
  speaking = setTimeout(() => { place.textContent = text; }, 100);
}

/** At most once in `ms`, and once more after the last call. */
export function calmly(ms, fn, signal) {
  let waiting = null;
  const run = async () => {
    try {
      await fn();
    } finally {
      waiting = null;
    }
  };
  let again = false;
  const call = () => {
    if (signal?.aborted) return;
    if (waiting) {
      again = true;
      return;
    }
    waiting = new Promise((done) => { setTimeout(done, ms); }).then(run).finally(() => {
      if (again) {
        again = false;
        call();
      }
    });
  };
  return call;
}

/** Every so often, for as long as the view is there and somebody may look. */
export function every(ms, fn, signal) {
  const timer = setInterval(() => document.hidden || fn(), ms);
  signal.addEventListener("abort", () => clearInterval(timer));
}

/** A dialog over a view: {heading, body, close()}; `closed` hears of its end. */
export function dialog(view, title, closed = () => {}) {
  const heading = el("h2", { id: "dialog-title", tabindex: "-1" }, title);
  const body = el("div", { class: "body" });
  const element = el("dialog", { "aria-labelledby": "dialog-title" }, heading, body);
  const close = () => element.close();

  view.signal.addEventListener("abort", close);
  element.addEventListener("close", () => {
    element.remove();
    closed();
  });
  document.body.append(element);
  element.showModal();
  heading.focus();
  return { heading, body, close };
}
