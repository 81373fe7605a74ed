// Rank correlation.

/// Ranks from 1; equal values share their mean rank.
export function midranks(values) {
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b]), ranks = new Float64Array(values.length);
  for (let first = 0, end; first < order.length; first = end) {
    for (end = first + 1; end < order.length && values[order[end]] === values[order[first]];) end++;
    for (let i = first; i < end; i++) ranks[order[i]] = (first + 1 + end) / 2;
  }
  return ranks;
}

/// Spearman's coefficient of two lists of midranks; null where one of them does not vary.
export function correlation(a, b) {
  const mean = (a.length + 1) / 2;
  let ab = 0, aa = 0, bb = 0;
  for (let i = 0; i < a.length; i++) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) ** 2;
    bb += (b[i] - mean) ** 2;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : null;
}
