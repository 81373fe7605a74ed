// Measures how fast kernels of a task are compiled and judged on one NVIDIA GPU, how the time is
// spent, and the cost of kernels that crash, hang, access foreign memory or use too much of it.
//
// Kernels are random points of the anchor's genome. "compiled" is a build alone, "judged" a build
// and a screen as in a search, with the compile threads running in parallel; the first kernels,
// which start processes and draw contents, do not count. Misbehaving kernels are screened one at a
// time, each followed by one that behaves.
//
// usage: gpu_rates [--task recsys/rmsnorm] [--kernels 40] [--duels 10] [--compile-threads 2]
// [--nvrtc PATH]
//                  [--cheats tests/cheats/gpu]      kernels for recsys/rmsnorm; left out for other
//                  tasks

#include <fmt/core.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/evaluators/oracle.hpp"
#include "experiments/run/places.hpp"
#include "fitness/cuda/cuda_evaluator.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/robust.hpp"
#include "tests/support/judge_kernel.hpp"

namespace {

using namespace ke;

struct Settings {
  std::string task = "recsys/rmsnorm", nvrtc, cheats = "tests/cheats/gpu";
  std::size_t kernels = 40, duels = 10;
  int compile_threads = 2;
};

/// Files of the folder of cheats, without their extension.
const char* const misbehaving[] = {
    "device_trap",      "endless",        "spin_past_completion", "illegal_address",
    "enormous_scratch", "enormous_stack", "failed_launch",        "failed_launch_registers"};

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "gpu_rates: {}\n", message);
  std::exit(2);
}

template <typename T>
T value_of(Result<T> result) {
  if (!result) give_up(result.error().message);
  return *std::move(result);
}

