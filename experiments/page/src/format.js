// Figures as people read them.

const dash = "–";
export const missing = (value) => value === null || value === undefined || Number.isNaN(value);

/// Thousands apart, with a real minus sign.
const grouped = (digits) => digits.replace("-", "−").replace(/^(−?)(\d{5,})(?=$|\.)/, (_, sign, whole) => sign + whole.replace(/\B(?=(\d{3})+$)/g, "\u2009"));

export const integer = (value) => (missing(value) ? dash : grouped(String(Math.round(Number(value)))));
/// A label of an axis, without the noise of binary fractions.
export const tick = (value) => grouped(String(Number(value.toPrecision(10))));

/// `digits` significant digits, without exponent where it can be.
export function figure(value, digits = 4) {
  if (missing(value)) return dash;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(digits - 1).replace("e+", "e").replace("-", "−");
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return value.toFixed(Math.min(decimals, 6)).replace("-", "−");
}

export const fixed = (value, decimals) => (missing(value) ? dash : value.toFixed(decimals).replace("-", "−"));
export const times = (value) => (missing(value) ? dash : `${fixed(value, 3)}×`);
export function percent(share, decimals = 1) {
  if (missing(share)) return dash;
  const least = 10 ** -decimals;
  return share > 0 && 100 * share < least / 2 ? `< ${least} %` : `${fixed(100 * share, decimals)} %`;
}
export const interval = (low, high) => (missing(low) || missing(high) ? "" : `[${fixed(low, 3)}, ${fixed(high, 3)}]`);

export function duration(seconds) {
  if (missing(seconds)) return dash;
  if (seconds === 0) return "0";
  if (seconds < 1e-6) return `${figure(seconds * 1e9, 3)} ns`;
  if (seconds < 1e-3) return `${figure(seconds * 1e6, 3)} µs`;
  if (seconds < 1) return `${figure(seconds * 1e3, 3)} ms`;
  if (seconds < 120) return `${figure(seconds, 3)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

/// '[0.1308, 0.342)' as '0.131–0.342'; other labels as they are.
export function bin(label) {
  const ends = label.match(/^\[([-+.\deE]+|-inf), ([-+.\deE]+|inf)[\])]$/);
  if (!ends) return label;
  const end = (text) => (Number.isFinite(Number(text)) ? figure(Number(text), 3).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") : "∞");
  return ends[1].startsWith("-") || ends[2].startsWith("-") ? `${end(ends[1])} … ${end(ends[2])}` : `${end(ends[1])}–${end(ends[2])}`;
}

/// A name of a program as words.
export const plain = (name) => name.replaceAll("_", " ");
export const date = (ms) => new Date(ms).toISOString().replace("T", " ").slice(0, 19) + " UTC";
