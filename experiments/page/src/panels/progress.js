// How the run came along: best kernel, quality and diversity over what was spent.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {choice, make, section} from "../dom.js";
import {figure as number, fixed, integer, percent} from "../format.js";

const MOST_DOTS = 1500;  // more say no more, and take long to draw

const CURRENCIES = [["evaluations", "evaluations"], ["proposals", "proposals"], ["answers", "answers"], ["device_seconds", "device time (s)"], ["seconds", "wall time (s)"],
  ["tokens", "tokens"], ["dollars", "dollars"]];

const zip = (xs, ys) => xs.map((x, i) => [x, ys[i]]).filter(([, y]) => y !== null);

/// At most `most` points, evenly chosen, the highest always among them.
function sample(points, most) {
  if (points.length <= most) return points;
  const every = points.length / most, kept = [];
  for (let i = 0; i < most; i++) kept.push(points[Math.floor(i * every)]);
  kept.push(points.reduce((best, point) => (point[1] > best[1] ? point : best)));
  return kept;
}

/// Least distance of an axis's ticks: what is counted has no fractions.
const counted = (name) => (/dollar|second|time/.test(name) ? undefined : 1);

function seenKernels(run, currency) {
  if (!run.count || (currency !== "evaluations" && currency !== "proposals")) return [];
  const points = [];
  for (let i = 0; i < run.count; i++) {
    if (run.objective(i) !== null && run.outcome(i) === "kernel") points.push([currency === "proposals" ? i + 1 : run.evaluations[i], run.objective(i), i]);
  }
  return sample(points, MOST_DOTS);
}

/// The champion's dot, which stands out.
const champion = (at) => ({value: at, symbolSize: 11, itemStyle: {color: SERIES[1], opacity: 1},
  label: {show: true, formatter: "champion", position: "bottom", color: inks().text, fontSize: 11.5}});

function bestOption(run, state) {
  const ink = inks(), p = run.raw.progress, points = seenKernels(run, state.currency), best = zip(p[state.currency], p.best);
  return {
    grid: {left: 62, right: 16, top: 12, bottom: 46},
    xAxis: axis("x", CURRENCIES.find(([key]) => key === state.currency)[1], {type: "value", min: 0, max: best.at(-1)?.[0], minInterval: counted(state.currency)}),
    yAxis: axis("y", run.unit, {type: "value", scale: true}),
    tooltip: tooltip((at) => (at.seriesIndex === 0
      ? tip(`${run.id(at.value[2])}: ${number(at.value[1], 4)}`, run.operator(at.value[2]), "click to open")
      : tip(number(at.value[1], 4), `${integer(at.value[0])} ${state.currency.replace("_", " ")}`)), {trigger: "item"}),
    series: [
      {type: "scatter", data: points.map((at) => (at[2] === run.champion ? champion(at) : at)), symbolSize: points.length > 1500 ? 2.5 : 4.5, itemStyle: {color: ink.dot}, large: false, cursor: "pointer", progressive: 0, z: 6},
      {type: "line", data: best, step: "end", symbol: "circle", symbolSize: 3, showSymbol: best.length < 60, lineStyle: {color: SERIES[0], width: 2.2}, itemStyle: {color: SERIES[0]}, z: 5},
    ],
  };
}

function lineOption(xs, ys, name, x, colour = SERIES[0], more = {}) {
  return () => ({
    grid: {left: 62, right: 16, top: 12, bottom: 46},
    xAxis: axis("x", x, {type: "value", min: 0, max: xs.at(-1), minInterval: counted(x)}),
    yAxis: axis("y", name, {type: "value", ...more.axis}),
    tooltip: tooltip((at) => tip(number(at.value[1], 4), `${integer(at.value[0])} ${x}`), {trigger: "item"}),
    series: [{type: "line", data: zip(xs, ys), step: more.step, showSymbol: !more.step && xs.length < 80, symbol: "circle", symbolSize: 4, lineStyle: {color: colour, width: 2}, itemStyle: {color: colour}}],
  });
}

/// Evaluations by step, for figures that are known at steps.
function evaluationsAt(run, stepIndices) {
  const p = run.raw.progress;
  let at = 0;
  return stepIndices.map((step) => {
    while (at + 1 < p.step_index.length && p.step_index[at + 1] <= step) at++;
    return p.evaluations[at];
  });
}

function archiveFigures(run) {
  const p = run.raw.progress, x = "evaluations", list = [];
  if (!p.filled.some((filled) => filled > 0)) return list;
  list.push(framed("Quality: QD score", figure("QD score over evaluations", 230, lineOption(p.evaluations, p.qd_score, "sum of elites", x, SERIES[0], {step: "end"}))));
  list.push(framed("Coverage", figure("Filled cells over evaluations", 230, lineOption(p.evaluations, p.filled, "filled cells", x, SERIES[2], {step: "end"}))));
  const d = run.raw.diversity;
  if (!d) return list;
  const xs = evaluationsAt(run, d.step_index), varies = (ys) => ys.some((y) => y !== null && y !== ys[0]);
  if (varies(d.entropy)) list.push(framed("Diversity: evenness of visits", figure("Entropy of cells over evaluations", 230, lineOption(xs, d.entropy, "entropy of cells, 0–1", x, SERIES[3], {axis: {min: 0, max: 1}}))));
  if (varies(d.spread)) {
    list.push(framed("Diversity: spread of elites", figure("Mean distance of elites over evaluations", 230, lineOption(xs, d.spread, "mean distance", x, SERIES[1], {axis: {min: 0}}))));
  }
  if (varies(d.code)) {
    list.push(framed("Diversity: code of elites", figure("Mean distance of the elites' sources over evaluations", 230, lineOption(xs, d.code, "distance of sources, 0–1", x, SERIES[5], {axis: {min: 0, max: 1}}))));
  }
  if (varies(d.binaries)) {
    list.push(framed("Diversity: different binaries", figure("Different binaries among the elites", 230, lineOption(xs, d.binaries, "binaries", x, SERIES[4], {axis: {min: 0}}))));
  }
  return list;
}

/// The best kernel so far over evaluations, answers, dollars or seconds.
export function bestSoFar(run, open) {
  const state = {currency: "evaluations"}, p = run.raw.progress;
  const name = run.numeric ? "Best solution so far" : "Best kernel so far";
  const best = figure(name, 260, () => bestOption(run, state));
  const currencies = CURRENCIES.filter(([key]) => p[key]?.at(-1) > 0);
  const against = choice("against", currencies, "evaluations", (key) => { state.currency = key; best.update(); });
  best.on("click", (at) => { if (at.seriesIndex === 0) open(run, at.value[2]); });
  const frame = framed(name, best, against);
  frame.append(make("p.below", run.numeric ? "" : "The line is the best kernel so far as the search saw it; each dot is a kernel that passed every check. The highest of many noisy figures is partly luck, so the champion is chosen among the best ones measured again."));
  return frame;
}

/// How the archive filled.
export function progress(run) {
  const figures = archiveFigures(run), s = run.summary, corrected = s.corrected_qd_score;
  if (!figures.length) return null;
  const node = section("progress", "Archive over the run", `${percent(s.coverage)} of the cells hold a kernel; their objectives add up to ${number(s.qd_score, 4)} (the QD score).`);
  if (corrected) node.append(make("p.note", `${integer(corrected.cells)} ${corrected.cells > 1 ? "cells" : "cell"} of the common archive measured again: ${fixed(corrected.seen, 2)} as seen, ${fixed(corrected.score, 2)} verified.`));
  node.append(make("div.columns.even", figures));
  return node;
}
