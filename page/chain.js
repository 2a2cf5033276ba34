// The chain of the log: whether it holds, and how many events of each type it has.
import { get, problem } from "./api.js";
import { command, el, fill, icon, prose, table } from "./dom.js";

function verdict(v) {
  const head = v.head && el("div", null, el("dt", null, "Head"),
    el("dd", null, `${v.head.seq} `, el("code", { class: "hash" }, v.head.hash)));
  return v.ok
    ? el("section", { class: "note done" },
      el("h2", null, icon("completed"), " The chain holds"),
      el("p", null, `Each of ${v.events} events is what it was when it was appended`,
        v.keyed ? "; the log is keyed, and its key was not asked for here." : "."),
      el("dl", { class: "facts" }, head),
      el("p", { class: "hint" }, prose("Keep the head somewhere else: only it shows later that no event was cut off the end. `eventlog head` prints it, too.")))
    : el("section", { class: "problem", role: "alert" },
      el("h2", null, icon("failed"), ` The log is damaged at event ${v.bad_seq}`),
      el("p", null, v.why),
      el("p", null, "What stands before that event is whole. Stop what writes, and look with ", command("eventlog verify")));
}

export async function chain(view) {
  const place = el("div", { "aria-live": "polite" });
  const counts = el("div");
  const button = el("button", { type: "button" }, "Verify again");

  view.title("Chain of the log");
  fill(view.root, place, el("p", { class: "buttons" }, button), counts);
  const verify = async () => {
    button.disabled = true;
    fill(place, el("p", { class: "hint" }, "Every event is read and hashed again…"));
    try {
      fill(place, verdict(await get("verify", view.signal)));
    } catch (error) {
      fill(place, problem(error));
    }
    button.disabled = false;
  };
  button.addEventListener("click", verify);
  await verify();
  const { types } = await get("stats", view.signal);
  fill(counts, types.length > 0 && table("Events by type",
    [{ name: "Type" }, { name: "Count", class: "number" }, { name: "Bytes", class: "number" }],
    types.map((t) => ({ cells: [t.type.split(/(?=[A-Z])/).map((part, i) => [i > 0 && el("wbr"), part]), t.count, t.bytes] }))));
}
