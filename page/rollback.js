// Going back: the plan, the word yes, and doing exactly that plan or nothing.
import { Failure, get, path, post, problem } from "./api.js";
import { announce, at, count, dialog, el, fill, link, size } from "./dom.js";

const ITEMS = 200; // of a plan that are shown at once

const actions = { write: "write", remove: "remove", mode: "set the mode of", leave: "leave alone" };

function list(plan) {
  const shown = plan.items.slice(0, ITEMS);
  return [
    el("p", null, [
      plan.writes && `${count(plan.writes, "file")} to write (${size(plan.bytes)})`,
      plan.removes && `${plan.removes} to remove`,
      plan.modes && `${plan.modes} to set the mode of`,
      plan.left && `${plan.left} left alone`,
    ].filter(Boolean).join(", ") || "No file changes", "."),
    shown.length > 0 && el("ul", { class: "plan plain", tabindex: "0", "aria-label": "Files of the plan" }, shown.map((item) => el("li", { class: item.action },
      el("b", null, actions[item.action] ?? item.action), " ", el("span", { class: "path" }, item.path),
      item.kind === "folder" && "/", item.why && `: ${item.why}`))),
    plan.items.length > shown.length && el("p", { class: "hint" }, `and ${plan.items.length - shown.length} more`),
    plan.others.map((other) => el("p", null, other.run_id === null ? `Replaces ${count(other.paths, "path")} of work by hand or in no run.`
      : [`Replaces ${count(other.paths, "path")} of work of run `, el("b", null, other.run_id), "; its steps stay as they are."])),
    plan.given_up.length > 0 && el("p", null, `Gives up ${plan.given_up.length > 1 ? "checkpoints" : "checkpoint"} ${plan.given_up.join(", ")}, which can still be gone back to.`),
    plan.taken_up.length > 0 && el("p", null, `Takes up ${plan.taken_up.length > 1 ? "checkpoints" : "checkpoint"} ${plan.taken_up.join(", ")}.`),
    plan.steps_back.length > 0 && el("p", null, "Again as they were: ", plan.steps_back.map((s, i) => [i > 0 && ", ", el("b", null, s.step_id), ` ${s.status}`]), "."),
    plan.steps.length > 0 && el("p", null, plan.run_status === "cancelled" ? "Pending again: " : "To be run again: ", plan.steps.map((s, i) => [i > 0 && ", ", el("b", null, s.step_id)]), "."),
    plan.git && el("p", null, `Git: ${plan.git.branch} goes from ${plan.git.from.slice(0, 12)} to ${plan.git.to.slice(0, 12)}`,
      plan.git.commits > 0 && `, giving up ${count(plan.git.commits, "commit")}`, "."),
  ];
}

function done(plan, close, undoIt) {
  return [
    el("p", { role: "status" }, `The files are as checkpoint ${plan.target.n} has them: ${plan.writes} written, ${plan.removes} removed, ${plan.left} left alone.`),
    plan.safety !== null && el("p", null, "What was there before is ", link(at("checkpoints", plan.safety), `checkpoint ${plan.safety}`), "."),
    plan.steps.length > 0 && plan.run_status !== "cancelled" && el("p", null, "Go on with ", el("code", null, `pawl resume ${plan.steps[0].run_id}`)),
    el("p", { class: "buttons" },
      el("button", { type: "button", on: { click: undoIt } }, plan.undo && !plan.redo ? "Redo it…" : "Undo it…"),
      el("button", { type: "button", class: "main", on: { click: close } }, "Close")),
  ];
}

/** Show a plan in a dialog and, when yes is typed, do it. `where` is where it is read, and is posted to. */
async function ask(view, { title, where, verb, changed = false }) {
  const { heading, body, close } = dialog(view, title, () => {
    if (changed && !view.signal.aborted) dispatchEvent(new HashChangeEvent("hashchange"));
  });
  let plan;

  const refuse = (error, retry) => fill(body, problem(error, retry),
    el("p", { class: "buttons" }, el("button", { type: "button", on: { click: close } }, "Close")));

  const show = (note) => {
    const yes = el("input", { id: "yes", autocomplete: "off", autocapitalize: "none", spellcheck: "false", size: 8 });
    const trouble = el("div");
    const button = el("button", { type: "submit", class: "main danger" }, verb);
    const form = el("form", { novalidate: true },
      note && el("p", { class: "problem", role: "alert" }, note),
      list(plan),
      el("p", { class: "hint" }, "A copy of the files as they are now is kept first, and this can be undone. Nothing that no checkpoint recorded is removed."),
      el("p", { class: "field" }, el("label", { for: "yes" }, "Type ", el("b", null, "yes"), " to do it"), yes),
      trouble,
      el("p", { class: "buttons" }, button, el("button", { type: "button", on: { click: close } }, "Cancel")));
    fill(body, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      fill(trouble);
      if (yes.value.trim() !== "yes") {
        fill(trouble, el("p", { class: "problem", role: "alert" }, "Nothing was changed. Type yes, in small letters, to do it."));
        yes.focus();
        return;
      }
      button.disabled = true;
      try {
        const did = await post(where, { expect: plan.plan }, view.signal);
        fill(heading, "Done");
        changed = true;
        fill(body, done(did, close, () => {
          changed = false; // the next dialog shows the place anew when it closes
          close();
          (did.undo && !did.redo ? redo : undo)(view, true);
        }));
        heading.focus();
        announce("The files were put back");
      } catch (error) {
        button.disabled = false;
        if (error instanceof Failure && error.status === 409) await renew(error);
        else fill(trouble, problem(error));
      }
    });
    yes.focus();
  };

  // The plan was refused. If it is another one by now, that is why: show the new one.
  const renew = async (refused) => {
    const old = plan.plan;
    try {
      plan = await get(where, view.signal);
    } catch (error) {
      refuse(error, () => load());
      return;
    }
    show(plan.plan === old ? refused.message
      : "Nothing was changed: something has happened since this plan was made. This is the plan as it is now; read it, and type yes again.");
  };

  const load = async () => {
    try {
      plan = await get(where, view.signal);
      show();
    } catch (error) {
      refuse(error, load);
    }
  };

  fill(body, el("p", { class: "hint", role: "status" }, "Looking at the files…"));
  await load();
}

export const goBack = (view, checkpoint) => ask(view, { title: `Go back to checkpoint ${checkpoint.n}`, verb: "Go back",
  where: path("checkpoints", checkpoint.n, "rollback") });

/** `changed`: what is beneath the dialog is old, and shown anew when it closes. */
export const undo = (view, changed) => ask(view, { title: "Undo the last rollback", verb: "Undo it", where: "undo", changed });

export const redo = (view, changed) => ask(view, { title: "Redo the last undo", verb: "Redo it", where: "redo", changed });
