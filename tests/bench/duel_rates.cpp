// Measures how often duels and screens err, with the real judge on this machine.
//
// The challenger is a kernel of a task with a row axis, the incumbent its twin: renamed, with other
// comments, linked again with other paddings; with --work P the incumbent also computes its first P
// per cent of rows twice. P = 0 gives the rate of false `better`, P > 0 the sensitivity. After
// --pairs P pairs have been compiled they take turns; every measurement links them anew.
//
// --stage duel    decides each trial as a search does: false `better` is what counts
// --stage screen  screens both twins against the anchor, as a search does before it duels, and
//                 prints how many challengers are passed on to a duel (their figure is at least
//                 the incumbent's x (1 - slack)) and how many seem better outright: with P = 0,
//                 the screening's own rate of false acceptance, which duels have to bring down
// --threads N     rows are shared out to N OpenMP threads, and the task declares as many
// --cache cold    timed calls find no byte of their tensors in a cache
//
// usage: duel_rates [--stage duel|screen] [--task sgemm] [--trials 200] [--pairs 20] [--work 0]
//                   [--threads 1] [--cache llc|cold] [--slack 0.01] [--lane -1]
//                   [--tools build/release]

#include <fmt/core.h>

#include <boost/program_options.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"
#include "fitness/host/host.hpp"
#include "fitness/sandbox/level.hpp"
#include "fitness/timing/robust.hpp"
#include "tests/support/judge_kernel.hpp"

namespace {

using namespace ke;

struct Settings {
  std::string stage = "duel", task = "sgemm", cache = "llc", tools = "build/release";
  int trials = 200, pairs = 20, threads = 1, lane = -1;
  double work = 0;  // per cent
  double slack = 0.01;
};

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "duel_rates: {}\n", message);
  std::exit(2);
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) give_up(result.error().message);
  return *std::move(result);
}

// Rows that a thread computes; all rows without threads.
constexpr char body[] = R"(
static void rows(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {{
  #pragma omp parallel for num_threads({0}) if ({0} > 1)
  for (std::size_t part = 0; part < {0}; ++part) {{
    const std::size_t first = m * part / {0}, end = m * (part + 1) / {0};
    work(a + first * k, b, c + first * n, end - first, n, k);
  }}
}}
// twin {1}
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {{
  const std::size_t again_{1} = m * {2} / 10000;
  if (again_{1} > 0) rows(a, b, c, again_{1}, n, k);
  rows(a, b, c, m, n, k);
}}
)";

// Renames the kernel's function to `work`; the exported function calls it for all rows and again
// for a share of them. `number` makes names and comments differ.
Kernel twin(const Settings& settings, std::string source, double per_cent, int number) {
  const std::string head = "extern \"C\" void kernel(";
  const std::size_t at = source.find(head);
  if (at == source.npos) give_up("the kernel has no line '" + head + "'");
  source.replace(at, head.size(), "static void work(");
  source += fmt::format(body, settings.threads, number, static_cast<int>(per_cent * 100));
  std::vector<std::string> flags;
  if (settings.threads > 1) flags.emplace_back("-fopenmp");
  return value_of(kernel_of_source("twin.cpp", source, flags));
}

