#include <algorithm>
#include <cmath>

#include "core/portable_math.hpp"
#include "fitness/landscape/problem.hpp"
#include "fitness/pure_evaluator.hpp"

namespace ke {
namespace {

constexpr std::int64_t duel_factor = 8;  ///< factor of a duel's draws over a screen's
constexpr double z95 = 1.959963984540054;

/// Mean of one measurement's samples, with the standard error of the mean.
struct Reading {
  double time = 0;
  double error = 0;
};

Reading exact(const Landscape::Point& point) { return {point.time, 0}; }

Reading draw(std::span<const double> samples, std::int64_t draws, RandomStream& random) {
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    const double sample = samples[random.below(samples.size())];
    sum += sample;
    squares += sample * sample;
  }
  const auto n = static_cast<double>(draws);
  const double mean = sum / n;
  if (draws < 2) return {mean, 0};
  const double variance = std::max(0.0, squares / n - mean * mean) * n / (n - 1);
  return {mean, std::sqrt(variance / n)};
}

class Recorded {
 public:
  Recorded(std::shared_ptr<const LandscapeProblem> problem, std::int64_t run_seed)
      : problem_(std::move(problem)), seed_(static_cast<std::uint64_t>(run_seed)) {}

  Fact operator()(const Job& job) const {
    Fact fact;
    fact.key = job.key;
    const auto point = problem_->landscape().find(job.kernel);
    if (!point) {
      fact.verdict = Verdict::rejected;
      fact.reason = "not_recorded";
      return fact;
    }
    fact.build_hash = problem_->build_hash(*point);
    fact.verdict = Verdict::ok;
    if (job.kind == JobKind::build) {
      describe(*point, fact);
    } else {
      measure(job, *point, fact);
    }
    return fact;
  }

 private:
  void describe(std::size_t point, Fact& fact) const {
    const auto& names = problem_->measures();
    for (std::size_t m = 0; m < names.size(); ++m) {
      fact.measures.emplace(names[m], problem_->measure(point, m));
    }
  }

  void measure(const Job& job, std::size_t point, Fact& fact) const {
    const Landscape::Point& recorded = problem_->landscape().points()[point];
    if (recorded.verdict != Verdict::ok) {
      fact.verdict = recorded.verdict;
      fact.reason = "recorded";
      fact.message = recorded.reason;
      return;
    }
    RandomStream random(stream_of(job.key));
    const std::int64_t draws =
        problem_->options().draws * (job.kind == JobKind::screen ? 1 : duel_factor);
    const Reading own = read(recorded, draws, random);
    Reading other{problem_->reference_time(), 0};
    if (job.kind != JobKind::screen) {
      if (!read_opponent(job, draws, random, other)) {
        fact.verdict = Verdict::rejected;
        fact.reason = "opponent_not_recorded";
        return;
      }
    }
    fact.comparison = compare(own, other, job.kind != JobKind::screen);
  }

  /// Equal keys in one run give equal draws; other seeds give new draws.
  StreamKey stream_of(const Digest& key) const {
    return {std::hash<Digest>{}(key) ^ (seed_ * 0x9E3779B97F4A7C15u), 0, 0, 0, Purpose::bootstrap};
  }

  Reading read(const Landscape::Point& point, std::int64_t draws, RandomStream& random) const {
    const auto samples = problem_->landscape().samples(point);
    if (problem_->options().noise == LandscapeOptions::Noise::none || samples.empty()) {
      return exact(point);
    }
    return draw(samples, draws, random);
  }

  bool read_opponent(const Job& job, std::int64_t draws, RandomStream& random,
                     Reading& other) const {
    if (!job.opponent || !job.opponent->kernel) return true;  // a named opponent is the reference
    const auto point = problem_->landscape().find(*job.opponent->kernel);
    if (!point) return false;
    const Landscape::Point& recorded = problem_->landscape().points()[*point];
    if (recorded.verdict != Verdict::ok) return false;
    other = read(recorded, draws, random);
    return true;
  }

  /// The interval combines the relative errors of both arms on the log scale.
  static Comparison compare(const Reading& own, const Reading& other, bool direct) {
    const double relative = std::sqrt(own.error / own.time * (own.error / own.time) +
                                      other.error / other.time * (other.error / other.time));
    const double spread = relative > 0 ? portable_exp(z95 * relative) : 1;
    Comparison comparison;
    comparison.speedup = other.time / own.time;
    comparison.ci = {comparison.speedup / spread, comparison.speedup * spread};
    if (!direct) return comparison;
    comparison.decision = comparison.ci.low > 1    ? Decision::better
                          : comparison.ci.high < 1 ? Decision::worse
                                                   : Decision::undecided;
    comparison.resolvable = spread - 1;
    WorkloadTiming timing;
    timing.workload = "recorded";
    timing.role = "bench";
    timing.speedup = comparison.speedup;
    timing.ci = comparison.ci;
    comparison.workloads.push_back(std::move(timing));
    return comparison;
  }

  std::shared_ptr<const LandscapeProblem> problem_;
  std::uint64_t seed_;
};

EvaluatorInfo info_of(const LandscapeProblem& problem, std::int64_t lanes) {
  EvaluatorInfo info;
  info.kind = "landscape";
  info.device_class = problem.landscape().name();
  info.toolchain = "landscape/1";
  info.capabilities = {"landscape"};
  info.workloads = {"recorded"};
  info.noisy = problem.options().noise == LandscapeOptions::Noise::sample;
  info.lanes = lanes;
  return info;
}

}  // namespace

std::unique_ptr<Evaluator> make_landscape_evaluator(std::shared_ptr<const LandscapeProblem> problem,
                                                    std::int64_t run_seed, std::int64_t lanes) {
  EvaluatorInfo info = info_of(*problem, lanes);
  return make_pure_evaluator(std::move(info), Recorded(std::move(problem), run_seed));
}

}  // namespace ke
