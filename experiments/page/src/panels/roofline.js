// Kernels against what the device can do: bytes and operations a second, below measured ceilings.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {button, choice, make, section, table} from "../dom.js";
import {duration, figure as number, percent, plain} from "../format.js";
import {visible} from "../text.js";

const giga = (value) => value / 1e9;

/// Operations a second that memory or arithmetic allows at an intensity; null without any ceiling.
function roof(workload, compute, intensity) {
  const memory = workload.bytes_per_s === null ? Infinity : workload.bytes_per_s * intensity;
  const least = Math.min(memory, compute?.flops_per_s ?? Infinity);
  return Number.isFinite(least) ? least : null;
}

/// Points of one workload: [intensity, Gflop/s, name, row or -1, ns].
function points(data, at) {
  const {bytes, flops} = data.workloads[at], place = (name, row, ns) => [flops / bytes, flops / ns, name, row, ns], {seen} = data;
  const screened = seen.workload.flatMap((one, i) => (one === at ? [place("", seen.candidate[i], seen.ns[i])] : []));
  const named = data.verified.filter((one) => one.workload === at).map((one) => place(one.kernel, -1, one.ns));
  return {screened, named};
}

function option(run, state) {
  const ink = inks(), data = run.raw.roofline, workload = data.workloads[state.at], compute = data.ceilings[0], intensity = workload.flops / workload.bytes;
  const {screened, named} = points(data, state.at), ridge = compute && workload.bytes_per_s ? compute.flops_per_s / workload.bytes_per_s : intensity;
  const low = 10 ** Math.floor(Math.log10(Math.min(intensity, ridge) / 2)), high = 10 ** Math.ceil(Math.log10(Math.max(intensity, ridge) * 2)), lines = [], labels = [];
  const line = (name, from, to, colour, position) => {
    lines.push({type: "line", silent: true, symbol: "none", data: [from, to], lineStyle: {color: colour, width: 1.6}, z: 2});
    labels.push({value: [Math.sqrt(from[0] * to[0]), Math.sqrt(from[1] * to[1])], name, label: {color: colour, position}});
  };
  if (workload.bytes_per_s) {
    const end = compute ? ridge : high;
    line(`memory, ${number(giga(workload.bytes_per_s), 3)} GB/s`, [low, giga(workload.bytes_per_s * low)], [end, giga(workload.bytes_per_s * end)], SERIES[0], "left");
  }
  if (compute) line(compute.name, [workload.bytes_per_s ? ridge : low, giga(compute.flops_per_s)], [high, giga(compute.flops_per_s)], SERIES[2], "top");
  const bare = (p) => (p.value[3] < 0 ? plain(p.value[2]) : run.id(p.value[3]));
  return {
    grid: {left: 70, right: 24, top: 22, bottom: 46},
    xAxis: axis("x", "operations per byte", {type: "log", min: low, max: high, splitLine: {show: false}}),
    yAxis: axis("y", "Gflop/s", {type: "log", nameGap: 52}),
    tooltip: tooltip((p) => tip(bare(p), `${number(p.value[1], 4)} Gflop/s, ${number(workload.bytes / p.value[4], 4)} GB/s`, duration(p.value[4] / 1e9), p.value[3] < 0 ? "verified" : "as seen by its screen, click to open"), {trigger: "item"}),
    series: [...lines,
      {type: "scatter", name: "screened", data: screened, symbolSize: 5, itemStyle: {color: ink.dot, opacity: 0.7}, z: 3},
      {type: "scatter", name: "verified", data: named.sort((a, b) => b[1] - a[1]).map((value, i) => ({value, label: {position: i % 2 ? "left" : "right"}, itemStyle: {color: value[2] === "champion" ? SERIES[1] : ink.text}, symbol: value[2] === "champion" ? "diamond" : "circle", symbolSize: value[2] === "champion" ? 12 : 7})),
        label: {show: true, color: ink.text, fontSize: 11.5, formatter: (p) => visible(plain(p.value[2]))}, z: 5},
      {type: "scatter", data: labels, symbolSize: 0, silent: true, z: 4, label: {show: true, fontSize: 11.5, formatter: (p) => visible(p.name)}}],
  };
}

/// The champion, else the fastest screened kernel, on each workload.
function rows(run, open) {
  const data = run.raw.roofline, compute = data.ceilings[0];
  return data.workloads.flatMap((workload, at) => {
    const {screened, named} = points(data, at), champion = named.find((one) => one[2] === "champion");
    const best = champion ?? screened.reduce((least, one) => (!least || one[4] < least[4] ? one : least), null);
    if (!best) return [];
    const ns = best[4], name = champion ? "champion" : button(run.id(best[3]), () => open(run, best[3]));
    const share = (rate, ceiling) => (ceiling ? percent(rate / ceiling) : "–"), top = workload.flops ? roof(workload, compute, workload.flops / workload.bytes) : workload.bytes_per_s;
    return [[workload.name, workload.role, name, duration(ns / 1e9), workload.bytes ? number(workload.flops / workload.bytes, 3) : "–",
      number(workload.bytes / ns, 4), share(1e9 * workload.bytes / ns, workload.bytes_per_s), workload.flops ? number(workload.flops / ns, 4) : "–",
      workload.flops ? share(1e9 * workload.flops / ns, compute?.flops_per_s) : "–", make("b", share(1e9 * (workload.flops || workload.bytes) / ns, top))]];
  });
}

function missing(data) {
  const words = [];
  if (data.workloads.every((one) => one.bytes_per_s === null)) words.push("no bandwidth of memory");
  if (!data.ceilings.length) words.push("no rate of arithmetic");
  return words.length ? make("p.note", `The run recorded ${words.join(" and ")}: that ceiling is not drawn.`) : "";
}

export function roofline(run, open) {
  const data = run.raw.roofline;
  if (!data || !data.seen.ns.length) return null;
  const node = section("roofline", "Roofline", "How near kernels come to what the device can do. Bytes and operations are those that the task says one call needs, not those that a kernel spends; a verified time is the mean over its verifications.");
  const drawn = data.workloads.map((one, at) => [one, at]).filter(([one, at]) => one.flops > 0 && one.bytes > 0 && points(data, at).screened.length + points(data, at).named.length > 0);
  if (drawn.length) {
    const state = {at: drawn[0][1]}, chart = figure("Roofline", 340, () => option(run, state));
    const which = choice("shape", drawn.map(([one, at]) => [String(at), `${one.name}, ${one.role}`]), String(state.at), (value) => { state.at = Number(value); chart.update(); });
    chart.on("click", (p) => { if (p.value?.[3] >= 0) open(run, p.value[3]); });
    node.append(framed("Rates on one shape", chart, which));
  }
  const head = [["shape", ""], ["role", ""], ["kernel", ""], ["time", "number"], ["operations per byte", "number"], ["GB/s", "number"], ["of memory", "number"],
    ["Gflop/s", "number"], ["of arithmetic", "number"], ["of the roof", "number"]];
  node.append(missing(data), table(head, rows(run, open), `Memory: streams of as many bytes as the shape has, copied or scanned, whichever was faster.${data.ceilings.length ? ` Arithmetic: ${data.ceilings[0].name}, ${number(giga(data.ceilings[0].flops_per_s), 4)} Gflop/s.` : ""}`));
  return node;
}
