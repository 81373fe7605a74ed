// Sums of rows: a work-item a row. An example of the form only.
// @knob GROUP int {1, 4, 16} = 4
// @flags -cl-std=CL3.0; -cl-mad-enable?
// @launch row_sums grid=(ceil_div(rows, GROUP)) block=(GROUP) args=(x, y, rows, cols)
__kernel void row_sums(__global const float* x, __global float* y, ulong rows, ulong cols) {
  const ulong row = get_global_id(0);
  if (row >= rows) return;
  x += row * cols;
  float8 sums = (float8)(0.0f);
  ulong at = 0;
  for (; at + 8 <= cols; at += 8) sums += vload8(0, x + at);
  const float4 four = sums.lo + sums.hi;
  float total = four.x + four.y + (four.z + four.w);
  for (; at < cols; ++at) total += x[at];
  y[row] = total;
}
