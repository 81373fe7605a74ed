#include "fitness/function/function_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

#include "core/portable_math.hpp"

namespace ke {
namespace {

constexpr double bound = 5.12;
constexpr double pi = 3.14159265358979323846;

std::vector<double> coordinates(const Kernel& kernel, const FunctionOptions& options) {
  std::vector<double> x;
  for (std::int64_t d = 0; d < options.dimensions; ++d) {
    const auto knob = kernel.knobs.find(fmt::format("x{:03}", d));
    const double level = knob == kernel.knobs.end() ? 0 : std::stod(knob->second);
    x.push_back(bound * (2 * level / static_cast<double>(options.levels - 1) - 1));
  }
  return x;
}

double cost_of(const std::vector<double>& x, const std::string& function) {
  double sum = 0;
  for (const double value : x) {
    sum += value * value;
    if (function == "rastrigin") sum += 10 - 10 * portable_cos(2 * pi * value);
  }
  return sum / static_cast<double>(x.size());
}

double objective_of(const Kernel& kernel, const FunctionOptions& options) {
  return 100 / (1 + cost_of(coordinates(kernel, options), options.function));
}

/// A number in [0, 1) that depends on the digest alone.
double fraction_of(const Digest& digest) {
  return static_cast<double>(std::hash<Digest>{}(digest) >> 11) * 0x1.0p-53;
}

class FunctionEvaluator final : public Evaluator {
 public:
  explicit FunctionEvaluator(const FunctionOptions& options) : options_(options) {
    info_.kind = "function";
    info_.device_class = options.function;
    info_.toolchain = "function/1";
    info_.capabilities = {"function"};
    info_.workloads = {fmt::format("dimensions={}", options.dimensions)};
    info_.noisy = options.noisy;
    info_.lanes = options.lanes;
    for (std::int64_t i = 0; i < options.lanes; ++i) lanes_.emplace_back([this] { work(); });
  }
  ~FunctionEvaluator() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (auto& lane : lanes_) lane.join();
  }

  const EvaluatorInfo& info() const override { return info_; }

  Result<void> submit(const Job& job) override {
    for (const auto& need : job.needs) {
      if (need != "function") {
        return Error{Failure::device,
                     fmt::format("this evaluator cannot serve the need '{}'", need)};
      }
    }
    const std::lock_guard lock(mutex_);
    if (!known_.insert(job.key).second) return {};
    queue_.push_back(job);
    wake_.notify_one();
    return {};
  }

  std::vector<Fact> poll(std::chrono::milliseconds wait) override {
    std::unique_lock lock(mutex_);
    if (!known_.empty()) done_.wait_for(lock, wait, [this] { return !finished_.empty(); });
    std::vector<Fact> facts;
    for (Fact& fact : finished_) {
      if (known_.erase(fact.key) > 0) facts.push_back(std::move(fact));
    }
    finished_.clear();
    return facts;
  }

  void cancel(const Digest& key) override {
    const std::lock_guard lock(mutex_);
    known_.erase(key);
    std::erase_if(queue_, [&](const Job& job) { return job.key == key; });
    std::erase_if(finished_, [&](const Fact& fact) { return fact.key == key; });
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return closing_ || !queue_.empty(); });
      if (closing_) return;
      const Job job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      Fact fact = evaluate(job);
      lock.lock();
      finished_.push_back(std::move(fact));
      done_.notify_one();
    }
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

  void describe(const Kernel& kernel, Fact& fact) const {
    const std::vector<double> x = coordinates(kernel, options_);
    const std::size_t half = x.size() / 2;
    double sums[2] = {0, 0};
    for (std::size_t i = 0; i < x.size(); ++i) sums[i < half ? 0 : 1] += x[i];
    const double scale = bound * static_cast<double>(std::max<std::size_t>(1, x.size() - half));
    fact.measures = {{"m0", sums[0] / scale}, {"m1", sums[1] / scale}};
  }

  void compare(const Job& job, Fact& fact) const {
    Comparison comparison;
    comparison.speedup = objective_of(job.kernel, options_);
    if (job.kind != JobKind::screen && job.opponent && job.opponent->kernel) {
      comparison.speedup /= objective_of(*job.opponent->kernel, options_);
      comparison.decision = comparison.speedup > 1 ? Decision::better : Decision::worse;
    }
    comparison.ci = {comparison.speedup, comparison.speedup};
    fact.comparison = comparison;
  }

  FunctionOptions options_;
  EvaluatorInfo info_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::deque<Job> queue_;
  std::vector<Fact> finished_;
  std::set<Digest> known_;
  bool closing_ = false;
  std::vector<std::thread> lanes_;
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
  return std::make_unique<FunctionEvaluator>(options);
}

Seed function_seed(const FunctionOptions& options) {
  std::string levels;
  for (std::int64_t i = 0; i < options.levels; ++i) levels += fmt::format("{}{}", i ? ", " : "", i);
  std::string source = fmt::format("// @task {}\n", options.function);
  for (std::int64_t d = 0; d < options.dimensions; ++d) {
    source += fmt::format("// @knob x{:03} int {{{}}} = 0\n", d, levels);
  }
  auto space = parse_kernel_space("function", source);
  KE_CHECK(space);
  Seed seed;
  seed.space = std::make_shared<const KernelSpace>(*std::move(space));
  seed.kernel = seed.space->defaults("function", source);
  return seed;
}

}  // namespace ke
