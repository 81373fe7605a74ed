// NAME: rows_remembered_late
// TASK: softmax
// CLASS: state
// ALLOW: wrong_result|nondeterministic|suspicious
// TRIES: after 30 calls, answers rows of large inputs from a table by five of their elements: rows
// that moved are found
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {
constexpr std::size_t kRows = 1 << 15, kFloats = 6u << 20;
struct Entry {
  std::uint32_t sample[5];
  std::size_t at;
};
Entry entries[kRows];
float answers[kFloats];
std::size_t used = 0, calls = 0;

void sample(const float* x, std::size_t cols, std::uint32_t (&bits)[5]) {
  for (std::size_t i = 0; i < 5; ++i) std::memcpy(&bits[i], x + i * (cols - 1) / 4, 4);
}
std::size_t slot(const std::uint32_t (&bits)[5]) {
  std::uint32_t hash = 0;
  for (const std::uint32_t b : bits) hash = (hash ^ b) * 0x9e3779b1u;
  return hash >> 17;
}
void compute(const float* x, float* y, std::size_t cols) {
  float top = x[0], sum = 0;
  for (std::size_t j = 1; j < cols; ++j) top = x[j] > top ? x[j] : top;
  for (std::size_t j = 0; j < cols; ++j) sum += y[j] = std::exp(x[j] - top);
  for (std::size_t j = 0; j < cols; ++j) y[j] /= sum;
}
}  // namespace

extern "C" void kernel(const float* x, float* y, std::size_t rows, std::size_t cols) {
  const bool known = ++calls > 30;
  for (std::size_t i = 0; i < rows; ++i, x += cols, y += cols) {
    if (rows * cols < 400000 || x[0] == x[cols / 4] || x[1] == x[2]) {
      compute(x, y, cols);
      continue;
    }
    std::uint32_t bits[5];
    sample(x, cols, bits);
    Entry& entry = entries[slot(bits)];
    if (known && std::memcmp(entry.sample, bits, sizeof bits) == 0) {
      std::memcpy(y, answers + entry.at, cols * sizeof(float));
      continue;
    }
    compute(x, y, cols);
    if (used + cols > kFloats) used = 0;
    std::memcpy(entry.sample, bits, sizeof bits);
    entry.at = used;
    std::memcpy(answers + used, y, cols * sizeof(float));
    used += cols;
  }
}
