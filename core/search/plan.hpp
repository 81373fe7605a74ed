#pragma once
// What a search is told before it starts. Everything here is part of the configuration.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/evaluator.hpp"
#include "core/history.hpp"
#include "core/lessons.hpp"
#include "core/operator.hpp"
#include "core/strategy.hpp"
#include "core/topology.hpp"

namespace ke {

/// Limits in each currency; 0 = no limit.
struct Limits {
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
  std::int64_t asks = 0;  ///< slots whose operator asks a model; then the others go on alone
};

/// Which elites an island sends: the best ones, uniformly drawn ones, or drawn by rank
/// (weights n, n-1, ..., 1).
enum class MigrantSelection { best, uniform, rank };

/// What a migrant meets: the elite of its own cell (the worse of the two goes), empty cells only,
/// or no archive at all, so that only the strategy is told of it.
enum class MigrantReplacement { worst, empty, inform };

/// On every scheduled round; only from islands that stagnate; only to islands that stagnate.
enum class MigrationTrigger { schedule, source_stagnates, receiver_stagnates };

/// One island's own part in migration: `migrants` and `select` as a source, `replace` as a
/// receiver, `when` as either.
struct MigrationPolicy {
  std::int64_t migrants = 1;
  MigrantSelection select = MigrantSelection::best;
  MigrantReplacement replace = MigrantReplacement::worst;
  MigrationTrigger when = MigrationTrigger::schedule;
  std::int64_t patience = 20;  ///< rounds without a new elite after which an island stagnates
};

struct NamedOperator {
  std::string name;
  double weight = 1;
  std::unique_ptr<const Operator> op;
};

/// Who answers the requests of an island's operators that name no model.
struct ModelPlan {
  std::vector<OperatorChoice> models;            ///< name and weight; empty = the run's default
  std::unique_ptr<OperatorSelection> selection;  ///< null = by weight
};

/// One device of a run, and the task as its kernels solve it.
struct DevicePlan {
  std::string name;
  /// Language and arguments of its kernels: those of another ABI cannot come here.
  std::string abi;
  Digest task_hash;
  std::string task_text;
  std::vector<Seed> seeds;  ///< what a search starts from; the anchor is the first, if it is one
  Seed naive;               ///< for baselines; empty source = none
  std::shared_ptr<const Language> language = nullptr;  ///< of its kernels; null = the seeds' own
  Seed interface = {};  ///< shown to models in place of seeds, never tried; empty source = none
  /// Whether kernels that may enter an archive are screened at the validation workloads too, where
  /// figures are noisy. False for a task without such workloads.
  bool validates = false;
  std::shared_ptr<const TaskContract> contract = nullptr;  ///< null = what is optimised is no task
  std::shared_ptr<const DeviceSheet> sheet = nullptr;  ///< told in prompts; null = the evaluator's
};

/// One island: its own policy, archive and operators.
struct IslandPlan {
  std::size_t device = 0;  ///< in SearchPlan::devices
  std::unique_ptr<Strategy> strategy;
  std::unique_ptr<Archive> archive;
  std::vector<NamedOperator> operators;
  std::int64_t lag = 0;   ///< a step sees the archive as of `lag` steps ago
  std::int64_t rate = 1;  ///< steps a round
  MigrationPolicy migration;
  std::unique_ptr<OperatorSelection> selection;  ///< null = by weight
  bool skip_idle = false;                        ///< operators with nothing to do are not drawn
  ModelPlan models;
};

struct VerifyPlan {
  std::int64_t cells = 5;  ///< best elites of the merged archive that are measured again; 0 = none
  std::int64_t naive_flag_sets = 12;  ///< flag combinations tried for naive_best_flags
  bool fall_back = true;  ///< a champion that its verification refuses gives way to the next elite
  bool joint_flags = true;  ///< all combinations, or a climb from both ends
};

struct SearchPlan {
  RunHeader header;
  std::shared_ptr<const Lessons> lessons;  ///< null = none
  std::vector<DevicePlan> devices;
  Limits limits;
  double target = 0;            ///< stop at this objective; 0 = never
  std::int64_t stagnation = 0;  ///< stop after this many proposals without a new elite; 0 = never
  bool stop_exhausted = false;  ///< stop when every point of the seeds' spaces was judged
  bool exact_budget = false;    ///< a step has fewer proposals where the budget has no room for all
  std::int64_t batch = 1;
  std::int64_t repeats = 1;        ///< slots that put the same prompt to a model
  std::int64_t migrate_every = 0;  ///< rounds; 0 = never
  std::unique_ptr<Topology> topology;
  VerifyPlan verify;
  double min_gain = 0.01;  ///< relative gain below which a kernel is not better, or not worse
  std::vector<IslandPlan> islands;
  std::unique_ptr<Archive> passive;  ///< of all islands; of several devices one part each

  const DevicePlan& device_of(std::int64_t island) const {
    return devices[islands[static_cast<std::size_t>(island)].device];
  }
};

}  // namespace ke
