// Cells of an archive: where they lie on its axes.
import {bin} from "./format.js";

/// Positions on each axis; the last axis runs fastest.
export function bins(cell, axes) {
  const at = new Array(axes.length);
  for (let i = axes.length - 1; i >= 0; i--) {
    at[i] = cell % axes[i].bins.length;
    cell = Math.floor(cell / axes[i].bins.length);
  }
  return at;
}

export const place = (cell, axes) => axes.map((one, i) => `${one.measure} ${bin(one.bins[bins(cell, axes)[i]])}`).join(", ");
export const title = (one) => one.measure.replaceAll("_", " ") + (one.unit && one.unit !== "1" ? ` (${one.unit})` : "");
