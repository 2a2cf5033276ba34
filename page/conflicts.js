// The questions that hold runs back, and answering them.
import { Failure, get, keep, kept, name, path, post, problem, setName } from "./api.js";
import { add, announce, at, command, el, fill, icon, link, moment, pill, renew, since } from "./dom.js";
import { scopes } from "./glossary.js";
import { listen } from "./live.js";
import * as open from "./open.js";
import { continuing, person, short, standing, term } from "./words.js";

const DEFERRED = "pawl.deferred"; // ids of those that were put off, in this tab
const deferred = () => kept(DEFERRED);
const defer = (id, on) => keep(DEFERRED, [...deferred().filter((d) => d !== id), ...(on ? [id] : [])]);

const kinds = {
  ambiguous: "It has more than one meaning.",
  unknown: "No glossary knows it.",
  unresolved_critical: "No glossary knows it, and the step is critical.",
  inconsistent: "It is used against its definition.",
  question: "A step asks it, and goes on with the answer.",
};

/** What a step asks people, in place of what a term means. */
const asks = (c) => c.conflict_type === "question";
const subject = (c) => (asks(c) ? c.term : term(c.term));

/** Whom it is put to, and until when. */
const limits = (c) => (c.to?.length || (c.due_at && c.status === "open")) && el("p", { class: "where" },
  c.to?.length > 0 && ["To ", c.to.map((who, i) => [i > 0 && ", ", el("b", null, person(who))]), ". "],
  c.due_at && c.status === "open" && ["Until ", moment(c.due_at), ", then ", c.otherwise === null ? "the step fails." : el("b", null, c.otherwise)]);

/** The text around a term with the term marked. What was cut off at an end shows as an ellipsis. */
export function context(text, word) {
  const low = text.toLocaleLowerCase();
  const wanted = word.toLocaleLowerCase();
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])${wanted.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "u");
  const from = low.length === text.length ? low.search(whole) : -1;
  const cut = [...text].length >= 79; // as wide as the log keeps it: there was more
  if (from < 0) return el("blockquote", null, el("p", null, cut && "… ", text, cut && " …"));
  const to = from + word.length;
  const [before, after] = [from, text.length - to];
  return el("blockquote", null, el("p", null,
    cut && before + 2 >= after && "… ", text.slice(0, from), el("mark", null, text.slice(from, to)), text.slice(to),
    cut && after + 2 >= before && " …"));
}

const where = (c) => el("p", { class: "where" }, "in step ", el("b", null, c.step_id), " of ",
  link(at("runs", c.run_id), `run ${short(c.run_id)}`), ", asked ", since(c.requested_at));

// ---- The inbox ----

function item(c, again) {
  const off = deferred().includes(c.conflict_id);
  return el("li", { class: "ask" },
    el("h2", null, link(at("conflicts", c.conflict_id), subject(c)), " ",
      !asks(c) && el("span", { class: "severity" }, `${c.severity} severity`)),
    where(c), limits(c),
    c.context && context(c.context, c.term),
    off && el("button", { type: "button", class: "small", on: { click: () => {
      defer(c.conflict_id, false);
      again();
    } } }, "Bring back"));
}

/** A question about several terms of a run: what it shows of them, and one answer to them all. */
function together(run, list, trouble, { says, shown, verb, done, body }) {
  const button = el("button", { type: "button", class: "small", on: { click: async () => {
    button.disabled = true;
    fill(trouble);
    try {
      await post("answers", { answers: list.map((c) => ({ conflict_id: c.conflict_id, ...body })) });
      announce(`${list.length} terms ${done}`);
      await open.load();
    } catch (error) {
      button.disabled = false;
      add(trouble, problem(error));
    }
  } } }, verb);
  return el("section", { class: "ask" },
    el("h2", null, `${list.length} terms of `, link(at("runs", run), `run ${short(run)}`), " ", says), shown,
    el("p", { class: "buttons" }, button));
}

const one = (c) => link(at("conflicts", c.conflict_id), term(c.term));

