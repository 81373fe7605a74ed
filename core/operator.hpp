#pragma once
// The operator (variation) interface: makes children from parents.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/archive.hpp"
#include "core/candidate.hpp"
#include "core/device_sheet.hpp"
#include "core/hints.hpp"
#include "core/knob_space.hpp"
#include "core/knowledge_index.hpp"
#include "core/language.hpp"
#include "core/llm_client.hpp"
#include "core/random_stream.hpp"
#include "core/task_contract.hpp"

namespace ke {

/// The operator made no kernel; the candidate is stored with this reason, never dropped silently.
struct NoChild {
  std::string reason;        ///< short code, e.g. nothing_to_vary
  std::string message = {};  ///< the details, for people and for operators that repair
};

/// A language model call that may take days. `state` is all that the operator needs to continue,
/// also in another process.
struct Request {
  std::string state;
  LlmRequest request;
};

/// A kernel with its genome hash, computed once for the operator and the search.
struct HashedKernel {
  HashedKernel(Kernel made) : kernel(std::move(made)), genome_hash(kernel.genome_hash()) {}
  /// `hash` must be the kernel's genome hash.
  HashedKernel(Kernel made, const Digest& hash) : kernel(std::move(made)), genome_hash(hash) {}
  Kernel kernel;
  Digest genome_hash;
};

/// Tests that an operator may run on a draft before it submits its kernel.
enum class TrialKind {
  build,    ///< compiled and inspected: diagnostics, measures of the binary
  check,    ///< built, then judged on the test shapes; nothing is timed
  time,     ///< built, then screened like a candidate: spends an evaluation of the budget
  profile,  ///< built, then run under the device's sanitizers and profiler, if it has them
};

/// A kernel that the operator wants to test. `state` is as in Request.
struct Trial {
  std::string state;
  HashedKernel kernel;
  TrialKind kind = TrialKind::build;
};

/// The facts of a trial.
struct TrialFacts {
  Fact build;
  std::optional<Fact> judged;  ///< result of the check, timing or profile; none if the build failed
};

using Outcome = std::variant<HashedKernel, NoChild, Request, Trial>;

/// A kernel source that the task ships, with its declarations.
struct Seed {
  Kernel kernel;  ///< at its declared defaults
  std::shared_ptr<const KernelSpace> space;
};

/// A set of genomes, by hash.
class GenomeSet {
 public:
  virtual ~GenomeSet() = default;
  virtual bool contains(const Digest& genome) const = 0;
};

/// The operator's inputs besides its parents.
struct Context {
  std::span<const Seed> seeds;  ///< the task's initial kernels of the search
  std::string_view task_text;   ///< task description and reference, for prompts
  LogicalId id;                 ///< the slot to fill
  /// Genomes that the run has proposed so far, in flight or judged; null = unknown. Set only for
  /// `start`: the set at an exchange's arrival depends on the machine.
  const GenomeSet* seen = nullptr;
  /// Judged candidates of the island in commit order, for operators that learn. Set only for
  /// operators with `learns()`. `resume` gets the same list as `start`.
  std::span<const CandidatePtr> judged = {};
  std::string_view hardware = {};          ///< device class of the measurements
  const Language* language = nullptr;      ///< language of the kernels; null = the seeds'
  const Lessons* lessons = nullptr;        ///< from earlier runs; null = none. Set only for `start`
  const TaskContract* contract = nullptr;  ///< null = no task is optimised
  const DeviceSheet* sheet = nullptr;      ///< of the measuring device; null = unknown
  /// Shown to models when a search has no seeds; null = the last seed is shown.
  const Seed* interface = nullptr;
  /// Elites of the island by cell at the time of `start`, for operators with `asks()`.
  std::span<const Elite> elites = {};
  std::int64_t timed_trials = 0;  ///< trials of kind `time` that the budget allows this slot
  const Hint* hint = nullptr;     ///< to tell the model; null = none. Set only for `start`

  /// A working kernel that shows the language, name and parameters; null when the task has none.
  const Seed* shown() const {
    return interface != nullptr || seeds.empty() ? interface : &seeds.back();
  }

  /// The language of the kernels.
  const Language& kernel_language() const {
    if (language != nullptr) return *language;
    return language_of_kernels(shown() == nullptr ? "cpp" : shown()->kernel.language);
  }
  /// Whether the genome was not proposed before, so that evaluating it is informative.
  bool is_new(const Digest& genome) const { return seen == nullptr || !seen->contains(genome); }
};

/// Makes one child from parents. Pure: equal arguments give equal outcomes. Never waits.
class Operator {
 public:
  virtual ~Operator() = default;
  /// Number of parents; 0 for operators that start from the task alone.
  virtual int arity() const = 0;
  /// Whether the operator reads `Context::judged`.
  virtual bool learns() const { return false; }
  /// Whether all its kernels are points of the seeds' declared spaces.
  virtual bool stays_in_spaces() const { return false; }
  /// Whether the operator sends requests to a language model.
  virtual bool asks() const { return false; }
  /// Whether its letters carry `Context::hint`.
  virtual bool takes_hint() const { return false; }
  /// False when `start` would certainly find nothing to do; such an operator is not drawn. `first`
  /// is its first parent; null for operators without parents. `context` is that of `start`. Must be
  /// cheap compared with an evaluation.
  virtual bool can_start(const Context& /*context*/, const Candidate* /*first*/) const {
    return true;
  }
  /// Maximum number of requests for one child.
  virtual std::int64_t most_requests() const { return 8; }
  /// Maximum number of trials of kind `time` for one child, without the child's own evaluation.
  virtual std::int64_t most_timed() const { return 0; }
  /// Parents that it chooses from `Context::judged` itself when the strategy gives it none.
  virtual std::vector<Parent> own_parents(const Context& /*context*/) const { return {}; }
  virtual Outcome start(std::span<const Parent> parents, const Context& context,
                        RandomStream& random) const = 0;
  /// Continues after the exchange requested by `start` or an earlier `resume`.
  virtual Outcome resume(std::string_view /*state*/, const Exchange&, std::span<const Parent>,
                         const Context&, RandomStream&) const {
    return NoChild{"no_request_pending"};
  }
  /// Continues after the trial requested by an earlier call.
  virtual Outcome resume(std::string_view /*state*/, const TrialFacts&, std::span<const Parent>,
                         const Context&, RandomStream&) const {
    return NoChild{"no_trial_pending"};
  }
};

}  // namespace ke
