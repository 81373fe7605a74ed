#include <fmt/format.h>

#include "core/text.hpp"
#include "experiments/run/config/read_experiment.hpp"

namespace ke {
void read_queue(Params& top, Experiment& experiment) {
  constexpr std::int64_t hour_ms = 3'600'000;
  Params queue = top.section("queue");
  QueuePlan plan;
  plan.url =
      queue.text("url", "",
                 "database whose workers measure, postgresql://USER@HOST/DATABASE; env = the "
                 "value of KERNELEVOLVE_QUEUE_URL; left out = this process measures");
  plan.lease_ms = queue.duration_ms("lease", "30s", {1000, hour_ms},
                                    "a worker that is silent for longer is taken for dead, and "
                                    "another one does its job");
  plan.attempts = static_cast<int>(
      queue.integer("attempts", 5, {1, 1000},
                    "workers that may die over one job before its candidate counts as lost"));
  if (!plan.url.empty()) experiment.queue = plan;
}

namespace {

constexpr std::int64_t most = 1'000'000'000;
constexpr std::int64_t day_ms = 86'400'000;

/// Parses `7` or `1..30`.
bool append_seeds(std::string_view text, std::vector<std::int64_t>& seeds) {
  const std::size_t dots = text.find("..");
  const auto low = number_from<std::int64_t>(text.substr(0, dots));
  const auto high = dots == text.npos ? low : number_from<std::int64_t>(text.substr(dots + 2));
  if (!low || !high || *low < 0 || *high > most) return false;
  if (*high < *low || *high - *low >= 10'000) return false;
  for (std::int64_t seed = *low; seed <= *high; ++seed) seeds.push_back(seed);
  return true;
}

std::vector<std::int64_t> read_seeds(Params& top) {
  std::vector<std::int64_t> seeds;
  for (const auto& text :
       top.texts("seed", {"1"}, "seeds; each makes a run of its own: 1, [1, 2] or 1..30")) {
    if (!append_seeds(text, seeds)) {
      top.fail("seed", fmt::format("= {} is not an integer in [0, {}] or a range such as 1..30",
                                   text, most));
    }
  }
  if (seeds.empty()) seeds.push_back(1);
  return seeds;
}

bool is_file_word(std::string_view word) {
  return !word.empty() && word[0] != '.' &&
         word.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == word.npos;
}

}  // namespace

void read_run(Params& top, Experiment& experiment) {
  top.choice("schema", "kernelevolve/1", {"kernelevolve/1"}, "version of this file format");
  const std::string name = top.text("name", experiment.name, "stem of the run files");
  if (!is_file_word(name)) {
    top.fail(
        "name",
        fmt::format("= '{}' must be letters, digits, '_', '-' or '.', as it names files", name));
  }
  experiment.name = name;
  experiment.tasks = top.texts("task", {}, "tasks by name or folder; each makes a run of its own");
  experiment.seeds = read_seeds(top);
  const bool listing = top.node() == nullptr;
  if (top.has("kernels") || listing) {  // not part of the identity of runs without it
    experiment.kernels = top.texts(
        "kernels", {},
        "kernels of the task that a search starts from: naive, anchor, another's stem; "
        "left out = all but naive and those that earlier searches found; all = with them; "
        "none = drafts of a language model alone");
  }
  Params budget = top.section("budget");
  experiment.limits.evaluations = budget.integer("evaluations", experiment.numeric ? 0 : 200,
                                                 {0, most}, "measured candidates; 0 = no limit");
  experiment.limits.asks = budget.added("0").integer(
      "asks", 0, {0, most},
      "slots whose operator asks a model; the other operators use up the rest. 0 = no limit");
  experiment.limits.proposals =
      budget.integer("proposals", 0, {0, most}, "proposals; 0 = 100 + 20 x evaluations");
  if (!experiment.numeric && experiment.limits.evaluations == 0 &&
      experiment.limits.proposals == 0) {
    top.fail("budget", "has no limit; set evaluations or proposals");
  }
  if (!experiment.numeric) {
    experiment.exact_budget = budget.added("false").flag(
        "exact", true, "the last steps have fewer candidates than 'batch', to use up the budget");
  }
  Params stop = top.section("stop");
  experiment.target = stop.real("target", 0, {0, 1e12}, "stop at this objective; 0 = never");
  experiment.stagnation = stop.integer(
      "stagnation", 0, {0, most}, "stop after this many proposals without a new elite; 0 = never");
  if (!experiment.numeric) {
    experiment.headroom = stop.added("0").real(
        "headroom", 0, {0, 1},
        "stop when no more than this share of the best kernel's time at bench shapes is above what "
        "memory alone needs; 0 = never");
    experiment.stop_exhausted = stop.added("false").flag(
        "exhausted", true,
        "stop when every point of the kernels' spaces was judged and no operator leaves them");
  }
  Params safety = top.section("safety");
  experiment.safety_wall_ms =
      safety.duration_ms("wall", "0s", {0, 30 * day_ms},
                         "end the search after this time and mark the run; the champion is then "
                         "verified as ever. 0s = never");
  experiment.batch = top.integer("batch", 1, {1, 1024}, "candidates of one step");
  Params verify = top.section("verify");
  experiment.verify.cells =
      verify.integer("cells", 5, {0, 1000},
                     "best elites of the merged archive that are measured again at the end");
  experiment.verify.fall_back = verify.added("false").flag(
      "fall_back", true,
      "a champion that its verification refuses gives way to the next best elite");
  experiment.verify.spares = verify.added("0").integer(
      "spares", 6, {0, 1000},
      "further elites that sanitizers examine, one by one, while they refuse those of `cells`");
  experiment.verify.examined = verify.added("false").flag(
      "examined", true,
      "sanitizers also examine the elite that takes a refused champion's place, before it does");
  experiment.verify.joint_flags = verify.added("false").flag(
      "joint_flags", true,
      "baseline naive_best_flags: all flag sets, or where they are more than naive_flag_sets a "
      "climb "
      "from both ends; false: one flag after the other, which misses those that help together");
  experiment.verify.naive_flag_sets =
      verify.integer("naive_flag_sets", 16, {0, 1000},
                     "flag combinations tried for the baseline naive_best_flags");
}

bool outside_identity(std::string_view path) {
  if (path.starts_with("islands.each.")) {  // an island's own device
    const std::size_t at = path.find(".device.");
    if (at != path.npos) path.remove_prefix(at + 1);
  }
  for (const std::string_view label :
       {"name", "task", "seed", "schema", "device.lanes", "device.gpus", "device.compile_threads",
        "device.sandbox", "device.lane_core", "device.delay_us", "device.files",
        "llm.budget.tokens", "llm.budget.dollars", "llm.concurrency", "llm.deadline",
        "memory.snapshot", "queue.url", "queue.lease", "queue.attempts"}) {
    if (path == label) return true;
  }
  return false;
}

}  // namespace ke
