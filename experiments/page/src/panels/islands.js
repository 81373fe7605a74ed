// What went between islands, and what became of it.
import {axis, figure, framed, inks, tip, tooltip, VIRIDIS} from "../chart.js";
import {make, section, table} from "../dom.js";
import {integer, percent} from "../format.js";

export function islands(run) {
  const flows = run.raw.migrations;
  if (!flows.length) return null;
  const node = section("islands", "Islands", "Kernels sent between islands: how many became an elite where they arrived, and how many still were at the end.");
  const names = [...new Set(flows.flatMap((flow) => [flow.from, flow.to]))].sort((a, b) => a - b);
  const share = (flow) => flow.entered / flow.sent, most = Math.max(...flows.map(share)) || 1;
  const option = () => {
    const ink = inks(), at = (island) => names.indexOf(island), labels = names.map((island) => `island ${island}`);
    const light = (part) => (part > 0.55 ? "#111" : "#fff");
    return {
      grid: {left: 78, right: 12, top: 8, bottom: 46},
      xAxis: axis("x", "to", {type: "category", data: labels, axisTick: {show: false}}),
      yAxis: axis("y", "from", {type: "category", inverse: true, data: labels, axisTick: {show: false}, nameGap: 62, splitLine: {show: false}}),
      visualMap: {show: false, min: 0, max: most, dimension: 2, inRange: {color: VIRIDIS}},
      tooltip: tooltip((p) => { const f = flows[p.dataIndex]; return tip(`island ${f.from} to island ${f.to}`, `${integer(f.sent)} sent`, `${integer(f.entered)} became elites`, `${integer(f.alive)} still are`); }),
      series: [{type: "heatmap", itemStyle: {borderColor: ink.back, borderWidth: 2}, data: flows.map((f) => ({value: [at(f.to), at(f.from), share(f)], label: {color: light(share(f) / most)}})),
        label: {show: names.length <= 16, fontSize: 11.5, formatter: (p) => `${flows[p.dataIndex].entered}/${flows[p.dataIndex].sent}`}}],
    };
  };
  const rows = flows.map((f) => [`${f.from} → ${f.to}`, integer(f.sent), integer(f.entered), percent(f.entered / f.sent), integer(f.alive), percent(f.alive / f.sent)]);
  node.append(make("div.columns.even", framed("Became elites / sent", figure("Migrants between islands", Math.max(220, 100 + 34 * names.length), option)),
    table([["islands", ""], ["sent", "number"], ["entered", "number"], ["of sent", "number"], ["at the end", "number"], ["of sent", "number"]], rows)));
  return node;
}
