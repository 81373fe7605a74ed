// Several runs: a small figure for each arm and task, the statistics of `compare`, and a list that opens a run.
import {SERIES} from "../chart.js";
import {button, choice, make, section, shape, table} from "../dom.js";
import {figure as number, fixed, integer, interval, percent, plain, times} from "../format.js";
import {headline} from "./result.js";

const WIDTH = 168, HEIGHT = 92, MOST_ROWS = 300, EDGE = 4;

/// Ends of the scale of some runs: logarithmic for speedups, which are above 0.
function scaleOf(runs) {
  const log = runs.every((run) => run.speedups && run.seen > 0), put = log ? Math.log : (value) => value;
  const bests = runs.flatMap((run) => run.raw.progress.best).filter((value) => value !== null && (!log || value > 0)).map(put);
  const low = bests.reduce((a, b) => Math.min(a, b), Infinity), high = bests.reduce((a, b) => Math.max(a, b), -Infinity);
  const most = Math.max(1, ...runs.map((run) => run.raw.progress.evaluations.at(-1) ?? 0));
  const ends = log ? [Math.exp(low), Math.exp(high)] : [low, high];
  return {ends, most, x: (at) => EDGE + (WIDTH - 2 * EDGE) * at / most, y: (value) => HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (high > low ? (put(value) - low) / (high - low) : 0.5), log};
}

/// The best so far as a path with steps.
function path(run, scale) {
  const {evaluations, best} = run.raw.progress;
  let text = "", last = null;
  best.forEach((value, i) => {
    if (value === null || (scale.log && !(value > 0))) return;
    text += last === null ? `M${scale.x(evaluations[i]).toFixed(1)} ${scale.y(value).toFixed(1)}` : `H${scale.x(evaluations[i]).toFixed(1)}V${scale.y(value).toFixed(1)}`;
    last = value;
  });
  return last === null ? "" : `${text}H${WIDTH - EDGE}`;
}

const middle = (values) => { const sorted = values.slice().sort((a, b) => a - b); return sorted[Math.floor((sorted.length - 1) / 2)]; };