/** Terms that no glossary knows. */
const unknown = (run, list, trouble) => together(run, list, trouble, { says: "are in no glossary",
  shown: el("p", null, list.map((c, i) => [i > 0 && ", ", one(c)])),
  verb: "None of these is a term", done: "dismissed", body: { dismiss: true } });

/** Terms that have meanings to choose from, with the first of each. */
const several = (run, list, trouble) => together(run, list, trouble, { says: "have more than one meaning",
  shown: el("dl", { class: "firsts" }, list.map((c) => el("div", null, el("dt", null, one(c)), el("dd", null, c.candidates[0].definition)))),
  verb: "Take these, the first of each", done: "answered", body: { pick: 1 } });

const SEVERAL = 4; // terms with meanings of a run that are asked about together

/** By run, those that are asked about together: [what asks, run, conflicts]. */
function many(list) {
  const runs = new Map();
  for (const c of list) {
    const ask = c.conflict_type === "unknown" ? unknown : !asks(c) && c.candidates.length > 0 ? several : null;
    const key = `${ask?.name} ${c.run_id}`;
    if (ask) runs.set(key, [ask, c.run_id, [...(runs.get(key)?.[2] ?? []), c]]);
  }
  return [...runs.values()].filter(([ask, , all]) => all.length >= (ask === unknown ? 2 : SEVERAL));
}

export async function conflicts(view) {
  const place = el("div");
  const trouble = el("div", { class: "trouble" });

  view.title("Conflicts");
  fill(view.root, el("p", { class: "hint" },
    "Terms that mean more than one thing, or nothing yet, where they are used, and what steps ask. The step waits until somebody says."), trouble, place);
  const show = () => {
    const list = open.all();
    const now = list.filter((c) => !deferred().includes(c.conflict_id));
    const later = list.filter((c) => deferred().includes(c.conflict_id));
    const groups = many(now);
    const alone = now.filter((c) => !groups.some(([, , all]) => all.includes(c)));
    renew(place, [now, later], () => [
      groups.map(([ask, run, all]) => ask(run, all, trouble)),
      alone.length > 0 && el("ul", { class: "asks plain" }, alone.map((c) => item(c, show))),
      now.length === 0 && el("p", { class: "note" }, later.length ? "No other question is open."
        : "No question is open. When a run asks one, it appears here by itself."),
      later.length > 0 && el("details", { class: "later" }, el("summary", null, `Put off in this tab: ${later.length}`),
        el("ul", { class: "asks plain" }, later.map((c) => item(c, show))))]);
  };
  open.watch(show, view.signal);
  if (!open.all()) await open.load();
  show();
}

// ---- One question ----

const strength = (n) => `confidence ${Number(n)}`;

function choice(id, value, title, detail) {
  return el("div", { class: "choice" },
    el("input", { type: "radio", name: "sense", id, value, required: true, "aria-describedby": `${id}-about` }),
    el("label", { for: id }, title),
    el("p", { class: "about", id: `${id}-about` }, detail));
}

/** The fields of an answer to what a step asks: its options, or any text. */
function reply(c) {
  return el("fieldset", null, el("legend", null, "Your answer"),
    c.candidates.map((o) => el("div", { class: "choice" },
      el("input", { type: "radio", name: "sense", id: `option-${o.n}`, value: o.n, required: true }),
      el("label", { for: `option-${o.n}` }, o.definition))),
    c.candidates.length === 0 && el("div", { class: "own" },
      el("label", { for: "reply" }, "In your own words"),
      el("textarea", { id: "reply", rows: 3, maxlength: 4000 })));
}

