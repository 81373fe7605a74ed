// What the run found, and how sure that is.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {button, details, make, section, table} from "../dom.js";
import {duration, fixed, integer, interval, percent, times} from "../format.js";
import {visible} from "../text.js";

const ROLES = ["bench", "validation", "holdout"];

function figures(run) {
  return run.raw.verified.filter((figure) => figure.candidate === run.champion && figure.speedup !== null && figure.speedup > 0);
}

/// The figure that counts: against the fastest baseline, at the shapes that the search saw.
function headline(run) {
  const bench = figures(run).filter((figure) => figure.role === "bench");
  const named = bench.filter((figure) => figure.baseline !== "anchor");
  return (named.length ? named : bench).reduce((least, figure) => (!least || figure.speedup < least.speedup ? figure : least), null);
}

/// How sure a speedup is, in words.
function surely(figure) {
  const range = `95 % sure within ${interval(figure.low, figure.high)}`;
  return figure.low <= 1 && figure.high >= 1 ? `${range}, so the two cannot be told apart` : range;
}

function statement(run, open) {
  const {summary} = run, best = headline(run);
  if (run.numeric) {
    return make("p.statement", "Highest objective ", make("b", fixed(summary.max, 3)), " in ", integer(summary.filled), " filled cells after ",
      integer(summary.evaluations), " evaluations.");
  }
  if (!summary.champion) return make("p.statement", "No kernel passed every check yet.");
  const name = button(summary.champion.id, () => open(run, run.champion));
  const found = [" Kernel ", name, ", proposed by ", make("b", summary.champion.operator),
    run.champion >= 0 ? `, is evaluation ${integer(run.evaluations[run.champion])} of ${integer(summary.evaluations)}.` : "."];
  if (best) {
    const unseen = figures(run).find((figure) => figure.role === "holdout" && figure.baseline === best.baseline);
    return make("p.statement", "The champion is ", make("b", times(best.speedup)), " as fast as ", make("b", plain(best.baseline)),
      `, the fastest baseline, measured afresh after it was chosen: ${surely(best)}.`,
      unseen ? [" At holdout shapes, by which nothing was selected, it is ", make("b", times(unseen.speedup)), ` as fast: ${surely(unseen)}.`] : "", found);
  }
  const seen = run.objective(run.champion);
  const sure = interval(run.low(run.champion), run.high(run.champion));
  return make("p.statement", summary.state === "done" ? "Best kernel: " : "Best kernel so far: ", make("b", run.speedups ? times(seen) : fixed(seen, 4)),
    sure ? ` ${sure}` : "", run.speedups ? " against the anchor, as seen during the search." : ".", found);
}

function facts(run) {
  const s = run.summary, corrected = s.corrected_qd_score;
  const state = s.stop ? `${s.state}: ${s.stop}` : s.state;
  const list = [["state", state], ["proposals", integer(s.proposals)], ["evaluations", integer(s.evaluations)],
    ["cells filled", percent(s.coverage)], ["QD score", fixed(s.qd_score, 2)],
    corrected && [`of it, ${integer(corrected.cells)} ${corrected.cells > 1 ? "cells" : "cell"} measured again`, `${fixed(corrected.seen, 2)} seen, ${fixed(corrected.score, 2)} verified`],
    ["wall time", duration(s.elapsed_s)]].filter(Boolean);
  return make("dl.facts", list.map(([name, value]) => make("div", make("dt", name), make("dd", value))));
}

function verifiedTable(run) {
  const own = figures(run), roles = ROLES.filter((role) => own.some((figure) => figure.role === role));
  const baselines = [...new Set(own.map((figure) => figure.baseline))];
  const cell = (baseline, role) => {
    const found = own.find((figure) => figure.baseline === baseline && figure.role === role);
    if (!found) return "–";
    return [make("b", times(found.speedup)), " ", make("span.interval", interval(found.low, found.high)),
      found.note ? make("span.note", ` ${found.note}`) : null];
  };
  const head = [["baseline", ""], ...roles.map((role) => [role, "number"])];
  return table(head, baselines.map((baseline) => [plain(baseline), ...roles.map((role) => cell(baseline, role))]),
    "Speedups of the champion, verified in fresh processes, with 95 % intervals. Holdout shapes were read once, after the choice.");
}

/// The ends of a logarithmic scale of powers of two around all values.
function powers(rows, reference) {
  const low = Math.min(reference, ...rows.map((row) => row.low ?? row.value)), high = Math.max(reference, ...rows.map((row) => row.high ?? row.value));
  return {type: "log", logBase: 2, min: 2 ** Math.floor(Math.log2(low)), max: 2 ** Math.ceil(Math.log2(high * 1.01))};
}

