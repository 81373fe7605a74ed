#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>
#include <map>

#include "core/numeric/cma_rates.hpp"
#include "core/numeric/evolution_strategy.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

class FullCma final : public EvolutionStrategy {
 public:
  FullCma(const SearchSpace& space, StrategySize size)
      : space_(space),
        size_(size),
        squared_(size.rank_one == RankOne::squared),
        n_(static_cast<Index>(space.dimensions)) {
    const CmaRates usual = cma_rates(space.dimensions, std::max<std::size_t>(1, size.batch / 2));
    gap_ = 0.5 * static_cast<double>(size.batch) / (usual.c1 + usual.cmu) /
           static_cast<double>(space.dimensions);
    normals_.resize(n_, static_cast<Index>(size.batch));
  }

  void reset(std::span<const double> mean) override {
    mean_ = Eigen::Map<const VectorXd>(mean.data(), n_);
    sigma_ = size_.sigma0;
    covariance_.setIdentity(n_, n_);
    factor_.setIdentity(n_, n_);
    path_ = VectorXd::Zero(n_);
    step_path_ = VectorXd::Zero(n_);
    generation_ = 0;
    factored_at_ = 0;
    is_unit_ = true;
    broken_ = false;
  }

  void ask(NormalSource& random, std::span<double> solutions) override {
    refresh_factor();
    Eigen::Map<MatrixXd> x(solutions.data(), n_, static_cast<Index>(size_.batch));
    random.fill({normals_.data(), static_cast<std::size_t>(normals_.size())});
    if (is_unit_) {
      x.noalias() = sigma_ * normals_;
    } else {
      x.noalias() = factor_.triangularView<Eigen::Lower>() * normals_;
      x *= sigma_;
    }
    x.colwise() += mean_;
    for (Index i = 0; i < x.cols(); ++i) keep_inside(random, x.col(i));
  }

  void tell(Rows solutions, std::span<const std::uint32_t> order, std::size_t parents) override {
    ++generation_;
    if (parents == 0) return;
    const CmaRates& rates = rates_for(parents);
    const VectorXd old_mean = mean_;
    MatrixXd steps(n_, static_cast<Index>(parents));  // (parent - mean) / sigma, one column each
    for (std::size_t i = 0; i < parents; ++i) {
      const auto parent = Eigen::Map<const VectorXd>(solutions[order[i]].data(), n_);
      steps.col(static_cast<Index>(i)) = (parent - old_mean) / sigma_;
    }
    const auto weights = Eigen::Map<const VectorXd>(rates.weights.data(), steps.cols());
    const VectorXd step = steps * weights;
    mean_ = old_mean + sigma_ * step;
    const bool is_short = move_paths(rates, step);
    const double lost = is_short ? 0 : rates.c1 * rates.cc * (2 - rates.cc);
    covariance_ *= 1 - rates.c1 - rates.cmu + lost;
    auto lower = covariance_.selfadjointView<Eigen::Lower>();
    lower.rankUpdate(path_, squared_ ? rates.c1 * rates.c1 : rates.c1);
    lower.rankUpdate(steps * weights.cwiseSqrt().asDiagonal(), rates.cmu);
    sigma_ *= step_factor(rates, step_path_.squaredNorm(), space_.dimensions);
  }

  bool degenerate() const override {
    if (broken_ || !std::isfinite(sigma_)) return true;
    const auto diagonal = factor_.diagonal();
    const double ratio = diagonal.maxCoeff() / diagonal.minCoeff();
    return ratio * ratio > 1e14 || sigma_ * std::sqrt(covariance_.diagonal().maxCoeff()) < 1e-11;
  }

 private:
  const CmaRates& rates_for(std::size_t parents) {
    const auto found = rates_.find(parents);
    if (found != rates_.end()) return found->second;
    return rates_.emplace(parents, cma_rates(space_.dimensions, parents)).first->second;
  }

  void refresh_factor() {
    const auto evaluated =
        static_cast<double>(generation_ * static_cast<std::int64_t>(size_.batch));
    if (evaluated <= factored_at_ + gap_) return;
    factored_at_ = evaluated;
    const Eigen::LLT<MatrixXd> cholesky(covariance_);
    broken_ = cholesky.info() != Eigen::Success;
    if (broken_) return;
    factor_ = cholesky.matrixL();
    is_unit_ = false;
  }

  bool move_paths(const CmaRates& rates, const VectorXd& step) {
    const VectorXd straight =
        is_unit_ ? step : VectorXd(factor_.triangularView<Eigen::Lower>().solve(step));
    step_path_ =
        (1 - rates.cs) * step_path_ + std::sqrt(rates.cs * (2 - rates.cs) * rates.mueff) * straight;
    const bool is_short = path_is_short(rates, step_path_.squaredNorm(), space_.dimensions,
                                        static_cast<double>(generation_));
    path_ *= 1 - rates.cc;
    if (is_short)
      path_ += std::sqrt(rates.cc * (2 - rates.cc) * rates.mueff) * (squared_ ? sigma_ : 1) * step;
    return is_short;
  }

  void keep_inside(NormalSource& random, Eigen::Ref<VectorXd> x) {
    const auto inside = [&] { return x.minCoeff() >= space_.low && x.maxCoeff() <= space_.high; };
    VectorXd z(n_);
    for (int tries = 0; tries < 100 && !inside(); ++tries) {
      random.fill({z.data(), static_cast<std::size_t>(n_)});
      x = factor_.triangularView<Eigen::Lower>() * z;
      x = mean_ + sigma_ * x;
    }
    if (!inside()) x = x.cwiseMax(space_.low).cwiseMin(space_.high);
  }

  SearchSpace space_;
  StrategySize size_;
  bool squared_;  ///< see RankOne
  Index n_;
  double gap_ = 0;  ///< evaluations between two factorisations
  std::map<std::size_t, CmaRates> rates_;
  VectorXd mean_, path_, step_path_;
  MatrixXd covariance_;  ///< lower triangle
  MatrixXd factor_;
  MatrixXd normals_;
  double sigma_ = 0;
  std::int64_t generation_ = 0;
  double factored_at_ = 0;
  bool is_unit_ = true;
  bool broken_ = false;
};

}  // namespace

std::unique_ptr<EvolutionStrategy> make_full_cma(const SearchSpace& space, StrategySize size) {
  return std::make_unique<FullCma>(space, size);
}

}  // namespace ke
