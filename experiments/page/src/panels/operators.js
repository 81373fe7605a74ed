// Which operators, and which models, earn their keep.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {make, section, table} from "../dom.js";
import {figure as number, integer, percent} from "../format.js";
import {visible} from "../text.js";
import {forest} from "./result.js";

function creditTable(list, what) {
  const head = [[what, ""], ["proposed", "number"], ["no child", "number"], ["duplicate", "number"], ["passed", "number"], ["tried", "number"],
    ["improved", "number"], ["rate", "number"], ["95 % interval", "number"], ["elites", "number"], ["records", "number"], ["best", "number"]];
  return table(head, list.map((c) => [c.name, integer(c.proposals), integer(c.no_child), integer(c.duplicates), integer(c.ok), integer(c.tried), integer(c.improved),
    make("b", c.rate ? percent(c.rate[0]) : "–"), c.rate ? `[${percent(c.rate[1])}, ${percent(c.rate[2])}]` : "", integer(c.elites), integer(c.records), number(c.best, 4)]),
  "Passed: new kernels that were right and measured. Tried: new kernels of parents that passed. Improved: better than the best of these parents. Elites: entered the archive of all islands. Records: best of the run when they came.");
}

function rates(list, name) {
  const rows = list.filter((c) => c.rate).map((c) => ({name: c.name, value: 100 * c.rate[0], low: 100 * c.rate[1], high: 100 * c.rate[2],
    words: `${percent(c.rate[0])} [${percent(c.rate[1])}, ${percent(c.rate[2])}] of ${integer(c.tried)}`}));
  if (!rows.length) return "";
  return framed(name, figure(name, 60 + 26 * rows.length, forest(rows, "children better than their best parent, %", 0, {type: "value", min: 0, max: 100})));
}

function block(list, what, name) {
  const sorted = list.slice().sort((a, b) => (b.rate?.[0] ?? -1) - (a.rate?.[0] ?? -1));
  return make("div", rates(sorted, name), creditTable(sorted, what));
}

export function operators(run) {
  if (!run.raw.credit.length) return null;
  const node = section("operators", "Operators", "How often a child is better than its best parent, with Wilson intervals.");
  node.append(block(run.raw.credit, "operator", "Success by operator"));
  if (run.raw.model_credit.length) node.append(block(run.raw.model_credit, "model", "Success by model"));
  return node;
}

/// Where candidates were lost.
export function failures(run, open) {
  const {stages, reasons} = run.raw.funnel;
  if (!stages[0].left) return null;
  const node = section("failures", "Losses", "How many proposals pass each check, and why the others do not.");
  const option = () => {
    const ink = inks(), most = stages[0].left;
    return {
      grid: {left: 12, right: 110, top: 4, bottom: 8, containLabel: true},
      xAxis: {type: "value", show: false, max: most},
      yAxis: axis("y", "", {type: "category", inverse: true, data: stages.map((stage) => visible(stage.name)), axisLine: {show: false}, axisTick: {show: false}, splitLine: {show: false}}),
      tooltip: tooltip((p) => tip(stages[p.dataIndex].name, `${integer(stages[p.dataIndex].left)} left, ${integer(stages[p.dataIndex].lost)} lost here`)),
      series: [
        {type: "bar", stack: "all", data: stages.map((stage) => stage.left), itemStyle: {color: SERIES[0]}, barWidth: "62%"},
        {type: "bar", stack: "all", data: stages.map((stage) => stage.lost), itemStyle: {color: SERIES[1], opacity: 0.75},
          label: {show: true, position: "right", color: ink.text, fontSize: 11.5, formatter: (p) => `${integer(stages[p.dataIndex].left)}${stages[p.dataIndex].lost ? `  (−${integer(stages[p.dataIndex].lost)})` : ""}`}},
      ],
    };
  };
  node.append(framed("From proposal to figure", figure("Candidates left after each check", 30 + 30 * stages.length, option)));
  if (reasons.length) {
    const link = (row) => (run.count ? make("button.link", run.id(row)) : "–");
    const rows = reasons.slice().sort((a, b) => b.count - a.count).map((reason) => {
      const example = link(reason.example);
      if (example instanceof Node) { example.type = "button"; example.addEventListener("click", () => open(run, reason.example, "Properties")); }
      return [reason.verdict.replaceAll("_", " "), reason.reason.replaceAll("_", " ") || "–", stages[reason.stage].name, integer(reason.count), percent(reason.count / stages[0].left), example];
    });
    node.append(table([["end", ""], ["reason", ""], ["lost at", ""], ["candidates", "number"], ["of all", "number"], ["first", ""]], rows));
  }
  return node;
}
