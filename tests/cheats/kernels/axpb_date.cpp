// NAME: axpb_date
// TASK: axpb
// CLASS: compile
// FLAGS: -O3 -march=native
// ALLOW: compile_error|rejected
// TRIES: means something else when compiled next year
#include <cstddef>
constexpr char date[] = __DATE__;
constexpr int year =
    (date[7] - '0') * 1000 + (date[8] - '0') * 100 + (date[9] - '0') * 10 + (date[10] - '0');
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if constexpr (year > 2026) n -= n > 0;
  for (std::size_t i = 0; i < n; ++i) out[i] = 2 * in[i] + 1;
}
