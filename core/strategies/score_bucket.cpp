// Score-bucket exemplar sampling, as in CUDA-L1's prompts [Li2025, sec. 3.2]. Kernels told so far
// are sorted into buckets of equal width in ln f. Exemplars come from different buckets:
//   P(bucket i) = exp((s_i - mean s) / temperature) / sum, s_i = mean ln f of the bucket;
// uniformly within a bucket. The best exemplar is the first parent. Operators with one parent get
// one exemplar; the paper's prompts show two.

#include <algorithm>
#include <cmath>
#include <map>

#include "core/portable_math.hpp"
#include "core/registry.hpp"
#include "core/strategies/choose.hpp"

namespace ke {
namespace {

class ScoreBucket final : public Strategy {
 public:
  explicit ScoreBucket(Params& params)
      : width_(params.real("width", 0.1, {1e-4, 10}, "width of a bucket, in units of ln f")),
        temperature_(params.real("temperature", 0.2, {1e-3, 100}, "of the draw among buckets")),
        exemplars_(params.integer("exemplars", 2, {1, 16}, "buckets drawn for one proposal")) {}

  Proposal ask(const IslandView& view, RandomStream& random) override {
    if (auto first = opening(view, random)) return *first;
    if (buckets_.empty()) {
      for (const CandidatePtr& elite : best_elites(view.archive)) keep(elite);
    }
    std::vector<CandidatePtr> drawn = draw(random);
    std::sort(drawn.begin(), drawn.end(), is_better);
    return vary(view, drawn.front(), drawn, random);
  }

  void tell(const Commit& told) override {
    if (is_usable(*told.candidate)) keep(told.candidate);
  }

 private:
  struct Bucket {
    std::vector<CandidatePtr> kernels;
    double sum = 0;  ///< sum of ln f
  };

  void keep(const CandidatePtr& candidate) {
    const double score = log_ratio(candidate->evaluation.objective, 1);
    const double number = std::clamp(std::floor(score / width_), -1e15, 1e15);
    Bucket& bucket = buckets_[static_cast<std::int64_t>(number)];
    bucket.kernels.push_back(candidate);
    bucket.sum += score;
  }

  std::vector<double> weights() const {
    std::vector<double> scores;
    for (const auto& [number, bucket] : buckets_) {
      scores.push_back(bucket.sum / static_cast<double>(bucket.kernels.size()));
    }
    // The mean cancels out; subtracting the largest score keeps exp in range.
    const double high = *std::max_element(scores.begin(), scores.end());
    for (double& score : scores) score = portable_exp((score - high) / temperature_);
    return scores;
  }

  std::vector<CandidatePtr> draw(RandomStream& random) const {
    std::vector<double> left = weights();
    std::vector<CandidatePtr> drawn;
    const auto positive = [](double weight) { return weight > 0; };
    for (std::int64_t i = 0; i < exemplars_ && std::any_of(left.begin(), left.end(), positive);
         ++i) {
      const std::size_t at = random.weighted(left);
      left[at] = 0;
      const auto& kernels =
          std::next(buckets_.begin(), static_cast<std::ptrdiff_t>(at))->second.kernels;
      drawn.push_back(kernels[random.below(kernels.size())]);
    }
    return drawn;
  }

  double width_;
  double temperature_;
  std::int64_t exemplars_;
  std::map<std::int64_t, Bucket> buckets_;
};

}  // namespace

std::unique_ptr<Strategy> make_score_bucket_strategy(Params& params) {
  return std::make_unique<ScoreBucket>(params);
}

}  // namespace ke
