// Softmax by vectors: a work-item takes ROWS rows, each in three passes over vectors of WIDTH floats with UNROLL sums.
// @task softmax
// @knob GROUP int {1, 4, 16, 64} = 4        work-items of a group
// @knob ROWS int {1, 2, 4, 8} = 1           rows of a work-item
// @knob WIDTH int {4, 8, 16} = 8            floats in a vector
// @knob UNROLL int {1, 2, 4} = 2            vectors a step, each with a maximum and a sum of its own
// @knob EXP enum {library, polynomial} = library
// @knob KEEP bool = true                    the second pass writes exponentials, the third scales them; else both compute them
// @flags -cl-std=CL3.0; -cl-mad-enable?; -cl-no-signed-zeros?
// @launch softmax grid=(ceil_div(rows, GROUP * ROWS)) block=(GROUP) args=(x, y, rows, cols)
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define VEC JOIN(float, WIDTH)
#define IVEC JOIN(int, WIDTH)
#define LOAD JOIN(vload, WIDTH)
#define STORE JOIN(vstore, WIDTH)
#define AS_VEC JOIN(as_float, WIDTH)
#define TO_IVEC JOIN(convert_int, JOIN(WIDTH, _rte))
#define TO_VEC JOIN(convert_float, WIDTH)

#if EXP == EXP_polynomial
// 2^k * p(r) with k = round(x / ln 2): Taylor's terms up to r^7; results below FLT_MIN become 0, NaN stays.
VEC exponential(VEC x) {
  const VEC low = max(x, (VEC)(-87.33654f));
  const IVEC k = TO_IVEC(low * 1.44269504f);
  const VEC f = TO_VEC(k);
  const VEC r = (low - f * 0.693145752f) - f * 1.42860677e-6f;
  VEC p = (VEC)(1.98412698e-4f);
  p = p * r + 1.38888889e-3f;
  p = p * r + 8.33333333e-3f;
  p = p * r + 4.16666667e-2f;
  p = p * r + 0.166666667f;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  const VEC scaled = p * AS_VEC((k + 127) << 23);
  return select(select(scaled, (VEC)(0.0f), x < -87.33654f), x, x != x);
}
#else
#define exponential exp
#endif

float largest(VEC v) {
  float lanes[WIDTH];
  STORE(v, 0, lanes);
  float top = lanes[0];
  for (int i = 1; i < WIDTH; ++i) top = lanes[i] > top ? lanes[i] : top;
  return top;
}

float total(VEC v) {
  float lanes[WIDTH];
  STORE(v, 0, lanes);
  float sum = 0;
  for (int i = 0; i < WIDTH; ++i) sum += lanes[i];
  return sum;
}

float exponential1(float x) {
  float lanes[WIDTH];
  STORE(exponential((VEC)(x)), 0, lanes);
  return lanes[0];
}

void one_row(__global const float* x, __global float* y, ulong cols) {
  const ulong step = WIDTH * UNROLL, whole = cols / step * step;
  VEC tops[UNROLL], sums[UNROLL];
  for (int u = 0; u < UNROLL; ++u) {
    tops[u] = (VEC)(-INFINITY);
    sums[u] = (VEC)(0.0f);
  }
  for (ulong c = 0; c < whole; c += step)
    for (int u = 0; u < UNROLL; ++u) tops[u] = fmax(tops[u], LOAD(0, x + c + u * WIDTH));
  for (int u = 1; u < UNROLL; ++u) tops[0] = fmax(tops[0], tops[u]);
  float top = largest(tops[0]);
  for (ulong c = whole; c < cols; ++c) top = fmax(top, x[c]);
  // A NaN is passed over here and makes the sum NaN below; +inf - +inf and -inf - -inf are NaN, too.
  for (ulong c = 0; c < whole; c += step)
    for (int u = 0; u < UNROLL; ++u) {
      const VEC e = exponential(LOAD(0, x + c + u * WIDTH) - top);
      if (KEEP) STORE(e, 0, y + c + u * WIDTH);
      sums[u] += e;
    }
  for (int u = 1; u < UNROLL; ++u) sums[0] += sums[u];
  float sum = total(sums[0]);
  for (ulong c = whole; c < cols; ++c) {
    const float e = exponential1(x[c] - top);
    y[c] = e;
    sum += e;
  }
  const float inverse = 1.0f / sum;
  for (ulong c = 0; c < whole; c += step)
    for (int u = 0; u < UNROLL; ++u) {
      const VEC e = KEEP ? LOAD(0, y + c + u * WIDTH) : exponential(LOAD(0, x + c + u * WIDTH) - top);
      STORE(e * inverse, 0, y + c + u * WIDTH);
    }
  for (ulong c = whole; c < cols; ++c) y[c] *= inverse;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void softmax(__global const float* x, __global float* y, ulong rows, ulong cols) {
  const ulong first = get_global_id(0) * ROWS;
  for (ulong row = first; row < first + ROWS && row < rows; ++row) one_row(x + row * cols, y + row * cols, cols);
}
