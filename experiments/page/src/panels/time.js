// What the run cost, when its jobs ran, and how finely they could tell kernels apart.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {make, section, table} from "../dom.js";
import {date, duration, figure as number, integer, percent} from "../format.js";

const PURPOSES = ["build", "screen", "duel", "verify", "sanitize"];
const colourOf = (purpose) => SERIES[Math.max(0, PURPOSES.indexOf(purpose))];

function timelineOption(jobs) {
  const ink = inks(), rows = ["lane", "compiler"], bars = [];
  const start = jobs.arrived_ms.reduce((least, ms, i) => Math.min(least, ms - jobs.lane_ms[i] - jobs.compile_ms[i]), Infinity);
  jobs.arrived_ms.forEach((ms, i) => {
    const purpose = jobs.purpose.names[jobs.purpose.rows[i]], end = (ms - start) / 1000;
    const middle = end - jobs.lane_ms[i] / 1000;
    if (jobs.lane_ms[i] > 0) bars.push({value: [0, middle, end, i], itemStyle: {color: colourOf(purpose)}});
    if (jobs.compile_ms[i] > 0) bars.push({value: [1, middle - jobs.compile_ms[i] / 1000, middle, i], itemStyle: {color: colourOf(purpose)}});
  });
  const bar = (params, api) => {
    const [x1, y] = api.coord([api.value(1), api.value(0)]), [x2] = api.coord([api.value(2), api.value(0)]), height = 26;
    return {type: "rect", shape: {x: x1, y: y - height / 2, width: Math.max(0.7, x2 - x1), height}, style: {fill: api.visual("color"), opacity: 0.85}};
  };
  return {
    grid: {left: 74, right: 16, top: 8, bottom: 46},
    xAxis: axis("x", "seconds since the first job", {type: "value", min: 0, splitLine: {show: true, lineStyle: {color: ink.rule}}}),
    yAxis: axis("y", "", {type: "category", data: rows, axisTick: {show: false}, axisLine: {show: false}, splitLine: {show: false}}),
    tooltip: tooltip((p) => { const i = p.value[3]; return tip(`${jobs.purpose.names[jobs.purpose.rows[i]]}: ${jobs.verdict.names[jobs.verdict.rows[i]]}`, `compiler ${duration(jobs.compile_ms[i] / 1000)}`, `lane ${duration(jobs.lane_ms[i] / 1000)}`); }),
    series: [{type: "custom", renderItem: bar, data: bars, encode: {x: [1, 2], y: 0}, progressive: 0, clip: true}],
  };
}

const recorded = (value, text) => (value > 0 ? text(value) : "not recorded");

const key = (purposes) => make("p.key", purposes.map((purpose) => {
  const mark = make(`i.mark.c${Math.max(0, PURPOSES.indexOf(purpose))}`);
  return make("span", mark, purpose);
}));

export function time(run) {
  const {costs, models, jobs} = run.raw, spent = costs.some((row) => row.compile_s + row.lane_s > 0);
  if (!spent && !models.length) return null;
  const node = section("time", "Time and cost", "What the device and the models were used for. A job's bar ends when its result arrived.");
  if (jobs) node.append(framed("Jobs over time", figure("Jobs over time", 170, () => timelineOption(jobs))), key(PURPOSES.filter((purpose) => jobs.purpose.names.includes(purpose))));
  if (spent) {
    node.append(table([["purpose", ""], ["jobs", "number"], ["compiler", "number"], ["lane", "number"], ["judge's CPU", "number"]],
      costs.map((row) => [row.purpose, integer(row.jobs), duration(row.compile_s), duration(row.lane_s), duration(row.judge_cpu_s)])));
  }
  if (models.length) {
    node.append(table([["model", ""], ["exchanges", "number"], ["answered", "number"], ["tokens in", "number"], ["tokens out", "number"], ["dollars", "number"]],
      models.map((row) => [row.name || "not named", integer(row.exchanges), integer(row.ok), recorded(row.input_tokens, integer), recorded(row.output_tokens, integer), recorded(row.dollars, (value) => number(value, 4))])));
  }
  return node;
}

