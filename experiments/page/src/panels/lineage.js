// Where a kernel comes from: its ancestors over the run, and as a list that opens at each crossover.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {button, choice, make, section, shape} from "../dom.js";
import {duration, figure as number, fixed, integer, times} from "../format.js";
import {visible} from "../text.js";

const LANE = 14, LINE = 30;
const MOST_LANES = 20, LINES_AT_ONCE = 200;  // beyond, nobody can follow them
const MOST_OTHERS = 1500;  // dots of kernels that are no ancestors

const gainText = (run, gain) => (gain === null ? "" : run.speedups ? times(gain) : `${gain < 0 ? "" : "+"}${number(gain, 3)}`);

function ancestors(run, row) {
  const found = new Set([row]), open = [row];
  while (open.length) for (const parent of run.parents(open.pop())) if (!found.has(parent.row)) { found.add(parent.row); open.push(parent.row); }
  return found;
}

/// The parent that a line follows: the best one, else the first.
function mainParent(run, row) {
  const best = run.bestParent(row);
  return best >= 0 ? best : run.parents(row)[0]?.row ?? -1;
}

/// Rows to show, newest first: the main line of `row`, and those of all parents of opened rows.
function shownRows(run, row, opened) {
  const shown = new Set(), starts = [row];
  while (starts.length) {
    for (let at = starts.pop(); at >= 0 && !shown.has(at); at = mainParent(run, at)) {
      shown.add(at);
      if (opened.has(at)) starts.push(...run.parents(at).map((parent) => parent.row));
    }
  }
  return [...shown].sort((a, b) => b - a);
}

/// Lanes as in a log of versions: each row takes a lane, its parents wait below in lanes of their own.
function lanes(run, rows) {
  const shown = new Set(rows), waiting = [], lines = [];
  for (const row of rows) {
    let lane = waiting.indexOf(row);
    if (lane < 0) { lane = waiting.indexOf(-1); if (lane < 0) lane = waiting.length; }
    const before = waiting.slice();
    for (let i = 0; i < waiting.length; i++) if (waiting[i] === row) waiting[i] = -1;
    const parents = [...new Set(run.parents(row).map((parent) => parent.row))].filter((parent) => shown.has(parent));
    parents.sort((a, b) => (a === mainParent(run, row) ? -1 : b === mainParent(run, row) ? 1 : 0));
    const down = parents.map((parent, i) => {
      let at = waiting.indexOf(parent);
      if (at < 0) { at = i === 0 && (waiting[lane] ?? -1) === -1 ? lane : waiting.indexOf(-1); if (at < 0) at = waiting.length; waiting[at] = parent; }
      return at;
    });
    while (waiting.length && waiting.at(-1) === -1) waiting.pop();
    lines.push({row, lane, before, down, after: waiting.slice()});
  }
  return lines;
}

function graph(line, width) {
  const svg = shape("svg", {width: width * LANE + 6, height: LINE, "aria-hidden": "true"});
  const x = (lane) => 8 + lane * LANE, middle = LINE / 2;
  line.before.forEach((row, lane) => {
    if (row === line.row) svg.append(shape("path", {d: `M${x(lane)} 0 L${x(line.lane)} ${middle}`, class: "edge"}));
    else if (row >= 0) svg.append(shape("path", {d: `M${x(lane)} 0 V${LINE}`, class: "edge"}));
  });
  for (const lane of line.down) svg.append(shape("path", {d: `M${x(line.lane)} ${middle} L${x(lane)} ${LINE}`, class: "edge"}));
  line.after.forEach((row, lane) => {
    if (row >= 0 && line.before[lane] !== row && !line.down.includes(lane)) svg.append(shape("path", {d: `M${x(lane)} ${middle} V${LINE}`, class: "edge"}));
  });
  svg.append(shape("circle", {cx: x(line.lane), cy: middle, r: 4.5, class: "dot"}));
  return svg;
}

function entry(run, line, width, state, refresh, open) {
  const {row} = line, parents = run.parents(row), hidden = parents.filter((parent) => !state.shown.has(parent.row));
  const edges = parents.filter((parent) => state.shown.has(parent.row)).map((parent) => {
    const gain = parent.role === "parent" ? gainText(run, run.gainOver(row, parent.row)) : parent.role;
    return make("span.edge", button(`${gain ? `${gain} ` : ""}over ${run.id(parent.row)}`, () => open(run, row, `Changes from ${parent.role === "parent" ? "parent" : parent.role} ${run.id(parent.row)}`)));
  });
  const more = hidden.length ? button(`+ ${hidden.map((parent) => run.id(parent.row)).join(", ")}`, () => { state.opened.add(row); refresh(); }, "button.more") : "";
  const value = run.objective(row);
  return make("tr", make("td.graph", graph(line, width)), make("td", button(run.id(row), () => open(run, row))), make("td", run.operator(row), run.letters(row).length ? [" ", button("letter", () => open(run, row, "Letter")), " ", button("answer", () => open(run, row, "Answer"))] : ""),
    make("td.number", run.ns(row) ? duration(run.ns(row) / 1e9) : "–"), make("td.number", value === null ? run.verdict(row) : make("b", fixed(value, 4))), make("td.edges", edges, more), make("td.number", integer(run.evaluations[row])));
}

