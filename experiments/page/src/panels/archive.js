// The archive as heat maps: any island or all of them, any pair of axes, at any step.
import {bins, place, title} from "../cells.js";
import {axis, figure, framed, inks, tip, tooltip, VIRIDIS} from "../chart.js";
import {button, choice, lazyDetails, make, section, table} from "../dom.js";
import {bin, duration, figure as number, integer, interval, percent} from "../format.js";
import {visible} from "../text.js";

const COMMON = -1;

/// All ways to choose two axes, the first across and the second up.
function pairs(axes) {
  const list = [];
  for (let x = 1; x < axes.length; x++) for (let y = 0; y < x; y++) list.push([x, y]);
  return list.length ? list : [[0, -1]];
}

class View {
  constructor(run, open) {
    this.run = run;
    this.open = open;
    this.numeric = run.raw.numeric_elites?.length > 0;
    this.island = COMMON;
    this.step = run.stepCount - 1;
    this.pair = pairs(run.axes(COMMON))[0];
  }
  get axes() { return this.run.axes(this.island); }

  elites() {
    if (this.numeric) return new Map(this.run.raw.numeric_elites);
    if (this.known?.island !== this.island || this.known.step !== this.step) this.known = {island: this.island, step: this.step, cells: this.run.elites(this.island, this.step)};
    return this.known.cells;
  }
  value(entry) { return this.numeric ? entry : this.run.objective(entry); }

  /// The elites seen along two axes: the best one over all others. [x, y, value, row, cell].
  seen() {
    const [x, y] = this.pair, best = new Map();
    for (const [cell, entry] of this.elites()) {
      const at = bins(cell, this.axes), key = `${at[x]} ${y < 0 ? 0 : at[y]}`, value = this.value(entry);
      const old = best.get(key);
      if (!old || value > old[2]) best.set(key, [at[x], y < 0 ? 0 : at[y], value, this.numeric ? -1 : entry, cell]);
    }
    return [...best.values()];
  }
  /// Scale of the last step, so that colours keep their meaning under the slider.
  range() {
    if (this.scale?.island === this.island) return this.scale.ends;
    const step = this.step;
    this.step = this.run.stepCount - 1;
    let low = Infinity, high = -Infinity;
    for (const entry of this.elites().values()) {
      low = Math.min(low, this.value(entry));
      high = Math.max(high, this.value(entry));
    }
    this.step = step;
    this.scale = {island: this.island, ends: low <= high ? [low, high] : [0, 1]};
    return this.scale.ends;
  }
}

function option(view) {
  const ink = inks(), {axes, pair: [x, y]} = view, across = axes[x], up = y < 0 ? {measure: "", unit: "", bins: [""]} : axes[y];
  const cells = view.seen(), [low, high] = view.range(), filled = new Set(cells.map((cell) => `${cell[0]} ${cell[1]}`));
  const count = across.bins.length * up.bins.length, many = count > 260, empty = [];
  for (let i = 0; i < across.bins.length; i++) for (let j = 0; j < up.bins.length; j++) if (!filled.has(`${i} ${j}`)) empty.push([i, j, 0]);
  const names = (one) => one.bins.map((label) => visible(bin(label)));
  const shape = {itemStyle: {borderColor: ink.back, borderWidth: count > 2500 ? 0 : many ? 0.5 : 2}, emphasis: {itemStyle: {borderColor: ink.text, borderWidth: 1.5}}};
  const some = (one) => ({interval: Math.max(0, Math.ceil(one.bins.length / 18) - 1), color: ink.text, fontSize: 11.5});
  const flat = high <= low;
  const gap = Math.min(90, 16 + 6.4 * Math.max(...names(up).map((name) => name.length)));
  return {
    grid: {left: gap + 22, right: 84, top: 8, bottom: 58},
    xAxis: axis("x", visible(title(across)), {type: "category", data: names(across), splitLine: {show: false}, axisTick: {show: false}, nameGap: 34}),
    yAxis: axis("y", visible(title(up)), {type: "category", data: names(up), splitLine: {show: false}, axisTick: {show: false}, nameGap: gap, axisLabel: some(up)}),
    visualMap: {type: "continuous", seriesIndex: 0, show: !flat, dimension: 2, min: flat ? low - 1 : low, max: high, calculable: false, hoverLink: false, right: 0, top: 8, itemHeight: 190, itemWidth: 12,
      text: [number(high, 4), number(low, 4)], textStyle: {color: ink.text, fontSize: 11.5}, inRange: {color: VIRIDIS}},
    tooltip: tooltip((p) => describe(view, p, cells)),
    series: [
      {type: "heatmap", data: cells, progressive: 0, ...shape, label: {show: !many, fontSize: 11.5, formatter: (p) => number(p.value[2], 3),
        color: ink.text}, encode: {x: 0, y: 1, value: 2}},
      {type: "heatmap", data: empty, silent: false, ...shape, itemStyle: {...shape.itemStyle, color: ink.empty, decal: undefined}, emphasis: {disabled: true}},
    ],
  };
}

