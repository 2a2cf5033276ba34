// The glossary: the senses in force, who changed what, and correcting it, each time with a look first.
import { Failure, get, name, post, problem, query } from "./api.js";
import { announce, at, calmly, command, count, dialog, el, fill, link, moment, pair, pill, prose, renew, table, word } from "./dom.js";
import { listen } from "./live.js";
import { person, short, term } from "./words.js";

const SHOWN = 200; // senses, or steps, that are shown at once
const moving = /^Glossary(SenseUpdated|ClarificationResolved|ScopeActivated)$|^RunStarted$/;

/** Whom a scope is for. */
export const scopes = [
  ["team_domain", "the team: every mission of it finds the definition"],
  ["mission_local", "this mission alone"],
  ["audience_domain", "the audience that the work is for"],
  ["core", "everybody"],
];

const same = (a, b) => a.toLocaleLowerCase() === b.toLocaleLowerCase();
const where = (s) => (s.mission_id ? ["the mission ", el("b", null, s.mission_id)] : el("b", null, s.scope));
const meaning = (s) => (s.status === "ignored" ? el("i", null, "no term") : s.definition);

// ---- All ----

const columns = [
  { name: "Term" },
  { name: "Means" },
  { name: "Scope", class: "wide" },
  { name: "Status" },
];

const row = (s) => ({ cells: [
  link(at("glossary", s.surface), s.surface),
  [meaning(s), s.mission_id && el("span", { class: "hint" }, ` in ${s.mission_id}`)],
  s.scope,
  pill(s.status),
] });

export async function glossary(view) {
  const wanted = el("input", { id: "wanted", type: "search", size: 20, autocomplete: "off", spellcheck: "false", value: view.query.get("find") ?? "" });
  const retired = el("input", { id: "retired", type: "checkbox" });
  const place = el("div", { class: "list" });
  const trouble = el("div");
  let all = null;

  const show = () => {
    const part = wanted.value.trim().toLocaleLowerCase();
    const found = all.filter((s) => (retired.checked || s.status !== "deprecated")
      && (!part || s.surface.toLocaleLowerCase().includes(part) || s.definition.toLocaleLowerCase().includes(part)));
    found.sort((a, b) => (a.surface.toLocaleLowerCase() < b.surface.toLocaleLowerCase() ? -1 : 1));
    renew(place, [found.slice(0, SHOWN), found.length], () => (found.length
      ? [table("The senses in force, by their terms", columns, found.slice(0, SHOWN).map(row)),
        found.length > SHOWN && el("p", { class: "hint" }, `and ${found.length - SHOWN} more; look for a part of a term`)]
      : el("p", { class: "note" }, all.length ? "No sense is so." : ["No sense is in force yet. A mission's seed files bring some, answers too, and ",
        el("code", null, "pawl glossary propose"), " drafts a first glossary from documents."])));
  };
  const load = async () => {
    all = await get("glossary", view.signal);
    fill(trouble);
    show();
  };
  const again = () => load().catch((error) => fill(trouble, problem(error, again)));

  view.title("Glossary");
  fill(view.root, el("form", { class: "tools", role: "search", on: { submit: (event) => event.preventDefault() } },
    pair(el("label", { for: "wanted" }, "Find"), wanted),
    pair(retired, el("label", { for: "retired" }, "also what is deprecated")),
    el("button", { type: "button", on: { click: () => importSeed(view, again) } }, "Import…")), trouble, place);
  for (const field of [wanted, retired]) field.addEventListener("input", () => {
    show();
    history.replaceState(history.state, "", `${at("glossary")}${query({ find: wanted.value.trim() })}`);
  });
  const soon = calmly(800, again, view.signal);
  listen((event) => moving.test(event.type) && soon(), view.signal);
  await load();
}

// ---- Correcting it ----

/** The term of a sense, where it is not the one that was asked about. */
const named = (did, s) => did.term === undefined && [term(s.surface), " "];

