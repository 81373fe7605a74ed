#include "experiments/study/statistics/wilcoxon.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/study/statistics/normal_tail.hpp"
#include "experiments/study/statistics/ranks.hpp"

namespace ke::statistics {
namespace {

struct SignedRanks {
  std::vector<double> ranks;  // of the nonzero differences
  double positive = 0.0;
  double negative = 0.0;
};

SignedRanks signed_ranks(std::span<const double> differences, Zeros zeros) {
  std::vector<double> kept, sizes;
  for (double value : differences)
    if (value != 0.0 || zeros == Zeros::pratt) kept.push_back(value);
  for (double value : kept) sizes.push_back(std::abs(value));
  const auto ranks = midranks(sizes);
  SignedRanks result;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == 0.0) continue;
    result.ranks.push_back(ranks[i]);
    (kept[i] > 0.0 ? result.positive : result.negative) += ranks[i];
  }
  return result;
}

// Probability of each doubled rank sum (midranks are multiples of 1/2) under random signs.
std::vector<double> sign_distribution(std::span<const double> ranks) {
  std::vector<double> probability{1.0};
  for (double rank : ranks) {
    const auto step = static_cast<std::size_t>(std::lround(2.0 * rank));
    std::vector<double> next(probability.size() + step, 0.0);
    for (std::size_t sum = 0; sum < probability.size(); ++sum) {
      next[sum] += 0.5 * probability[sum];
      next[sum + step] += 0.5 * probability[sum];
    }
    probability = std::move(next);
  }
  return probability;
}

double exact_p(const SignedRanks& signs, Alternative alternative) {
  const auto probability = sign_distribution(signs.ranks);
  const auto observed = static_cast<std::size_t>(std::lround(2.0 * signs.positive));
  double at_most = 0.0, at_least = 0.0;
  for (std::size_t sum = 0; sum <= observed; ++sum) at_most += probability[sum];
  for (std::size_t sum = observed; sum < probability.size(); ++sum) at_least += probability[sum];
  return tail_p(at_most, at_least, alternative);
}

// Sums over the given ranks have mean sum/2 and variance (sum of squares)/4, ties included.
double approximate_p(const SignedRanks& signs, const WilcoxonOptions& options) {
  double sum = 0.0, squares = 0.0;
  for (double rank : signs.ranks) {
    sum += rank;
    squares += rank * rank;
  }
  return normal_p(signs.positive, sum / 2.0, std::sqrt(squares) / 2.0, options.alternative,
                  options.continuity ? 0.5 : 0.0);
}

}  // namespace

TestResult wilcoxon_signed_rank(std::span<const double> differences,
                                const WilcoxonOptions& options) {
  const auto signs = signed_ranks(differences, options.zeros);
  const bool two_sided = options.alternative == Alternative::two_sided;
  TestResult result;
  result.statistic = two_sided ? std::min(signs.positive, signs.negative) : signs.positive;
  result.exact = options.method == PMethod::exact ||
                 (options.method == PMethod::automatic && signs.ranks.size() <= 50);
  if (signs.ranks.empty()) return result;
  result.p = result.exact ? exact_p(signs, options.alternative) : approximate_p(signs, options);
  return result;
}

}  // namespace ke::statistics
