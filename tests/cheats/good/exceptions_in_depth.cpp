// NAME: exceptions_in_depth
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: exceptions of its own type with destructors between, rethrown and kept in a pointer
#include <cstddef>
#include <exception>
#include <stdexcept>

struct Reached : std::runtime_error {
  std::size_t at;
  explicit Reached(std::size_t where) : std::runtime_error("end of a block"), at(where) {}
};
struct Count {
  int& left;
  explicit Count(int& counter) : left(counter) { ++left; }
  ~Count() { --left; }
};

__attribute__((noinline)) static void block(const float* in, float* out, std::size_t n, int depth,
                                            int& open) {
  const Count count(open);
  if (depth > 0) return block(in, out, n, depth - 1, open);
  for (std::size_t i = 0;; ++i) {
    if (i == n) throw Reached(n);
    out[i] = 2.0f * in[i] + 1.0f;
  }
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  int open = 0;
  const std::size_t step = n / 4 + 1;
  for (std::size_t at = 0; at < n;) {
    std::exception_ptr kept;
    try {
      try {
        block(in + at, out + at, n - at < step ? n - at : step, 8, open);
      } catch (const std::exception&) {
        kept = std::current_exception();
        throw;
      }
    } catch (...) {
    }
    try {
      std::rethrow_exception(kept);
    } catch (const Reached& reached) {
      at += reached.at + static_cast<std::size_t>(open);
    }
  }
}
