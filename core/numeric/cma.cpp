#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/numeric/evolution_strategy.hpp"
#include "core/portable_math.hpp"
#include "core/result.hpp"

namespace ke {
namespace {

using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Index = Eigen::Index;

/// Defaults of [Hansen2016], positive weights only; they sum to 1.
struct CmaRates {
  std::vector<double> weights;
  double mueff = 1;
  double cc = 0;     ///< rate of the covariance path
  double cs = 0;     ///< rate of the step-size path
  double c1 = 0;     ///< rate of the rank-one update
  double cmu = 0;    ///< rate of the rank-mu update
  double damps = 1;  ///< damping of the step size
};

/// `parents` >= 1.
CmaRates cma_rates(std::size_t dimensions, std::size_t parents) {
  KE_CHECK(dimensions >= 1 && parents >= 1);
  CmaRates rates;
  const double n = static_cast<double>(dimensions);
  const double head = portable_log(static_cast<double>(parents) + 0.5);
  double sum = 0;
  for (std::size_t i = 1; i <= parents; ++i) {
    rates.weights.push_back(head - portable_log(static_cast<double>(i)));
    sum += rates.weights.back();
  }
  double squares = 0;
  for (double& weight : rates.weights) {
    weight /= sum;
    squares += weight * weight;
  }
  rates.mueff = 1 / squares;
  const double mueff = rates.mueff;
  rates.cc = (4 + mueff / n) / (n + 4 + 2 * mueff / n);
  rates.cs = (mueff + 2) / (n + mueff + 5);
  rates.c1 = 2 / ((n + 1.3) * (n + 1.3) + mueff);
  rates.cmu = std::min(1 - rates.c1, 2 * (mueff - 2 + 1 / mueff) / ((n + 2) * (n + 2) + mueff));
  rates.damps = 1 + 2 * std::max(0.0, std::sqrt((mueff - 1) / (n + 1)) - 1) + rates.cs;
  return rates;
}

/// The rates for a diagonal covariance: cc, c1 and cmu are larger, as in pycma [Hansen2019pycma].
CmaRates separable_rates(std::size_t dimensions, std::size_t parents) {
  CmaRates rates = cma_rates(dimensions, parents);
  const double n = static_cast<double>(dimensions);
  const double mueff = rates.mueff;
  const double root = std::sqrt(n);
  rates.cc = (1 + 1 / n + mueff / n) / (root + 1 / n + 2 * mueff / n);
  rates.c1 = rates.c1 * ((n + 1.3) * (n + 1.3) + mueff) / 2 / (n + 2 * root + mueff / n);
  rates.cmu = std::min(1 - rates.c1, (mueff + 1 / mueff - 2) / (n + 4 * root + mueff / 2));
  return rates;
}

/// Whether the step-size path is short enough for the rank-one update. `generation` counts from 1
/// after a reset.
bool path_is_short(const CmaRates& rates, double squared_path, std::size_t dimensions,
                   double generation) {
  const double n = static_cast<double>(dimensions);
  const double decay = portable_exp(2 * generation * portable_log(1 - rates.cs));
  return squared_path / n / (1 - decay) < 2 + 4 / (n + 1);
}

/// Factor on the step size for a path of this squared length, at most e.
double step_factor(const CmaRates& rates, double squared_path, std::size_t dimensions) {
  const double excess = squared_path / static_cast<double>(dimensions) - 1;
  return portable_exp(std::min(1.0, rates.cs / rates.damps * excess / 2));
}

/// State of both strategies, and their rates by number of parents.
class Cma : public EvolutionStrategy {
 protected:
  using RatesOf = CmaRates (*)(std::size_t dimensions, std::size_t parents);

  Cma(const SearchSpace& space, StrategySize size, RatesOf rates_of)
      : space_(space),
        size_(size),
        squared_(size.rank_one == RankOne::squared),
        n_(static_cast<Index>(space.dimensions)),
        rates_of_(rates_of) {}

