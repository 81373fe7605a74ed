// One kernel in a window of its own: source, differences, properties.
import {difference, source} from "./code.js";
import {button, make, table} from "./dom.js";
import {duration, figure, integer, interval, times} from "./format.js";

const gainText = (run, row, parent) => {
  const gain = run.gainOver(row, parent);
  if (gain === null) return "";
  return run.speedups ? ` (${times(gain)})` : ` (${gain < 0 ? "" : "+"}${figure(gain, 3)})`;
};

function facts(run, row) {
  const kernel = run.kernel(row), remark = run.raw.remarks[row];
  const verdict = run.outcome(row) === "no_child" ? "no child" : run.outcome(row) === "duplicate" ? "duplicate" : run.verdict(row);
  const list = [["operator", run.operator(row)], ["verdict", remark?.reason ? `${verdict}: ${remark.reason}` : verdict]];
  if (run.ns(row)) list.push(["time of a call", duration(run.ns(row) / 1e9)]);
  if (run.objective(row) !== null) list.push([run.unit, make("span", make("b", figure(run.objective(row), 4)), " ", interval(run.low(row), run.high(row)))]);
  list.push(["evaluation", run.raw.candidates.measured[row] ? String(run.evaluations[row]) : "not measured"]);
  if (kernel) list.push(["stems from", `${kernel.name} (${kernel.language})`]);
  return make("dl.facts", list.map(([name, value]) => make("div", make("dt", name), make("dd", value))));
}

function relatives(run, row, open) {
  const link = (other) => button(run.id(other), () => open(run, other));
  const parents = run.parents(row), children = run.children(row), original = run.raw.candidates.duplicate_of[row];
  const shown = children.slice(0, 40);
  return make("div.relatives",
    original >= 0 ? make("p", "The same as ", link(original), ".") : null,
    parents.length ? make("p", parents.length > 1 ? "Parents: " : "Parent: ", parents.map((p, i) =>
      [i ? ", " : "", link(p.row), p.role === "parent" ? gainText(run, row, p.row) : ` (${p.role})`])) : null,
    shown.length ? make("p", `${children.length} ${children.length > 1 ? "children" : "child"}: `, shown.map((child, i) => [i ? ", " : "", link(child)]),
      children.length > shown.length ? ", …" : "") : null);
}

function properties(run, row, open) {
  const kernel = run.kernel(row), remark = run.raw.remarks[row], node = make("div");
  const named = (rows, head) => (rows.length ? table([[head, ""], ["value", "number"]], rows) : null);
  const measures = Object.entries(run.raw.candidates.measures).filter(([, values]) => values[row] !== null)
    .map(([name, values]) => [name.replaceAll("_", " "), Number.isInteger(values[row]) ? integer(values[row]) : figure(values[row], 5)]);
  node.append(relatives(run, row, open), make("div.columns.even",
    named(measures, "measure") ?? "", kernel ? named(Object.entries(kernel.knobs), "knob") ?? "" : "",
    kernel && kernel.flags.length ? named(kernel.flags.map((flag) => [make("code", flag), ""]), "compiler flag") : ""));
  const events = run.eventsOf(row);
  if (events.length) {
    node.append(table([["archive", ""], ["cell", "number"], ["event", ""], ["incumbent", ""], ["duel", ""], ["gain, 95 %", "number"]], events.map((e) => [
      e.island < 0 ? "all islands" : `island ${e.island}`, String(e.cell), e.status.replace("_", " "), e.incumbent < 0 ? "–" : button(run.id(e.incumbent), () => open(run, e.incumbent)),
      e.decision === "none" ? "–" : e.decision, e.decision === "none" ? "–" : interval(e.low, e.high)])));
  }
  if (remark?.message) node.append(make("h4", "Message"), make("pre.message", remark.message));
  if (remark?.diagnostics) {
    node.append(make("h4", "Diagnosis"), ...remark.diagnostics.map(([file, line, column, severity, message]) =>
      make("p.diagnostic", make("b", severity), ` ${file}:${line}:${column} `, make("code", message))));
  }
  if (kernel?.launchPlan) node.append(make("h4", "Launch plan"), source(kernel.launchPlan));
  return node;
}

const mono = (text) => make("pre.message", text);

/// What a model was told or answered; several exchanges one below the other.
const letters = (run, row) => make("div", run.letters(row).map((one) => one.letter.map(([role, text]) => [make("h4", role), mono(text)])));
const answers = (run, row) => make("div", run.letters(row).map((one) => [make("p.note", [one.model || "a model", one.status, `${integer(one.input_tokens)} tokens in, ${integer(one.output_tokens)} out`, `${figure(one.dollars, 3)} dollars`].join(" · ")), mono(one.answer)]));

/// [name, build] of each page of the window.
function pages(run, row, open) {
  const list = [["Properties", () => properties(run, row, open)]];
  if (run.letters(row).length) list.push(["Letter", () => letters(run, row)], ["Answer", () => answers(run, row)]);
  if (!run.kernel(row)) return list;
  list.push(["Source", () => source(run.kernel(row).source)]);
  const seed = run.seed(row), parents = run.parents(row).filter((p) => p.row !== row && run.kernel(p.row));
  for (const parent of parents) {
    const what = parent.role === "parent" ? "parent" : parent.role;
    list.push([`Changes from ${what} ${run.id(parent.row)}`, () => difference(run.text(parent.row), run.text(row))]);
  }
  if (seed !== row && !parents.some((p) => p.row === seed)) {
    list.push([`Changes from seed ${run.id(seed)}`, () => difference(run.text(seed), run.text(row))]);
  }
  return list;
}

let dialog = null;

/// Opens the window for a row; `page` chooses one whose name begins so.
export function openKernel(run, row, page = "") {
  if (!dialog) {
    dialog = document.createElement("dialog");
    dialog.id = "kernel";
    dialog.setAttribute("aria-label", "Kernel");
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);
  }
  const body = make("div.body"), list = pages(run, row, openKernel);
  body.tabIndex = 0;  // so that the keyboard scrolls it
  const tabs = list.map(([name, build]) => button(name, () => select(name, build), "button.tab"));
  const select = (name, build) => {
    tabs.forEach((tab, i) => tab.setAttribute("aria-pressed", String(list[i][0] === name)));
    body.replaceChildren(build());
    body.scrollTop = 0;
  };
  const close = button("Close", () => dialog.close(), "button.close");
  const champion = row === run.champion ? make("span.badge", "champion") : "";
  dialog.replaceChildren(make("header", make("h2", `Kernel ${run.id(row)} `, champion), close), facts(run, row), make("div.tabs", tabs), body);
  select(...(list.find(([name]) => page && name.startsWith(page)) ?? list.find(([name]) => name === "Source") ?? list[0]));
  if (!dialog.open) dialog.showModal();
}