/// Dark ink on light cells and light ink on dark ones.
function labelled(built, view) {
  const [low, high] = view.range();
  built.series[0].data = built.series[0].data.map((cell) => ({value: cell, label: {color: high <= low || (cell[2] - low) / (high - low) > 0.55 ? "#111" : "#fff"}}));
  return built;
}

function describe(view, p, cells) {
  if (p.seriesIndex === 1) return tip("empty", "no kernel of these properties was ok");
  const [, , value, row, cell] = cells[p.dataIndex];
  if (row < 0) return tip(number(value, 5), place(cell, view.axes));
  const {run} = view;
  return tip(`${run.id(row)}: ${number(value, 4)} ${interval(run.low(row), run.high(row))}`, run.operator(row), place(cell, view.axes), "click to list its kernels");
}

function elitesTable(view) {
  const {run, axes} = view;
  const rows = [...view.elites()].sort((a, b) => run.objective(b[1]) - run.objective(a[1])).map(([cell, row]) => [
    button(run.id(row), () => view.open(run, row)), make("b", number(run.objective(row), 4)), interval(run.low(row), run.high(row)),
    run.operator(row), ...bins(cell, axes).map((at, i) => bin(axes[i].bins[at]))]);
  const head = [["elite", ""], ["objective", "number"], ["95 % interval", "number"], ["operator", ""], ...axes.map((one) => [title(one), "number"])];
  return table(head, rows);
}

/// Kernels that passed every check in the square of a cell, best first.
function brush(view, cell) {
  const {run, axes, pair: [x, y]} = view, at = bins(cell, axes), {events, candidates} = run.raw;
  const same = (other) => other[x] === at[x] && (y < 0 || other[y] === at[y]);
  const placed = view.island === COMMON ? candidates.cell.map((one, row) => [row, one]) : run.changes(view.island).map((i) => [events.challenger[i], events.cell[i]]);
  const rows = placed.filter(([row, one]) => one >= 0 && run.objective(row) !== null && same(bins(one, axes))).map(([row]) => row).sort((a, b) => run.objective(b) - run.objective(a));
  const where = [x, y].filter((one) => one >= 0).map((one) => `${title(axes[one])} ${bin(axes[one].bins[at[one]])}`).join(", ");
  const list = table([["kernel", ""], ["time", "number"], [run.unit, "number"], ["95 % interval", "number"], ["operator", ""], ["evaluation", "number"]], rows.slice(0, 100).map((row) => [
    button(run.id(row), () => view.open(run, row)), run.ns(row) ? duration(run.ns(row) / 1e9) : "–", make("b", number(run.objective(row), 4)), interval(run.low(row), run.high(row)), run.operator(row), integer(run.evaluations[row])]),
  rows.length > 100 ? `The best 100 of ${integer(rows.length)}.` : "");
  list.classList.add("log");
  return make("div", make("h4", `${integer(rows.length)} ${rows.length === 1 ? "kernel" : "kernels"} of ${where}`), list);
}

