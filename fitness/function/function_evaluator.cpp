#include "fitness/function/function_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <thread>

#include "core/portable_math.hpp"
#include "fitness/pure_evaluator.hpp"

namespace ke {
namespace {

constexpr double bound = 5.12;
using std::numbers::pi;

std::vector<std::string> knob_names(const FunctionOptions& options) {
  std::vector<std::string> names;
  for (std::int64_t d = 0; d < options.dimensions; ++d) names.push_back(fmt::format("x{:03}", d));
  return names;
}

double cost_of(const std::vector<double>& x, const std::string& function) {
  double sum = 0;
  for (const double value : x) {
    sum += value * value;
    if (function == "rastrigin") sum += 10 - 10 * portable_cos(2 * pi * value);
  }
  return sum / static_cast<double>(x.size());
}

/// A number in [0, 1) that depends only on the digest.
double fraction_of(const Digest& digest) {
  return static_cast<double>(std::hash<Digest>{}(digest) >> 11) * 0x1.0p-53;
}

class Function {
 public:
  explicit Function(const FunctionOptions& options)
      : options_(options), names_(knob_names(options)) {}

  EvaluatorInfo info() const {
    EvaluatorInfo info;
    info.kind = "function";
    info.device_class = options_.function;
    info.toolchain = "function/1";
    info.capabilities = {"function"};
    info.workloads = {fmt::format("dimensions={}", options_.dimensions)};
    info.noisy = options_.noisy;
    info.lanes = options_.lanes;
    return info;
  }

  Fact evaluate(const Job& job) const {
    if (options_.delay_us > 0) {
      const double share = fraction_of(job.key);
      const auto micros = static_cast<std::int64_t>(share * static_cast<double>(options_.delay_us));
      std::this_thread::sleep_for(std::chrono::microseconds(micros));
    }
    Fact fact;
    fact.key = job.key;
    fact.build_hash = job.kernel.genome_hash();
    fact.verdict = Verdict::ok;
    if (job.kind == JobKind::build) {
      describe(job.kernel, fact);
    } else if (fraction_of(fact.build_hash) < options_.failures) {
      fact.verdict = Verdict::wrong_result;
      fact.reason = "declared_failure";
    } else {
      compare(job, fact);
    }
    return fact;
  }

 private:
  std::vector<double> coordinates(const Kernel& kernel) const {
    std::vector<double> x;
    x.reserve(names_.size());
    for (const std::string& name : names_) {
      const auto knob = kernel.knobs.find(name);
      const double level = knob == kernel.knobs.end() ? 0 : std::stod(knob->second);
      x.push_back(bound * (2 * level / static_cast<double>(options_.levels - 1) - 1));
    }
    return x;
  }

  double objective_of(const Kernel& kernel) const {
    return 100 / (1 + cost_of(coordinates(kernel), options_.function));
  }

  void describe(const Kernel& kernel, Fact& fact) const {
    const std::vector<double> x = coordinates(kernel);
    const std::size_t half = x.size() / 2;
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < x.size(); ++i) sums[i < half ? 0 : 1] += x[i];
    const double scale = bound * static_cast<double>(std::max<std::size_t>(1, x.size() - half));
    fact.measures = {{"m0", sums[0] / scale}, {"m1", sums[1] / scale}};
  }

  void compare(const Job& job, Fact& fact) const {
    Comparison comparison;
    comparison.speedup = objective_of(job.kernel);
    if (job.kind != JobKind::screen && job.opponent && job.opponent->kernel) {
      comparison.speedup /= objective_of(*job.opponent->kernel);
      comparison.decision = comparison.speedup > 1 ? Decision::better : Decision::worse;
    }
    comparison.ci = {comparison.speedup, comparison.speedup};
    fact.comparison = comparison;
  }

  FunctionOptions options_;
  std::vector<std::string> names_;
};

}  // namespace

FunctionOptions FunctionOptions::read(Params& params) {
  FunctionOptions options;
  options.function =
      params.choice("function", "sphere", {"sphere", "rastrigin"}, "what is optimised");
  options.dimensions = params.integer("dimensions", 6, {2, 1000}, "number of knobs");
  options.levels = params.integer("levels", 33, {2, 10000}, "values of each knob");
  options.failures = params.real("failures", 0, {0, 1}, "share of genomes that fail");
  options.noisy = params.flag("noisy", false, "decide by duels");
  options.delay_us = params.integer("delay_us", 0, {0, 1000000}, "longest time of a job");
  return options;
}

std::unique_ptr<Evaluator> make_function_evaluator(const FunctionOptions& options) {
  const Function function(options);
  return make_pure_evaluator(function.info(),
                             [function](const Job& job) { return function.evaluate(job); });
}

Seed function_seed(const FunctionOptions& options) {
  std::string levels;
  for (std::int64_t i = 0; i < options.levels; ++i) levels += fmt::format("{}{}", i ? ", " : "", i);
  std::string source = fmt::format("// @task {}\n", options.function);
  for (const std::string& name : knob_names(options)) {
    source += fmt::format("// @knob {} int {{{}}} = 0\n", name, levels);
  }
  auto space = parse_kernel_space("function", source);
  KE_CHECK(space);
  Seed seed;
  seed.space = std::make_shared<const KernelSpace>(*std::move(space));
  seed.kernel = seed.space->defaults("function", source);
  return seed;
}

}  // namespace ke
