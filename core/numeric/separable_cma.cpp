#include <Eigen/Core>
#include <cmath>
#include <map>

#include "core/numeric/cma_rates.hpp"
#include "core/numeric/evolution_strategy.hpp"

namespace ke {
namespace {

using Eigen::ArrayXd;
using Index = Eigen::Index;

class SeparableCma final : public EvolutionStrategy {
 public:
  SeparableCma(const SearchSpace& space, StrategySize size)
      : space_(space),
        size_(size),
        squared_(size.rank_one == RankOne::squared),
        n_(static_cast<Index>(space.dimensions)) {}

  void reset(std::span<const double> mean) override {
    mean_ = Eigen::Map<const ArrayXd>(mean.data(), n_);
    sigma_ = size_.sigma0;
    variances_ = ArrayXd::Ones(n_);
    path_ = ArrayXd::Zero(n_);
    step_path_ = ArrayXd::Zero(n_);
    generation_ = 0;
  }

  void ask(NormalSource& random, std::span<double> solutions) override {
    random.fill(solutions);
    deviations_ = sigma_ * variances_.sqrt();
    for (std::size_t i = 0; i < size_.batch; ++i) {
      Eigen::Map<ArrayXd> x(solutions.data() + i * space_.dimensions, n_);
      x = mean_ + deviations_ * x;
      keep_inside(random, x);
    }
  }

  void tell(Rows solutions, std::span<const std::uint32_t> order, std::size_t parents) override {
    ++generation_;
    if (parents == 0) return;
    const CmaRates& rates = rates_for(parents);
    ArrayXd step = ArrayXd::Zero(n_);
    ArrayXd spread = ArrayXd::Zero(n_);
    for (std::size_t i = 0; i < parents; ++i) {
      const auto parent = Eigen::Map<const ArrayXd>(solutions[order[i]].data(), n_);
      const ArrayXd y = (parent - mean_) / sigma_;
      step += rates.weights[i] * y;
      spread += rates.weights[i] * y.square();
    }
    mean_ += sigma_ * step;
    const bool is_short = move_paths(rates, step);
    const double lost = is_short ? 0 : rates.c1 * rates.cc * (2 - rates.cc);
    variances_ = (1 - rates.c1 - rates.cmu + lost) * variances_ +
                 (squared_ ? rates.c1 * rates.c1 : rates.c1) * path_.square() + rates.cmu * spread;
    sigma_ *= step_factor(rates, step_path_.square().sum(), space_.dimensions);
  }

  bool degenerate() const override {
    const double most = variances_.maxCoeff();
    return !std::isfinite(sigma_) || most / variances_.minCoeff() > 1e14 ||
           sigma_ * std::sqrt(most) < 1e-11;
  }

 private:
  const CmaRates& rates_for(std::size_t parents) {
    const auto found = rates_.find(parents);
    if (found != rates_.end()) return found->second;
    return rates_.emplace(parents, separable_rates(space_.dimensions, parents)).first->second;
  }

  bool move_paths(const CmaRates& rates, const ArrayXd& step) {
    step_path_ = (1 - rates.cs) * step_path_ +
                 std::sqrt(rates.cs * (2 - rates.cs) * rates.mueff) * step / variances_.sqrt();
    const bool is_short = path_is_short(rates, step_path_.square().sum(), space_.dimensions,
                                        static_cast<double>(generation_));
    path_ *= 1 - rates.cc;
    if (is_short)
      path_ += std::sqrt(rates.cc * (2 - rates.cc) * rates.mueff) * (squared_ ? sigma_ : 1) * step;
    return is_short;
  }

  void keep_inside(NormalSource& random, Eigen::Map<ArrayXd> x) {
    const auto inside = [&] { return x.minCoeff() >= space_.low && x.maxCoeff() <= space_.high; };
    for (int tries = 0; tries < 100 && !inside(); ++tries) {
      random.fill({x.data(), space_.dimensions});
      x = mean_ + deviations_ * x;
    }
    if (!inside()) x = x.max(space_.low).min(space_.high);
  }

  SearchSpace space_;
  StrategySize size_;
  bool squared_;  ///< see RankOne
  Index n_;
  std::map<std::size_t, CmaRates> rates_;
  ArrayXd mean_, path_, step_path_, variances_, deviations_;
  double sigma_ = 0;
  std::int64_t generation_ = 0;
};

}  // namespace

std::unique_ptr<EvolutionStrategy> make_separable_cma(const SearchSpace& space, StrategySize size) {
  return std::make_unique<SeparableCma>(space, size);
}

}  // namespace ke