/** What a change takes away, what it puts there, and who used that. */
function consequences(did) {
  const many = did.senses.length > SHOWN; // only of an import
  const now = did.senses.filter((s) => !s.alias && s.status !== "deprecated").slice(0, SHOWN);
  const former = did.former.filter((s) => !s.alias).slice(0, SHOWN);
  const aliases = [...new Set(did.senses.map((s) => s.alias).filter(Boolean))];
  const steps = did.steps.slice(0, SHOWN);
  return [
    did.added !== undefined && el("p", null, `${did.added} new and ${did.updated} changed in ${did.scope}.`),
    el("div", { class: "plan", tabindex: "0", role: "group", "aria-label": "What changes" }, el("dl", { class: "facts stacked" },
      former.map((s) => el("div", null, el("dt", null, "No longer, ", named(did, s), "for ", where(s)), el("dd", null, el("del", null, s.definition)))),
      now.map((s) => el("div", null, el("dt", null, "From now on, ", named(did, s), "for ", where(s), s.status === "draft" && ", as a draft"),
        el("dd", null, s.status === "ignored" ? meaning(s) : el("ins", null, s.definition)))))),
    many && el("p", { class: "hint" }, `and ${did.senses.length - SHOWN} more`),
    now.length === 0 && el("p", null, "Nothing takes its place."),
    aliases.length > 0 && el("p", null, "The same for ", aliases.map((a, i) => [i > 0 && ", ", term(a)]), "."),
    steps.length === 0 && el("p", { class: "hint" }, "No step completed with what is no longer so."),
    steps.length > 0 && [el("p", null, `${count(did.steps.length, "step")} completed with what is no longer so. What ${steps.length === 1 ? "it" : "they"} made stands.`),
      el("ul", { class: "plan", tabindex: "0", "aria-label": "Steps that used it" }, steps.map((s) => el("li", null,
        link(at("runs", s.run_id, "steps", s.step_id), s.step_id), " of ", s.mission_id ?? "run", " ", short(s.run_id),
        s.rerun && [": ", command(`pawl resume ${word(s.run_id)} --rerun-changed`)])))],
    did.steps.length > SHOWN && el("p", { class: "hint" }, `and ${did.steps.length - SHOWN} more`),
  ];
}

/**
 * Ask about a change in a dialog: its fields, if it has any, then what it would change, then the change.
 * An action is {title, verb, where, body()}; body gives a text instead of an object where something is missing.
 */
async function ask(view, { title, verb, where: to, fields, body: said, line }, done) {
  let changed = false;
  const { heading, body, close } = dialog(view, title, () => changed && !view.signal.aborted && done());
  const end = (text) => el("button", { type: "button", on: { click: close } }, text);
  const form = (content, button, submit, ...more) => {
    const trouble = el("div");
    const made = el("form", { novalidate: true }, content, trouble, el("p", { class: "buttons" }, button, more));
    made.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      fill(trouble);
      try {
        await submit();
      } catch (error) {
        fill(trouble, error instanceof Failure || !error.missing ? problem(error)
          : el("p", { class: "problem", role: "alert" }, error.message));
        error.missing?.focus();
      }
      button.disabled = false;
    });
    fill(body, made);
  };

  const look = async () => {
    const words = said();
    const plan = await post(to, { ...words, dry_run: true }, view.signal);
    if (!plan.changed) {
      throw new Failure(409, "", "It is so already; nothing would change.");
    }
    form([consequences(plan),
      el("p", { class: "hint" }, "The log keeps that ", name() ? el("b", null, `user:${name()}`) : "the account that runs the service", " did it."),
      el("p", { class: "hint" }, "On the command line: ", command(line(words)))],
    el("button", { type: "submit", class: "main" }, verb), async () => {
      const did = await post(to, words, view.signal);
      changed = true;
      fill(heading, "Done");
      fill(body, consequences(did), el("p", { class: "buttons" }, end("Close")));
      heading.focus();
      announce("The glossary was changed");
    }, fields && el("button", { type: "button", on: { click: write } }, "Back"), end("Cancel"));
    heading.focus();
    announce("This is what would change");
  };
  const write = () => {
    form(fields, el("button", { type: "submit", class: "main" }, "Look at it"), look, end("Cancel"));
    body.querySelector("textarea, select")?.focus();
  };

  if (fields) {
    write();
    return;
  }
  fill(body, el("p", { class: "hint", role: "status" }, "Looking at what it means…"));
  try {
    await look();
  } catch (error) {
    fill(body, problem(error), el("p", { class: "buttons" }, end("Close")));
  }
}