function emptyTable(view) {
  const {axes} = view, filled = view.elites(), rows = [];
  const count = axes.reduce((product, one) => product * one.bins.length, 1);
  for (let cell = 0; cell < count && rows.length < 400; cell++) {
    if (!filled.has(cell)) rows.push(bins(cell, axes).map((at, i) => bin(axes[i].bins[at])));
  }
  return table(axes.map((one) => [title(one), "number"]), rows);
}

function lists(view) {
  const count = view.axes.reduce((product, one) => product * one.bins.length, 1), filled = view.elites().size;
  return make("div.lists", view.numeric ? null : lazyDetails(filled === 1 ? "its elite as a table" : `${integer(filled)} elites as a table`, () => elitesTable(view)),
    count > filled ? lazyDetails(`${integer(count - filled)} of ${integer(count)} cells are empty: which?`, () => emptyTable(view)) : null);
}

function caption(view) {
  const {run} = view, count = view.axes.reduce((product, one) => product * one.bins.length, 1), filled = view.elites().size;
  const others = view.axes.length > 2 ? " Each square shows the best elite over the other axes." : "";
  const when = view.numeric ? "at the end" : `after step ${integer(view.step + 1)} of ${integer(run.stepCount)}`;
  return `${integer(filled)} of ${integer(count)} cells filled (${percent(filled / count)}) ${when}.${others}`;
}

function slider(view, onChange) {
  const input = document.createElement("input");
  input.type = "range";
  input.min = 0;
  input.max = Math.max(0, view.run.stepCount - 1);
  input.value = view.step;
  input.setAttribute("aria-label", "step");
  input.addEventListener("input", () => { view.step = Number(input.value); onChange(); });
  return make("label.control.slider", make("span", "step"), input);
}

export function archive(run, open) {
  if (!run.raw.axes.common.length || (!run.raw.events?.cell.length && !run.raw.numeric_elites?.length)) return null;
  const view = new View(run, open);
  const node = section("archive", "Archive", view.numeric ? "The best solution of each combination of measures, at the end. Grey cells are empty."
    : "The best kernel of each combination of properties. Grey cells are empty. Click a cell to list its kernels.");
  const rows = () => (view.pair[1] < 0 ? 1 : view.axes[view.pair[1]].bins.length);
  const height = () => Math.max(300, Math.min(620, 110 + 46 * rows()));
  const map = figure("Elites by their properties", height(), () => labelled(option(view), view));
  const width = () => { map.box.style.maxWidth = `${200 + 96 * view.axes[view.pair[0]].bins.length}px`; };
  const text = make("p.below"), below = make("div");
  const refresh = (whole = true) => {
    width();
    map.update();
    text.textContent = caption(view);
    if (whole) below.replaceChildren(lists(view));
  };
  let pairChoice;
  const choosePair = () => {
    const options = pairs(view.axes);
    view.pair = options[0];
    map.resize(height());
    const next = choice("axes", options.map(([x, y], i) => [String(i), y < 0 ? title(view.axes[x]) : `${title(view.axes[x])} × ${title(view.axes[y])}`]), "0",
      (i) => { view.pair = options[Number(i)]; map.resize(height()); refresh(); });
    if (pairChoice) pairChoice.replaceWith(next);
    next.hidden = options.length < 2;
    pairChoice = next;
  };
  choosePair();
  const islands = run.axes(0).length ? run.islands() : [];
  const which = choice("archive", [[String(COMMON), "all islands"], ...islands.map((i) => [String(i), `island ${i}`])], String(COMMON),
    (value) => { view.island = Number(value); choosePair(); refresh(); });
  which.hidden = islands.length === 0 || view.numeric;
  const frame = framed(run.unit, map, which, pairChoice);
  const brushed = make("div.brushed");
  brushed.setAttribute("aria-live", "polite");
  frame.append(view.numeric ? "" : slider(view, () => refresh()), text, brushed, below);
  node.append(frame);
  map.on("click", (p) => { if (p.seriesIndex === 0 && p.value[3] >= 0) brushed.replaceChildren(brush(view, p.value[4])); });
  refresh();
  return node;
}