/// Points with whiskers, one line a row; `scale` says what the axis is like.
export function forest(rows, unit, reference, scale) {
  return () => {
    const ink = inks();
    const whisker = (params, api) => {
      const at = (value) => api.coord([value, api.value(3)]);
      const [x1, y] = at(api.value(1)), [x2] = at(api.value(2)), [x] = at(api.value(0));
      const stroke = api.visual("color"), line = (...points) => ({type: "line", shape: {x1: points[0], y1: points[1], x2: points[2], y2: points[3]}, style: {stroke, lineWidth: 1.6}});
      return {type: "group", children: [line(x1, y, x2, y), line(x1, y - 4, x1, y + 4), line(x2, y - 4, x2, y + 4),
        {type: "circle", shape: {cx: x, cy: y, r: 4}, style: {fill: stroke}}]};
    };
    return {
      grid: {left: 12, right: 24, top: 8, bottom: 44, containLabel: true},
      xAxis: axis("x", unit, {splitLine: {show: true, lineStyle: {color: ink.rule}}, ...scale}),
      yAxis: axis("y", "", {type: "category", inverse: true, data: rows.map((row) => visible(row.name)), axisTick: {show: false}, axisLine: {show: false}, splitLine: {show: false}}),
      tooltip: tooltip((p) => tip(rows[p.dataIndex].name, rows[p.dataIndex].words)),
      series: [
        {type: "custom", renderItem: whisker, data: rows.map((row, i) => ({value: [row.value, row.low ?? row.value, row.high ?? row.value, i], itemStyle: {color: row.colour ?? SERIES[0]}})), encode: {x: [0, 1, 2], y: 3}},
        {type: "line", data: [[reference, 0], [reference, rows.length - 1]], showSymbol: false, silent: true, lineStyle: {color: ink.muted, type: "dashed", width: 1}},
      ],
    };
  };
}

const plain = (name) => name.replaceAll("_", " ");

function verifiedFigure(run) {
  const order = figures(run).sort((a, b) => a.baseline.localeCompare(b.baseline) || ROLES.indexOf(a.role) - ROLES.indexOf(b.role));
  const rows = order.map((figure) => ({
    name: figure.role === "bench" ? `${plain(figure.baseline)}, bench` : figure.role, value: figure.speedup, low: figure.low, high: figure.high,
    words: `${times(figure.speedup)} ${interval(figure.low, figure.high)}`, colour: SERIES[Math.max(0, ROLES.indexOf(figure.role))],
  }));
  return framed("Champion against each baseline", figure("Verified speedups with intervals", 60 + 24 * rows.length, forest(rows, "speedup", 1, powers(rows, 1))));
}

function workloads(run) {
  const rows = figures(run).flatMap((figure) => figure.workloads.map((w) => [plain(figure.baseline), figure.role, w.name, make("b", times(w.speedup)),
    make("span.interval", interval(w.low, w.high)), duration(w.candidate_ns / 1e9), duration(w.opponent_ns / 1e9),
    w.floor_ns ? duration(w.floor_ns / 1e9) : "–", w.floor_ns ? percent(w.floor_ns / w.candidate_ns) : "–"]));
  if (!rows.length) return null;
  const head = [["baseline", ""], ["role", ""], ["shape", ""], ["speedup", "number"], ["95 % interval", "number"], ["champion", "number"],
    ["baseline time", "number"], ["floor", "number"], ["of the floor", "number"]];
  return details(`Every shape (${rows.length} measurements)`, table(head, rows,
    "Median time of one call. The floor is the compulsory memory traffic over the bandwidth measured on this machine."));
}

/// Other kernels that were measured afresh: the best elites of the archive.
function otherElites(run, open) {
  const own = run.raw.verified.filter((one) => one.candidate !== run.champion && one.speedup !== null && one.speedup > 0);
  if (!own.length) return null;
  const rows = own.map((one) => [button(run.id(one.candidate), () => open(run, one.candidate)), plain(one.baseline), one.role,
    make("b", times(one.speedup)), make("span.interval", interval(one.low, one.high)), one.note]);
  return details(`Other elites, verified (${integer(own.length)})`,
    table([["kernel", ""], ["against", ""], ["role", ""], ["speedup", "number"], ["95 % interval", "number"], ["", ""]], rows));
}

export function result(run, open) {
  const node = section("result", "Result");
  node.append(statement(run, open), facts(run));
  if (run.champion >= 0 && figures(run).length) node.append(make("div.columns", verifiedTable(run), verifiedFigure(run)));
  const more = run.champion >= 0 && workloads(run);
  if (more) node.append(more);
  const others = run.count > 0 && otherElites(run, open);
  if (others) node.append(others);
  for (const one of run.raw.not_promoted) node.append(make("p.note", `Kernel ${one.id} was not promoted: ${one.finding}`));
  return node;
}
