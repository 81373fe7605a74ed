// Sums of table rows with the sums in registers: a work-item takes BAGS bags, BLOCK vectors of WIDTH floats at a time,
// over rows fetched AHEAD of their use.
// @task embedding_bag
// @knob GROUP int {1, 4, 16} = 4            work-items of a group
// @knob BAGS int {1, 2, 4, 8} = 1           bags of a work-item
// @knob WIDTH int {4, 8, 16} = 8            floats in a vector
// @knob BLOCK int {1, 2, 4, 8} = 4          vectors of sums at a time
// @knob AHEAD int {0, 1, 2, 4, 8} = 0       rows
// @flags -cl-std=CL3.0; -cl-no-signed-zeros?
// @launch bag_sum grid=(ceil_div(bags, GROUP * BAGS)) block=(GROUP)
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define VEC JOIN(float, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)

void one_bag(__global const float* table, __global const int* rows, __global float* out, ulong dim, ulong bag) {
  const ulong step = WIDTH * BLOCK;
  ulong d = 0;
  for (; d + step <= dim; d += step) {
    VEC sums[BLOCK];
    for (int b = 0; b < BLOCK; ++b) sums[b] = (VEC)(0.0f);
    for (ulong j = 0; j < bag; ++j) {
      __global const float* row = table + rows[j] * dim + d;
      if (AHEAD > 0 && j + AHEAD < bag) prefetch(table + rows[j + AHEAD] * dim + d, step);
      for (int b = 0; b < BLOCK; ++b) sums[b] += LOAD(0, row + b * WIDTH);
    }
    for (int b = 0; b < BLOCK; ++b) STORE(sums[b], 0, out + d + b * WIDTH);
  }
  for (; d + WIDTH <= dim; d += WIDTH) {
    VEC sum = (VEC)(0.0f);
    for (ulong j = 0; j < bag; ++j) sum += LOAD(0, table + rows[j] * dim + d);
    STORE(sum, 0, out + d);
  }
  for (; d < dim; ++d) {
    float sum = 0;
    for (ulong j = 0; j < bag; ++j) sum += table[rows[j] * dim + d];
    out[d] = sum;
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void bag_sum(__global const float* table, __global const int* indices, __global float* out, ulong vocab, ulong dim,
             ulong bags, ulong bag) {
  const ulong first = get_global_id(0) * BAGS;
  for (ulong i = first; i < first + BAGS && i < bags; ++i) one_bag(table, indices + i * bag, out + i * dim, dim, bag);
}