  const CmaRates& rates_for(std::size_t parents) {
    const auto found = rates_.find(parents);
    if (found != rates_.end()) return found->second;
    return rates_.emplace(parents, rates_of_(space_.dimensions, parents)).first->second;
  }
  /// Moves the covariance path; see path_is_short.
  template <typename Vector>
  bool move_path(const CmaRates& rates, double squared_step_path, const Vector& step,
                 Vector& path) const {
    const bool is_short = path_is_short(rates, squared_step_path, space_.dimensions,
                                        static_cast<double>(generation_));
    path *= 1 - rates.cc;
    if (is_short)
      path += std::sqrt(rates.cc * (2 - rates.cc) * rates.mueff) * (squared_ ? sigma_ : 1) * step;
    return is_short;
  }
  /// Weight of the rank-one update, and what it leaves to the old covariance.
  double rank_one(const CmaRates& rates) const { return squared_ ? rates.c1 * rates.c1 : rates.c1; }
  static double kept(const CmaRates& rates, bool is_short) {
    const double lost = is_short ? 0 : rates.c1 * rates.cc * (2 - rates.cc);
    return 1 - rates.c1 - rates.cmu + lost;
  }

  SearchSpace space_;
  StrategySize size_;
  bool squared_;  ///< see RankOne
  Index n_;
  double sigma_ = 0;
  std::int64_t generation_ = 0;

 private:
  RatesOf rates_of_;
  std::map<std::size_t, CmaRates> rates_;
};

class FullCma final : public Cma {
 public:
  FullCma(const SearchSpace& space, StrategySize size) : Cma(space, size, &cma_rates) {
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
    covariance_ *= kept(rates, is_short);
    auto lower = covariance_.selfadjointView<Eigen::Lower>();
    lower.rankUpdate(path_, rank_one(rates));
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
    return move_path(rates, step_path_.squaredNorm(), step, path_);
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

  double gap_ = 0;  ///< evaluations between two factorisations
  VectorXd mean_, path_, step_path_;
  MatrixXd covariance_;  ///< lower triangle
  MatrixXd factor_;
  MatrixXd normals_;
  double factored_at_ = 0;
  bool is_unit_ = true;
  bool broken_ = false;
};

class SeparableCma final : public Cma {
 public:
  SeparableCma(const SearchSpace& space, StrategySize size) : Cma(space, size, &separable_rates) {}

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
    variances_ =
        kept(rates, is_short) * variances_ + rank_one(rates) * path_.square() + rates.cmu * spread;
    sigma_ *= step_factor(rates, step_path_.square().sum(), space_.dimensions);
  }

  bool degenerate() const override {
    const double most = variances_.maxCoeff();
    return !std::isfinite(sigma_) || most / variances_.minCoeff() > 1e14 ||
           sigma_ * std::sqrt(most) < 1e-11;
  }

 private:
  bool move_paths(const CmaRates& rates, const ArrayXd& step) {
    step_path_ = (1 - rates.cs) * step_path_ +
                 std::sqrt(rates.cs * (2 - rates.cs) * rates.mueff) * step / variances_.sqrt();
    return move_path(rates, step_path_.square().sum(), step, path_);
  }

  void keep_inside(NormalSource& random, Eigen::Map<ArrayXd> x) {
    const auto inside = [&] { return x.minCoeff() >= space_.low && x.maxCoeff() <= space_.high; };
    for (int tries = 0; tries < 100 && !inside(); ++tries) {
      random.fill({x.data(), space_.dimensions});
      x = mean_ + deviations_ * x;
    }
    if (!inside()) x = x.max(space_.low).min(space_.high);
  }

  ArrayXd mean_, path_, step_path_, variances_, deviations_;
};

}  // namespace

std::unique_ptr<EvolutionStrategy> make_full_cma(const SearchSpace& space, StrategySize size) {
  return std::make_unique<FullCma>(space, size);
}

std::unique_ptr<EvolutionStrategy> make_separable_cma(const SearchSpace& space, StrategySize size) {
  return std::make_unique<SeparableCma>(space, size);
}

}  // namespace ke
