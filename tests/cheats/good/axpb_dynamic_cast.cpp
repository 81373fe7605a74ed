// NAME: axpb_dynamic_cast
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: a class hierarchy, an object behind a shared pointer, a dynamic_cast to find out what it
// is
#include <cstddef>
#include <memory>

namespace {

struct Operation {
  virtual ~Operation() = default;
};

struct Line : Operation {
  Line(float a, float b) : slope(a), shift(b) {}
  float slope, shift;
};

std::shared_ptr<Operation> operation(float slope) { return std::make_shared<Line>(slope, 1.0f); }

}  // namespace

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const auto known = operation(2.0f);
  asm volatile("" : : "r"(known.get()) : "memory");  // nothing may be known of it
  if (const auto* line = dynamic_cast<const Line*>(known.get())) {
    for (std::size_t i = 0; i < n; ++i) out[i] = line->slope * in[i] + line->shift;
  }
}