function list(run, state, refresh, open) {
  const rows = shownRows(run, state.row, state.opened);
  state.shown = new Set(rows);
  const lines = lanes(run, rows.slice(0, state.lines)), left = rows.length - lines.length;
  const width = Math.min(MOST_LANES, Math.max(...lines.map((line) => Math.max(line.before.length, line.after.length, line.lane + 1))));
  const head = ["line", "kernel", "operator", "time", run.unit, "gain (click for the changes)", "evaluation"];
  const numbers = [3, 4, 6];
  const older = button(`Show ${integer(Math.min(left, LINES_AT_ONCE))} of ${integer(left)} older lines`, () => { state.lines += LINES_AT_ONCE; refresh(); });
  return make("div", make("div.scroll.log", make("table.lineage", make("thead", make("tr", head.map((text, i) => make(numbers.includes(i) ? "th.number" : "th", text)))),
    make("tbody", lines.map((line) => entry(run, line, width, state, refresh, open))))), left ? make("p.below", older) : "");
}

function chartOption(run, state) {
  const ink = inks(), points = [], others = [], edges = new Map(), labels = [];
  const step = Math.max(1, Math.floor(run.count / MOST_OTHERS));
  for (let i = 0; i < run.count; i += step) if (run.objective(i) !== null && !state.family.has(i)) others.push([run.evaluations[i], run.objective(i), i]);
  const dots = new Set();
  for (const row of state.shown) {
    if (run.objective(row) === null) continue;
    dots.add(row);
    for (const parent of run.parents(row)) {
      if (parent.role !== "parent" || run.objective(parent.row) === null) continue;
      dots.add(parent.row);
      const line = edges.get(run.operator(row)) ?? edges.set(run.operator(row), []).get(run.operator(row));
      const a = [run.evaluations[parent.row], run.objective(parent.row)], b = [run.evaluations[row], run.objective(row)];
      line.push(a, b, [null, null]);
      labels.push({value: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], name: `${run.operator(row)} ${gainText(run, run.gainOver(row, parent.row))}`});
    }
  }
  for (const row of dots) points.push([run.evaluations[row], run.objective(row), row]);
  const names = [...edges.keys()].sort();
  return {
    grid: {left: 62, right: 16, top: 34, bottom: 46},
    legend: {top: 0, left: 56, itemWidth: 18, itemHeight: 3, icon: "rect", textStyle: {color: ink.text, fontSize: 12}, data: names.map(visible)},
    xAxis: axis("x", "evaluations", {type: "value", min: 0}),
    yAxis: axis("y", run.unit, {type: "value", scale: true}),
    tooltip: tooltip((at) => tip(`${run.id(at.value[2])}: ${number(run.objective(at.value[2]), 4)}`, run.operator(at.value[2]), gainText(run, run.gain(at.value[2])) && `${gainText(run, run.gain(at.value[2]))} over its best parent`, "click to open"), {trigger: "item"}),
    series: [
      {type: "scatter", data: others, symbolSize: 3, itemStyle: {color: ink.dot}, progressive: 0},
      ...names.map((name, i) => ({type: "line", name: visible(name), data: edges.get(name), symbol: "none", connectNulls: false, silent: true, lineStyle: {color: SERIES[i % SERIES.length], width: 1.8}, itemStyle: {color: SERIES[i % SERIES.length]}, z: 4})),
      {type: "scatter", data: points, symbolSize: 7, itemStyle: {color: ink.text, borderColor: ink.back, borderWidth: 1.5}, z: 6},
      {type: "scatter", data: labels.length <= 10 ? labels : [], symbolSize: 0, silent: true, z: 7,
        label: {show: true, formatter: (at) => visible(at.name), color: ink.muted, fontSize: 11, position: "top"}, labelLayout: {hideOverlap: true}},
    ],
  };
}

function starts(run) {
  const rows = [run.champion];
  const best = Array.from({length: run.count}, (_, i) => i).filter((i) => run.objective(i) !== null && run.outcome(i) === "kernel" && i !== run.champion);
  best.sort((a, b) => run.objective(b) - run.objective(a));
  return rows.concat(best.slice(0, 9));
}

export function lineage(run, open) {
  if (run.champion < 0 || !run.linksUp(run.champion).length) return null;
  const node = section("lineage", "Lineage", "How the champion came about. Each line of the list is a kernel above its parents; a crossover has two, and + opens the line of the other one.");
  const state = {row: run.champion, opened: new Set(), shown: new Set(), family: new Set(), lines: LINES_AT_ONCE};
  const box = make("div"), chart = figure("Ancestors of the kernel", 340, () => chartOption(run, state)), all = make("span");
  const refresh = () => {
    state.family = ancestors(run, state.row);
    box.replaceChildren(list(run, state, refresh, open));
    const left = [...state.family].filter((row) => !state.shown.has(row)).length;
    all.replaceChildren(left ? button(`Show all ${integer(state.family.size)} ancestors`, () => { for (const row of state.family) state.opened.add(row); refresh(); }) : "");
    chart.update();
  };
  const which = choice("kernel", starts(run).map((row) => [String(row), `${run.id(row)}: ${number(run.objective(row), 4)}${row === run.champion ? ", champion" : ""}`]), String(state.row),
    (value) => { state.row = Number(value); state.opened.clear(); state.lines = LINES_AT_ONCE; refresh(); });
  chart.on("click", (at) => { if (at.value?.[2] !== undefined) open(run, at.value[2]); });
  const frame = framed("Ancestors", chart, which, all);
  frame.append(box);
  node.append(frame);
  refresh();
  return node;
}
