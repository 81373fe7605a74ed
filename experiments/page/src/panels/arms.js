// Several runs: arms side by side, with the statistics of `compare`.
import {axis, figure, framed, SERIES, tip, tooltip} from "../chart.js";
import {button, choice, make, section, table} from "../dom.js";
import {figure as number, fixed, integer, interval, percent, times} from "../format.js";
import {visible} from "../text.js";

const NAMES = {evaluations: "evaluations", proposals: "proposals", device_seconds: "device time (s)", seconds: "wall time (s)"};
const QUANTITIES = [["best", "best kernel"], ["qd_score", "QD score"]];

function curveOption(data, state) {
  const curves = data.curves[state.currency].filter((curve) => curve.task === state.task);
  const arms = data.arms.filter((arm) => curves.some((curve) => curve.arm === arm));
  const band = (points) => (params, api) => {
    if (params.dataIndex > 0) return null;
    const corner = (at, y) => api.coord([at, y]);
    const upper = points.map(([at, , , high]) => corner(at, high)), lower = points.map(([at, low]) => corner(at, low)).reverse();
    return {type: "polygon", shape: {points: upper.concat(lower)}, style: {fill: api.visual("color"), opacity: 0.16}, silent: true};
  };
  const series = arms.flatMap((arm, i) => {
    const curve = curves.find((one) => one.arm === arm), colour = SERIES[i % SERIES.length], dash = i >= SERIES.length ? "dashed" : "solid";
    const points = curve.at.map((at, k) => [at, ...curve[state.quantity][k]]).filter((point) => point.every((value) => value !== null));
    const name = visible(arm);
    return [
      {type: "custom", name, renderItem: band(points), data: points.map(([at, low, , high]) => [at, low, high]), encode: {x: 0, y: [1, 2]}, itemStyle: {color: colour}, silent: true, z: 1, clip: true},
      {type: "line", name, data: points.map(([at, , median]) => [at, median]), showSymbol: false, lineStyle: {color: colour, width: 2.2, type: dash}, itemStyle: {color: colour}, z: 3},
    ];
  });
  return {
    grid: {left: 62, right: 16, top: 12, bottom: 46},
    legend: {show: false, data: arms.map(visible), selected: Object.fromEntries(arms.map((arm) => [visible(arm), !state.off.has(arm)]))},
    xAxis: axis("x", NAMES[state.currency], {type: "value", min: 0}),
    yAxis: axis("y", QUANTITIES.find(([key]) => key === state.quantity)[1], {type: "value", scale: true}),
    tooltip: tooltip((points) => {
      const lines = points.filter((p) => p.seriesType === "line").map((p) => `${p.seriesName}: ${number(p.value[1], 4)}`);
      return tip(`${number(points[0].value[0], 4)} ${NAMES[state.currency]}`, ...lines);
    }, {trigger: "axis"}),
    series,
  };
}

/// Buttons that show and hide arms.
function toggles(data, state, refresh) {
  return make("div.toggles", data.arms.map((arm, i) => {
    const node = button(arm, () => {
      if (!state.off.delete(arm)) state.off.add(arm);
      node.setAttribute("aria-pressed", String(!state.off.has(arm)));
      refresh();
    }, `button.toggle.c${i % SERIES.length}`);
    node.setAttribute("aria-pressed", "true");
    return node;
  }));
}

function curves(data) {
  const currencies = Object.keys(data.curves);
  if (!currencies.length) return "";
  const tasks = [...new Set(data.curves[currencies[0]].map((curve) => curve.task))];
  const state = {currency: currencies[0], task: tasks[0], quantity: "best", off: new Set()};
  const chart = figure("Arms over what they spent", 360, () => curveOption(data, state));
  const pick = (key) => (value) => { state[key] = value; chart.update(); };
  const task = choice("task", tasks.map((one) => [one, one]), state.task, pick("task"));
  task.hidden = tasks.length < 2;
  const frame = framed("Median and quartiles over runs", chart, task, choice("of", QUANTITIES, "best", pick("quantity")),
    choice("against", currencies.map((one) => [one, NAMES[one]]), state.currency, pick("currency")));
  frame.append(toggles(data, state, () => chart.update()));
  return frame;
}

