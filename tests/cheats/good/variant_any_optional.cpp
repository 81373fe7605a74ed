// NAME: variant_any_optional
// TASK: axpb
// CLASS: good
// ALLOW: ok
// TRIES: std::variant, std::any and std::optional decide what to do; a local class with a local
// static
#include <any>
#include <cstddef>
#include <optional>
#include <variant>

struct Twice {
  float by;
};
struct Plus {
  float what;
};
using Step = std::variant<std::monostate, Twice, Plus>;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const Step steps[] = {Twice{2.0f}, Step{}, Plus{1.0f}};
  const std::any wrapped = std::optional<float>(1.0f);
  for (std::size_t i = 0; i < n; ++i) out[i] = in[i];
  for (const Step& step : steps) {
    if (const auto* twice = std::get_if<Twice>(&step)) {
      for (std::size_t i = 0; i < n; ++i) out[i] *= twice->by;
    } else if (std::holds_alternative<Plus>(step)) {
      const float what = std::any_cast<std::optional<float>>(wrapped).value();
      for (std::size_t i = 0; i < n; ++i) out[i] += what * std::get<Plus>(step).what;
    }
  }
}