Settings read(int argc, char** argv) {
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options;
  auto add = options.add_options();
  add("stage", po::value(&settings.stage))("task", po::value(&settings.task));
  add("trials", po::value(&settings.trials))("pairs", po::value(&settings.pairs));
  add("work", po::value(&settings.work))("threads", po::value(&settings.threads));
  add("cache", po::value(&settings.cache))("slack", po::value(&settings.slack));
  add("lane", po::value(&settings.lane))("tools", po::value(&settings.tools));
  try {
    po::variables_map map;
    po::store(po::parse_command_line(argc, argv, options), map);
    po::notify(map);
  } catch (const po::error& wrong) {
    give_up(std::string(wrong.what()) + "; the options stand at the top of its source");
  }
  if (settings.stage != "duel" && settings.stage != "screen") give_up("--stage is duel or screen");
  if (settings.cache != "llc" && settings.cache != "cold") give_up("--cache is llc or cold");
  settings.tools = std::filesystem::absolute(settings.tools);
  if (settings.threads < 1 || settings.pairs < 1) give_up("--threads and --pairs are at least 1");
  return settings;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Job job_of(JobKind kind, const Kernel& kernel, Opponent opponent, int number) {
  Job job;
  job.kind = kind;
  job.kernel = kernel;
  job.opponent = std::move(opponent);
  job.roles = {"bench"};
  Encoder key;
  key("duel_rates/2")(number);
  job.key = key.digest();
  return job;
}

/// Measurements of one program run, and their outcomes.
class Rates {
 public:
  Rates(const Settings& settings, CpuEvaluator& evaluator, std::string source)
      : settings_(settings), evaluator_(evaluator), source_(std::move(source)) {}

  void duel(int trial) {
    const auto fact = measured(JobKind::duel, challenger(trial), {"", incumbent(trial)});
    if (!fact) return;
    ++answers_[std::string(to_string(fact->comparison->decision))];
    clusters_.push_back(static_cast<double>(fact->comparison->workloads.at(0).clusters.size()));
  }

  void screen(int trial) {
    const auto held = measured(JobKind::screen, incumbent(trial), {"anchor", std::nullopt});
    const auto fact = measured(JobKind::screen, challenger(trial), {"anchor", std::nullopt});
    if (!held || !fact) return;
    const double ratio = fact->comparison->speedup / held->comparison->speedup;
    ++answers_[ratio >= 1 - settings_.slack ? "to a duel" : "held back"];
    if (ratio > 1) ++answers_["seem better"];
    differences_.push_back(std::abs(std::log(ratio)));
  }

  void print() const {
    fmt::print("{}: task {}, {} threads, {} caches, {} % more work, {} trials:", settings_.stage,
               settings_.task, settings_.threads, settings_.cache, settings_.work,
               settings_.trials);
    for (const auto& [answer, count] : answers_) fmt::print(" {} {};", answer, count);
    fmt::print(" median {:.2f} s each", median_of(seconds_));
    if (!clusters_.empty()) fmt::print(", median {} clusters", median_of(clusters_));
    if (!differences_.empty())
      fmt::print(", median difference {:.2f} %", 100 * median_of(differences_));
    fmt::print("\n");
  }

 private:
  Kernel challenger(int trial) const { return twin(settings_, source_, 0, number(trial)); }
  Kernel incumbent(int trial) const {
    return twin(settings_, source_, settings_.work, number(trial) + 1);
  }
  int number(int trial) const { return 2 * (trial % settings_.pairs); }

  std::optional<Fact> measured(JobKind kind, const Kernel& kernel, Opponent opponent) {
    Fact fact = value_of(evaluator_.run_job(job_of(kind, kernel, std::move(opponent), ++jobs_)));
    seconds_.push_back(static_cast<double>(fact.cost.lane_ns) / 1e9);
    if (fact.verdict == Verdict::ok && fact.comparison) return fact;
    ++answers_[fmt::format("{} {}", to_string(fact.verdict), fact.reason)];
    return std::nullopt;
  }

  const Settings& settings_;
  CpuEvaluator& evaluator_;
  std::string source_;
  int jobs_ = 0;
  std::map<std::string, int> answers_;
  std::vector<double> seconds_, clusters_, differences_;
};

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read(argc, argv);
  Task task = *value_of(load_task(settings.task, "."));
  task.threads = settings.threads;
  CpuOptions options;
  options.tools_dir = settings.tools;
  options.lane_core = settings.lane;
  options.cold = settings.cache == "cold";
  options.level = value_of(probe_sandbox(settings.tools)).level;
  auto evaluator = value_of(make_cpu_evaluator(std::make_shared<const Task>(task), options));
  Rates rates(settings, *evaluator, text_of("configs/tasks/" + settings.task + "/tiled.cpp"));
  for (int trial = 0; trial < settings.trials; ++trial) {
    settings.stage == "duel" ? rates.duel(trial) : rates.screen(trial);
  }
  rates.print();
}
