// How often duels err, measured with the real judge on this machine.
//
// The challenger is a kernel of a task with a row axis, the incumbent its twin: renamed, with other
// comments, linked again with other paddings; with --work P the incumbent also computes its first P
// per cent of rows twice. P = 0 gives the rate of false `better`, P > 0 the sensitivity. After
// --pairs P pairs have been compiled they take turns; every duel links them anew.
//
// usage: duel_rates [--task sgemm] [--trials 200] [--pairs 20] [--work 0] [--lane -1] [--tools
// build/release]

#include <fmt/core.h>

#include <boost/program_options.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>

#include "experiments/evaluators/cpu.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"
#include "fitness/cpu/eval.hpp"
#include "fitness/cpu/host.hpp"
#include "fitness/sandbox/level.hpp"
#include "fitness/timing/robust.hpp"

namespace {

using namespace ke;

struct Settings {
  std::string task = "sgemm", tools = "build/release";
  int trials = 200, pairs = 20, lane = -1;
  double work = 0;  // per cent
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

// The kernel's own function becomes `work`; the exported one calls it for all rows and again for a
// share of them. `number` makes names and comments differ.
std::string twin(const std::string& source, double per_cent, int number) {
  const std::string head = "extern \"C\" void kernel(";
  const std::size_t at = source.find(head);
  if (at == source.npos) give_up("the kernel has no line '" + head + "'");
  std::string text = source;
  text.replace(at, head.size(), "static void work(");
  return fmt::format(
      "{}\n// twin {}\nextern \"C\" void kernel(const float* a, const float* b, float* c, "
      "std::size_t m, std::size_t n, std::size_t k) {{\n  const std::size_t again_{} = "
      "m * {} / 10000;\n  if (again_{} > 0) work(a, b, c, again_{}, n, k);\n  work(a, b, c, m, n, "
      "k);\n}}\n",
      text, number, number, static_cast<int>(per_cent * 100), number, number);
}

Settings read(int argc, char** argv) {
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options;
  options.add_options()("task", po::value(&settings.task))("trials", po::value(&settings.trials))(
      "pairs", po::value(&settings.pairs))("work", po::value(&settings.work))(
      "lane", po::value(&settings.lane))("tools", po::value(&settings.tools));
  po::variables_map map;
  po::store(po::parse_command_line(argc, argv, options), map);
  po::notify(map);
  return settings;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Job duel_of(const Kernel& challenger, const Kernel& incumbent, int number) {
  Job job;
  job.kind = JobKind::duel;
  job.kernel = challenger;
  job.opponent = Opponent{"", incumbent};
  job.roles = {"bench"};
  Encoder key;
  key("duel_rates/1")(number);
  job.key = key.digest();
  return job;
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read(argc, argv);
  const std::string folder = "configs/tasks/" + settings.task;
  const auto task = value_of(load_task(settings.task, "."));
  CpuOptions options;
  options.tools_dir = settings.tools;
  options.lane_core = settings.lane;
  options.level = value_of(probe_sandbox(settings.tools)).level;
  auto evaluator = value_of(make_cpu_evaluator(task, options));
  const std::string source = text_of(folder + "/tiled.cpp");
  std::map<std::string, int> answers;
  std::vector<double> seconds, clusters;
  for (int trial = 0; trial < settings.trials; ++trial) {
    const int pair = 2 * (trial % settings.pairs);
    const Kernel lean = value_of(kernel_of_source("lean.cpp", twin(source, 0, pair), {}));
    const Kernel other =
        value_of(kernel_of_source("other.cpp", twin(source, settings.work, pair + 1), {}));
    const Fact fact = value_of(evaluator->run_job(duel_of(lean, other, trial)));
    const bool measured = fact.verdict == Verdict::ok && fact.comparison;
    ++answers[measured ? std::string(to_string(fact.comparison->decision))
                       : fmt::format("{} {}", to_string(fact.verdict), fact.reason)];
    seconds.push_back(static_cast<double>(fact.cost.lane_ns) / 1e9);
    if (measured) {
      clusters.push_back(static_cast<double>(fact.comparison->workloads.at(0).clusters.size()));
    }
  }
  fmt::print("task {}, {} % more work, {} duels:", settings.task, settings.work, settings.trials);
  for (const auto& [answer, count] : answers) fmt::print(" {} {};", answer, count);
  fmt::print(" median {:.2f} s a duel", median_of(seconds));
  if (!clusters.empty()) fmt::print(", median {} clusters", median_of(clusters));
  fmt::print("\n");
}