/// One small figure: a thin line a seed, the run of middle rank bold, the reference's middle run in grey behind.
function panel(own, reference, scale, colour) {
  const svg = shape("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "panel", role: "img"});
  const draw = (run, kind) => { const d = path(run, scale); if (d) svg.append(shape("path", {d, class: kind})); };
  const central = (runs) => { const found = runs.filter((run) => run.seen !== null), value = middle(found.map((run) => run.seen)); return found.find((run) => run.seen === value); };
  if (scale.log && scale.ends[0] < 1 && scale.ends[1] > 1) svg.append(shape("path", {d: `M${EDGE} ${scale.y(1)}H${WIDTH - EDGE}`, class: "one"}));
  const behind = central(reference), bold = central(own), ends = own.map((run) => run.seen).filter((value) => value !== null);
  if (behind && behind !== bold) draw(behind, "behind");
  for (const run of own) draw(run, `seed ${colour}`);
  if (bold && own.length > 2) draw(bold, `middle ${colour}`);
  const words = ends.length ? `${number(middle(ends), 4)}${ends.length > 1 ? ` (${number(Math.min(...ends), 4)} to ${number(Math.max(...ends), 4)})` : ""}` : "nothing found";
  svg.setAttribute("aria-label", words);
  return make("div", svg, make("div.words", `${words}, ${integer(own.length)} ${own.length > 1 ? "runs" : "run"}`));
}

/// Arms across, tasks down; one scale for all where all are speedups, else one for each task.
function multiples(data, runs, state, refresh) {
  const unique = (key) => [...new Set(runs.map(key))].sort(), tasks = unique((run) => run.summary.task), all = data.arms.arms;
  const arms = unique((run) => run.arm ?? "–").sort((a, b) => all.indexOf(a) - all.indexOf(b)), whole = runs.every((run) => run.speedups) ? scaleOf(runs) : null;
  const reference = data.arms.comparison?.analysis.reference;
  const rows = tasks.slice(0, MOST_ROWS).map((task) => {
    const own = runs.filter((run) => run.summary.task === task), scale = whole ?? scaleOf(own);
    const of = (arm) => own.filter((run) => (run.arm ?? "–") === arm);
    return [[button(task, () => { state.task = task; refresh(); }), make("div.words", `${number(scale.ends[0], 3)} to ${number(scale.ends[1], 3)}, ${integer(scale.most)} evaluations`)],
      ...arms.map((arm) => (of(arm).length ? panel(of(arm), reference === undefined ? [] : of(reference), scale, `c${Math.max(0, all.indexOf(arm)) % SERIES.length}`) : "–"))];
  });
  const node = table([["task", ""], ...arms.map((arm) => [arm, ""])], rows, `Best ${runs[0]?.unit ?? "objective"} so far over evaluations: a thin line a run, the run in the middle bold${reference && arms.length > 1 ? `, that of ${reference} in grey` : ""}. ${whole ? "All on one logarithmic scale." : "One scale a task."} Below: the middle run, lowest and highest.`);
  node.classList.add("multiples");
  return node;
}

function statistics(data) {
  const c = data.comparison;
  if (!c) return data.why_not ? make("p.note", `No comparison: ${data.why_not}`) : "";
  if (c.arms.length < 2) return "";  // a mean over unlike tasks of one arm says nothing
  const ratio = c.analysis.scale === "log", range = (ci) => (ci[0] === null || ci[1] === null ? "–" : `[${number(ci[0], 4)}, ${number(ci[1], 4)}]`);
  const arms = table([["arm", ""], ["tasks", "number"], ["runs", "number"], [`${plain(c.analysis.endpoint)}: mean`, "number"], ["95 % interval", "number"], ["median", "number"], ["IQM", "number"]],
    c.arms.map((arm) => [arm.name, integer(arm.tasks), integer(arm.runs), make("b", number(arm.mean.value, 4)), range(arm.mean.ci), number(arm.median, 4), number(arm.iqm, 4)]));
  const contrasts = table([[`against ${c.analysis.reference}`, ""], ["units", "number"], [ratio ? "ratio" : "difference", "number"], ["95 % interval", "number"], ["adjusted p", "number"], ["A12", "number"], ["conclusion", ""]],
    c.contrasts.map((one) => [one.arm, integer(one.units), make("b", number(one.effect.value, 4)), range(one.effect.ci),
      one.p_adjusted === null ? "out of reach" : number(one.p_adjusted, 2), fixed(one.a12, 3), plain(one.conclusion)]));
  return make("div", arms, c.contrasts.length ? contrasts : "", make("p.below", c.caption), c.notes.map((note) => make("p.note", note)),
    c.exploratory ? make("p.note", `Exploratory: ${c.exploratory}.`) : "");
}

function best(run, role) {
  const least = headline(run.raw.verified, role);
  return least ? [make(least.high < 1 ? "b.lost" : "b", times(least.speedup)), " ", make("span.interval", interval(least.low, least.high))] : "–";
}

function runTable(shown, select) {
  const verified = shown.some(([run]) => run.raw.verified.length);
  const head = [["run", ""], ["arm", ""], ["task", ""], ["seed", "number"], ["state", ""], ["evaluations", "number"], ["best seen", "number"],
    ...(verified ? [["bench, fastest opponent", "number"], ["holdout", "number"]] : []), ["cells filled", "number"], ["QD score", "number"]];
  const list = table(head, shown.slice(0, MOST_ROWS).map(([run, i]) => [button(run.summary.run_id, () => select(i)), run.arm ?? "–", run.summary.task, String(run.summary.seed), run.summary.state,
    integer(run.summary.evaluations), number(run.seen, 4), ...(verified ? [best(run, "bench"), best(run, "holdout")] : []), percent(run.summary.coverage), number(run.summary.qd_score, 4)]),
  `${integer(shown.length)} runs${shown.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown: filter them` : ""}. A click opens a run below.`);
  list.classList.add("log");
  return list;
}

/// Hosts, devices and programs: figures of different ones need not be comparable.
function makers(all) {
  return table([["made by", ""], ["runs", "number"], ["device", ""], ["processor of the host", ""], ["program", ""]],
    all.made_by.map((one) => [one.host, integer(one.runs), one.device, one.hardware, make("code", one.program.slice(0, 12))]));
}

/// Choices of arm, task and state, and a text that the run's name must hold.
function filters(runs, state, refresh) {
  const pick = (key, of) => {
    const values = [...new Set(runs.map(of))].sort();
    const node = choice(key, [["", "all"], ...values.map((value) => [value, value])], state[key], (value) => { state[key] = value; refresh(); });
    node.hidden = values.length < 2;
    return node;
  };
  const text = document.createElement("input");
  text.type = "search";
  text.value = state.text;
  text.addEventListener("input", () => { state.text = text.value; refresh(); });
  return make("div.filters", make("label.control", make("span", "name"), text), pick("arm", (run) => run.arm ?? "–"), pick("task", (run) => run.summary.task), pick("state", (run) => run.summary.state));
}

export function arms(all, runs, select) {
  const data = all.arms, state = {text: "", arm: "", task: "", state: ""};
  const order = runs.map((run, i) => [run, i]).sort(([a], [b]) => a.summary.task.localeCompare(b.summary.task) ||
    (a.arm ?? "").localeCompare(b.arm ?? "") || a.summary.seed - b.summary.seed);
  const node = section("arms", `${integer(runs.length)} runs`, "");
  const grid = make("div"), list = make("div"), chosen = make("div");
  const refresh = () => {
    const shown = order.filter(([run]) => run.summary.run_id.includes(state.text) && (!state.arm || (run.arm ?? "–") === state.arm) && (!state.task || run.summary.task === state.task) && (!state.state || run.summary.state === state.state));
    grid.replaceChildren(shown.length ? multiples(all, shown.map(([run]) => run), state, () => { chosen.replaceChildren(filters(runs, state, refresh)); refresh(); }) : make("p.note", "No run is like that."));
    list.replaceChildren(runTable(shown, select));
  };
  chosen.append(filters(runs, state, refresh));
  node.append(chosen, grid, statistics(data), list);
  for (const line of data.missing) node.append(make("p.note", `Missing: ${line}`));
  if (all.warning) node.append(make("p.note", `Warning: ${all.warning}`));
  node.append(makers(all));
  refresh();
  return node;
}
