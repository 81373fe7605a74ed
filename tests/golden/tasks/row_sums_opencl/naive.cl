// Sums of rows: a work-item a row.
// @flags -cl-std=CL3.0
// @launch sums grid=(rows) block=(1) args=(x, y, cols)
__kernel void sums(__global const float* x, __global float* y, ulong cols) {
  const ulong row = get_global_id(0);
  float sum = 0;
  for (ulong c = 0; c < cols; ++c) sum += x[row * cols + c];
  y[row] = sum;
}
