// NAME: virtual_diamond
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: virtual bases, thunks and covariant results: tables and type information of its own
#include <cstddef>

struct Step {
  virtual ~Step() = default;
  virtual float apply(float x) const = 0;
  virtual const Step* self() const { return this; }
};
struct Twice : virtual Step {
  float factor = 2.0f;
  float apply(float x) const override { return factor * x; }
  const Twice* self() const override { return this; }
};
struct Plus : virtual Step {
  float one = 1.0f;
  float apply(float x) const override { return x + one; }
};
struct Both final : Twice, Plus {
  float apply(float x) const override { return Plus::apply(Twice::apply(x)); }
  const Both* self() const override { return this; }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  Both both;
  const Step* step = &both;
  asm volatile("" : "+r"(step));
  step = step->self();
  for (std::size_t i = 0; i < n; ++i) out[i] = step->apply(in[i]);
}
