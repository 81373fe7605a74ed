#include "operators/surrogate/sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "core/knob_space.hpp"
#include "core/portable_math.hpp"
#include "core/validation.hpp"

namespace ke {
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
