// Which knobs mattered: kernels that passed every check, by the value of each knob.
import {make, section, table} from "../dom.js";
import {figure as number, integer, times} from "../format.js";

const median = (sorted) => (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;

/// [{name, values: [{value, count, median, best}], effect}], the largest effect first; effect is the best value's median over
/// the worst's. Objectives are divided by the best of the same source, so that a knob gets no credit for a source that is fast.
function effects(run) {
  const {knobs, source} = run.raw.kernels, c = run.raw.candidates, best = new Map(), rows = [];
  for (let i = 0; i < run.count; i++) {
    if (c.genome[i] < 0 || !(run.objective(i) > 0) || run.outcome(i) !== "kernel") continue;
    rows.push(i);
    best.set(source[c.genome[i]], Math.max(best.get(source[c.genome[i]]) ?? 0, run.objective(i)));
  }
  return Object.entries(knobs).map(([name, column]) => {
    const groups = new Map();
    for (const row of rows) {
      const at = column.rows[c.genome[row]];
      if (at >= 0) groups.set(column.names[at], [...(groups.get(column.names[at]) ?? []), row]);
    }
    const values = [...groups].map(([value, own]) => ({value, count: own.length, best: Math.max(...own.map((row) => run.objective(row))),
      median: median(own.map((row) => run.objective(row) / best.get(source[c.genome[row]])).sort((a, b) => a - b))})).sort((a, b) => b.median - a.median);
    return {name, values, effect: values.length > 1 ? values[0].median / values.at(-1).median : 1};
  }).filter((one) => one.effect > 1.0005).sort((a, b) => b.effect - a.effect);
}

export function knobs(run) {
  if (!run.speedups || !run.count) return null;
  const list = effects(run);
  if (!list.length) return null;
  const node = section("knobs", "Knobs", "How far the values of each knob lie apart: the median over kernels of their objective, divided by the best one of the same source. What is correlated with a knob counts as its effect.");
  node.append(table([["knob", ""], ["best over worst value", "number"], ["values, best first: median share of the best (kernels)", "words"]], list.slice(0, 40).map((one) => [one.name, make("b", times(one.effect)),
    one.values.slice(0, 8).map((v, i) => `${i ? " · " : ""}${v.value}: ${number(v.median, 3)} (${integer(v.count)})`).join("")])));
  return node;
}