const missing = (text, field) => Object.assign(new Error(text), { missing: field });

/** Which sense: the one that is shown, or nothing is changed. */
const which = (s) => ({ scope: s.scope, mission: s.mission_id ?? undefined, since_seq: s.since_seq });
const options = (w) => [w.mission ? ` --mission ${word(w.mission)}` : w.scope ? ` --scope ${w.scope}` : "",
  w.since_seq ? ` --since-seq ${w.since_seq}` : ""].join("");

function edit(view, s, done) {
  const definition = el("textarea", { id: "definition", rows: 3, maxlength: 4000, "aria-describedby": "definition-hint" });
  definition.value = s.definition;
  return ask(view, {
    title: `Edit “${s.surface}”`, verb: "Change it", where: "glossary/edit",
    fields: el("div", { class: "own" }, el("label", { for: "definition" }, "What it means, for ", where(s)), definition,
      el("p", { class: "hint", id: "definition-hint" }, "It is shown once more before it counts.")),
    body: () => {
      if (!definition.value.trim()) throw missing("Write what it means.", definition);
      return { term: s.surface, define: definition.value.trim(), ...which(s) };
    },
    line: (w) => `pawl glossary edit ${word(s.surface)} --define ${word(w.define)}${options(w)}`,
  }, done);
}

const deprecate = (view, s, done) => ask(view, {
  title: `Retire a sense of “${s.surface}”`, verb: "Retire it", where: "glossary/deprecate",
  body: () => ({ term: s.surface, ...which(s) }),
  line: (w) => `pawl glossary deprecate ${word(s.surface)}${options(w)}`,
}, done);

function ignore(view, surface, missions, done) {
  const scope = el("select", { id: "scope" }, scopes.filter(([value]) => value !== "mission_local").map(([value, text]) =>
    el("option", { value }, `${value}: ${text.replace(/:.*/, "")}`)),
  missions.map((m) => el("option", { value: `mission ${m}` }, `the mission ${m} alone`)));
  return ask(view, {
    title: `“${surface}” is no term`, verb: "Ignore it", where: "glossary/ignore",
    fields: el("div", { class: "own" }, el("label", { for: "scope" }, "For whom"), scope,
      el("p", { class: "hint" }, "Nobody is asked there what it means, and what wider scopes say of it counts there no more.")),
    body: () => ({ term: surface, ...(scope.value.startsWith("mission ") ? { mission: scope.value.slice(8) } : { scope: scope.value }) }),
    line: (w) => `pawl glossary ignore ${word(surface)}${options(w)}`,
  }, done);
}