/// The least of 1, 2, 2.5 and 5 times a power of ten that is not below x.
function roundUp(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return [1, 2, 2.5, 5, 10].map((digit) => digit * power).find((one) => one >= x * (1 - 1e-12));
}

function histogram(row, colour) {
  const values = row.values.map((value) => 100 * value), most = roundUp(values.reduce((a, b) => Math.max(a, b), 0) || 1), count = 30, width = most / count;
  const bars = new Array(count).fill(0);
  for (const value of values) bars[Math.min(count - 1, Math.floor(value / width))]++;
  return () => ({
    grid: {left: 52, right: 12, top: 10, bottom: 46},
    xAxis: axis("x", "smallest resolvable gain, %", {type: "value", min: 0, max: most}),
    yAxis: axis("y", "measurements", {type: "value", minInterval: 1, nameGap: 36}),
    tooltip: tooltip((p) => tip(`${integer(p.value[1])} measurements`, `${number(p.value[0] - width / 2, 3)}–${number(p.value[0] + width / 2, 3)} %`)),
    series: [{type: "bar", barWidth: "96%", data: bars.map((n, i) => [(i + 0.5) * width, n]), itemStyle: {color: colour}}],
  });
}

export function noise(run) {
  const rows = run.raw.noise;
  if (!rows?.length) return null;
  const node = section("noise", "Noise floor", "The smallest gain that each measurement could have told apart: differences below it mean nothing.");
  node.append(make("div.columns.even", rows.map((row) => framed(`${row.purpose}: resolvable gain`, figure(`Resolvable gain of ${row.purpose}`, 200, histogram(row, colourOf(row.purpose)))))));
  const three = (values) => [make("b", percent(values[1], 2)), ` (${percent(values[0], 2)} to ${percent(values[2], 2)})`];
  node.append(table([["purpose", ""], ["measurements", "number"], ["resolvable gain: median (quartiles)", "number"]],
    rows.map((row) => [row.purpose, integer(row.measurements), three(row.resolvable)])));
  const decided = {};
  const events = run.raw.events;
  if (events) events.cell.forEach((_, i) => { const decision = run.decision(i); if (decision !== "none") decided[decision] = (decided[decision] ?? 0) + 1; });
  const words = Object.entries(decided).map(([decision, n]) => `${integer(n)} ${decision}`).join(", ");
  if (words) node.append(make("p.below", `Duels of challengers with incumbents: ${words}.`));
  return node;
}

export function provenance(run) {
  const node = section("provenance", "Provenance", "What these figures were measured on, and how to obtain them again.");
  const s = run.summary, e = run.raw.evaluator;
  const rows = [["run file", s.file], ["config", s.config_id], ["history", s.history_hash], ["task", s.task],
    ...["source", "licence", "category", "libraries", "math"].map((name) => [name, s.labels?.[name]]), ["seed", String(s.seed)], ["evaluator", e.kind && `${e.kind}, protocol ${e.protocol_version}, ${e.noisy ? "noisy" : "exact"}`],
    ["device class", e.device_class], ["toolchain", e.toolchain]].filter(([, value]) => value);
  node.append(table([["identity", ""], ["value", ""]], rows.map(([name, value]) => [name, make("code", value)])));
  node.append(table([["session", ""], ["host", ""], ["processor", ""], ["system", ""], ["program", ""], ["sandbox", ""], ["started", ""], ["time", "number"], ["exit", "number"]],
    run.raw.sessions.map((one, i) => [String(i + 1), one.host, one.hardware, one.kernel, (one.program ?? "").slice(0, 12), one.sandbox, date(one.started_ms),
      one.stopped_ms === null ? "–" : duration((one.stopped_ms - one.started_ms) / 1000), one.exit_code === null ? "–" : String(one.exit_code)])));
  const text = make("details", make("summary", "The experiment, with all defaults"), make("pre.message", run.raw.config));
  node.append(text);
  return node;
}
