#pragma once
// Which part of a result is whose. For CUDA kernels.

/// First row and column of a block's tile of Rows x Columns of m x n: panels of Panel rows of tiles, column after
/// column, so that blocks which run side by side share what the L2 cache holds.
template <int Rows, int Columns, int Panel> __device__ void place_tile(int tile, int m, int n, int& i0, int& j0) {
  const int down = (m + Rows - 1) / Rows, across = (n + Columns - 1) / Columns;
  const int panel = tile / (Panel * across), in_panel = tile % (Panel * across);
  const int height = min(Panel, down - panel * Panel);
  i0 = (panel * Panel + in_panel % height) * Rows;
  j0 = in_panel / height * Columns;
}

/// Lanes with the same lane / 4 take four of 32 columns of a right factor from here on. So lanes with the same lane % 4
/// get, of the result, the four columns from 4 (lane % 4) on and those 16 behind them: neighbouring lanes, neighbouring
/// columns.
__device__ inline int own_columns() {
  const int g = threadIdx.x % 32 / 4;
  return 4 * (g / 2 + g % 2 * 4);
}
