#include "experiments/view/report/data/code_distance.hpp"

#include <algorithm>
#include <limits>

#include "operators/llm/shingles.hpp"

namespace ke {
namespace {

constexpr std::size_t most_sources = 1000;

}  // namespace

const std::vector<std::uint64_t>& CodeDistances::shingles_of(std::int64_t source) {
  const auto [at, is_new] = shingles_.try_emplace(source);
  if (is_new) at->second = shingles(sources_[static_cast<std::size_t>(source)]);
  return at->second;
}

double CodeDistances::between(std::int64_t a, std::int64_t b) {
  if (a == b) return 0;
  const auto [at, is_new] = known_.try_emplace(std::minmax(a, b));
  if (is_new) at->second = 1 - similarity(shingles_of(a), shingles_of(b));
  return at->second;
}

double CodeDistances::mean(const std::map<std::int64_t, std::int64_t>& counts) {
  if (counts.size() > most_sources) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  double kernels = 0;
  for (auto a = counts.begin(); a != counts.end(); ++a) {
    kernels += static_cast<double>(a->second);
    for (auto b = std::next(a); b != counts.end(); ++b) {
      sum += static_cast<double>(a->second * b->second) * between(a->first, b->first);
    }
  }
  return kernels < 2 ? 0 : sum / (kernels * (kernels - 1) / 2);
}

}  // namespace ke
