// Softmax as a textbook has it: a work-item takes a row, in three plain loops.
// @task softmax
// @flags -cl-std=CL3.0; -cl-mad-enable?; -cl-no-signed-zeros?
// @launch softmax grid=(ceil_div(rows, 64)) block=(64)
__kernel void softmax(__global const float* x, __global float* y, ulong rows, ulong cols) {
  const size_t row = get_global_id(0);
  if (row >= rows) return;
  x += row * cols;
  y += row * cols;
  float top = x[0];
  for (size_t c = 1; c < cols; ++c) top = x[c] > top ? x[c] : top;
  double total = 0;  // thousands of terms
  for (size_t c = 0; c < cols; ++c) {
    y[c] = exp(x[c] - top);
    total += y[c];
  }
  const float sum = (float)total;
  for (size_t c = 0; c < cols; ++c) y[c] /= sum;
}
