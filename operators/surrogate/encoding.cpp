#include "operators/surrogate/encoding.hpp"

#include <algorithm>

#include "core/portable_math.hpp"

namespace ke {
namespace {

constexpr double ln2 = 0.693147180559945309;

/// log2 of each value of a size knob (positive integers, at least three); empty for other knobs.
std::vector<double> log2_of(const Knob& knob) {
  std::vector<double> logs;
  if (knob.kind != KnobKind::integer || knob.values.size() < 3) return logs;
  for (const std::string& value : knob.values) {
    if (knob.number(value) <= 0) return {};
    logs.push_back(portable_log(static_cast<double>(knob.number(value))) / ln2);
  }
  return logs;
}

/// One number for two values, otherwise one indicator per value.
void append_choice(std::size_t at, std::size_t values, std::vector<double>& row) {
  if (values < 2) return;
  if (values == 2) {
    row.push_back(static_cast<double>(at));
    return;
  }
  for (std::size_t i = 0; i < values; ++i) row.push_back(i == at ? 1 : 0);
}

}  // namespace

Encoding::Encoding(const KernelSpace& space) : space_(space) {
  for (const Knob& knob : space.knobs) log2_.push_back(log2_of(knob));
  Kernel kernel = space.defaults("", "");
  std::vector<double> row;
  append(kernel, row);
  width_ = row.size();
}

void Encoding::append(const Kernel& kernel, std::vector<double>& rows) const {
  std::vector<double> sizes;
  for (std::size_t k = 0; k < space_.knobs.size(); ++k) {
    const Knob& knob = space_.knobs[k];
    const std::size_t at = knob.index_of(kernel.knobs.at(knob.name));
    if (knob.kind == KnobKind::enumeration) {
      append_choice(at, knob.values.size(), rows);
    } else if (knob.values.size() > 1) {
      rows.push_back(static_cast<double>(at));
    }
    if (log2_[k].empty()) continue;
    for (const double other : sizes) rows.push_back(other + log2_[k][at]);
    sizes.push_back(log2_[k][at]);
  }
  for (std::size_t g = 0; g < space_.flag_genes.size(); ++g) {
    const auto& values = space_.flag_genes[g].alternatives;
    const auto at = std::find(values.begin(), values.end(), kernel.flags[g]) - values.begin();
    append_choice(static_cast<std::size_t>(at), values.size(), rows);
  }
}

}  // namespace ke
