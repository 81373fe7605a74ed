#include "experiments/study/landscape/recording_plan.hpp"

#include <fmt/format.h>

#include <set>

namespace ke {
namespace {

constexpr std::uint64_t most_listed = 2'000'000;

/// Lists every combination; the last flag gene varies fastest.
std::vector<Kernel> list_all(const KernelSpace& space, const Kernel& base) {
  std::vector<Kernel> points;
  for (std::uint64_t code = 0; code < space.size(); ++code) {
    Kernel kernel = base;
    std::uint64_t rest = code;
    for (std::size_t g = space.flag_genes.size(); g-- > 0;) {
      const auto& alternatives = space.flag_genes[g].alternatives;
      kernel.flags[g] = alternatives[rest % alternatives.size()];
      rest /= alternatives.size();
    }
    for (std::size_t k = space.knobs.size(); k-- > 0;) {
      const auto& values = space.knobs[k].values;
      kernel.knobs[space.knobs[k].name] = values[rest % values.size()];
      rest /= values.size();
    }
    if (space.admits(kernel)) points.push_back(std::move(kernel));
  }
  return points;
}

/// Draws distinct points from a space too large to list; fewer if it yields no more.
std::vector<Kernel> draw_some(const KernelSpace& space, const Kernel& base, std::size_t count,
                              RandomStream& random) {
  std::vector<Kernel> points;
  std::set<Digest> known;
  for (std::size_t tries = 0; points.size() < count && tries < 20 * count; ++tries) {
    auto kernel = space.sample(base, random);
    if (kernel && known.insert(kernel->genome_hash()).second) points.push_back(*std::move(kernel));
  }
  return points;
}

}  // namespace

Result<std::vector<Kernel>> plan_recording(const KernelSpace& space, const Kernel& base,
                                           std::int64_t limit, std::int64_t seed) {
  RandomStream random({.seed = static_cast<std::uint64_t>(seed), .purpose = Purpose::vary});
  const auto wanted = static_cast<std::size_t>(limit);
  if (space.size() > most_listed) {
    if (limit > 0) return draw_some(space, base, wanted, random);
    return Error{Failure::usage,
                 fmt::format("the space has {} combinations; --limit N draws some", space.size())};
  }
  std::vector<Kernel> points = list_all(space, base);
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    std::swap(points[i], points[i + random.below(points.size() - i)]);
  }
  if (limit > 0 && points.size() > wanted) points.resize(wanted);
  return points;
}

Json configuration_json(const KernelSpace& space, const Kernel& kernel) {
  Json json = Json::object();
  for (const Knob& knob : space.knobs) {
    const std::string& value = kernel.knobs.at(knob.name);
    switch (knob.kind) {
      case KnobKind::integer: json[knob.name] = knob.number(value); break;
      case KnobKind::boolean: json[knob.name] = value == "true"; break;
      case KnobKind::enumeration: json[knob.name] = value; break;
    }
  }
  for (std::size_t g = 0; g < kernel.flags.size(); ++g) {
    json[fmt::format("flag_{}", g)] = kernel.flags[g];
  }
  return json;
}

}  // namespace ke
