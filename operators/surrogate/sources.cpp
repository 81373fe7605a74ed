#include "operators/surrogate/sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "core/portable_math.hpp"
#include "core/validation.hpp"

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

namespace {

bool works(const Candidate& candidate) {
  return candidate.evaluation.verdict == Verdict::ok && worth(candidate.evaluation) > 0;
}

double target_of(const Candidate& candidate) {
  return works(candidate) ? portable_log(worth(candidate.evaluation))
                          : std::numeric_limits<double>::infinity();
}

/// Replaces the infinity that marks failed kernels by the worst working target.
void replace_failures(std::vector<double>& targets) {
  const double worst = *std::ranges::min_element(targets);
  for (double& target : targets) target = std::isinf(target) ? worst : target;
}

double recent_gain(const std::vector<double>& targets) {
  if (targets.size() <= recent_points) return 0;
  const auto split = targets.end() - static_cast<std::ptrdiff_t>(recent_points);
  const double before = *std::max_element(targets.begin(), split);
  return std::max(0.0, *std::max_element(split, targets.end()) - before);
}

void finish(SourcePoints& source) {
  for (const Candidate* kernel : source.kernels) {
    source.targets.push_back(target_of(*kernel));
    if (!works(*kernel)) continue;
    const bool better =
        source.best == nullptr || worth(kernel->evaluation) > worth(source.best->evaluation);
    if (better) source.best = kernel;
  }
  if (source.best == nullptr) return;
  replace_failures(source.targets);
  source.recent = recent_gain(source.targets);
}

double promise_of(const SourcePoints& source, double all, double exploration) {
  const auto points = static_cast<double>(source.kernels.size());
  const auto size = static_cast<double>(source.best->space->size());
  const double left = std::max(0.0, 1 - points / size);
  return portable_log(worth(source.best->evaluation)) + source.recent +
         exploration * std::sqrt(2 * portable_log(1 + all) / points) * left;
}

}  // namespace

std::vector<SourcePoints> points_by_source(std::span<const CandidatePtr> judged) {
  std::vector<SourcePoints> sources;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> known;
  for (const CandidatePtr& candidate : judged) {
    const Kernel& kernel = candidate->kernel;
    if (!candidate->space || !candidate->space->declares(kernel)) continue;
    const auto [place, is_new] =
        known.try_emplace({kernel.language, kernel.source}, sources.size());
    if (is_new) sources.emplace_back();
    sources[place->second].kernels.push_back(candidate.get());
  }
  for (SourcePoints& source : sources) finish(source);
  return sources;
}

const SourcePoints* leading_source(const std::vector<SourcePoints>& sources) {
  const SourcePoints* leading = nullptr;
  for (const SourcePoints& source : sources) {
    if (source.best == nullptr) continue;
    const bool better =
        leading == nullptr || worth(source.best->evaluation) > worth(leading->best->evaluation);
    if (better) leading = &source;
  }
  return leading;
}

std::vector<const SourcePoints*> by_promise(const std::vector<SourcePoints>& sources,
                                            double exploration) {
  double all = 0;
  for (const SourcePoints& source : sources) all += static_cast<double>(source.kernels.size());
  std::vector<std::pair<double, const SourcePoints*>> ranked;
  for (const SourcePoints& source : sources) {
    if (source.best == nullptr) continue;
    ranked.emplace_back(promise_of(source, all, exploration), &source);
  }
  std::ranges::stable_sort(ranked, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const SourcePoints*> list;
  for (const auto& [promise, source] : ranked) list.push_back(source);
  return list;
}

}  // namespace ke