/** The fields of what a term means. */
function meanings(c) {
  const own = el("div", { class: "own", hidden: true },
    el("label", { for: "definition" }, "What it means"),
    el("textarea", { id: "definition", rows: 3, maxlength: 4000, "aria-describedby": "definition-hint" }),
    el("p", { class: "hint", id: "definition-hint" }, "One or two sentences, as they would stand in a glossary."),
    el("label", { for: "scope" }, "For whom"),
    el("select", { id: "scope" }, scopes.map(([value, text]) => el("option", { value }, `${value}: ${text}`))));
  const made = el("fieldset", null,
    el("legend", null, "What does it mean here?"),
    c.candidates.map((s) => choice(`sense-${s.n}`, s.n, s.definition, `${s.n}. from ${s.scope}, ${strength(s.confidence)}`)),
    choice("sense-own", "own", "Something else", "Write a definition of your own."),
    choice("sense-none", "none", "Nothing: it is no term", "Nobody in the team is asked about it again."),
    own);
  made.addEventListener("change", (event) => {
    if (event.target.name === "sense") own.hidden = event.target.value !== "own";
  });
  return made;
}

function form(c) {
  const who = el("input", { id: "who", autocomplete: "nickname", maxlength: 80, value: name(), "aria-describedby": "who-hint" });
  return el("form", { class: "answer", novalidate: true }, (asks(c) ? reply : meanings)(c),
    el("div", { class: "who" }, el("label", { for: "who" }, "Your name"), who,
      el("p", { class: "hint", id: "who-hint" }, "It goes into the log with your answer, and is kept in this browser. Left empty, the log names the account that runs the service.")),
    el("div", { class: "trouble" }),
    el("p", { class: "buttons" },
      el("button", { type: "submit", class: "main" }, "Answer"),
      el("button", { type: "button", class: "later" }, "Decide later")));
}

/** What the form says, as the body of an answer; or a text that says what is missing, and its field. */
function said(made) {
  const { sense, definition, scope, reply: words } = made.elements;
  if (words) {
    return words.value.trim() ? { body: { answer: words.value.trim() } } : { missing: "Write an answer.", field: words };
  }
  if (!sense.value) return { missing: definition ? "Choose a meaning, or write one." : "Choose an answer.", field: made.querySelector("input[name=sense]") };
  if (sense.value === "none") return { body: { dismiss: true } };
  if (sense.value !== "own") return { body: { pick: Number(sense.value) } };
  if (!definition.value.trim()) return { missing: "Write what it means.", field: definition };
  return { body: { define: definition.value.trim(), scope: scope.value } };
}

/** The answer that a question got: who gave it, when, and what it says. */
async function answer(c, signal) {
  const seq = c.resolved_seq;
  return seq ? get(path("events", seq), signal) : null;
}

const meaning = (sense) => sense?.status === "ignored" ? "none: it is no term" : sense?.definition ?? "";

const by = (event) => person(event?.payload?.actor?.actor_id ?? event?.actor);
const reading = (c, event) => (asks(c) ? event?.payload?.answer ?? "none in time" : meaning(event?.payload?.selected_sense));

/** What was answered; `correct` is called when somebody wants to put another answer in its place. */
function answered(c, event, mine, correct) {
  const who = by(event);
  const after = el("div", { class: "after" });
  return {
    after,
    element: el("section", { class: "note done", "aria-labelledby": "answered" },
      el("h2", { id: "answered", tabindex: "-1" }, icon("completed"), mine ? " Answered" : ` ${who} answered`),
      el("dl", { class: "facts" },
        el("div", null, el("dt", null, asks(c) ? "Question" : "Term"), el("dd", null, asks(c) ? c.term : link(at("glossary", c.term), subject(c)))),
        el("div", null, el("dt", null, asks(c) ? "Answer" : "Meaning"), el("dd", null, reading(c, event))),
        el("div", null, el("dt", null, "By"), el("dd", null, who)),
        event && el("div", null, el("dt", null, "When"), el("dd", null, moment(event.time)))),
      after, el("p", { class: "buttons" }, el("button", { type: "button", on: { click: correct } }, "It was wrong…"))),
  };
}