/** Put the senses of a seed file in, which is chosen or pasted. */
function importSeed(view, done) {
  const seed = el("textarea", { id: "seed", rows: 8, spellcheck: "false", "aria-describedby": "seed-hint" });
  const file = el("input", { id: "seed-file", type: "file", accept: ".yaml,.yml,.json", on: { change: async () => {
    if (file.files[0]) seed.value = await file.files[0].text();
  } } });
  const scope = el("select", { id: "scope" }, scopes.filter(([value]) => value !== "mission_local").map(([value, text]) =>
    el("option", { value }, `${value}: ${text.replace(/:.*/, "")}`)));
  return ask(view, {
    title: "Import senses", verb: "Import them", where: "glossary/import",
    fields: el("div", { class: "own" }, el("label", { for: "seed-file" }, "A seed file"), file,
      el("label", { for: "seed" }, "or its text"), seed,
      el("p", { class: "hint", id: "seed-hint" }, "terms: [{surface: …, definition: …}], as YAML or JSON."),
      el("label", { for: "scope" }, "For whom"), scope),
    body: () => {
      if (!seed.value.trim()) throw missing("Choose a file, or write its text.", seed);
      return { seed: seed.value, scope: scope.value };
    },
    line: (w) => `pawl glossary import FILE --scope ${w.scope}`,
  }, done);
}

// ---- One term ----

const button = (text, about, click) => el("button", { type: "button", "aria-label": about, on: { click } }, text);

function sense(view, s, again) {
  const about = `“${s.surface}” in ${s.mission_id ?? s.scope}: ${s.definition || "no term"}`;
  return el("li", { class: "ask" },
    el("p", null, meaning(s)),
    el("p", { class: "where" }, "for ", where(s), " ", pill(s.status), ` confidence ${Number(s.confidence)}, since `,
      link(at("log", s.since_seq), `event ${s.since_seq}`)),
    s.synonyms_to_avoid?.length > 0 && el("p", { class: "hint" }, "Not: ", s.synonyms_to_avoid.join(", ")),
    s.see_also?.length > 0 && el("p", { class: "hint" }, "See also: ", s.see_also.map((o) => (typeof o === "string" ? o : JSON.stringify(o))).join(", ")),
    s.status !== "deprecated" && el("p", { class: "buttons" },
      button("Edit…", `Edit ${about}`, () => edit(view, s, again)),
      button("Retire…", `Retire ${about}`, () => deprecate(view, s, again))));
}

const history_ = [
  { name: "When" },
  { name: "Who" },
  { name: "Change" },
  { name: "Where", class: "wide" },
  { name: "Meaning" },
];

const changes = { create: "new", update: "changed", answer: "answered" };
const event = (e) => ({ cells: [
  link(at("log", e.seq), moment(e.time)),
  person(e.actor),
  e.status === "deprecated" ? "deprecated" : changes[e.change] ?? e.change,
  e.scope === "mission_local" && e.mission_id ? e.mission_id : e.scope,
  meaning(e),
] });

export async function entry(view, surface) {
  const place = el("div");
  const trouble = el("div");

  view.title(`“${surface}”`, term(surface));
  fill(view.root, trouble, place);
  const load = async () => {
    const [all, log] = await Promise.all([get("glossary", view.signal),
      get(`glossary/log${query({ term: surface })}`, view.signal).catch((error) => {
        if (error.status !== 404) throw error;
        return [];
      })]);
    const senses = all.filter((s) => same(s.surface, surface));
    const now = senses.filter((s) => s.status !== "deprecated");
    const missions = [...new Set(log.map((e) => e.mission_id).filter(Boolean))];
    fill(trouble);
    renew(place, [senses, log], () => [
      el("section", { "aria-labelledby": "senses" }, el("h2", { id: "senses" }, "What it means"),
        now.length > 0 ? el("ul", { class: "asks plain" }, now.map((s) => sense(view, s, again)))
          : el("p", { class: "note" }, "No sense of it is in force."),
        el("p", { class: "buttons" }, button("It is no term…", null, () => ignore(view, surface, missions, again)))),
      log.length > 0 && el("section", { class: "history", "aria-labelledby": "history" }, el("h2", { id: "history" }, "Who changed it"),
        table("What was said of it, oldest first", history_, log.map(event)))]);
  };
  const again = () => load().catch((error) => fill(trouble, problem(error, again)));
  const soon = calmly(800, again, view.signal);
  listen((e) => moving.test(e.type) && soon(), view.signal);
  await load();
}