function statistics(data) {
  const c = data.comparison;
  if (!c) return data.why_not ? make("p.note", `No comparison: ${data.why_not}`) : "";
  const ratio = c.analysis.scale === "log";
  const arms = table([["arm", ""], ["tasks", "number"], ["runs", "number"], [`${c.analysis.endpoint.replaceAll("_", " ")}: mean`, "number"], ["95 % interval", "number"], ["median", "number"], ["IQM", "number"]],
    c.arms.map((arm) => [arm.name, integer(arm.tasks), integer(arm.runs), make("b", number(arm.mean.value, 4)), `[${number(arm.mean.ci[0], 4)}, ${number(arm.mean.ci[1], 4)}]`, number(arm.median, 4), number(arm.iqm, 4)]));
  const contrasts = table([[`against ${c.analysis.reference}`, ""], ["units", "number"], [ratio ? "ratio" : "difference", "number"], ["95 % interval", "number"], ["adjusted p", "number"], ["A12", "number"], ["conclusion", ""]],
    c.contrasts.map((one) => [one.arm, integer(one.units), make("b", number(one.effect.value, 4)), `[${number(one.effect.ci[0], 4)}, ${number(one.effect.ci[1], 4)}]`,
      one.p_adjusted === null ? "out of reach" : number(one.p_adjusted, 2), fixed(one.a12, 3), one.conclusion.replaceAll("_", " ")]));
  return make("div", arms, c.contrasts.length ? contrasts : "", make("p.below", c.caption), c.notes.map((note) => make("p.note", note)),
    c.exploratory ? make("p.note", `Exploratory: ${c.exploratory}.`) : "");
}

function best(run, role) {
  const own = run.raw.verified.filter((one) => run.summary.champion && one.role === role && one.speedup > 0 && one.baseline !== "anchor" && one.candidate === run.champion);
  const least = own.reduce((a, b) => (!a || b.speedup < a.speedup ? b : a), null);
  return least ? [make("b", times(least.speedup)), " ", make("span.interval", interval(least.low, least.high))] : "–";
}

function runTable(runs, select) {
  const seen = (run) => (run.numeric ? run.summary.max : run.raw.progress.best.at(-1));
  const verified = runs.some((run) => run.raw.verified.length);
  const head = [["run", ""], ["arm", ""], ["task", ""], ["seed", "number"], ["state", ""], ["evaluations", "number"], ["best seen", "number"],
    ...(verified ? [["bench, fastest baseline", "number"], ["holdout", "number"]] : []), ["cells filled", "number"], ["QD score", "number"]];
  const order = runs.map((run, i) => [run, i]).sort(([a], [b]) => a.summary.task.localeCompare(b.summary.task) ||
    (a.arm ?? "").localeCompare(b.arm ?? "") || a.summary.seed - b.summary.seed);
  return table(head, order.map(([run, i]) => [button(run.summary.run_id, () => select(i)), run.arm ?? "–", run.summary.task, String(run.summary.seed), run.summary.state,
    integer(run.summary.evaluations), number(seen(run), 4), ...(verified ? [best(run, "bench"), best(run, "holdout")] : []), percent(run.summary.coverage), number(run.summary.qd_score, 4)]));
}

/// Hosts, devices and programs: figures of different ones need not be comparable.
function makers(all) {
  return table([["made by", ""], ["runs", "number"], ["hardware", ""], ["device", ""], ["program", ""]],
    all.made_by.map((one) => [one.host, integer(one.runs), one.hardware, one.device, make("code", one.program.slice(0, 12))]));
}

export function arms(all, runs, select) {
  const data = all.arms;
  const node = section("arms", `${integer(runs.length)} runs`, "Arms side by side. A run that ended early keeps its last value. Choose a run below to look into it.");
  if (data.arms.length > 1 || runs.length > 2) node.append(curves(data));
  node.append(statistics(data));
  for (const line of data.missing) node.append(make("p.note", `Missing: ${line}`));
  if (all.warning) node.append(make("p.note", `Warning: ${all.warning}`));
  node.append(makers(all));
  const list = runTable(runs, select);
  list.classList.add("log");
  node.append(list);
  return node;
}
