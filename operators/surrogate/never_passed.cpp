#include "operators/surrogate/never_passed.hpp"

#include <algorithm>
#include <map>

namespace ke {

NeverPassed::NeverPassed(const KernelSpace& space, std::span<const Candidate* const> kernels,
                         std::size_t tries)
    : space_(space) {
  std::vector<const Candidate*> failed;
  for (const Candidate* kernel : kernels) {
    if (kernel->evaluation.verdict != Verdict::ok) {
      failed.push_back(kernel);
      continue;
    }
    for (Value& value : values_of(kernel->kernel)) passed_.insert(std::move(value));
  }
  if (passed_.empty() || tries == 0) return;
  Value found;
  while (worst(failed, tries, found)) {
    refused_.insert(found);
    std::erase_if(failed, [&](const Candidate* kernel) { return !allows(kernel->kernel); });
  }
}

std::vector<NeverPassed::Value> NeverPassed::values_of(const Kernel& kernel) const {
  std::vector<Value> values;
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    values.emplace_back(k, kernel.knobs.at(space_.knobs[k].name));
  }
  for (std::size_t g = 0; g < kernel.flags.size(); ++g) {
    values.emplace_back(space_.knobs.size() + g, kernel.flags[g]);
  }
  return values;
}

bool NeverPassed::worst(std::span<const Candidate* const> failed, std::size_t tries,
                        Value& found) const {
  std::map<Value, std::size_t> counts;
  for (const Candidate* kernel : failed) {
    for (Value& value : values_of(kernel->kernel)) {
      if (!passed_.contains(value)) ++counts[std::move(value)];
    }
  }
  std::size_t most = tries - 1;
  for (const auto& [value, count] : counts) {
    if (count <= most) continue;
    most = count;
    found = value;
  }
  return most >= tries;
}

bool NeverPassed::allows(const Kernel& kernel) const {
  if (refused_.empty()) return true;
  return std::ranges::none_of(values_of(kernel),
                              [&](const Value& value) { return refused_.contains(value); });
}

std::vector<std::string> NeverPassed::values() const {
  std::vector<std::string> names;
  for (const auto& [gene, value] : refused_) {
    const bool knob = gene < space_.knobs.size();
    names.push_back(knob ? space_.knobs[gene].name + "=" + value : value);
  }
  return names;
}

}  // namespace ke
