// Which operators, and which models, earn their keep.
import {axis, figure, framed, inks, SERIES, tip, tooltip} from "../chart.js";
import {button, make, section, table} from "../dom.js";
import {figure as number, integer, percent, plain, times} from "../format.js";
import {visible} from "../text.js";

/// Gains along the champion's line by who made the step: a product of ratios, or a sum of differences.
function broughtBy(run, name) {
  const gains = run.champion < 0 ? [] : run.line(run.champion).slice(1).filter((row) => run.operator(row) === name || run.letters(row).some((one) => one.model === name)).map((row) => run.gain(row));
  if (!gains.length) return "–";
  return run.speedups ? times(gains.reduce((a, b) => a * b, 1)) : `+${number(gains.reduce((a, b) => a + b, 0), 3)}`;
}

function creditTable(run, list, what, cost) {
  const head = [[what, ""], ["brought", "number"], ["proposed", "number"], ["no child", "number"], ["duplicate", "number"], ["passed", "number"], ["tried", "number"],
    ["improved", "number"], ["rate", "number"], ["95 % interval", "number"], ["elites", "number"], ["records", "number"], ["best", "number"], ...cost.map(([name]) => [name, "number"])];
  const sorted = list.slice().sort((a, b) => (b.rate?.[0] ?? -1) - (a.rate?.[0] ?? -1));
  return table(head, sorted.map((c) => [c.name || "not named", broughtBy(run, c.name), integer(c.proposals), integer(c.no_child), integer(c.duplicates), integer(c.ok), integer(c.tried), integer(c.improved),
    make("b", c.rate ? percent(c.rate[0]) : "–"), c.rate ? `[${percent(c.rate[1])}, ${percent(c.rate[2])}]` : "", integer(c.elites), integer(c.records), number(c.best, 4), ...cost.map(([, value]) => value(c))]));
}

export function operators(run) {
  if (!run.raw.credit.length) return null;
  const node = section("operators", "Operators", "How often a child is better than its best parent, or than its best inspiration where it has no parent, with Wilson intervals.");
  node.append(creditTable(run, run.raw.credit, "operator", []));
  const spent = (c) => run.raw.models.find((one) => one.name === c.name) ?? {};
  const each = (c, sum, digits) => (c.improved ? number(sum / c.improved, digits) : "–");
  if (run.raw.model_credit.length) {
    node.append(creditTable(run, run.raw.model_credit, "model", [["tokens", (c) => integer(spent(c).input_tokens + spent(c).output_tokens)], ["dollars", (c) => number(spent(c).dollars, 3)], ["dollars an improvement", (c) => each(c, spent(c).dollars, 3)]]));
  }
  node.append(make("p.below", "Passed: new kernels that were right and measured. Tried: new kernels of parents that passed. Improved: better than the best of these parents. Elites: entered the archive of all islands. Records: best of the run when they came. Brought: gains of the steps on the champion's line."));
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
    const example = (row) => (run.count ? button(run.id(row), () => open(run, row, "Properties")) : "–");
    const rows = reasons.slice().sort((a, b) => b.count - a.count).map((reason) => [plain(reason.verdict), plain(reason.reason) || "–", stages[reason.stage].name, integer(reason.count),
      percent(reason.count / stages[0].left), example(reason.example), make("code", run.message(reason.example))]);
    node.append(table([["end", ""], ["reason", ""], ["lost at", ""], ["candidates", "number"], ["of all", "number"], ["first", ""], ["what it was told", ""]], rows));
  }
  return node;
}
