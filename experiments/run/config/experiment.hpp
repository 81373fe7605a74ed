#pragma once
// An experiment as its file declares it. experiment.cpp defines all keys, ranges, defaults and
// docs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/node.hpp"
#include "core/params.hpp"
#include "core/result.hpp"
#include "core/search/plan.hpp"

namespace ke {

struct OperatorWeight {
  std::string name;
  double weight = 0;
};

/// The judge's part of `acceptance`; the rule is the archive's part.
struct AcceptancePlan {
  double error = 0;         ///< chance that a duel promotes a kernel that is not better
  double min_gain = 0;      ///< relative gain below which a challenger is not better
  bool validation = false;  ///< true: kernels are also screened at the validation workloads
};

/// One island, as the experiment or its entry of `islands.each` declares it.
struct IslandSpec {
  std::string strategy;
  std::vector<OperatorWeight> operators;  ///< those with a weight above 0
  std::int64_t lag = 0;
  std::int64_t rate = 1;
  MigrationPolicy migration;
};

/// A device that islands run on; islands with equal descriptions share one.
struct DeviceSpec {
  std::string name;  ///< name in reports
  std::string kind;
  /// Index of the island whose entry in `islands.each` describes it; nothing = the experiment's
  /// section `device`.
  std::optional<std::size_t> island;
  std::string task;  ///< '*' stands for the run's task; "" = that task
};

struct IslandsPlan {
  std::int64_t count = 0;
  std::string topology;
  std::int64_t migrate_every = 0;                   ///< rounds; 0 = never
  std::optional<IslandSchedule::Options> schedule;  ///< nothing = in turn
  std::vector<IslandSpec> each;                     ///< `count` entries
  std::vector<std::size_t> device_of;               ///< index into Experiment::devices, per island
};

/// Limits on a run's exchanges with models, summed over all sessions; 0 = no limit.
struct LlmLimits {
  std::int64_t tokens = 0;
  double dollars = 0;
};

/// Lessons of earlier runs for prompts, and the choice among them.
struct MemoryPlan {
  std::string snapshot;  ///< "" in the record of a run, which stores the lessons themselves
  std::string sha256;
  std::string place;  ///< place of the option `snapshot`
  double probability = 1;
  std::int64_t lessons = 3;
  std::int64_t tokens = 900;
  bool same_family = false;
  std::vector<std::string> exclude;
};

/// Workers of other hosts that answer the run's jobs.
struct QueuePlan {
  std::string url;  ///< of the database, or `env`; may hold a password, so it is written nowhere
  std::int64_t lease_ms = 0;
  int attempts = 0;
};

/// Plain values; components are made from `document` by assemble.hpp, once for each island.
struct Experiment {
  Node document;  ///< short forms expanded, overrides applied
  std::string name;
  std::vector<std::string> tasks;
  std::vector<std::string> kernels;  ///< initial kernels; empty = all but the naive one, "none" =
                                     ///< drafts of a model only
  std::vector<std::int64_t> seeds;
  Limits limits;
  double target = 0;
  double headroom = 0;
  std::int64_t stagnation = 0;
  bool stop_exhausted = false;      ///< see SearchPlan
  bool exact_budget = false;        ///< see SearchPlan
  std::int64_t safety_wall_ms = 0;  ///< 0 = none
  std::string device;               ///< kind of the default device, for islands that name none
  std::vector<DeviceSpec> devices;  ///< in island order; empty for a numeric search
  IslandsPlan islands;
  std::string archive;  ///< these three are the defaults of islands
  std::string strategy;
  std::vector<OperatorWeight> operators;  ///< those with a weight above 0
  AcceptancePlan acceptance;
  VerifyPlan verify;
  std::int64_t repeats = 1;  ///< answers of a model to each prompt
  bool llm = false;          ///< true: a provider answers operators that ask a language model
  LlmLimits llm_limits;
  std::string sheets;  ///< file of device sheets that runs share; "" = this run measures its own
  std::optional<MemoryPlan> memory;
  std::optional<QueuePlan> queue;  ///< nothing: this process measures
  std::int64_t batch = 1;
  /// Sorted `path = value` lines of everything that decides a history, except task and seed, which
  /// the run's header stores separately. Omits the name and options of the machine (lanes).
  std::string canonical_text;
  bool numeric = false;  ///< its strategy searches vectors; see numeric/numeric_experiment.hpp

  /// SHA-256 of canonical_text.
  Digest config_id() const { return sha256(canonical_text); }
};

/// Reads a document (see document.hpp). Reports all errors at once, one per line, each with its
/// place. `name` is used when the document gives none.
Result<Experiment> read_experiment(Node document, const std::string& name);

/// All options of an experiment and of its components, for `list options`.
std::vector<Option> experiment_options();

/// Warnings about allowed but probably unintended settings, e.g. too few evaluations per cell. One
/// per line.
std::vector<std::string> experiment_warnings(const Experiment& experiment);

}  // namespace ke
