// NAME: softmax1d_exp2_table
// TASK: softmax1d
// CLASS: good
// ALLOW: ok
// TRIES: an exponential from a table of 32 powers built at the first call
#include <cmath>
#include <cstddef>

struct Powers {
  double value[32];
  Powers() {
    for (int i = 0; i < 32; ++i) value[i] = std::exp2(i / 32.0);
  }
};

static float power(double t, const Powers& powers) {
  if (!(t > -140)) return t == t ? 0.0f : static_cast<float>(t);
  const double scaled = std::floor(t * 32);
  const double f = (t - scaled / 32) * 0.693147180559945309;
  const long k = static_cast<long>(scaled);
  return static_cast<float>(std::ldexp(powers.value[k & 31] * (1 + f * (1 + f * (0.5 + f / 6))),
                                       static_cast<int>(k >> 5)));
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const Powers powers;
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i) top = in[i] > top ? in[i] : top;
  double total = 0;
  for (std::size_t i = 0; i < n; ++i)
    total += out[i] = power((static_cast<double>(in[i]) - top) * 1.44269504088896341, powers);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(out[i] / total);
}