/** What comes after an answer: other questions of the step, or the run that goes on. */
async function follow(c, place, view) {
  const say = async () => {
    const run = await get(path("runs", c.run_id), view.signal);
    const rest = (open.all() ?? []).filter((o) => o.run_id === c.run_id);
    const way = link(at("runs", run.run_id), "See the run");
    fill(place, rest.length
      ? el("p", null, "The run has another question: ", link(at("conflicts", rest[0].conflict_id), subject(rest[0])), ". ", way)
      : run.status === "blocked"
        ? [el("p", null, "The run can go on. Where ", el("code", null, "pawl resume --wait"), " is running it does; elsewhere: ",
          continuing(run)), el("p", null, way)]
        : el("p", null, "The run went on: ", pill(standing(run)), " ", way));
  };
  const told = (event) => {
    if (event.run_id !== c.run_id || !/^(Step|Run)(Resumed|Completed|Failed)$/.test(event.type)) return;
    if (event.type.startsWith("Run") || event.type === "StepResumed") announce(`The run ${event.type === "StepResumed" ? "goes on" : event.type === "RunCompleted" ? "is completed" : "failed"}`);
    say().catch(() => {});
  };
  listen(told, view.signal);
  open.watch(() => say().catch(() => {}), view.signal);
  await say();
}

export async function conflict(view, id) {
  const c = await get(path("conflicts", id), view.signal);
  const body = el("div");
  let closed = false;
  let busy = () => false; // an answer is on its way

  view.title(asks(c) ? c.term : `“${c.term}”`, subject(c));
  fill(view.root,
    el("p", null, kinds[c.conflict_type] ?? c.conflict_type, " ", !asks(c) && el("span", { class: "severity" }, `Severity: ${c.severity}.`)),
    where(c), limits(c), c.context && context(c.context, c.term), body);

  /** Show the answer that there is, and what comes after it. */
  const close = async (mine, note) => {
    closed = true;
    const now = await get(path("conflicts", id), view.signal);
    const event = await answer(now, view.signal);
    const { element, after } = answered(now, event, mine, () => ask(event));
    fill(body, note, element);
    if (mine || c.status === "open") {
      element.querySelector("h2").focus();
      announce(mine ? "Answered" : `Answered by ${by(event)}`);
    }
    await follow(c, after, view);
  };

  /** Close, or say why what was answered cannot be shown. */
  const show = (mine, note) => close(mine, note).catch((error) =>
    fill(body, note ?? (mine && el("p", { class: "note done" }, "Your answer is in the log.")), problem(error, () => show(mine, note))));

  /** Put the question; `former` is the event of the answer that this one takes the place of. */
  const ask = (former) => {
    const made = form(c);
    const trouble = made.querySelector(".trouble");
    const button = made.querySelector("button[type=submit]");
    const later = made.querySelector("button.later");

    busy = () => button.disabled;
    fill(body, former && el("p", { class: "note" }, by(former), " answered: ", el("b", null, reading(c, former)),
      " Another answer takes its place, as long as no step has completed with it."), made);
    if (former) {
      fill(button, "Answer instead");
      fill(later, "Leave it");
      made.querySelector("input, textarea").focus();
    }
    made.addEventListener("submit", async (event) => {
      event.preventDefault();
      const { body: words, missing, field } = said(made);
      setName(made.elements.who.value);
      fill(trouble);
      if (missing) {
        fill(trouble, el("p", { class: "problem", role: "alert" }, missing));
        field.focus();
        return;
      }
      button.disabled = true;
      try {
        await post(path("conflicts", id, "answer"), { ...words, replace: former ? true : undefined }, view.signal);
      } catch (error) {
        button.disabled = false;
        if (former || !(error instanceof Failure) || error.code !== "PAWL_EEXISTS") {
          add(trouble, problem(error));
          return;
        }
        await show(false, el("p", { class: "problem", role: "alert" },
          "Your answer was not taken: the question had been answered already. The first answer counts."));
        return;
      }
      await show(true);
    });
    later.addEventListener("click", () => {
      if (former) {
        show(false);
        return;
      }
      defer(id, true);
      announce("Put off: the question stays open");
      location.hash = at("conflicts");
    });
  };

  if (c.status !== "open") {
    await close(false);
    return;
  }
  ask();

  // Somebody else is faster: say so before an answer is refused.
  listen((event) => {
    if (closed || busy() || event.type !== "GlossaryClarificationResolved" || event.payload?.conflict_id !== id) return;
    show(false);
  }, view.signal);
}
