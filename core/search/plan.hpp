#pragma once
// The inputs of a search. All of them belong to the configuration.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/evaluator.hpp"
#include "core/history.hpp"
#include "core/knowledge_index.hpp"
#include "core/operator.hpp"
#include "core/registry.hpp"
#include "core/search/hint_pool.hpp"
#include "core/search/island_schedule.hpp"
#include "core/strategy.hpp"
#include "core/workload_mean.hpp"

namespace ke {

/// Budget limits; 0 = no limit.
struct Limits {
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
  std::int64_t asks = 0;  ///< slots whose operator asks a model; at the limit others go on
};

/// Selection of the elites that an island sends: the best, drawn uniformly, or drawn by rank
/// (weights n, n-1, ..., 1).
enum class MigrantSelection { best, uniform, rank };

/// How a migrant enters: it competes with the elite of its cell (the worse one goes), takes empty
/// cells only, or enters no archive and only informs the strategy.
enum class MigrantReplacement { worst, empty, inform };

/// When to migrate: every scheduled round; only from stagnating islands; only to stagnating ones.
enum class MigrationTrigger { schedule, source_stagnates, receiver_stagnates };

/// One island's migration settings: `migrants` and `select` apply as a source, `replace` as a
/// receiver, `when` as either.
struct MigrationPolicy {
  std::int64_t migrants = 1;
  MigrantSelection select = MigrantSelection::best;
  MigrantReplacement replace = MigrantReplacement::worst;
  MigrationTrigger when = MigrationTrigger::schedule;
  std::int64_t patience = 20;  ///< an island stagnates after this many rounds without a new elite
};

struct NamedOperator {
  std::string name;
  double weight = 1;
  std::unique_ptr<const Operator> op;
};

/// The models that serve an island's requests where an operator names no model.
struct ModelPlan {
  using Settings = std::map<std::string, std::string>;
  std::vector<OperatorChoice> models;  ///< name and weight; empty = the run's default
  /// Settings of requests, by model; those below "" are for all other models.
  std::map<std::string, Settings> settings;
  std::unique_ptr<OperatorSelection> selection;  ///< null = by weight
};

/// One device of a run and the task for its kernels.
struct DevicePlan {
  std::string name;
  /// Language and arguments of its kernels; kernels with another ABI cannot migrate here.
  std::string abi;
  Digest task_hash;
  std::string task_text;
  std::vector<Seed> seeds;  ///< initial kernels; if the anchor is one, it is first
  Seed naive;               ///< kernel of the naive baselines; empty source = none
  std::shared_ptr<const Language> language = nullptr;  ///< of its kernels; null = the seeds'
  Seed interface = {};  ///< shown to models instead of seeds, never tried; empty source = none
  /// Whether kernels that may enter an archive are also screened at the validation workloads, if
  /// timings are noisy. False for a task without such workloads.
  bool validates = false;
  std::shared_ptr<const TaskContract> contract = nullptr;  ///< null = no task
  WorkloadMean mean = {};  ///< how the task's workloads become one figure
  std::shared_ptr<const DeviceSheet> sheet = nullptr;  ///< shown in prompts; null = the evaluator's
};

/// One island with its policy, archive and operators.
struct IslandPlan {
  std::size_t device = 0;  ///< index in SearchPlan::devices
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<Archive> archive;
  std::vector<NamedOperator> operators;
  std::int64_t lag = 0;   ///< a step sees the archive of `lag` steps earlier
  std::int64_t rate = 1;  ///< steps per round
  MigrationPolicy migration;
  std::unique_ptr<OperatorSelection> selection;  ///< null = by weight
  bool skip_idle = false;                        ///< operators without work are not drawn
  ModelPlan models;
};

struct VerifyPlan {
  std::int64_t cells = 5;  ///< best elites of the merged archive to measure again; 0 = none
  std::int64_t naive_flag_sets = 12;  ///< flag combinations tried for naive_best_flags
  bool fall_back = true;  ///< if verification refuses the champion, the next elite takes its place
  std::int64_t spares = 6;  ///< further elites for sanitizers, while they refuse each before
  bool examined = true;     ///< sanitizers pass whoever takes a refused champion's place
  bool joint_flags = true;  ///< all combinations, or a climb from both ends
};

struct SearchPlan {
  RunHeader header;
  std::shared_ptr<const Lessons> lessons;  ///< null = none
  std::unique_ptr<HintPool> hints;         ///< null = letters carry no hints
  std::vector<DevicePlan> devices;
  Limits limits;
  double target = 0;            ///< stop at this objective; 0 = never
  double headroom = 0;          ///< stop when so small a share of the best time is above the floor
  std::int64_t stagnation = 0;  ///< stop after this many proposals without a new elite; 0 = never
  bool stop_exhausted = false;  ///< stop when every point of the seeds' spaces has been judged
  bool exact_budget = false;    ///< a step gets fewer proposals when the budget does not allow all
  std::int64_t batch = 1;
  std::int64_t repeats = 1;        ///< slots that send the same prompt to a model
  std::int64_t migrate_every = 0;  ///< rounds; 0 = never
  Topology topology = nullptr;
  VerifyPlan verify;
  double min_gain = 0.01;  ///< relative gain below which a kernel is not better, or not worse
  std::vector<IslandPlan> islands;
  std::unique_ptr<IslandSchedule> schedule;  ///< null = in turn; else rates are 1
  std::unique_ptr<Archive> passive;          ///< over all islands; one part per device

  const DevicePlan& device_of(std::int64_t island) const {
    return devices[islands[static_cast<std::size_t>(island)].device];
  }
};

}  // namespace ke