Settings read(int argc, char** argv) {
  namespace po = boost::program_options;
  Settings settings;
  po::options_description options;
  auto add = options.add_options();
  add("task", po::value(&settings.task))("kernels", po::value(&settings.kernels));
  add("duels", po::value(&settings.duels))("nvrtc", po::value(&settings.nvrtc));
  add("compile-threads", po::value(&settings.compile_threads));
  add("cheats", po::value(&settings.cheats));
  try {
    po::variables_map map;
    po::store(po::parse_command_line(argc, argv, options), map);
    po::notify(map);
  } catch (const po::error& wrong) {
    give_up(std::string(wrong.what()) + "; the options stand at the top of its source");
  }
  if (settings.kernels < 1) give_up("--kernels is at least 1");
  return settings;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

/// Jobs of one kind that ran concurrently.
struct Batch {
  std::vector<Fact> facts;  ///< in the order of the jobs
  double wall_s = 0;
  double lane_s = 0;
  gpu::LaneTime before, after;

  void print_verdicts() const {
    std::map<std::string, int> counts;
    for (const Fact& fact : facts)
      ++counts[fmt::format("{} {}", to_string(fact.verdict), fact.reason)];
    for (const auto& [verdict, count] : counts) fmt::print("  {} {}", count, verdict);
    fmt::print("\n");
  }
};

class Rates {
 public:
  Rates(std::shared_ptr<const Task> task, const Settings& settings)
      : subject_(value_of(subject_of(task))), random_({.seed = 1, .purpose = Purpose::test}) {
    ParamLog log;
    Params device(nullptr, "device", log);
    gpu::GpuOptions options = gpu::GpuOptions::read(device);
    options.tools_dir = tools_folder();
    options.nvrtc = settings.nvrtc;
    options.compile_threads = settings.compile_threads;
    options.lane_time = &time_;
    Reference oracle = value_of(oracle_of(*task, value_of(make_workbench("auto")).options));
    evaluator_ = value_of(cuda::make_cuda_evaluator(task, std::move(oracle), options));
  }

  const EvaluatorInfo& info() const { return evaluator_->info(); }

  std::vector<Kernel> draw(std::size_t count) {
    const Seed& anchor = subject_.seeds.at(0);
    std::vector<Kernel> list;
    while (list.size() < count) {
      auto kernel = anchor.space->sample(anchor.kernel, random_);
      if (!kernel) give_up("the genome has no further points");
      if (seen_.insert(kernel->genome_hash()).second)
        list.push_back(*std::move(kernel));
      else if (++again_ > 10'000)
        give_up("the genome has too few points for --kernels");
    }
    return list;
  }

  Batch build(const std::vector<Kernel>& kernels) {
    std::vector<Job> jobs;
    for (const Kernel& kernel : kernels) jobs.push_back(job(JobKind::build, kernel));
    return done(std::move(jobs));
  }

  Batch screen(const std::vector<Kernel>& kernels) {
    std::vector<Job> jobs;
    for (const Kernel& kernel : kernels) {
      jobs.push_back(job(JobKind::screen, kernel));
      jobs.back().opponent = Opponent{"anchor", std::nullopt};
    }
    return done(std::move(jobs));
  }

  /// Duels each kernel against the next one.
  Batch duel(const std::vector<Kernel>& kernels) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i + 1 < kernels.size(); ++i) {
      jobs.push_back(job(JobKind::duel, kernels[i]));
      jobs.back().opponent = Opponent{"", kernels[i + 1]};
    }
    return done(std::move(jobs));
  }

 private:
  Job job(JobKind kind, const Kernel& kernel) {
    Job made;
    made.kind = kind;
    made.kernel = kernel;
    if (kind != JobKind::build) made.roles = {"bench"};
    Encoder key;
    key("gpu_rates/1")(++jobs_);
    made.key = key.digest();
    return made;
  }

  Batch done(std::vector<Job> jobs) {
    Batch batch;
    batch.before = time_;
    const std::int64_t begin = now_ns();
    for (const Job& one : jobs) {
      if (const auto taken = evaluator_->submit(one); !taken) give_up(taken.error().message);
    }
    std::map<std::string, Fact> facts;
    while (facts.size() < jobs.size()) {
      for (Fact& fact : evaluator_->poll(std::chrono::milliseconds(1000))) {
        const std::string key = fact.key.hex();
        facts[key] = std::move(fact);
      }
    }
    batch.wall_s = seconds(now_ns() - begin);
    for (const Job& one : jobs) {
      batch.facts.push_back(std::move(facts.at(one.key.hex())));
      batch.lane_s += seconds(batch.facts.back().cost.lane_ns);
    }
    batch.after = time_;
    return batch;
  }

  Subject subject_;
  RandomStream random_;
  std::set<Digest> seen_;
  std::int64_t jobs_ = 0, again_ = 0;
  gpu::LaneTime time_;
  std::unique_ptr<Evaluator> evaluator_;  // destroyed first: its lane writes time_
};

double median_compile_s(const Batch& batch) {
  std::vector<double> taken;
  for (const Fact& fact : batch.facts) taken.push_back(seconds(fact.cost.compile_ns));
  return median_of(taken);
}

// Prints the milliseconds per judged kernel, by activity of the lane.
void print_split(const Batch& batch) {
  const auto count = static_cast<double>(batch.facts.size());
  const gpu::LaneTime &a = batch.before, &b = batch.after;
  const auto ms = [&](std::int64_t ns) { return 1e3 * seconds(ns) / count; };
  const double lane = 1e3 * batch.lane_s / count, wall = 1e3 * batch.wall_s / count;
  const double known = ms(b.load - a.load) + ms(b.contents - a.contents) + ms(b.place - a.place) +
                       ms(b.call - a.call) + ms(b.inspect - a.inspect);
  fmt::print(
      "  ms a kernel: wall {:.1f} = lane {:.1f} + lane waiting {:.1f}; compiler {:.1f} beside it\n",
      wall, lane, wall - lane, 1e3 * median_compile_s(batch));
  fmt::print(
      "  lane: load {:.1f}, contents {:.1f}, place {:.1f}, call {:.1f}, inspect {:.1f}, other "
      "{:.1f}\n",
      ms(b.load - a.load), ms(b.contents - a.contents), ms(b.place - a.place), ms(b.call - a.call),
      ms(b.inspect - a.inspect), lane - known);
  const double check = ms(b.check - a.check);
  fmt::print("  lane: correctness {:.1f}, screening {:.1f}\n", check, lane - check);
}

