// Whether the archive's axes tell kernels apart, or say the same thing twice.
import {bins, title} from "../cells.js";
import {axis, figure, framed, SERIES, tip, tooltip} from "../chart.js";
import {lazyDetails, make, section, table} from "../dom.js";
import {bin, fixed, integer} from "../format.js";
import {correlation, midranks} from "../ranks.js";
import {visible} from "../text.js";

/// Rows of kernels that passed every check and lie in a cell.
function placedRows(run) {
  const rows = [], cells = run.raw.candidates.cell;
  for (let i = 0; i < run.count; i++) if (cells[i] >= 0 && run.objective(i) !== null) rows.push(i);
  return rows;
}

/// Kernels in each bin of each axis.
function countBins(run, rows, axes) {
  const counts = axes.map((one) => new Array(one.bins.length).fill(0));
  for (const row of rows) bins(run.raw.candidates.cell[row], axes).forEach((at, i) => counts[i][at]++);
  return counts;
}

function barOption(one, counts) {
  const names = one.bins.map((label) => visible(bin(label)));
  return () => ({
    grid: {left: 62, right: 16, top: 12, bottom: 46},
    xAxis: axis("x", visible(title(one)), {type: "category", data: names, axisTick: {show: false}}),
    yAxis: axis("y", "kernels", {type: "value", minInterval: 1}),
    tooltip: tooltip((at) => tip(`${title(one)} ${names[at.dataIndex]}`, `${integer(at.value)} kernels`), {trigger: "item"}),
    series: [{type: "bar", data: counts, itemStyle: {color: SERIES[0]}, barCategoryGap: "12%"}],
  });
}

/// Spearman's coefficient of each axis with the objective and with the other axes.
function correlations(run, placed, axes) {
  const {measures} = run.raw.candidates, known = axes.filter((one) => measures[one.measure]);
  const rows = placed.filter((row) => known.every((one) => measures[one.measure][row] !== null));
  const ranks = known.map((one) => midranks(rows.map((row) => measures[one.measure][row]))), objective = midranks(rows.map((row) => run.objective(row)));
  const shown = (a, b) => { const value = correlation(a, b); return value === null ? "does not vary" : fixed(value, 2); };
  return table([["axis", ""], ["objective", "number"], ...known.map((one) => [title(one), "number"])],
    known.map((one, i) => [title(one), shown(ranks[i], objective), ...ranks.map((other, k) => (k === i ? "" : shown(ranks[i], other)))]));
}

export function axes(run) {
  const common = run.raw.axes.common;
  if (!run.count || !common.length) return null;
  const rows = placedRows(run);
  if (!rows.length) return null;
  const counts = countBins(run, rows, common);
  const node = section("axes", "Axes", "How well the archive's axes tell kernels apart: the kernels that passed every check, by bin. An axis with all of them in one bin keeps nothing apart.");
  const values = (one) => new Set(rows.map((row) => run.raw.candidates.measures[one.measure]?.[row])).size;
  node.append(make("div.columns.even", common.map((one, i) => framed(title(one), figure(`Kernels by ${title(one)}`, 200, barOption(one, counts[i]))))));
  node.append(table([["axis", ""], ["bins reached", "number"], ["different values", "number"], ["share in the fullest bin", "number"]],
    common.map((one, i) => [title(one), `${counts[i].filter((count) => count > 0).length} of ${one.bins.length}`, integer(values(one)),
      `${fixed((100 * Math.max(...counts[i])) / rows.length, 0)} %`])));
  node.append(lazyDetails("rank correlation with the objective and among axes", () => correlations(run, rows, common)));
  return node;
}
