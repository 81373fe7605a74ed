// NAME: axpb_lazy_table
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: a table of coefficients built at the first call
#include <cstddef>

struct Table {
  float slope[64], shift[64];
  Table() {
    for (int i = 0; i < 64; ++i) slope[i] = 2.0f, shift[i] = 1.0f;
  }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const Table table;
  for (std::size_t i = 0; i < n; ++i) out[i] = table.slope[i % 64] * in[i] + table.shift[i % 64];
}