// Prints each kernel that is not ok, with its verdict and detail.
void print_refused(const std::vector<Kernel>& kernels, const Batch& batch) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Fact& fact = batch.facts[i];
    if (fact.verdict == Verdict::ok) continue;
    fmt::print("  {} {}:", to_string(fact.verdict), fact.reason);
    for (const auto& [knob, value] : kernels[i].knobs) fmt::print(" {}={}", knob, value);
    for (const std::string& flag : kernels[i].flags) fmt::print(" {}", flag);
    fmt::print("\n    {}\n    {}\n", fact.message, fact.feedback);
  }
}

std::vector<Kernel> good_ones(const std::vector<Kernel>& kernels, const Batch& screened) {
  std::vector<Kernel> good;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (screened.facts[i].verdict == Verdict::ok) good.push_back(kernels[i]);
  }
  return good;
}

/// Makes one source of the kernel, as tests/cheats/gpu/run.py does.
Kernel cheat(const std::string& folder, const std::string& name) {
  std::string source = text_of(folder + "/" + name + ".cu");
  const std::string include = "#include \"honest.cuh\"\n";
  if (const auto at = source.find(include); at != source.npos) {
    source.replace(at, include.size(), text_of(folder + "/honest.cuh"));
  }
  return value_of(kernel_of_source(name + ".cu", source, {}));
}

void print_misbehaving(Rates& rates, const std::string& folder, const Kernel& good) {
  for (const std::string name : misbehaving) {
    const Kernel bad = cheat(folder, name);
    rates.build({bad});
    const Batch alone = rates.screen({bad});
    const Batch next = rates.screen({good});
    const Fact& fact = alone.facts[0];
    fmt::print("{:24} {} {}: {:.2f} s; the next kernel: {} after {:.2f} s\n", name,
               to_string(fact.verdict), fact.reason, alone.wall_s, to_string(next.facts[0].verdict),
               next.wall_s);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Settings settings = read(argc, argv);
  Rates rates(value_of(load_task(settings.task, ".")), settings);
  fmt::print("{}; {}; {} compile threads\n", rates.info().device_class, rates.info().toolchain,
             settings.compile_threads);
  rates.build(rates.draw(static_cast<std::size_t>(2 * settings.compile_threads)));
  fmt::print("first screen, contents of all shapes drawn: {:.1f} s\n",
             rates.screen(rates.draw(1)).wall_s);

  const auto count = static_cast<double>(settings.kernels);
  const auto to_build = rates.draw(settings.kernels);
  const Batch built = rates.build(to_build);
  fmt::print("compiled: {:.1f} kernels/s, median {:.0f} ms each", count / built.wall_s,
             1e3 * median_compile_s(built));
  built.print_verdicts();
  print_refused(to_build, built);

  const auto kernels = rates.draw(settings.kernels);
  const Batch screened = rates.screen(kernels);
  fmt::print("judged: {:.1f} kernels/s", count / screened.wall_s);
  screened.print_verdicts();
  print_refused(kernels, screened);
  print_split(screened);

  auto good = good_ones(kernels, screened);
  if (good.empty()) give_up("no kernel was ok");
  const Kernel next = good.front();
  good.resize(std::min(good.size(), settings.duels + 1));
  if (good.size() > 1) {
    const Batch duels = rates.duel(good);
    fmt::print("duels: {:.2f} s each", duels.wall_s / static_cast<double>(duels.facts.size()));
    duels.print_verdicts();
    print_refused({good.begin(), good.end() - 1}, duels);
  }
  if (settings.task == "recsys/rmsnorm") print_misbehaving(rates, settings.cheats, next);
}
